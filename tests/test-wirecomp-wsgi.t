#require serve

Under WSGI there is no start to refuse: each mistake is logged once, and the
default is served. Plain Mercurial answers 500 to everybody.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ echo text > f
  $ hg ci -qAm change
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [server]
  > compressionengines = gzip
  > zliblevel = default
  > zstdlevel = 99
  > bz2level = 10
  > EOF
  $ cd ..
  $ wsgiserve() {
  >   rm -f ready
  >   "$PYTHON" "$TESTDIR/testlib/wsgiserve.py" $HGPORT "$1" \
  >     > ready 2> wsgi.log &
  >   echo $! >> $DAEMON_PIDS
  >   while ! test -s ready; do sleep 0.05; done
  > }
  $ wsgiserve repo
  $ wireget capabilities --save caps
  200 application/mercurial-0.1
  as it is: data
  $ tr ' ' '\n' < caps | grep ^compression
  compression=zstd,zlib
  $ wireget --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop
  $ cat wsgi.log
  config error at $TESTTMP/repo/.hg/hgrc:4: server.compressionengines: unknown engine 'gzip', using the default (use zlib; usable engines: zstd, zlib, bz2, none)
  config error at $TESTTMP/repo/.hg/hgrc:6: server.zstdlevel: bad value '99', using the default (use a whole number from -7 to 22)
  config error at $TESTTMP/repo/.hg/hgrc:5: server.zliblevel: bad value 'default', using the default (use a whole number from -1 to 9)
  config error at $TESTTMP/repo/.hg/hgrc:7: server.bz2level: bad value '10', using the default (use a whole number from 1 to 9)

The same in a directory of repositories

  $ cat > web.conf <<EOF
  > [paths]
  > a/b = $TESTTMP/repo
  > EOF
  $ wsgiserve web.conf
  $ wireget --path /a/b --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --path /a/b
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ hg clone -q -U http://localhost:$HGPORT/a/b clone
  $ hg -R clone verify -q
  $ stop
  $ cat wsgi.log
  config error at $TESTTMP/repo/.hg/hgrc:4: server.compressionengines: unknown engine 'gzip', using the default (use zlib; usable engines: zstd, zlib, bz2, none)
  config error at $TESTTMP/repo/.hg/hgrc:6: server.zstdlevel: bad value '99', using the default (use a whole number from -7 to 22)
  config error at $TESTTMP/repo/.hg/hgrc:5: server.zliblevel: bad value 'default', using the default (use a whole number from -1 to 9)
  config error at $TESTTMP/repo/.hg/hgrc:7: server.bz2level: bad value '10', using the default (use a whole number from 1 to 9)

By a script that names the class

  $ BARE=1 wsgiserve web.conf
  $ wireget --path /a/b --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --path /a/b
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop
  $ wc -l < wsgi.log
  4

An error log that can't be written harms nobody

  $ WSGIERRORS=broken wsgiserve repo
  $ wireget --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ stop
  $ cat wsgi.log

A name in the log is readable, whatever the log can hold

  $ cp -R repo "$(printf 'gr\303\266\303\237e')"
  $ cat > web.conf <<EOF
  > [paths]
  > b = $TESTTMP/$(printf 'gr\303\266\303\237e')
  > EOF
  $ HGENCODING=utf-8 wsgiserve web.conf
  $ wireget --path /b --proto '0.2 comp=zstd' | tail -1
  zstd: HG20 changegroup
  $ stop
  $ grep -c 'gr.*e/.hg/hgrc:4' wsgi.log
  1
  $ HGENCODING=utf-8 PYTHONIOENCODING=ascii:strict wsgiserve web.conf
  $ wireget --path /b --proto '0.2 comp=zstd' | tail -1
  zstd: HG20 changegroup
  $ stop
  $ grep -c 'gr.*e/.hg/hgrc:4' wsgi.log
  1

As a CGI program

  $ cat > hgweb.cgi <<EOF
  > from mercurial import demandimport; demandimport.enable()
  > from mercurial.hgweb import hgweb, wsgicgi
  > wsgicgi.launch(hgweb(b"$TESTTMP/repo"))
  > EOF
  $ REQUEST_METHOD=GET PATH_INFO=/ SCRIPT_NAME= QUERY_STRING=cmd=getbundle \
  >   HTTP_X_HGPROTO_1='0.1 0.2 comp=zstd' SERVER_NAME=localhost SERVER_PORT=80 \
  >   SERVER_PROTOCOL=HTTP/1.0 REMOTE_ADDR=127.0.0.1 GATEWAY_INTERFACE=CGI/1.1 \
  >   "$PYTHON" hgweb.cgi > out 2> err
  $ tr -d '\r' < out | sed '/^$/q'
  Status: 200 Script output follows
  Cache-Control: no-store
  Content-Type: application/mercurial-0.2
  X-Accel-Buffering: no
  
  $ grep -a -c zstd out
  1
  $ cat err
  config error at $TESTTMP/repo/.hg/hgrc:4: server.compressionengines: unknown engine 'gzip', using the default (use zlib; usable engines: zstd, zlib, bz2, none)
  config error at $TESTTMP/repo/.hg/hgrc:6: server.zstdlevel: bad value '99', using the default (use a whole number from -7 to 22)
  config error at $TESTTMP/repo/.hg/hgrc:5: server.zliblevel: bad value 'default', using the default (use a whole number from -1 to 9)
  config error at $TESTTMP/repo/.hg/hgrc:7: server.bz2level: bad value '10', using the default (use a whole number from 1 to 9)
