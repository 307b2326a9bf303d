#require serve

A client with the extension, against a server without it: answers are counted,
and what is wrong with one is said.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [ui]
  > detailed-exit-code = no
  > EOF
  $ hg init repo
  $ "$PYTHON" -c "
  > import random
  > rand = random.Random(1)
  > for _ in range(3000):
  >     print('a line of text %x' % rand.getrandbits(60))" > repo/f
  $ hg -R repo ci -qAm 'a change'
  $ all="zlib bz2 none"
#if zstd
  $ all="zstd $all"
#endif
  $ serve -R repo --config server.compressionengines="$all"

What was negotiated
===================

  $ client() { hg --config extensions.wirecomp= "$@"; }
  $ URL=http://127.0.0.1:$HGPORT/
  $ client clone -U $URL quiet
  requesting all changes
  adding changesets
  adding manifests
  adding file changes
  added 1 changesets with 1 changes to 1 files
  new changesets * (glob)
#if zstd
  $ client clone -v -U $URL verbose | grep engine
  (received * bytes for *, engine zstd, ratio 0.*) (glob)
  $ client clone --debug -U $URL debug | grep 'wirecomp: '
  wirecomp: capabilities: application/mercurial-0.1, engine none, * bytes for * (glob)
  wirecomp: batch: application/mercurial-0.1, engine none, * bytes for * (glob) (?)
  wirecomp: getbundle: application/mercurial-0.2, engine zstd, * bytes for * (glob)
#endif

The engines of the client are offered in its order, and no others; the server's
order still decides.

  $ offer() {
  >   rm -rf offered
  >   client clone -U --debug $URL offered "$@" | grep 'wirecomp: getbundle'
  > }
  $ engines=experimental.clientcompressionengines
  $ offer --config $engines=bz2,zlib
  wirecomp: getbundle: application/mercurial-0.2, engine zlib, * bytes for * (glob)
  $ offer --config $engines=bz2
  wirecomp: getbundle: application/mercurial-0.2, engine bzip2, * bytes for * (glob)
  $ offer --config $engines=none
  wirecomp: getbundle: application/mercurial-0.2, engine none, * bytes for * (glob)
  $ client id $URL --config $engines=bz2,zlib --config devel.debug.peer-request=yes \
  >   --debug 2>&1 | grep X-hgproto | sort -u
  devel-peer-request:   X-hgproto-1 0.1 0.2 comp=bzip2,zlib partial-pull wirecomp
  $ client id $URL --config $engines=gzip
  config error at --config: experimental.clientcompressionengines: unknown engine 'gzip'
  (use zlib; usable engines: *) (glob)
  [255]

Without the extension nothing is said, and nothing is offered that was not.

  $ hg clone --debug -U $URL plain | grep wirecomp
  [1]
  $ hg id $URL --config devel.debug.peer-request=yes --debug 2>&1 \
  >   | grep -i x-hgproto | grep wirecomp
  [1]

A repository that enables it has it for its peers, whatever the user has.

  $ hg clone -q -U $URL own
  $ cat >> own/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [experimental]
  > clientcompressionengines = zlib
  > EOF
  $ hg -R own incoming --debug | grep wirecomp: | head -1
  wirecomp: capabilities: application/mercurial-0.1, engine none, * bytes for * (glob)
  $ hg -R own incoming --debug --config devel.debug.peer-request=yes \
  >   | grep X-hgproto | sort -u
  devel-peer-request:   X-hgproto-1 0.1 0.2 comp=zlib partial-pull wirecomp

And one that does without it does so.

  $ cp $HGRCPATH kept
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ hg -R plain incoming --debug | grep -c wirecomp:
  [1-9] (re)
  $ cat >> plain/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp = !
  > EOF
  $ hg -R plain incoming --debug | grep wirecomp:
  [1]
  $ mv kept $HGRCPATH

Spoilt answers
==============

  $ "$PYTHON" "$TESTDIR/testlib/spoil.py" $HGPORT --pid-file spoil.pid \
  >   > port 2> spoil.log &
  $ while ! test -s port || ! test -s spoil.pid; do sleep 0.1; done
  $ cat spoil.pid >> $DAEMON_PIDS
  $ port=$(cat port)

Each is an abort with a way out, whatever the engine. (Nothing tells a bit that
flipped in what plain Mercurial sends by zstd or by none.)

  $ spoilt() {
  >   how=$1; shift
  >   for engine in $all; do
  >     rm -rf spoilt
  >     client clone -q -U http://127.0.0.1:$port/$how/ spoilt \
  >       --config experimental.clientcompressionengines=$engine "$@" > out 2>&1
  >     echo "exit $?"
  >     grep -a -e '^abort' -e '^(' -e Traceback out
  >     test -e spoilt && echo "left a clone"
  >   done | sed -e "s/:$port/:PORT/" -e 's/as \(zstd\|zlib\|bzip2\): .*/as ENGINE: .../' | sort -u
  > }
  $ spoilt short
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle ends too early
  exit 255
  $ spoilt cut
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle ends too early
  exit 255
  $ spoilt stall --config http.timeout=2
  (raise http.timeout, or try again later)
  abort: no answer to getbundle in time
  exit 255
  $ spoilt silent --config http.timeout=2
  (raise http.timeout, or try again later)
  abort: no answer to getbundle in time
  exit 255
  $ spoilt type
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: 'http://$LOCALIP:PORT/type/' sent a broken Content-Type header (application/mercurial-0.2; charset=utf-8)
  exit 255
  $ spoilt older
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle cannot be decoded as ENGINE: ...
  exit 255
  $ spoilt newer
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: 'http://$LOCALIP:PORT/newer/' uses newer protocol 0.9
  exit 255
  $ spoilt text
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: 'http://$LOCALIP:PORT/text/' does not appear to be an hg repository:
  exit 255
  $ spoilt engine
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle is by an unknown engine, 'foo'
  exit 255
  $ spoilt nameless
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle is by an unknown engine, ''
  exit 255
  $ spoilt empty
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: stream ended unexpectedly (got 0 bytes, expected 1)
  exit 255
  $ spoilt fail
  abort: HTTP Error 500: Internal Server Error
  exit 255

A bit that flips is noticed in what zlib and bzip2 send, and, from a server with
the extension, in zstd.

  $ all="zlib bz2"
  $ spoilt flip
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle cannot be decoded as ENGINE: ...
  exit 255
  $ stop
#if zstd
  $ serve -R repo --config extensions.wirecomp=
  $ "$PYTHON" "$TESTDIR/testlib/spoil.py" $HGPORT --pid-file spoil.pid \
  >   > port 2> spoil.log &
  $ sleep 1
  $ cat spoil.pid >> $DAEMON_PIDS
  $ port=$(cat port)
  $ all=zstd
  $ spoilt flip
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  abort: the answer to getbundle cannot be decoded as ENGINE: ...
  exit 255

Short replies, which such a server compresses, fail as clearly.

  $ hg -R repo bookmark -r tip $("$PYTHON" -c "
  > print(*('a-bookmark-of-many-%d' % n for n in range(99)))")
  $ kill $(cat spoil.pid)
  $ "$PYTHON" "$TESTDIR/testlib/spoil.py" $HGPORT --cmd listkeys \
  >   --pid-file spoil.pid > port 2> spoil.log &
  $ sleep 1
  $ cat spoil.pid >> $DAEMON_PIDS
  $ port=$(cat port)
  $ for how in intact flip older type; do
  >   echo "- $how"
  >   client -q id -B http://127.0.0.1:$port/$how/ 2>&1 \
  >     | grep -a -o -e '^abort.*' -e '^(.*' -e 'Traceback.*' -e 'many-98' \
  >     | sed -e "s/:$port/:PORT/" -e 's/as zstd: .*/as zstd: .../'
  > done
  - intact
  many-98
  - flip
  abort: the answer to listkeys cannot be decoded as zstd: ...
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  - older
  abort: the answer to listkeys is not of its media type, application/mercurial-0.1
  (damaged on the way, or by the server: try again; if it stays so, look at the log of the server and at the proxies on the way)
  - type
  abort: 'http://$LOCALIP:PORT/type/' sent a broken Content-Type header (application/mercurial-0.2; charset=utf-8)
  (try again; if it stays so, look at the log of the server and at the proxies on the way)
#endif
  $ errors
