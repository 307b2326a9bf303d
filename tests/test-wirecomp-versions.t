#require serve

This Mercurial against the oldest and the newest supported, with wirecomp on
the server, both ways.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat > hgrc.server <<EOF
  > [extensions]
  > wirecomp =
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ other() {
  >   version=$1; shift
  >   PYTHONPATH="$TESTDIR/.." "$WIRECOMPBUILD/hg-$version/bin/hg" "$@"
  > }
  $ exercise() {
  >   server="$1"; client="$2"
  >   rm -rf repo clone
  >   $server init repo --config format.revlog-compression=zlib
  >   cp hgrc.server repo/.hg/hgrc
  >   "$PYTHON" -c 'print("a line of text\n" * 2000)' > repo/f
  >   $server -R repo ci -qAm 'change 1'
  >   $server serve -R repo -d -p $HGPORT --pid-file hg.pid -E errors.log
  >   cat hg.pid >> $DAEMON_PIDS
  >   $client clone -q http://localhost:$HGPORT/ clone
  >   echo more >> clone/f
  >   $client -R clone ci -qm 'change 2'
  >   $client -R clone push -q
  >   $server -R repo up -q
  >   echo more >> repo/f
  >   $server -R repo ci -qm 'change 3'
  >   $client -R clone pull -q -u
  >   $client -R clone verify -q
  >   $server -R repo verify -q
  >   $client -R clone log -T '{desc}, '
  >   rm -rf streamed
  >   $client clone -q -U --stream http://localhost:$HGPORT/ streamed
  >   $client -R streamed verify -q
  >   $client -R streamed log -T '{rev} '
  >   echo
  >   stop
  >   cat errors.log
  > }
  $ oldest=6.1.4; newest=7.2.4
  $ for version in $oldest $newest; do
  >   test -e "$WIRECOMPBUILD/hg-$version/.complete" || continue
  >   exercise "other $version" hg
  >   exercise hg "other $version"
  > done
  change 3, change 2, change 1, 2 1 0  (oldesthg !)
  change 3, change 2, change 1, 2 1 0  (oldesthg !)
  change 3, change 2, change 1, 2 1 0  (newesthg !)
  change 3, change 2, change 1, 2 1 0  (newesthg !)
