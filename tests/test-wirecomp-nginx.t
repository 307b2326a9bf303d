#require serve nginx

Behind nginx, as it comes and as people set it up: every client still gets an
answer that it can read.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/front.sh"
  $ hg init repo
  $ for n in 1 2 3; do
  >   "$PYTHON" -c 'print("a line of text, %d\n" * 2000 % ((9,) * 2000))' > repo/f$n
  >   hg -R repo ci -qAm "change $n"
  > done
  $ cat > repo/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ zstd='0.1 0.2 comp=zstd'
  $ behind() {
  >   serve -R repo && front nginx "$@"
  > }

As it comes

  $ behind
  $ exchange
  3 pushed through nginx
  $ through --proto "$zstd"
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ through --proto "$zstd" --stream
  200 application/mercurial-0.2
  none: HG20 stream2
  $ through
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop

Asking the server with HTTP 1.1, and passing on at once what comes

  $ behind --http 1.1
  $ exchange
  4 pushed through nginx
  $ through --proto "$zstd"
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ stop
  $ behind --http 1.1 --buffering off
  $ exchange
  5 pushed through nginx
  $ stop
  $ behind --buffering off
  $ exchange
  6 pushed through nginx
  $ stop

A cache whose key knows nothing of headers: each client gets its own answer

  $ behind --cache
  $ through --proto "$zstd"
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ through
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ through --proto '0.1 0.2 comp=zlib'
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ through --proto "$zstd" --stream
  200 application/mercurial-0.2
  none: HG20 stream2
  $ for rev in 0 5; do
  >   through --heads $(hg -R repo log -r $rev -T '{node}') \
  >     --proto '0.1 0.2 comp=none,zlib' --save $rev > $rev.out
  > done
  $ cmp -s 0 5
  [1]
  $ cmp 0.out 5.out

and what it read before a push is not what it reads after

  $ exchange
  7 pushed through nginx
  $ stop

A proxy that compresses whatever is sent, for those who ask

  $ behind --gzip
  $ through capabilities --all --header Accept-Encoding=gzip --save /dev/null \
  >   | grep -a '^Content-Encoding'
  Content-Encoding: gzip
  $ exchange
  8 pushed through nginx
  $ through --proto "$zstd"
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ stop

A proxy that drops X-HgProto: all clients are legacy clients, and a stream is
sent without compressing it

  $ behind --drop-header X-HgProto-1
  $ exchange
  9 pushed through nginx
  $ through --proto "$zstd"
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ through --proto "$zstd" --stream
  200 application/mercurial-0.1
  zlib, stored: HG20 stream2
  $ stop

X-HgProto in two headers, cut inside of a name

  $ behind --split
  $ through --proto "$zstd"
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ exchange
  10 pushed through nginx
  $ stop
  $ hg -R repo verify -q

What is flushed goes past the proxy's buffers: a first byte has come before the
server is through with half of the answer

  $ cat > first.py <<EOF
  > import http.client, os, sys
  > conn = http.client.HTTPConnection('127.0.0.1', $HGPORT1, timeout=60)
  > conn.request('GET', '/?cmd=getbundle')
  > conn.getresponse().read(1)
  > print('late' if os.path.exists('inside') else 'in time')
  > EOF
  $ slowly() {
  >   rm -f inside
  >   serve -R repo --config extensions.slowsource="$TESTDIR/testlib/slowsource.py" \
  >     --config slowsource.inside="$TESTTMP/inside" "$@"
  > }
  $ slowly --config wirecomp.flush-interval=0.3
  $ front nginx
  $ "$PYTHON" first.py
  in time
  $ stop

A source that is slower than the proxy's patience. What is compressed goes out
before that

  $ slowly --config wirecomp.flush-interval=0.3
  $ front nginx --read-timeout 2
  $ clonethrough
  10 pushed through nginx
  $ stop
  $ slowly --config wirecomp.flush-interval=0.3 \
  >   --config server.compressionengines=zlib
  $ front nginx --read-timeout 2 --http 1.1
  $ clonethrough
  10 pushed through nginx
  $ stop
  $ slowly --config wirecomp.flush-interval=0
  $ front nginx --read-timeout 2
  $ refused
  aborted
  $ stop

A server that is killed inside of an answer: nobody takes half for a whole

  $ killed() {
  >   engine=$1; shift
  >   slowly --config wirecomp.flush-interval=0.1 --config slowsource.pause=150 \
  >     --config server.compressionengines=$engine
  >   front nginx "$@"
  >   killedinside
  >   stop
  > }
  $ killed zstd
  aborted
  $ killed zlib
  aborted
  $ killed none
  aborted
  $ killed zstd --http 1.1 --buffering off
  aborted
  $ killed none --http 1.1
  aborted
  $ serve -R repo
  $ front nginx
  $ clonethrough
  10 pushed through nginx
  $ kill -9 $(cat hg.pid)
  $ refused
  aborted
  $ stop

Two servers of unlike settings behind one address, and clients of all ages

  $ serve -R repo --config server.compressionengines=zlib
  $ hg serve -R repo -d -p "$HGPORT2" --pid-file second.pid -E second.log
  $ cat second.pid >> "$DAEMON_PIDS"
  $ front nginx --backend $HGPORT2
  $ heads=$(hg -R repo log -r tip -T '{node}')
  $ for n in 1 2; do
  >   through --proto "$zstd,zlib" --heads $heads | tail -1
  > done | sort
  zlib: HG20 changegroup
  zstd: HG20 changegroup
  $ exchange
  11 pushed through nginx
  $ for version in 4.0.2 6.1.4 7.2.4; do
  >   test -e "$WIRECOMPBUILD/hg-$version/.complete" || continue
  >   printf "$version: "
  >   HGCLIENT="$WIRECOMPBUILD/hg-$version/bin/hg" clonethrough
  > done
  4.0.2: 11 pushed through nginx (legacyhg !)
  6.1.4: 11 pushed through nginx (oldesthg !)
  7.2.4: 11 pushed through nginx (newesthg !)
  $ stop
  $ hg -R repo verify -q
  $ cat errors.log second.log
