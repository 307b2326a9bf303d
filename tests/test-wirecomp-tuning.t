#require serve

How streams are made: the keys of the section [wirecomp].

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makerepo.py" repo 800
  $ cd repo

What a frame says of itself. How large the window may be depends on the level
too

  $ cat > ../frame.py <<EOF
  > import sys, zstandard
  > frame = open('../body', 'rb').read()[5:]
  > parameters = zstandard.get_frame_parameters(frame)
  > print('window %d KB, checksum %s' % (parameters.window_size >> 10, parameters.has_checksum))
  > EOF
  $ ask() {
  >   serve "$@" || return $?
  >   wireget --proto '0.2 comp=zstd' --save ../body | tail -1
  >   "$PYTHON" ../frame.py
  >   stop
  > }
  $ ask
  zstd: HG20 changegroup
  window 16384 KB, checksum True
  $ ask --config wirecomp.zstd-checksum=no
  zstd: HG20 changegroup
  window 16384 KB, checksum False
  $ ask --config wirecomp.zstd-window=1MB
  zstd: HG20 changegroup
  window 1024 KB, checksum True
  $ ask --config server.zstdlevel=5
  zstd: HG20 changegroup
  window 32768 KB, checksum True
  $ ask --config server.zstdlevel=5 --config wirecomp.zstd-window=100MB
  zstd: HG20 changegroup
  window 65536 KB, checksum True
  $ ask --config server.zstdlevel=5 --config wirecomp.zstd-long=no
  zstd: HG20 changegroup
  window 2048 KB, checksum True

A short answer needs no larger window than itself

  $ serve --config server.zstdlevel=19 --config wirecomp.zstd-window=128MB
  $ wireget --proto '0.2 comp=zstd' --save ../body --arg common=$(hg id -r 'tip^' --debug -i) | tail -1
  zstd: HG20 changegroup
  $ "$PYTHON" ../frame.py
  window 1 KB, checksum True
  $ stop

Each zlib library, decoded by the standard one

  $ for backend in auto zlib zlib-ng isal ISAL; do
  >   serve --config wirecomp.zlib-backend=$backend
  >   wireget | tail -1
  >   stop
  > done
  zlib: HG20 changegroup
  zlib: HG20 changegroup
  zlib: HG20 changegroup
  zlib: HG20 changegroup
  zlib: HG20 changegroup
  $ cat ../errors.log

One that is not installed is told, and zlib does it

  $ cat > ../nofast.py <<EOF
  > import sys
  > sys.modules['isal'] = sys.modules['zlib_ng'] = None
  > EOF
  $ serve --config extensions.nofast=../nofast.py --config wirecomp.zlib-backend=isal
  $ wireget | tail -1
  zlib: HG20 changegroup
  $ stop
  $ errors
  HG error:  warning: --config: wirecomp.zlib-backend: isal is not installed, zlib is used (install the package isal for the python that runs the server)
  $ : > ../errors.log
  $ serve --config extensions.nofast=../nofast.py
  $ wireget | tail -1
  zlib: HG20 changegroup
  $ stop
  $ cat ../errors.log

Mistakes

  $ serve --config wirecomp.zlib-backend=pigz
  config error at --config: wirecomp.zlib-backend: bad value 'pigz'
  (use auto, zlib, zlib-ng, isal)
  [30]
  $ serve --config wirecomp.zstd-long=often
  config error at --config: wirecomp.zstd-long: bad value 'often'
  (use yes or no)
  [30]
  $ serve --config wirecomp.zstd-window=256MB
  config error at --config: wirecomp.zstd-window: bad value '256MB'
  (use a size from 1 MB to 128 MB)
  [30]
  $ serve --config wirecomp.zstd-window=1000
  config error at --config: wirecomp.zstd-window: bad value '1000'
  (use a size from 1 MB to 128 MB)
  [30]
  $ serve --config wirecomp.zstd-window=large
  config error at --config: wirecomp.zstd-window: bad value 'large'
  (use a size from 1 MB to 128 MB)
  [30]
  $ serve --config wirecomp.zstd-checksum=
  config error at --config: wirecomp.zstd-checksum: bad value ''
  (use yes or no)
  [30]
  $ serve --config wirecomp.flush-interval=-1
  config error at --config: wirecomp.flush-interval: bad value '-1'
  (use seconds, 0 for never)
  [30]
  $ serve --config wirecomp.flush-interval=nan
  config error at --config: wirecomp.flush-interval: bad value 'nan'
  (use seconds, 0 for never)
  [30]
  $ serve --config wirecomp.flush-interval=0
  $ stop

An untrusted file has no say here either

  $ cat > .hg/hgrc <<EOF
  > [wirecomp]
  > zstd-checksum = no
  > zstd-window = 128MB
  > flush-interval = 0
  > EOF
  $ foreign .hg/hgrc
  $ ask 2> /dev/null
  zstd: HG20 changegroup
  window 16384 KB, checksum True
  $ errors
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:3: wirecomp.zstd-window: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:2: wirecomp.zstd-checksum: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  HG error:  warning: $TESTTMP/repo/.hg/hgrc:4: wirecomp.flush-interval: ignored, not in a trusted file (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  $ native .hg/hgrc

hg serve does not hold back small replies: the option is set on connections to
repositories that enable the extension, only on these

  $ cat > ../nagle.py <<EOF
  > import socket
  > from mercurial import extensions
  > from mercurial.hgweb import server
  > def done(orig, self):
  >     orig(self)
  >     on = self.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
  >     self.log_error('TCP_NODELAY %d', bool(on))
  > def uisetup(ui):
  >     extensions.wrapfunction(server._httprequesthandler, '_done', done)
  > EOF
  $ rm .hg/hgrc
  $ for enabled in '' '!'; do
  >   : > ../errors.log
  >   serve --config extensions.nagle=../nagle.py --config extensions.wirecomp=$enabled
  >   wireget heads > /dev/null
  >   stop
  >   errors
  > done
  TCP_NODELAY 1
  TCP_NODELAY 0

Stream clones go out in few writes

  $ cat > ../writes.py <<EOF
  > from mercurial import extensions
  > from mercurial.hgweb import server
  > def write(orig, self, data):
  >     self.log_error('write of %s', 'up to 4 bytes' if len(data) < 5 else
  >                    'up to 128 KiB' if len(data) < 131072 else
  >                    '128 to 256 KiB' if len(data) <= 262144 else 'more')
  >     return orig(self, data)
  > def uisetup(ui):
  >     extensions.wrapfunction(server._httprequesthandler, '_write', write)
  > EOF
  $ for enabled in '' '!'; do
  >   : > ../errors.log
  >   serve --config extensions.writes=../writes.py --config extensions.wirecomp=$enabled
  >   wireget --stream --proto 0.2 --heads 0000000000000000000000000000000000000000 > /dev/null
  >   stop
  >   errors | sort | uniq -c | sed 's/^ *//' > ../writes$enabled
  > done
  $ sed 's/^[0-9]* //' ../writes | grep '128 to 256'
  write of 128 to 256 KiB
  $ grep -v '128 to 256' ../writes | grep -v '^1 write of up to'
  [1]
  $ grep -c 'up to 4 bytes' '../writes!'
  1
