#require serve legacyhg

Clients of the time before media types, for real: hg 3.6 and 4.0.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ for n in 1 2 3; do
  >   "$PYTHON" -c 'print("a line of text\n" * 2000)' > f$n
  >   hg ci -qAm "change $n"
  > done
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > wirelog = $TESTDIR/testlib/wirelog.py
  > [wirelog]
  > file = $TESTTMP/wirecomp.log
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ serve
  $ cd ..
  $ for version in 3.6.3 4.0.2; do
  >   old="$WIRECOMPBUILD/hg-$version/bin/hg"
  >   "$old" clone -q http://localhost:$HGPORT/ clone-$version
  >   cd clone-$version
  >   "$old" verify -q
  >   echo more >> f1
  >   "$old" commit -m "change by $version"
  >   "$old" push -q
  >   cd ..
  > done
  $ "$old" -R clone-3.6.3 pull -q
  $ "$old" -R clone-3.6.3 log -G -T '{desc}\n'
  o  change by 4.0.2
  |
  @  change by 3.6.3
  |
  o  change 3
  |
  o  change 2
  |
  o  change 1
  
  $ hg -R repo verify -q
  $ cat wirecomp.log
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  unbundle: application/mercurial-0.1, engine none, level -: legacy client
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  unbundle: application/mercurial-0.1, engine none, level -: legacy client
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  $ cat errors.log
