#require serve

The core without its own negotiation, as test-wirecomp-choice.t uses it: this
is what it does alone.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > stripped = $TESTDIR/testlib/stripped.py
  > EOF
  $ hg init repo
  $ cd repo
  $ echo text > f
  $ hg ci -qAm change
  $ serve
  $ wireget capabilities --save ../caps
  200 application/mercurial-0.1
  as it is: data
  $ tr ' ' '\n' < ../caps | egrep '^(compression|httpmediatype)'
  [1]
  $ wireget --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --stream --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.1
  zlib: HG20 stream2
  $ wireget --stream
  200 application/mercurial-0.1
  zlib: HG20 stream2
  $ stop
  $ serve --config server.disablefullbundle=yes
  $ wireget --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.1
  zlib: HG20 error:abort
  $ stop
  $ cat ../errors.log
