#require serve

What a client is sent depends on the network that it asks from.

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
  $ cat > policy.rc <<EOF
  > [server]
  > zstdlevel = 7
  > [wirecomp-policy]
  > office.networks = 127.0.0.2, 127.1.0.0/16, fd00::/8
  > office.compressionengines = none, zstd
  > office.zstdlevel = 1
  > room.networks = 127.1.2.0/24
  > room.compressionengines = zlib
  > room.zliblevel = 9
  > [wirecomp]
  > trusted-proxies = 127.0.0.8, 127.0.0.9
  > EOF
  $ policyserve() {
  >   HGRCPATH="$HGRCPATH:$TESTTMP/policy.rc" serve -R repo "$@"
  > }
  $ asked() {
  >   wireget --proto '0.1 0.2 comp=zstd,zlib,none' "$@" | tail -1
  >   tail -1 wirecomp.log
  > }

Nobody's, an office's, and a room's within it

  $ policyserve
  $ asked
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 7: first engine of the server that the client reads
  $ asked --from 127.0.0.2
  none: HG20 changegroup
  getbundle: application/mercurial-0.2, engine none, level -: first engine of the server that the client reads, policy office
  $ asked --from 127.1.3.1
  none: HG20 changegroup
  getbundle: application/mercurial-0.2, engine none, level -: first engine of the server that the client reads, policy office
  $ asked --from 127.1.2.1
  zlib: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zlib, level 9: first engine of the server that the client reads, policy room

Within what the client reads

  $ wireget --from 127.0.0.2 --proto '0.2 comp=zstd'; tail -1 wirecomp.log
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 1: first engine of the server that the client reads, policy office
  $ wireget --from 127.0.0.2; tail -1 wirecomp.log
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client, policy office
  $ wireget --from 127.1.2.1 --proto '0.2 comp=zstd'; tail -1 wirecomp.log
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  getbundle: application/mercurial-0.1, engine zlib, level 9: no common engine, policy room

The capabilities are those of the network

  $ capability() {
  >   wireget capabilities --save caps "$@" > /dev/null
  >   tr ' ' '\n' < caps | grep ^compression
  > }
  $ capability
  compression=zstd,zlib
  $ capability --from 127.0.0.2
  compression=none,zstd
  $ capability --from 127.1.2.1
  compression=zlib

What a client says of itself counts only if a trusted proxy passed it on

  $ for from in 127.0.0.1 127.0.0.2 127.0.0.8 127.0.0.9 127.0.0.10; do
  >   asked --from $from --header X-Forwarded-For=127.1.2.1 | head -1
  > done
  zstd: HG20 changegroup
  none: HG20 changegroup
  zlib: HG20 changegroup
  zlib: HG20 changegroup
  zstd: HG20 changegroup

  $ behind() {
  >   asked --from 127.0.0.8 --header X-Forwarded-For="$1" | head -1
  > }
  $ behind '127.1.2.1, 127.0.0.2'
  none: HG20 changegroup
  $ behind '127.1.2.1, 127.0.0.2, 127.0.0.9'
  none: HG20 changegroup
  $ behind '127.1.2.1, 192.0.2.1'
  zstd: HG20 changegroup
  $ behind 'unknown'
  zstd: HG20 changegroup
  $ behind '[::ffff:127.1.2.1]:99'
  zlib: HG20 changegroup
  $ behind '[fd00::1]'
  none: HG20 changegroup

In whatever form it sends it beside the proxy's own header

  $ beside() {
  >   asked --from 127.0.0.8 --header X-Forwarded-For=192.0.2.1 "$@" | head -1
  > }
  $ beside --header X_Forwarded_For=127.1.2.1
  zstd: HG20 changegroup
  $ asked --from 127.0.0.8 --header X-Forwarded-For=127.1.2.1 \
  >   --header x-forwarded-for=192.0.2.1 | head -1
  zstd: HG20 changegroup
  $ asked --from 127.0.0.8 --header X_Forwarded_For=127.1.2.1 | head -1
  zstd: HG20 changegroup
  $ beside --header Forwarded='for=127.1.2.1' --header X-Real-IP=127.1.2.1
  zstd: HG20 changegroup

A clone from an office

  $ hg clone -q -U http://127.0.0.1:$HGPORT/ clone
  $ hg -R clone verify -q
  $ stop
  $ errors

Mistakes stop the server

  $ cat > policy.rc <<EOF
  > [wirecomp]
  > trusted-proxies = 127.0.0.1/8
  > [wirecomp-policy]
  > office.networks = 10.1.2.3/8, fd00::/8
  > office.zstdlevel = 99
  > office.compresionengines = none
  > ofice.zliblevel = 1
  > EOF
  $ policyserve
  config error at $TESTTMP/policy.rc:6: wirecomp-policy.office.compresionengines: unknown key of a policy
  (use compressionengines; keys of a policy: networks, compressionengines, zstdlevel, zliblevel, bz2level, zlib-backend, zstd-long, zstd-window, zstd-checksum, flush-interval, stream-checksum)
  config error at $TESTTMP/policy.rc:4: wirecomp-policy.office.networks: bad network '10.1.2.3/8'
  (use 10.0.0.0/8 for the network, 10.1.2.3 for the one address)
  config error at $TESTTMP/policy.rc:5: wirecomp-policy.office.zstdlevel: bad value '99'
  (use a whole number from -7 to 22)
  config error at $TESTTMP/policy.rc:7: wirecomp-policy.ofice.zliblevel: policy ofice has no networks
  (set wirecomp-policy.ofice.networks)
  config error at $TESTTMP/policy.rc:2: wirecomp.trusted-proxies: bad network '$LOCALIP/8'
  (use 127.0.0.0/8 for the network, $LOCALIP for the one address)
  [30]

One that is not trusted has no policies, whatever stands in it

  $ cat > repo/.hg/hgrc <<EOF
  > [wirecomp-policy]
  > all.networks = 0.0.0.0/0
  > all.zstdlevel = 22
  > [wirecomp]
  > trusted-proxies = 0.0.0.0/0
  > EOF
  $ foreign repo/.hg/hgrc
  $ : > policy.rc
  $ policyserve 2> /dev/null
  $ asked
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 3: first engine of the server that the client reads
  $ stop
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:5: wirecomp.trusted-proxies: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: wirecomp-policy.all.networks: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  $ native repo/.hg/hgrc
  $ policyserve
  $ asked
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 22: first engine of the server that the client reads, policy all
  $ stop

The same under WSGI, in a directory of repositories

  $ cat > repo/.hg/hgrc <<EOF
  > [wirecomp-policy]
  > office.networks = 127.0.0.2
  > office.compressionengines = none
  > EOF
  $ cat > web.conf <<EOF
  > [paths]
  > r = $TESTTMP/repo
  > [wirecomp]
  > trusted-proxies = 127.0.0.8
  > EOF
  $ "$PYTHON" "$TESTDIR/testlib/wsgiserve.py" $HGPORT web.conf \
  >   > ready 2> wsgi.log &
  $ echo $! >> $DAEMON_PIDS
  $ while ! test -s ready; do sleep 0.05; done
  $ for from in 127.0.0.1 127.0.0.2 127.0.0.8; do
  >   asked --path /r --from $from --header X-Forwarded-For=192.0.2.1 \
  >     --header X-Forwarded-For=127.0.0.2 | head -1
  > done
  zstd: HG20 changegroup
  none: HG20 changegroup
  none: HG20 changegroup
  $ asked --path /r --from 127.0.0.8 --header X-Forwarded-For=127.0.0.2 \
  >   --header X-Forwarded-For=192.0.2.1 | head -1
  zstd: HG20 changegroup
  $ stop
  $ cat wsgi.log
