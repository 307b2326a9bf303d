#testcases apache haproxy varnish
#require serve

Behind Apache, HAProxy and Varnish as they come, clients get answers that they
can read, and never half of one.

#if apache
#require apache
  $ kind=apache
#endif
#if haproxy
#require haproxy
  $ kind=haproxy
#endif
#if varnish
#require varnish
  $ kind=varnish
#endif

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

Each client gets its own answer, also from a cache

  $ serve -R repo
  $ askall() {
  >   through --proto "$zstd"
  >   through
  >   through --proto '0.1 0.2 comp=zlib'
  >   through --proto "$zstd" --stream
  >   through --stream
  > }
  $ front $kind
  $ askall
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  200 application/mercurial-0.2
  none: HG20 stream2
  200 application/mercurial-0.1
  zlib, stored: HG20 stream2

Clone, stream clone, push and pull

  $ exchange
  3 pushed through * (glob)
  $ stop
  $ hg -R repo verify -q

#if varnish

What it may keep it keeps for longer

  $ serve -R repo
  $ front varnish --cache
  $ askall
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  200 application/mercurial-0.2
  none: HG20 stream2
  200 application/mercurial-0.1
  zlib, stored: HG20 stream2
  $ exchange
  4 pushed through varnish
  $ stop
#endif

A source that is slower than the proxy's patience. What is compressed goes out
before that

  $ slowly() {
  >   serve -R repo --config extensions.slowsource="$TESTDIR/testlib/slowsource.py" \
  >     --config slowsource.inside="$TESTTMP/inside" "$@"
  > }
  $ for engine in zstd zlib; do
  >   slowly --config wirecomp.flush-interval=0.3 \
  >     --config server.compressionengines=$engine
  >   front $kind --timeout 2
  >   clonethrough
  >   stop
  > done
  [34] pushed through .* (re)
  [34] pushed through .* (re)
  $ slowly --config wirecomp.flush-interval=0
  $ front $kind --timeout 2
  $ refused
  aborted
  $ stop

A server that is killed inside of an answer: nobody takes half for a whole

  $ for engine in zstd zlib none; do
  >   slowly --config wirecomp.flush-interval=0.1 \
  >     --config slowsource.pause=150 \
  >     --config server.compressionengines=$engine
  >   front $kind
  >   killedinside
  >   stop
  > done
  aborted
  aborted
  aborted

One that is gone

  $ serve -R repo
  $ front $kind
  $ clonethrough
  [34] pushed through .* (re)
  $ kill -9 $(cat hg.pid)
  $ refused
  aborted
  $ stop
  $ cat errors.log
