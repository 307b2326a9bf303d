#require serve nginx

Repositories of many heads behind nginx as it comes, whose limits of headers
the arguments of a pull exceed.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/front.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > manyheads = $TESTDIR/testlib/manyheads.py
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ hg init few
  $ hg -R few manyheads 3
  $ hg init many
  $ hg -R many manyheads 1500
  $ cat > web.conf <<EOF
  > [paths]
  > few = $TESTTMP/few
  > many = $TESTTMP/many
  > EOF
  $ url="http://localhost:$HGPORT1"
  $ wirecomp="--config extensions.wirecomp="
  $ served() {
  >   rm -f access.log
  >   serve --web-conf web.conf "$@" && front nginx $nginx
  > }

methods: by which methods the requests came that have arguments, and where
these were

  $ methods() {
  >   sed -n -e 's/.*"\([A-Z]*\) .* x-hgargs-post.*/\1, in the body/p' \
  >     -e 's/.*"\([A-Z]*\) .* x-hgarg-1.*/\1, in headers/p' access.log | sort -u
  >   : > access.log
  > }

news: clone with $client, let there be news, pull, and say how many heads there
are then

  $ client=hg
  $ news() {
  >   rm -rf clone
  >   $client clone -q -U "$url/$1" clone || return $?
  >   hg -R $1 manyheads 2 "$(hg -R $1 log -r tip -T '{rev}')"
  >   $client -R clone pull -q || return $?
  >   $client -R clone verify -q && $client -R clone heads -T . | wc -c | tr -d ' '
  > }

Plain Mercurial: nginx refuses the requests, and without it hg serve does

  $ served
  $ news few
  5
  $ methods
  GET
  $ news many
  abort: HTTP Error 400: Bad Request
  [100]
  $ url="http://localhost:$HGPORT" news many
  abort: HTTP Error 431: * (glob)
  [100]
  $ stop

With wirecomp: only the repository that needs it has POST requests

  $ served $wirecomp
  $ news few
  $ methods
  $ news many
  $ methods

Clients of all ages, and what else they ask for. Those before 3.8 know headers
only

  $ for version in 4.0.2 6.1.4 7.2.4; do
  >   test -e "$WIRECOMPBUILD/hg-$version/.complete" || continue
  >   echo $version
  >   client="$WIRECOMPBUILD/hg-$version/bin/hg"
  >   news many
  >   $client id "$url/many" -r 0
  >   hg -R many manyheads 1 "for $version"
  >   $client -R clone incoming -q -T '{desc}\n'
  >   $client -R clone up -q null
  >   $client -R clone up -q 0
  >   echo $version > clone/$version
  >   $client -R clone ci -qAm "pushed by $version"
  >   $client -R clone bookmark -r . "mark-$version"
  >   $client -R clone push -qf -B "mark-$version"
  >   hg -R many log -r tip -T '{desc}: {bookmarks}\n'
  >   $client -R clone bookmark -f -r 1 "mark-$version"
  >   $client -R clone push -q -B "mark-$version"
  >   hg -R many log -r "mark-$version" -T '{rev}: {bookmarks}\n'
  > done
  $ client=hg
  $ methods
  $ hg -R many verify -q
  $ stop

Twenty thousand heads

  $ hg init most
  $ hg -R most manyheads 20000
  $ echo "most = $TESTTMP/most" >> web.conf
  $ served $wirecomp
  $ news most
  $ methods
  $ stop

A server that lets readers GET only

  $ nginx=--read-only
  $ served $wirecomp
  $ news few
  $ news many
  $ stop
  $ served $wirecomp --config wirecomp.post-arguments=no
  $ news many
  $ stop

The setting

  $ nginx=
  $ served $wirecomp --config wirecomp.post-arguments=no --config experimental.httppostargs=yes
  $ news few
  $ methods
  $ news many
  $ stop
  $ served $wirecomp --config wirecomp.post-arguments=yes
  $ news few
  $ methods
  $ stop
  $ served $wirecomp --config experimental.httppostargs=yes
  $ news few
  $ methods
  $ stop
  $ cat errors.log
