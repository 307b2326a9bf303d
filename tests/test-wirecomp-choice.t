#require serve
#testcases core stripped

What each kind of client is sent. The extension carries the system itself: on a
core whose own negotiation was taken out, the answers are the same.

  $ . "$TESTDIR/testlib/lib.sh"
#if stripped
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > stripped = $TESTDIR/testlib/stripped.py
  > EOF
#endif
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > wirelog = $TESTDIR/testlib/wirelog.py
  > [wirelog]
  > file = $TESTTMP/wirecomp.log
  > EOF

  $ hg init repo
  $ cd repo
  $ for n in 1 2 3; do
  >   "$PYTHON" -c 'print("a line of text, %d\n" * 2000 % ((9,) * 2000))' > f$n
  >   hg ci -qAm "change $n"
  > done
  $ serve

What may be negotiated is in the capabilities

  $ wireget capabilities --save ../caps
  200 application/mercurial-0.1
  as it is: data
  $ tr ' ' '\n' < ../caps | egrep '^(compression|httpmediatype)'
  compression=zstd,zlib
  httpmediatype=0.1rx,0.1tx,0.2tx

A reader of 0.2 gets the first engine of the server that it reads

  $ wireget --proto '0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zlib,zstd'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zlib,none'
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ wireget --proto '0.2 comp=,,zstd,'
  200 application/mercurial-0.2
  zstd: HG20 changegroup

Without comp= that is zlib, by definition

  $ wireget --proto '0.1 0.2'
  200 application/mercurial-0.2
  zlib: HG20 changegroup

No common engine: zlib in 0.1

  $ wireget --proto '0.1 0.2 comp=bzip2'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp='
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=none'
  200 application/mercurial-0.1
  zlib: HG20 changegroup

A legacy client. comp= alone makes no reader of 0.2

  $ wireget
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto '0.1 comp=zstd'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto 'comp=zstd'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --bundle1
  200 application/mercurial-0.1
  zlib: data
  $ wireget --bundle1 --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.2
  zstd: data

The first comp= counts; tabs and runs of spaces separate

  $ wireget --proto '0.2 comp=zlib comp=zstd'
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ wireget --proto '0.2 comp=zstd comp=zlib'
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --proto '0.1	0.2 	 comp=zstd'
  200 application/mercurial-0.2
  zstd: HG20 changegroup

Headers are joined as they are, up to the first one missing

  $ wireget --proto '0.1 0.' --proto '2 comp=zs' --proto td
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --header 'X-HgProto-2=0.2 comp=zstd'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zlib' --header 'X-HgProto-3= comp=zstd'
  200 application/mercurial-0.2
  zlib: HG20 changegroup

Broken ones get an answer that any client reads

  $ wireget --proto "$(printf '0.2;comp=zstd \377\376')"
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto ''
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ wireget --proto "0.2 $("$PYTHON" -c 'print("comp=a," * 8500)')"
  200 application/mercurial-0.1
  zlib: HG20 changegroup

Stream clones go out raw, to a legacy client as stored blocks

  $ wireget --stream --proto '0.1 0.2 comp=zlib,none' --save ../raw
  200 application/mercurial-0.2
  none: HG20 stream2
  $ f --size --hexdump --bytes 9 ../raw | tail -1
  0000: 04 6e 6f 6e 65 48 47 32 30                      |.noneHG20|
  $ wireget --stream --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.2
  none: HG20 stream2
  $ wireget --stream
  200 application/mercurial-0.1
  zlib, stored: HG20 stream2
  $ wireget --stream --proto '0.1'
  200 application/mercurial-0.1
  zlib, stored: HG20 stream2

Other answers with a stream of their own

  $ wireget changegroup --arg roots=0000000000000000000000000000000000000000 \
  >   --proto '0.2 comp=zstd'
  200 application/mercurial-0.2
  zstd: data

What is not a stream stays as it is

  $ wireget heads --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.1
  as it is: 'f82a08d41a00f1458f8a395bf7efc9e557139c0c\n'
  $ wireget no-such-command | head -1
  400 text/html; charset=ascii

The choice is logged, with its reason

  $ sed -n 's/^getbundle: //p' ../wirecomp.log | sort | uniq -c | sed 's/^ *//'
  7 application/mercurial-0.1, engine zlib, level -1: legacy client
  4 application/mercurial-0.1, engine zlib, level -1: no common engine
  2 application/mercurial-0.1, engine zlib, level 0: legacy client, stored blocks: the answer is best left raw
  2 application/mercurial-0.2, engine none, level -: the answer is best left raw
  4 application/mercurial-0.2, engine zlib, level -1: first engine of the server that the client reads
  7 application/mercurial-0.2, engine zstd, level 3: first engine of the server that the client reads
  $ stop

Errors in a bundle go out raw

  $ serve --config server.disablefullbundle=yes
  $ wireget --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.2
  none: HG20 error:abort
  $ wireget
  200 application/mercurial-0.1
  zlib, stored: HG20 error:abort
  $ wireget --bundle1
  200 application/hg-error
  as it is: 'server has pull-based clones disabled\n'
  $ stop

So do ready-made bundles

  $ hg bundle -q --all -t gzip-v2 .hg/ready.hg
  $ heads=$(hg log -r tip -T "{node}")
  $ echo "ready.hg BUNDLESPEC=gzip-v2 heads=$heads" > .hg/pullbundles.manifest
  $ serve --config server.pullbundle=yes
  $ wireget --proto '0.1 0.2 comp=zstd,zlib partial-pull'
  200 application/mercurial-0.2
  none: HG20, compressed itself
  $ wireget --proto 'partial-pull' --save ../pulled
  200 application/mercurial-0.1
  zlib, stored: HG20, compressed itself
  $ "$PYTHON" -c 'import sys, zlib; o = sys.stdout.buffer;
  > o.write(zlib.decompress(open("../pulled", "rb").read()))' | cmp - .hg/ready.hg
  $ rm .hg/pullbundles.manifest

#if inlinebundles
  $ mkdir -p .hg/bundle-cache
  $ cp .hg/ready.hg .hg/bundle-cache/
  $ wireget get_cached_bundle_inline --arg path=ready.hg \
  >   --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.2
  none: data

Clients never inflate this one in 0.1

  $ wireget get_cached_bundle_inline --arg path=ready.hg
  200 application/mercurial-0.1
  as it is: data
#endif
  $ stop

#if wiredeltas

Deltas that could travel compressed are not compressed twice, which would make
the answer larger. Where no engine compresses, they travel compressed.

  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makerepo.py" ../many 60
  $ cd ../many
  $ serve --config server.compressionengines=zstd,none
  $ wireget --proto '0.2 comp=zstd' --save ../cg3
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --cg4 --proto '0.2 comp=zstd' --save ../cg4
  200 application/mercurial-0.2
  zstd: HG20 changegroup
  $ wireget --proto '0.2 comp=none' --save ../cg3none
  200 application/mercurial-0.2
  none: HG20 changegroup
  $ wireget --cg4 --proto '0.2 comp=none' --save ../cg4none
  200 application/mercurial-0.2
  none: HG20 changegroup
  $ stop
  $ serve --config extensions.wirecomp=!
  $ wireget --cg4 --proto '0.2 comp=zstd' --save ../cg4plain > /dev/null
  $ stop
  $ smaller() {
  >   test $(wc -c < ../$1) -lt $(wc -c < ../$2) && echo "$1 < $2"
  > }
  $ smaller cg4 cg4plain
  cg4 < cg4plain
  $ smaller cg4none cg3none
  cg4none < cg3none
  $ serve --config server.zliblevel=0 --config server.compressionengines=zlib
  $ wireget --cg4 --proto '0.2 comp=zlib' --save ../cg4stored
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ wireget --proto '0.2 comp=zlib' --save ../cg3stored
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ stop
  $ smaller cg4stored cg3stored
  cg4stored < cg3stored
  $ cd ../repo
#endif

The server's list decides, by either name in any case

  $ serve --config server.compressionengines='None, BZIP2 zlib,bz2'
  $ wireget capabilities --save ../caps
  200 application/mercurial-0.1
  as it is: data
  $ tr ' ' '\n' < ../caps | grep ^compression
  compression=none,bzip2,zlib
  $ wireget --proto '0.1 0.2 comp=zstd,zlib,bzip2,none'
  200 application/mercurial-0.2
  none: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zstd,zlib,bzip2'
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zstd,zlib'
  200 application/mercurial-0.2
  zlib: HG20 changegroup
  $ wireget --proto '0.1 0.2 comp=zstd'
  200 application/mercurial-0.1
  zlib: HG20 changegroup
  $ stop

Levels

  $ for level in -1 0 1 9; do
  >   serve --config server.zliblevel=$level
  >   wireget | tail -1
  >   tail -1 ../wirecomp.log
  >   stop
  > done
  zlib: HG20 changegroup
  getbundle: application/mercurial-0.1, engine zlib, level -1: legacy client
  zlib, stored: HG20 changegroup
  getbundle: application/mercurial-0.1, engine zlib, level 0: legacy client
  zlib: HG20 changegroup
  getbundle: application/mercurial-0.1, engine zlib, level 1: legacy client
  zlib: HG20 changegroup
  getbundle: application/mercurial-0.1, engine zlib, level 9: legacy client
  $ for level in -7 0 3 22; do
  >   serve --config server.zstdlevel=$level
  >   wireget --proto '0.2 comp=zstd' | tail -1
  >   tail -1 ../wirecomp.log
  >   stop
  > done
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level -7: first engine of the server that the client reads
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 0: first engine of the server that the client reads
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 3: first engine of the server that the client reads
  zstd: HG20 changegroup
  getbundle: application/mercurial-0.2, engine zstd, level 22: first engine of the server that the client reads
  $ for level in 1 9; do
  >   serve --config server.bz2level=$level --config server.compressionengines=bz2
  >   wireget --proto '0.2 comp=bzip2' | tail -1
  >   tail -1 ../wirecomp.log
  >   stop
  > done
  bzip2: HG20 changegroup
  getbundle: application/mercurial-0.2, engine bzip2, level 1: first engine of the server that the client reads
  bzip2: HG20 changegroup
  getbundle: application/mercurial-0.2, engine bzip2, level 9: first engine of the server that the client reads
  $ cat ../errors.log
