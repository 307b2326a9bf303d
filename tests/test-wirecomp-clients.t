#require serve

Clients as they are, against a server with wirecomp: clone, pull, push.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [ui]
  > ssh = "$PYTHON" "$RUNTESTDIR/dummyssh"
  > EOF
  $ hg init repo
  $ cd repo
  $ for n in 1 2 3; do
  >   "$PYTHON" -c 'print("a line of text, %d\n" * 2000 % ((9,) * 2000))' > f$n
  >   hg ci -qAm "change $n"
  > done
  $ hg bundle -q --base null -r 1 -t none-v2 ../ready.hg
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > wirelog = $TESTDIR/testlib/wirelog.py
  > [wirelog]
  > file = $TESTTMP/wirecomp.log
  > [web]
  > push_ssl = no
  > allow-push = *
  > [server]
  > compressionengines = zstd, zlib, bz2, none
  > EOF
  $ serve
  $ cd ..

  $ cloneas() {
  >   proto="$1"; shift
  >   rm -rf clone
  >   hg clone -q --noupdate http://localhost:$HGPORT/ clone "$@" \
  >     --config extensions.offer="$TESTDIR/testlib/offer.py" \
  >     --config offer.proto="$proto" || return $?
  >   hg -R clone verify -q
  >   hg -R clone log -r tip -T '{rev} {desc}: '
  >   tail -1 wirecomp.log
  > }

One clone with each engine

  $ cloneas '0.1 0.2 comp=zlib'
  2 change 3: getbundle: application/mercurial-0.2, engine zlib, level -1: first engine of the server that the client reads
  $ cloneas '0.1 0.2 comp=bzip2,none'
  2 change 3: getbundle: application/mercurial-0.2, engine bzip2, level 9: first engine of the server that the client reads
  $ cloneas '0.1 0.2 comp=none'
  2 change 3: getbundle: application/mercurial-0.2, engine none, level -: first engine of the server that the client reads
  $ cloneas '0.1 0.2 comp=lz77'
  2 change 3: getbundle: application/mercurial-0.1, engine zlib, level -1: no common engine
  $ cloneas ''
  2 change 3: getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  $ cloneas '' --config devel.legacy.exchange=bundle1
  2 change 3: getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client

Stream clones, by a client that reads 0.2 and by one behind a proxy that drops
its headers

  $ cloneas '0.1 0.2 comp=zlib' --stream
  2 change 3: getbundle: application/mercurial-0.2, engine none, level -: the answer is best left raw
  $ cloneas '' --stream
  2 change 3: getbundle: application/mercurial-0.1, engine zlib, level 0: legacy client, stored blocks: the answer is best left raw

The client as it comes

  $ rm -rf clone
  $ hg clone -q --noupdate http://localhost:$HGPORT/ clone
  $ hg -R clone verify -q
  $ tail -1 wirecomp.log
  getbundle: application/mercurial-0.2, engine zstd, level 3: first engine of the server that the client reads (zstd !)
  getbundle: application/mercurial-0.2, engine zlib, level -1: first engine of the server that the client reads (no-zstd !)

Push and pull

  $ cd clone
  $ hg up -q
  $ echo more >> f1
  $ hg ci -m 'change 4'
  $ hg push
  pushing to http://localhost:$HGPORT/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files
  $ cd ..
  $ hg clone -q -r 1 http://localhost:$HGPORT/ other
  $ hg -R other pull -u
  pulling from http://localhost:$HGPORT/
  searching for changes
  adding changesets
  adding manifests
  adding file changes
  added 2 changesets with 2 changes to 2 files
  new changesets f82a08d41a00:c2e46676851a
  2 files updated, 0 files merged, 0 files removed, 0 files unresolved
  $ hg -R other incoming
  comparing with http://localhost:$HGPORT/
  searching for changes
  no changes found
  [1]
  $ hg -R other verify -q

Pushed the old way

  $ echo more >> clone/f2
  $ hg -R clone ci -m 'change 5'
  $ hg -R clone push --config devel.legacy.exchange=bundle1
  pushing to http://localhost:$HGPORT/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 1 changesets with 1 changes to 1 files
  $ hg -R repo verify -q

An error of the server reaches the client

  $ stop
  $ serve -R repo --config server.disablefullbundle=yes
  $ hg clone -q --pull http://localhost:$HGPORT/ refused
  remote: abort: server has pull-based clones disabled
  abort: pull failed on remote
  (remove --pull if specified or upgrade Mercurial)
  [100]
  $ hg clone -q --pull http://localhost:$HGPORT/ refused \
  >   --config devel.legacy.exchange=bundle1
  abort: remote error:
  server has pull-based clones disabled
  [100]
  $ stop

A pull bundle, then the rest

  $ mv ready.hg repo/.hg/
  $ heads=$(hg -R repo log -r 1 -T '{node}')
  $ echo "ready.hg BUNDLESPEC=none-v2 heads=$heads" > repo/.hg/pullbundles.manifest
  $ serve -R repo --config server.pullbundle=yes
  $ : > wirecomp.log
  $ cloneas '0.1 0.2 comp=zlib,none partial-pull'
  4 change 5: getbundle: application/mercurial-0.2, engine zlib, level -1: first engine of the server that the client reads
  $ grep -c 'engine none.*best left raw' wirecomp.log
  1
  $ cloneas 'partial-pull'
  4 change 5: getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  $ grep -c 'stored blocks' wirecomp.log
  1
  $ rm repo/.hg/pullbundles.manifest

#if inlinebundles

A clone bundle sent inline, also to a client whose headers are dropped

  $ mkdir -p repo/.hg/bundle-cache
  $ mv repo/.hg/ready.hg repo/.hg/bundle-cache/
  $ echo 'peer-bundle-cache://ready.hg BUNDLESPEC=none-v2' \
  >   > repo/.hg/clonebundles.manifest
  $ hg -R repo debugupdatecaches
  $ stop
  $ serve -R repo --config extensions.clonebundles=
  $ : > wirecomp.log
  $ cloneas '0.1 0.2 comp=zlib'
  4 change 5: getbundle: application/mercurial-0.2, engine zlib, level -1: first engine of the server that the client reads
  $ cloneas ''
  4 change 5: getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  $ cat wirecomp.log
  get_cached_bundle_inline: application/mercurial-0.2, engine none, level -: the answer is best left raw
  getbundle: application/mercurial-0.2, engine zlib, level -1: first engine of the server that the client reads
  get_cached_bundle_inline: application/mercurial-0.1, engine none, level -: legacy client, never inflated
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
#endif
  $ stop

SSH is untouched

  $ : > wirecomp.log
  $ hg clone -q --noupdate ssh://user@dummy/repo sshclone
  $ cat wirecomp.log
  $ cat errors.log
