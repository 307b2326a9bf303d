#require serve

A source that fails midway, under hg serve: clients say why and leave nothing,
and nobody takes the answer for a whole one.

  $ . "$TESTDIR/testlib/lib.sh"
  $ faultrepo
  $ hg clone -q -U -r 0 repo base
  $ serve -R repo
  $ faults
  zstd bundle2 first: abort, message, clean, refused
  zstd bundle2 middle: abort, message, clean, incomplete
  zstd bundle2 last: abort, message, clean, incomplete
  zstd bundle1 first: abort, message, clean, refused
  zstd bundle1 middle: abort, no message, clean, incomplete
  zstd bundle1 last: abort, no message, clean, incomplete
  zlib bundle2 first: abort, message, clean, refused
  zlib bundle2 middle: abort, message, clean, incomplete
  zlib bundle2 last: abort, message, clean, incomplete
  zlib bundle1 first: abort, message, clean, refused
  zlib bundle1 middle: abort, no message, clean, incomplete
  zlib bundle1 last: abort, no message, clean, incomplete
  bz2 bundle2 first: abort, message, clean, refused
  bz2 bundle2 middle: abort, message, clean, incomplete
  bz2 bundle2 last: abort, message, clean, incomplete
  bz2 bundle1 first: abort, message, clean, refused
  bz2 bundle1 middle: abort, no message, clean, incomplete
  bz2 bundle1 last: abort, no message, clean, incomplete
  none bundle2 first: abort, message, clean, refused
  none bundle2 middle: abort, message, clean, incomplete
  none bundle2 last: abort, message, clean, incomplete
  none bundle1 first: abort, message, clean, refused
  none bundle1 middle: abort, no message, clean, incomplete
  none bundle1 last: abort, no message, clean, incomplete
  legacy bundle2 first: abort, message, clean, refused
  legacy bundle2 middle: abort, message, clean, incomplete
  legacy bundle2 last: abort, message, clean, incomplete
  legacy bundle1 first: abort, message, clean, refused
  legacy bundle1 middle: abort, no message, clean, incomplete
  legacy bundle1 last: abort, no message, clean, incomplete

(clients of 6.1 that read a stream of old meet its end with a traceback)

  $ faults --offers zstd,legacy --kinds stream,stream1
  zstd stream first: abort, message, clean, refused
  zstd stream middle: abort, message, clean, incomplete
  zstd stream last: abort, message, clean, incomplete
  zstd stream1 first: abort, message, clean, refused
  zstd stream1 middle: abort, no message, clean, incomplete
  zstd stream1 last: (abort|traceback), no message, clean, incomplete (re)
  legacy stream first: abort, message, clean, refused
  legacy stream middle: abort, message, clean, incomplete
  legacy stream last: abort, message, clean, incomplete
  legacy stream1 first: abort, message, clean, refused
  legacy stream1 middle: abort, no message, clean, incomplete
  legacy stream1 last: (abort|traceback), no message, clean, incomplete (re)
  $ faults --offers zstd --kinds bundle2 --at middle \
  >   --raises Abort,ValueError,BrokenPipeError,ConnectionResetError,MemoryError
  zstd bundle2 middle Abort: abort, message, clean, incomplete
  zstd bundle2 middle ValueError: abort, message, clean, incomplete
  zstd bundle2 middle BrokenPipeError: abort, message, clean, incomplete
  zstd bundle2 middle ConnectionResetError: abort, message, clean, incomplete
  zstd bundle2 middle MemoryError: abort, message, clean, incomplete

Without a failure it is served

  $ hg clone -q -U http://localhost:$HGPORT/ whole
  $ hg -R whole verify -q
  $ stop
