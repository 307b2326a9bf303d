#require serve

Mistakes in the configuration: hg serve does not start with one. The error names
the key, the value, where it stands, and what is allowed.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > [ui]
  > ssh = "$PYTHON" "$RUNTESTDIR/dummyssh"
  > EOF
  $ hg init repo
  $ cd repo
  $ echo text > f
  $ hg ci -qAm change

  $ try() {
  >   (echo '[server]'; echo "$1") > .hg/hgrc
  >   serve
  > }
  $ try 'zliblevel = 12'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zliblevel: bad value '12'
  (use a whole number from -1 to 9)
  [30]
  $ try 'zliblevel = -2'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zliblevel: bad value '-2'
  (use a whole number from -1 to 9)
  [30]
  $ try 'zliblevel = default'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zliblevel: bad value 'default'
  (use a whole number from -1 to 9)
  [30]
  $ try 'zstdlevel = 99'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zstdlevel: bad value '99'
  (use a whole number from -7 to 22)
  [30]
  $ try 'zstdlevel = -8'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zstdlevel: bad value '-8'
  (use a whole number from -7 to 22)
  [30]
  $ try 'zstdlevel = high'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zstdlevel: bad value 'high'
  (use a whole number from -7 to 22)
  [30]
  $ try 'zstdlevel ='
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zstdlevel: bad value ''
  (use a whole number from -7 to 22)
  [30]
  $ try 'bz2level = 0'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.bz2level: bad value '0'
  (use a whole number from 1 to 9)
  [30]
  $ try 'bz2level = 1.5'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.bz2level: bad value '1.5'
  (use a whole number from 1 to 9)
  [30]

Engines: the nearest name is a hint

  $ try 'compressionengines = gzip'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'gzip'
  (use zlib; usable engines: zstd, zlib, bz2, none)
  [30]
  $ try 'compressionengines = zstd zlib;none'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'zlib;none'
  (use zlib; usable engines: zstd, zlib, bz2, none)
  [30]
  $ try 'compressionengines = zstd, zilb'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'zilb'
  (use zlib; usable engines: zstd, zlib, bz2, none)
  [30]
  $ try 'compressionengines = xyzzy'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'xyzzy'
  (usable engines: zstd, zlib, bz2, none)
  [30]

All of them are told

  $ cat > .hg/hgrc <<EOF
  > [server]
  > compressionengines = gzip
  > zliblevel = 10
  > zstdlevel = 23
  > EOF
  $ serve
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'gzip'
  (use zlib; usable engines: zstd, zlib, bz2, none)
  config error at $TESTTMP/repo/.hg/hgrc:4: server.zstdlevel: bad value '23'
  (use a whole number from -7 to 22)
  config error at $TESTTMP/repo/.hg/hgrc:3: server.zliblevel: bad value '10'
  (use a whole number from -1 to 9)
  [30]
  $ hg serve --config server.zliblevel=0 --config server.compressionengines=zlib
  config error at $TESTTMP/repo/.hg/hgrc:4: server.zstdlevel: bad value '23'
  (use a whole number from -7 to 22)
  [30]

Other commands, and SSH, go on

  $ hg id
  48bcad9e6ec3 tip
  $ hg id ssh://user@dummy/repo
  48bcad9e6ec3

What is valid today stays valid

  $ try 'zliblevel = -1' && stop
  $ try 'zstdlevel =  -7' && stop
  $ try 'zstdlevel = 0' && stop
  $ try 'compressionengines =' && wireget --proto '0.2 comp=zstd' && stop
  200 application/mercurial-0.2
  zstd: HG20 changegroup

A web.conf is checked too, but not each of its repositories

  $ try 'zstdlevel = 99'
  config error at $TESTTMP/repo/.hg/hgrc:2: server.zstdlevel: bad value '99'
  (use a whole number from -7 to 22)
  [30]
  $ cat > ../web.conf <<EOF
  > [paths]
  > repo = $TESTTMP/repo
  > [server]
  > zliblevel = 11
  > EOF
  $ cd ..
  $ serve --web-conf web.conf
  config error at web.conf:4: server.zliblevel: bad value '11'
  (use a whole number from -1 to 9)
  [30]
  $ sed -i -e 's/level = 11/level = 1/' web.conf
  $ serve --web-conf web.conf

The bad value of the repository is logged once, and the default is served

  $ wireget --path /repo --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --path /repo --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --path /repo
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop
  $ errors
  HG error:  config error at $TESTTMP/repo/.hg/hgrc:2: server.zstdlevel: bad value '99', using the default (use a whole number from -7 to 22)
