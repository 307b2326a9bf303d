#require serve

Only trusted configuration counts: whoever can write a repository's hgrc must
not choose how much CPU the server spends.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > wirelog = $TESTDIR/testlib/wirelog.py
  > foreign = $TESTDIR/testlib/foreign.py
  > [wirelog]
  > file = $TESTTMP/wirecomp.log
  > EOF
  $ hg init repo
  $ cd repo
  $ echo text > f
  $ hg ci -qAm change
  $ cat > .hg/hgrc <<EOF
  > [server]
  > compressionengines = none
  > zliblevel = 9
  > zstdlevel = 22
  > bz2level = high
  > EOF

Another user's file: every key is ignored, and named once

  $ foreign .hg/hgrc
  $ serve 2> /dev/null
  $ wireget --proto '0.1 0.2 comp=zstd,none'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zstd,none'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget capabilities --save ../caps
  200 application/mercurial-0.1
  as it is: data
  $ tr ' ' '\n' < ../caps | grep ^compression
  compression=zstd,zlib
  $ stop
  $ grep getbundle ../wirecomp.log
  getbundle: application/mercurial-0.2, engine zstd, level 3: first engine of the server that the client reads
  getbundle: application/mercurial-0.2, engine zstd, level 3: first engine of the server that the client reads
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:4: server.zstdlevel: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:3: server.zliblevel: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:5: server.bz2level: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)

A trusted value elsewhere stands

  $ : > ../errors.log
  $ serve --config server.zstdlevel=1 2> /dev/null
  $ wireget --proto '0.1 0.2 comp=zstd,none'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ stop
  $ tail -1 ../wirecomp.log
  getbundle: application/mercurial-0.2, engine zstd, level 1: first engine of the server that the client reads
  $ errors | grep -c 'ignored'
  3

The same file, trusted, has its effect: its mistake too

  $ native .hg/hgrc
  $ serve
  config error at $TESTTMP/repo/.hg/hgrc:5: server.bz2level: bad value 'high'
  (use a whole number from 1 to 9)
  [30]
  $ sed -i -e 's/= high/= 1/' .hg/hgrc
  $ : > ../errors.log
  $ serve
  $ wireget --proto '0.1 0.2 comp=zstd,none'
  200 application/mercurial-0.2
  none: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop
  $ tail -2 ../wirecomp.log
  getbundle: application/mercurial-0.2, engine none, level -: first engine of the server that the client reads
  getbundle: application/mercurial-0.1, engine zlib, level 9: no common engine
  $ cat ../errors.log

So does one whose owner is in trusted.users

  $ foreign .hg/hgrc
  $ serve --config trusted.users='*'
  $ wireget --proto '0.1 0.2 comp=zstd,none'
  200 application/mercurial-0.2
  none: HG20 changegroup
  $ stop
  $ cat ../errors.log

Under --web-conf such a file is named once, however many requests come

  $ cat > ../web.conf <<EOF
  > [paths]
  > repo = $TESTTMP/repo
  > EOF
  $ cd ..
  $ hg serve --web-conf web.conf -p $HGPORT -A access.log > /dev/null 2> said &
  $ echo $! >> $DAEMON_PIDS
  $ until wireget heads --path /repo > /dev/null 2>&1; do sleep 0.1; done
  $ for n in 1 2 3; do
  >   wireget heads --path /repo | head -1
  > done
  200 application/mercurial-0.1
  200 application/mercurial-0.1
  200 application/mercurial-0.1
  $ stop
  $ grep -c '^not trusting file' said
  1
