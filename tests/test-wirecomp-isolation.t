#require serve

Three repositories in one process: "a" and "b" enable the extension, each with
its own engines, "off" does not. In whatever order they are asked, each is
answered by its own settings, and "off" byte for byte as by plain Mercurial.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init off
  $ cd off
  $ for n in 1 2 3; do
  >   "$PYTHON" -c 'print("a line of text\n" * 2000)' > f$n
  >   hg ci -qAm "change $n"
  > done
  $ cd ..
  $ hg clone -q -U --pull off a
  $ hg clone -q -U --pull off b
  $ cat > a/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [server]
  > compressionengines = bz2, none
  > EOF
  $ cat > b/.hg/hgrc <<EOF
  > [extensions]
  > other = $TESTDIR/../hgext3rd/wirecomp
  > [server]
  > compressionengines = none
  > EOF
  $ cat > web.conf <<EOF
  > [paths]
  > a = $TESTTMP/a
  > b = $TESTTMP/b
  > off = $TESTTMP/off
  > EOF

  $ ask() {
  >   case $1 in
  >   off)
  >     for cmd in capabilities heads branchmap getbundle; do
  >       for proto in '0.1 0.2 comp=zstd,zlib,none,bzip2' '0.1 0.2 comp=bzip2' ''; do
  >         wireget $cmd --all --path /off --proto "$proto"
  >         test $cmd = getbundle || continue
  >         wireget --all --path /off --proto "$proto" --stream
  >         wireget --all --path /off --proto "$proto" --bundle1
  >       done
  >     done > off.answers;;
  >   *)
  >     wireget capabilities --path /$1 --save caps > /dev/null
  >     tr ' ' '\n' < caps | grep ^compression
  >     wireget --path /$1 --proto '0.1 0.2 comp=zstd,zlib,none,bzip2';;
  >   esac
  > }

Plain Mercurial, for comparison

  $ serve --web-conf web.conf --config extensions.wirecomp=! --config extensions.other=!
  $ ask off
  $ mv off.answers plain.answers
  $ stop

  $ for order in 'a b off' 'a off b' 'b a off' 'b off a' 'off a b' 'off b a'; do
  >   echo "== $order"
  >   serve --web-conf web.conf
  >   for repo in $order off; do
  >     ask $repo
  >     test $repo = off && cmp off.answers plain.answers
  >   done
  >   stop
  > done
  == a b off
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  compression=none
  200 application/mercurial-0.2
  none: HG20 changegroup
  == a off b
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  compression=none
  200 application/mercurial-0.2
  none: HG20 changegroup
  == b a off
  compression=none
  200 application/mercurial-0.2
  none: HG20 changegroup
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  == b off a
  compression=none
  200 application/mercurial-0.2
  none: HG20 changegroup
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  == off a b
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  compression=none
  200 application/mercurial-0.2
  none: HG20 changegroup
  == off b a
  compression=none
  200 application/mercurial-0.2
  none: HG20 changegroup
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup

The other way round: enabled for all, disabled in one

  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ cat > off/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp = !
  > EOF
  $ serve --web-conf web.conf
  $ ask a
  compression=bzip2,none
  200 application/mercurial-0.2
  bzip2: HG20 changegroup
  $ ask off
  $ cmp off.answers plain.answers
  $ stop
  $ cat errors.log
