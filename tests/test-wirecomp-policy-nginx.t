#require serve nginx

Networks behind nginx, which adds the address that asks it to X-Forwarded-For.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/front.sh"
  $ hg init repo
  $ echo text > repo/f
  $ hg -R repo ci -qAm change
  $ cat > repo/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > wirelog = $TESTDIR/testlib/wirelog.py
  > [wirelog]
  > file = $TESTTMP/wirecomp.log
  > [wirecomp-policy]
  > office.networks = 127.0.0.2
  > office.compressionengines = none
  > ci.networks = 127.0.0.3
  > ci.zstdlevel = 1
  > EOF
  $ from() {
  >   address=$1; shift
  >   through --proto '0.1 0.2 comp=zstd,none' --from $address "$@" > /dev/null
  >   sed -n '$s/.*, engine//p' wirecomp.log
  > }
  $ everybody() {
  >   for last in 1 2 3; do
  >     from 127.0.0.$last "$@"
  >   done
  > }

Trusted

  $ serve -R repo --config wirecomp.trusted-proxies=127.0.0.1
  $ front nginx --forwarded
  $ everybody
   zstd, level 3: first engine of the server that the client reads
   none, level -: first engine of the server that the client reads, policy office
   zstd, level 1: first engine of the server that the client reads, policy ci

What clients make up has no effect

  $ for header in X-Forwarded-For X_Forwarded_For X-Real-IP; do
  >   from 127.0.0.3 --header $header=127.0.0.2
  >   from 127.0.0.4 --header $header=127.0.0.2,127.0.0.1
  > done
   zstd, level 1: first engine of the server that the client reads, policy ci
   zstd, level 3: first engine of the server that the client reads
   zstd, level 1: first engine of the server that the client reads, policy ci
   zstd, level 3: first engine of the server that the client reads
   zstd, level 1: first engine of the server that the client reads, policy ci
   zstd, level 3: first engine of the server that the client reads
  $ clonethrough
  0 change
  $ stop

Not trusted: all come from the proxy

  $ serve -R repo
  $ front nginx --forwarded
  $ everybody --header X-Forwarded-For=127.0.0.2
   zstd, level 3: first engine of the server that the client reads
   zstd, level 3: first engine of the server that the client reads
   zstd, level 3: first engine of the server that the client reads
  $ stop

Nor does a proxy that passes on what it is sent decide who asks

  $ serve -R repo --config wirecomp.trusted-proxies=127.0.0.9
  $ front nginx
  $ everybody --header X-Forwarded-For=127.0.0.2
   zstd, level 3: first engine of the server that the client reads
   zstd, level 3: first engine of the server that the client reads
   zstd, level 3: first engine of the server that the client reads
  $ stop
  $ cat errors.log
