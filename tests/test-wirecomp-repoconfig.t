#require serve

With wirecomp.repo-config = ignore what a repository's own hgrc says of the
keys of wirecomp counts nowhere.

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
  $ echo text > repo/f
  $ hg -R repo ci -qAm change
  $ cat > repo/.hg/hgrc <<EOF
  > [server]
  > compressionengines = none
  > zliblevel = 9
  > [wirecomp-policy]
  > all.networks = 127.0.0.0/8
  > all.zliblevel = 8
  > EOF
  $ cp repo/.hg/hgrc hgrc
  $ cat > ignore.rc <<EOF
  > [wirecomp]
  > repo-config = ignore
  > [server]
  > zliblevel = 2
  > EOF
  $ asked() {
  >   wireget capabilities --save caps "$@" > /dev/null
  >   tr ' ' '\n' < caps | grep ^compression
  >   for proto in '0.2 comp=zstd,none' ''; do
  >     wireget --proto "$proto" "$@" > /dev/null
  >     sed -n '$s/.*, engine//p' wirecomp.log
  >   done
  > }
  $ own() {
  >   HGRCPATH="$HGRCPATH:$TESTTMP/ignore.rc" "$@"
  > }

hg serve of the repository

  $ serve -R repo
  $ asked
  compression=none
   none, level -: first engine of the server that the client reads, policy all
   zlib, level 8: legacy client, policy all
  $ stop
  $ cat errors.log
  $ own serve -R repo
  $ asked
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:3: server.zliblevel: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:5: wirecomp-policy.all.networks: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)

--config is the server's own

  $ : > errors.log
  $ serve -R repo --config wirecomp.repo-config=ignore \
  >   --config server.zliblevel=5 --config server.compressionengines=bz2
  $ asked
  compression=bzip2
   zlib, level 5: no common engine
   zlib, level 5: legacy client
  $ stop
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:5: wirecomp-policy.all.networks: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)

A mistake in the repository stops no server that ignores it

  $ (echo '[server]'; echo 'compressionengines = gzip') > repo/.hg/hgrc
  $ serve -R repo
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'gzip'
  (use zlib; usable engines: zstd, zlib, bz2, none)
  [30]
  $ own serve -R repo
  $ asked
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop

but one in the key itself does

  $ serve -R repo --config wirecomp.repo-config=ignroe
  config error at --config: wirecomp.repo-config: bad value 'ignroe'
  (use allow or ignore)
  config error at $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: unknown engine 'gzip'
  (use zlib; usable engines: zstd, zlib, bz2, none)
  [30]

A repository has no say in this, trusted or not

  $ (echo '[wirecomp]'; echo 'repo-config = allow'; cat hgrc) > repo/.hg/hgrc
  $ : > errors.log
  $ own serve -R repo
  $ asked
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop
  $ errors | grep repo-config:
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: wirecomp.repo-config: ignored, it has no effect in a repository (set it in the server's own configuration)
  $ foreign repo/.hg/hgrc
  $ : > errors.log
  $ own serve -R repo 2> /dev/null
  $ asked
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:4: server.compressionengines: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:5: server.zliblevel: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:7: wirecomp-policy.all.networks: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: wirecomp.repo-config: ignored, it has no effect in a repository (set it in the server's own configuration)
  $ native repo/.hg/hgrc
  $ (echo '[wirecomp]'; echo 'repo-config = ignore'; cat hgrc) > repo/.hg/hgrc
  $ : > errors.log
  $ serve -R repo
  $ asked
  compression=none
   none, level -: first engine of the server that the client reads, policy all
   zlib, level 8: legacy client, policy all
  $ stop
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: wirecomp.repo-config: ignored, it has no effect in a repository (set it in the server's own configuration)

With --web-conf that file is the server's own

  $ cp hgrc repo/.hg/hgrc
  $ cat > web.conf <<EOF
  > [paths]
  > r = $TESTTMP/repo
  > EOF
  $ (cat web.conf ignore.rc) > ignoring.conf
  $ serve --web-conf web.conf
  $ asked --path /r
  compression=none
   none, level -: first engine of the server that the client reads, policy all
   zlib, level 8: legacy client, policy all
  $ stop
  $ serve --web-conf ignoring.conf
  $ asked --path /r
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop
  $ own serve --web-conf web.conf
  $ asked --path /r
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop

Under WSGI: hgweb, and hgwebdir

  $ wsgiserve() {
  >   rm -f ready
  >   "$PYTHON" "$TESTDIR/testlib/wsgiserve.py" $HGPORT "$1" \
  >     > ready 2> wsgi.log &
  >   echo $! >> $DAEMON_PIDS
  >   while ! test -s ready; do sleep 0.05; done
  > }
  $ wsgiserve repo
  $ asked
  compression=none
   none, level -: first engine of the server that the client reads, policy all
   zlib, level 8: legacy client, policy all
  $ stop
  $ cat wsgi.log
  $ own wsgiserve repo
  $ asked
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop
  $ cat wsgi.log
  warning: $TESTTMP/repo/.hg/hgrc:2: server.compressionengines: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  warning: $TESTTMP/repo/.hg/hgrc:3: server.zliblevel: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  warning: $TESTTMP/repo/.hg/hgrc:5: wirecomp-policy.all.networks: ignored, wirecomp.repo-config is ignore (set it in the server's own configuration)
  $ wsgiserve web.conf
  $ asked --path /r
  compression=none
   none, level -: first engine of the server that the client reads, policy all
   zlib, level 8: legacy client, policy all
  $ stop
  $ wsgiserve ignoring.conf
  $ asked --path /r
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ stop
  $ own wsgiserve web.conf
  $ asked --path /r
  compression=zstd,zlib
   zstd, level 3: first engine of the server that the client reads
   zlib, level 2: legacy client
  $ hg clone -q -U http://localhost:$HGPORT/r clone
  $ hg -R clone verify -q
  $ stop

A mistake in it is told once, and is as if it was not there

  $ sed -e 's/= ignore/= ignroe/' ignoring.conf > mistaken.conf
  $ wsgiserve mistaken.conf
  $ asked --path /r
  compression=none
   none, level -: first engine of the server that the client reads, policy all
   zlib, level 8: legacy client, policy all
  $ stop
  $ cat wsgi.log
  config error at mistaken.conf:4: wirecomp.repo-config: bad value 'ignroe', using the default (use allow or ignore)
