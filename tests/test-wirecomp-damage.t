#require serve

One bit flips on the way, in places spread over the answer: clients notice
each, with every engine, and are left without a clone, or as before. (A few
bits, as the padding of bzip2, mean nothing: harmless.)

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ for n in 1 2 3 4; do
  >   "$PYTHON" -c "
  > import random
  > rand = random.Random($n)
  > for _ in range(300):
  >     print('a line of text %x' % rand.getrandbits(60))" > f$n
  >   hg ci -qAm "change $n"
  > done
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ cd ..
  $ hg clone -q --noupdate --pull -r 0 repo before

  $ flips() {
  >   serve -R repo --config server.compressionengines=$1
  >   "$PYTHON" "$TESTDIR/testlib/flips.py" $HGPORT repo before \
  >     --places 12 --pull-places 6 --name $1
  >   stop
  > }

#if zstd
  $ flips zstd
  zstd 12 clones: * noticed, 0 silent, 0 left, * harmless (glob)
  zstd 6 pulls: * noticed, 0 silent, 0 left, * harmless (glob)
#endif
  $ flips zlib
  zlib 12 clones: * noticed, 0 silent, 0 left, * harmless (glob)
  zlib 6 pulls: * noticed, 0 silent, 0 left, * harmless (glob)
  $ flips bz2
  bz2 12 clones: * noticed, 0 silent, 0 left, * harmless (glob)
  bz2 6 pulls: * noticed, 0 silent, 0 left, * harmless (glob)

Stream clones too, if they are to have a checksum

#if zstd
  $ serve -R repo --config server.preferuncompressed=yes \
  >   --config wirecomp.stream-checksum=yes
  $ wireget --proto '0.2 comp=zstd' --stream
  200 application/mercurial-0.2
  zstd: HG20 stream2
  $ wireget --proto '0.2 comp=zlib' --stream
  200 application/mercurial-0.2
  none: HG20 stream2
  $ "$PYTHON" "$TESTDIR/testlib/flips.py" $HGPORT repo before \
  >   --places 12 --pull-places 0 --name stream
  stream 12 clones: * noticed, 0 silent, 0 left, * harmless (glob)
  $ stop
#endif
