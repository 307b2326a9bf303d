#require serve nginx

Repositories of many heads behind nginx as it comes, whose limits of headers
the arguments of a pull exceed.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/front.sh"
  $ cat >> $HGRCPATH <<EOF
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ grow() {
  >   hg -R "$@" --config extensions.manyheads="$TESTDIR/testlib/manyheads.py"
  > }
  $ hg init few
  $ grow few manyheads 3
  $ hg init many
  $ grow many manyheads 1500
  $ for version in 4.0.2 6.1.4 7.2.4; do
  >   hg init clients/$version
  >   grow clients/$version manyheads 1500
  > done
  $ cat > web.conf <<EOF
  > [paths]
  > few = $TESTTMP/few
  > many = $TESTTMP/many
  > clients = $TESTTMP/clients/*
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
  >   sed -n -e 's/[^"]*"\([A-Z]*\) .* x-hgargs-post.*/\1, in the body/p' \
  >     -e 's/[^"]*"\([A-Z]*\) .* x-hgarg-1.*/\1, in headers/p' access.log | sort -u
  >   : > access.log
  > }

news: clone with $client, let there be news, pull, and say how many heads there
are then

  $ client=hg
  $ news() {
  >   rm -rf clone
  >   $client clone -q -U "$url/$1" clone || return $?
  >   grow $1 manyheads 2 "$(hg -R $1 log -r tip -T '{rev}')"
  >   $client -R clone pull -q || return $?
  >   $client -R clone verify -q && $client -R clone heads -T . | wc -c | tr -d ' '
  > }

Plain Mercurial: nginx refuses the requests, and without it hg serve does

  $ served
  $ news few
  5
  $ methods
  GET, in headers
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
  7
  $ methods
  GET, in headers
  $ news many
  1504
  $ methods
  POST, in the body

Clients of all ages, and what else they ask for. That of 4.0 has the arguments
of a push in headers: they are few

  $ asclient() {
  >   client="$WIRECOMPBUILD/hg-$1/bin/hg"
  >   repo=clients/$1
  >   news $repo
  >   $client id "$url/$repo" -r 0
  >   grow $repo manyheads 1 later
  >   $client -R clone incoming -q -T '{desc}\n'
  >   $client -R clone up -q 0
  >   echo pushed > clone/pushed
  >   $client -R clone ci -qAm pushed
  >   $client -R clone bookmark -r . mark
  >   $client -R clone push -qf -B mark
  >   hg -R $repo log -r tip -T '{desc}: {bookmarks}\n'
  >   $client -R clone bookmark -f -r 1 mark
  >   $client -R clone push -q -B mark
  >   hg -R $repo log -r mark -T '{rev}: {bookmarks}\n'
  >   hg -R $repo verify -q
  > }
  $ for version in 4.0.2 6.1.4 7.2.4; do
  >   test -e "$WIRECOMPBUILD/hg-$version/.complete" || continue
  >   asclient $version | sed "s/^/$version: /"
  > done
  4.0.2: 1502 (legacyhg !)
  4.0.2: 149d1f4a5c92 (legacyhg !)
  4.0.2: later 0 (legacyhg !)
  4.0.2: pushed: mark (legacyhg !)
  4.0.2: 1: mark (legacyhg !)
  6.1.4: 1502 (oldesthg !)
  6.1.4: 149d1f4a5c92 (oldesthg !)
  6.1.4: later 0 (oldesthg !)
  6.1.4: pushed: mark (oldesthg !)
  6.1.4: 1: mark (oldesthg !)
  7.2.4: 1502 (newesthg !)
  7.2.4: 149d1f4a5c92 (newesthg !)
  7.2.4: later 0 (newesthg !)
  7.2.4: pushed: mark (newesthg !)
  7.2.4: 1: mark (newesthg !)
  $ hg id "$url/many" -r 0
  149d1f4a5c92
  $ methods
  POST, in headers (legacyhg !)
  POST, in the body
  $ stop

Twenty thousand heads. Their pulls are larger than bodies may be in nginx as it
comes

  $ hg init most
  $ grow most manyheads 20000
  $ echo "most = $TESTTMP/most" >> web.conf
  $ served $wirecomp
  $ news most
  20002
  $ methods
  POST, in the body
  $ stop
  $ nginx='--body-size 1m'
  $ served $wirecomp
  $ news most
  abort: HTTP Error 413: Request Entity Too Large
  [100]
  $ stop

A host that lets readers GET only: POST requests come for many heads alone, and
for these not either if it is told so; its limits of headers are to be raised

  $ nginx=--read-only
  $ served $wirecomp
  $ news few
  9
  $ news many
  abort: HTTP Error 403: Forbidden
  [100]
  $ stop
  $ nginx='--read-only --large-headers'
  $ served $wirecomp --config wirecomp.post-arguments=no
  $ news many
  1506
  $ methods
  GET, in headers
  $ stop

What is set counts for all; the key of Mercurial's own as well, but for "no"

  $ nginx=
  $ served $wirecomp --config wirecomp.post-arguments=no --config experimental.httppostargs=yes
  $ news few
  11
  $ methods
  GET, in headers
  $ news many
  abort: HTTP Error 400: Bad Request
  [100]
  $ stop
  $ served $wirecomp --config wirecomp.post-arguments=yes
  $ news few
  13
  $ methods
  POST, in the body
  $ stop
  $ served $wirecomp --config experimental.httppostargs=yes
  $ news few
  15
  $ methods
  POST, in the body
  $ stop
  $ errors
  code 431, message Too many headers
