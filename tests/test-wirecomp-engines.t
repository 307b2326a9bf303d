#require serve

Engines that are not there, and engines that others bring.

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ hg init repo --config format.revlog-compression=zlib
  $ cd repo
  $ echo text > f
  $ hg ci -qAm change

  $ ask() {
  >   wireget capabilities --save ../caps > /dev/null
  >   tr ' ' '\n' < ../caps | grep ^compression
  >   wireget "$@"
  > }

Neither the package zstandard nor a zstd of Mercurial's own: the engine is
dropped with one warning, whether it is listed or not, and the server lives

  $ cat > ../nozstd.py <<EOF
  > import sys
  > sys.modules['zstandard'] = None
  > from mercurial.utils import compression
  > compression.compengines[b'zstd']._module = None
  > EOF
  $ serve --config extensions.nozstd=../nozstd.py
  $ ask --proto '0.1 0.2 comp=zstd,zlib'
  compression=zlib
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ ask --proto '0.1 0.2 comp=zstd'
  compression=zlib
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop
  $ errors
  HG error:  warning: default: server.compressionengines: engine zstd dropped, its library is absent (install the library for the python that runs the server)
  $ : > ../errors.log
  $ serve --config extensions.nozstd=../nozstd.py --config server.compressionengines=zstd,bz2
  $ ask --proto '0.1 0.2 comp=zstd,bzip2'
  compression=bzip2
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  $ stop
  $ errors
  HG error:  warning: --config: server.compressionengines: engine zstd dropped, its library is absent (install the library for the python that runs the server)
  $ : > ../errors.log
  $ serve --config extensions.nozstd=../nozstd.py --config server.compressionengines=zstd
  $ ask --proto '0.1 0.2 comp=zstd,zlib'
  compression=zlib
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ stop
  $ errors
  HG error:  warning: --config: server.compressionengines: engine zstd dropped, its library is absent (install the library for the python that runs the server)
  $ : > ../errors.log

A library that is there and broken is absent

  $ mkdir ../broken
  $ echo 'raise RuntimeError("built for another python")' > ../broken/zstandard.py
  $ cat > ../brokenzstd.py <<EOF
  > from mercurial.utils import compression
  > compression.compengines[b'zstd']._module = None
  > EOF
  $ PYTHONPATH=$TESTTMP/broken:$PYTHONPATH serve --config extensions.brokenzstd=../brokenzstd.py
  $ ask --proto '0.1 0.2 comp=zstd,zlib'
  compression=zlib
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ stop
  $ errors | grep -c 'zstd dropped'
  1
  $ : > ../errors.log

A name that needs the absent library is no hint for a mistake

  $ serve --config extensions.nozstd=../nozstd.py --config server.compressionengines=zst
  config error at --config: server.compressionengines: unknown engine 'zst'
  (usable engines: zlib, bz2, none)
  [30]

#if zstd

Without the package, Mercurial's own zstd serves

  $ cat > ../nopackage.py <<EOF
  > import sys
  > sys.modules['zstandard'] = None
  > EOF
  $ serve --config extensions.nopackage=../nopackage.py
  $ ask --proto '0.1 0.2 comp=zstd,zlib'
  compression=zstd,zlib
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ stop
  $ cat ../errors.log
#endif

An engine that another extension registers can be listed, with its level

  $ cat > ../rot13.py <<EOF
  > from mercurial import registrar
  > from mercurial.utils import compression
  > configtable = {}
  > configitem = registrar.configitem(configtable)
  > configitem(b'server', b'rot13level', default=None)
  > class rot13(compression.compressionengine):
  >     @staticmethod
  >     def name():
  >         return b'rot13'
  >     def wireprotosupport(self):
  >         return compression.compewireprotosupport(b'r13', 90, 90)
  >     def compressstream(self, it, opts=None):
  >         yield b'level %d: ' % (opts or {}).get(b'level', 13)
  >         for chunk in it:
  >             yield bytes(255 - byte for byte in chunk)
  > def extsetup(ui):
  >     if b'rot13' not in compression.compengines:
  >         compression.compengines.register(rot13())
  > EOF
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > rot13 = $TESTTMP/rot13.py
  > EOF
  $ serve
  $ ask --proto '0.1 0.2 comp=r13,zlib'
  compression=zstd,zlib
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ stop
  $ serve --config server.compressionengines='zlib, R13'
  $ ask --proto '0.1 0.2 comp=r13,zlib'
  compression=zlib,r13
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ ask --proto '0.1 0.2 comp=r13' --save ../body
  compression=zlib,r13
  200 application/mercurial-0.2
  r13: data
  $ head -c 14 ../body
  \x03r13level 13:  (no-eol) (esc)
  $ stop
  $ serve --config server.compressionengines=rot13 --config server.rot13level=5
  $ ask --proto '0.1 0.2 comp=r13' --save ../body
  compression=r13
  200 application/mercurial-0.2
  r13: data
  $ head -c 14 ../body
  \x03r13level 5: \xb7 (no-eol) (esc)
  $ stop
  $ serve --config server.rot13level=five
  config error at --config: server.rot13level: bad value 'five'
  (use a whole number)
  [30]
  $ cat ../errors.log
