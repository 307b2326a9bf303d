#require serve

Pushes of a client with the extension that the server refuses because they are
compressed.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ hg clone -q repo work
  $ cat >> repo/.hg/hgrc <<EOF
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ cat > failing.py <<EOF
  > from mercurial import bundle2
  > def failing(*args):
  >     raise ValueError('no decompression')
  > bundle2.b2streamparamsmap[b'compression'] = failing
  > EOF
  $ cat > unaware.py <<EOF
  > from mercurial import bundle2
  > del bundle2.b2streamparamsmap[b'compression']
  > EOF
  $ push() {
  >   : > access.log
  >   "$PYTHON" -c "print('a line of text\n' * 999)" >> work/f
  >   hg -R work ci -qAm change
  >   hg -R work --config extensions.wirecomp= push http://localhost:$HGPORT/ "$@"
  >   sed -n 's/.*\(POST .*unbundle\).*" \([0-9]*\) .*/\1 \2/p' access.log
  > }

The second time they are sent plain, and once: what the first answer leaves on
its connection is not taken for the next one.

  $ for how in failing unaware; do
  >   echo "$how"
  >   serve -R repo --config extensions.how="$TESTTMP/$how.py"
  >   push
  >   push --force
  >   stop
  > done
  failing
  pushing to http://localhost:$HGPORT/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files
  POST /?cmd=unbundle 500
  POST /?cmd=unbundle 200
  pushing to http://localhost:$HGPORT/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files
  POST /?cmd=unbundle 500
  POST /?cmd=unbundle 200
  unaware
  pushing to http://localhost:$HGPORT/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files
  POST /?cmd=unbundle 200
  POST /?cmd=unbundle 200
  pushing to http://localhost:$HGPORT/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files
  POST /?cmd=unbundle 200
  POST /?cmd=unbundle 200
