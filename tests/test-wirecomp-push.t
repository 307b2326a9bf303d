#require serve zstd

A client with wirecomp pushes to the server as it comes, without wirecomp.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/push.sh"
  $ cat >> $HGRCPATH <<END
  > [ui]
  > ssh = "$PYTHON" "$RUNTESTDIR/dummyssh"
  > [web]
  > push_ssl = no
  > allow-push = *
  > END
  $ textrepo repo
  $ url=http://localhost:$HGPORT1/
  $ fresh() {
  >   stop
  >   rm -rf server
  >   hg init server
  >   serve -R server "$@"
  >   record
  > }

The bundle is compressed, what arrives is the same

  $ fresh
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  $ same repo server
  same
  $ hg -R repo phase -r tip
  3: public

Without wirecomp it is not

  $ fresh
  $ hg -R repo push -q -f $url
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200
  $ hg -R repo phase --draft --force -r 'all()' -q

What --verbose and --debug say

  $ fresh
  $ ours -R repo push -v $url | sed -n 's/[0-9][0-9.]*/N/g; s/^(sent N bytes/&/p'
  (sent N bytes for N, engine zstd, ratio N)
  $ fresh
  $ ours -R repo push --debug -r 0 $url \
  >   | sed -n '/wirecomp: unbundle/ s/[0-9][0-9]* bytes for [0-9]*/N bytes for N/p'
  wirecomp: unbundle: sending engine zstd, N bytes for N
  wirecomp: unbundle: application/mercurial-0.1, engine none, N bytes for N

Switched off

  $ fresh
  $ sent > /dev/null
  $ ours -R repo push -q $url --config wirecomp.compress-push=no
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200

The level: the higher, the smaller. It is zstd's, and the nearest of zlib's

  $ level() {
  >   rm -rf server
  >   hg init server
  >   ours -R repo push -q -f -r 0 $url --config wirecomp.push-level=$1
  >   hg -R repo phase --draft --force -r 'all()'
  >   wc -c < sent.log.body
  > }
  $ levels() {
  >   fresh "$@"
  >   for n in -7 1 22; do level $n; done | sort -c -r -n
  >   sent
  > }
  $ levels
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  unbundle: POST, bundle2 Compression=ZS, body 2: 200
  unbundle: POST, bundle2 Compression=ZS, body 3: 200
  $ levels --config server.compressionengines=zlib
  unbundle: POST, bundle2 Compression=GZ, body 1: 200
  unbundle: POST, bundle2 Compression=GZ, body 1: 200
  unbundle: POST, bundle2 Compression=GZ, body 2: 200

What the server lists decides

  $ fresh --config server.compressionengines=zlib
  $ ours -R repo push -q $url
  $ sent
  unbundle: POST, bundle2 Compression=GZ, body 1: 200
  $ same repo server
  same
  $ fresh --config server.compressionengines=bz2,zlib,zstd
  $ ours -R repo push -q $url
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  $ fresh --config server.compressionengines=none
  $ ours -R repo push -q $url
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200
  $ fresh --config server.compressionengines=bz2
  $ ours -R repo push -q $url
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200
  $ same repo server
  same

A body that does not shrink

  $ hg init random
  $ "$PYTHON" -c 'import os, sys; sys.stdout.buffer.write(os.urandom(300000))' \
  >   > random/file
  $ hg -R random ci -qAm random
  $ fresh
  $ ours -R random push -q $url
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200
  $ same random server
  same

Nothing to push; bookmarks and phases alone

  $ fresh
  $ ours -R repo push -q $url
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  no changes found
  [1]
  $ sent
  $ hg -R repo bookmark -r 1 mark
  $ ours -R repo push $url -B mark
  pushing to http://localhost:$HGPORT1/
  searching for changes
  no changes found
  exporting bookmark mark
  [1]
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 2: 200
  $ hg -R server phase --draft --force -r 'all()'
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  no changes found
  [1]
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 3: 200
  $ hg -R server phase -r 'all()'
  0: public
  1: public
  2: public
  3: public
  $ same repo server
  same

New branches, and a bookmark with its changesets

  $ hg -R repo up -q 1
  $ hg -R repo branch -q new
  $ cp repo/file1 repo/more
  $ hg -R repo ci -qAm 'change 5'
  $ hg -R repo bookmark -r tip second
  $ ours -R repo push -q $url
  abort: push creates new remote branches: new
  (use 'hg push --new-branch' to create new remote branches)
  [20]
  $ sent
  $ ours -R repo push $url --new-branch -B second
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files (+1 heads)
  exporting bookmark second
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 4: 200
  $ same repo server
  same

  $ hg -R repo bookmark -q -d mark second

Arguments in the body of the request

  $ fresh --config experimental.httppostargs=yes
  $ ours -R repo push -q $url --new-branch
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  $ same repo server
  same

A part of the history

  $ fresh
  $ ours -R repo push -q $url -r 1
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  $ ours -R repo push -q $url -r 3
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 2: 200
  $ ours -R repo push -q $url --new-branch
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 3: 200
  $ same repo server
  same

Pushed the old way

  $ fresh
  $ ours -R repo push -q $url --new-branch --config devel.legacy.exchange=bundle1
  $ sent
  unbundle: POST, HG10GZ, body 1: 200
  $ stop

Enabled by the repository alone; beside it another is pushed by plain Mercurial

  $ cat >> repo/.hg/hgrc <<END
  > [extensions]
  > wirecomp =
  > END
  $ fresh
  $ hg -R repo push -q $url --new-branch
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  $ hg clone -q server beside
  $ echo more > beside/evenmore
  $ "$PYTHON" -c 'print("text\n" * 9999)' > beside/text
  $ hg -R beside ci -qAm 'change 6'
  $ hg -R beside push -q $url
  $ sent
  unbundle: POST, bundle2 plain, body 2: 200
  $ cat >> repo/.hg/hgrc <<END
  > [wirecomp]
  > compress-push = no
  > END
  $ fresh
  $ hg -R repo push -q $url --new-branch
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200

In one process each is pushed as it is configured: the extension stays loaded

  $ cat > each.py <<END
  > import struct, subprocess, sys
  > server = subprocess.Popen(['hg', 'serve', '--cmdserver', 'pipe'],
  >     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
  > def channel():
  >     kind, size = struct.unpack('>cI', server.stdout.read(5))
  >     return kind, server.stdout.read(size)
  > channel()
  > for arg in sys.argv[1:]:
  >     name, rev = arg.split(':')
  >     words = ['-R', name, 'push', '-q', '-r', rev, '$url']
  >     data = '\0'.join(words).encode()
  >     server.stdin.write(b'runcommand\n' + struct.pack('>I', len(data)) + data)
  >     server.stdin.flush()
  >     kind, said = channel()
  >     while kind != b'r':
  >         print(said.decode(), end='')
  >         kind, said = channel()
  >     assert not any(said)
  > server.stdin.close()
  > server.wait()
  > END
  $ sed -i.bak '/^\[wirecomp\]/,$ d' repo/.hg/hgrc
  $ fresh
  $ "$PYTHON" each.py repo:0 beside:1 repo:2 beside:3
  $ sent
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  unbundle: POST, bundle2 plain, body 2: 200
  unbundle: POST, bundle2 Compression=ZS, body 3: 200
  unbundle: POST, bundle2 plain, body 4: 200

A hook of a server that pushes on, in its own process

  $ cat > pushon.py <<END
  > from mercurial import commands
  > def hook(ui, repo, **kwargs):
  >     ui.setconfig(b'ui', b'quiet', True)
  >     return commands.push(ui, repo, b'$url', new_branch=True)
  > END
  $ fresh
  $ for kind in changegroup txnclose; do
  >   rm -rf first server
  >   hg init server
  >   hg init first
  >   cat > first/.hg/hgrc <<END
  > [extensions]
  > wirecomp =
  > [hooks]
  > $kind = python:$TESTTMP/pushon.py:hook
  > END
  >   hg serve -R first -d -p $HGPORT2 --pid-file first.pid -E first.log
  >   cat first.pid >> $DAEMON_PIDS
  >   hg -R repo push -qf http://localhost:$HGPORT2/
  >   kill $(cat first.pid)
  >   sent
  >   same first server
  > done
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  same
  unbundle: POST, bundle2 Compression=ZS, body 1: 200
  same
  $ cat first.log

Mistakes in the configuration: nothing is sent

  $ fresh
  $ ours -R repo push -q $url --new-branch --config wirecomp.compress-push=perhaps
  config error at --config: wirecomp.compress-push: bad value 'perhaps'
  (use yes or no)
  [30]
  $ ours -R repo push -q $url --new-branch --config wirecomp.push-level=23
  config error at --config: wirecomp.push-level: bad value '23'
  (use a whole number from -7 to 22)
  [30]
  $ ours -R repo push -q $url --new-branch --config wirecomp.push-level=best
  config error at --config: wirecomp.push-level: bad value 'best'
  (use a whole number from -7 to 22)
  [30]
  $ sent
  $ hg -R server log

SSH and paths are untouched

  $ fresh
  $ ours -R repo push -q --new-branch ssh://user@dummy/server --debug | grep wirecomp
  [1]
  $ same repo server
  same
  $ fresh
  $ ours -R repo push -q --new-branch server --debug | grep wirecomp
  [1]
  $ same repo server
  same
  $ sent
  $ cat errors.log sent.log.errors
