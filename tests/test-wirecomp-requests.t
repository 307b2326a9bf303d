#require serve

Requests that no client sends, and those that can't be answered.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ echo a > a
  $ hg ci -qAm a
  $ name=$(printf 'caf\303\251')
  $ hg bookmark -r 0 "$name" --encoding utf-8
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ cd ..
  $ serve -R repo
  $ raw() {
  >   "$PYTHON" "$TESTDIR/testlib/rawask.py" "$HGPORT" "$@"
  > }

No answer may be kept by a cache; streams pass through proxies at once

  $ raw GET GET GET <<EOF
  > GET /?cmd=heads HTTP/1.1
  > 
  > GET /?cmd=lookup&key=0 HTTP/1.1
  > 
  > GET /?cmd=getbundle HTTP/1.1
  > X-HgProto-1: 0.2 comp=zstd
  > 
  > EOF
  200 application/mercurial-0.1 no-store: cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  200 application/mercurial-0.1 no-store: 1 cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  200 application/mercurial-0.2 no-store no: \x04zstd* (glob)
  kept

HEAD answers headers, and nothing is made for it

  $ raw HEAD HEAD GET <<EOF
  > HEAD /?cmd=getbundle HTTP/1.1
  > X-HgProto-1: 0.2 comp=zstd
  > 
  > HEAD /?cmd=heads HTTP/1.1
  > 
  > GET /?cmd=heads HTTP/1.1
  > 
  > EOF
  200 application/mercurial-0.2 no-store: no body
  200 application/mercurial-0.1 no-store: no body
  200 application/mercurial-0.1 no-store: cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  kept
  $ raw HEAD <<EOF
  > HEAD /?cmd=getbundle&heads=1111111111111111111111111111111111111111 HTTP/1.1
  > 
  > EOF
  200 application/mercurial-0.1 no-store: no body
  kept

X-HgArgs-Post, where it is off, or malformed. What may be left of the body is
never taken for a request

  $ posted() {
  >   printf 'POST /?cmd=lookup HTTP/1.1\nX-HgArgs-Post: %s\nContent-Length: %s\n\nkey=0' "$1" "${2-5}" | raw POST
  > }
  $ stop
  $ serve -R repo --config wirecomp.post-arguments=no
  $ posted 5
  400 text/plain no-store: X-HgArgs-Post is not allowed here\n
  closed
  $ errors
  HG error:  lookup failed: Refused: X-HgArgs-Post is not allowed here
  $ stop
  $ serve -R repo --config wirecomp.post-arguments=no \
  >   --config experimental.httppostargs=yes
  $ posted 5
  400 text/plain no-store: X-HgArgs-Post is not allowed here\n
  closed
  $ stop

It is read where it is not off, even if no client is told so, as here: there may
have been more heads when one asked for the capabilities

  $ serve -R repo
  $ posted 5
  200 application/mercurial-0.1 no-store: 1 cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  kept
  $ posted -1
  400 text/plain no-store: malformed X-HgArgs-Post\n
  closed
  $ posted five
  400 text/plain no-store: malformed X-HgArgs-Post\n
  closed
  $ posted 6
  400 text/plain no-store: X-HgArgs-Post is more than the body has\n
  closed
  $ stop
  $ rm errors.log
  $ serve -R repo

Bodies that nobody reads, and lengths that nobody can tell

  $ raw GET <<EOF
  > GET /?cmd=heads HTTP/1.1
  > Content-Length: 30
  > 
  > GET /?cmd=branchmap HTTP/1.1
  > 
  > EOF
  200 application/mercurial-0.1 no-store: cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  closed
  $ for length in -1 +5 5x 0x5 '5, 5' ''; do
  >   printf "GET /?cmd=heads HTTP/1.1\nContent-Length: $length\n\n" | raw GET
  > done
  400 text/plain: bad Content-Length\n
  closed
  400 text/plain: bad Content-Length\n
  closed
  400 text/plain: bad Content-Length\n
  closed
  400 text/plain: bad Content-Length\n
  closed
  400 text/plain: bad Content-Length\n
  closed
  400 text/plain: bad Content-Length\n
  closed
  $ raw POST <<EOF
  > POST /?cmd=heads HTTP/1.1
  > Transfer-Encoding: chunked
  > 
  > 5
  > hello
  > 0
  > 
  > EOF
  200 application/mercurial-0.1 no-store: cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  closed
  $ raw GET <<EOF
  > GET /?cmd=heads HTTP/1.1
  > no header
  > Content-Length: 5
  > 
  > hello
  > EOF
  400 text/plain: bad header\n
  closed
  $ printf 'GET /?cmd=heads HTTP/1.1\nX: a\rContent-Length: 5\n\nhello' | raw GET
  400 text/plain: bad header\n
  closed

Forms are no bad headers

  $ raw POST <<EOF
  > POST /?cmd=heads HTTP/1.1
  > Content-Type: multipart/form-data; boundary=x
  > Content-Length: 0
  > 
  > EOF
  200 application/mercurial-0.1 no-store: cb9a9f314b8b07ba71012fcdbc544b5a4d82ff5b\n
  kept

Nodes and arguments that are unknown, malformed or missing: the client is told
why, and the log has a line for each

  $ cat errors.log
  $ for query in 'getbundle&heads=1111111111111111111111111111111111111111' \
  >   'getbundle&heads=tip' lookup \
  >   'lookup&key=nosuch' 'known&nodes=x' 'between&pairs=11' 'branches&nodes=%ff' \
  >   changegroup 'changegroup&roots=1111111111111111111111111111111111111111' 'batch&cmds=x'; do
  >   printf 'GET /?cmd=%s HTTP/1.1\n\n' "$query" | raw GET | sed '/^kept/d'
  > done
  200 application/hg-error no-store: unknown revision 1111111111111111111111111111111111111111\n
  200 application/hg-error no-store: malformed request: Odd-length string\n
  200 application/hg-error no-store: missing or unknown: key\n
  200 application/mercurial-0.1 no-store: 0 unknown revision 'nosuch'\n
  200 application/hg-error no-store: malformed request: Odd-length string\n
  200 application/hg-error no-store: not enough values to unpack (expected 2, got 1)\n
  400 text/plain: bad query\n
  closed
  200 application/hg-error no-store: missing or unknown: roots\n
  200 application/hg-error no-store: unknown revision* (glob)
  200 application/hg-error no-store: malformed request: not enough values to unpack (expected 2, 
  $ errors
  HG error:  getbundle failed: LookupError: unknown revision 1111111111111111111111111111111111111111
  HG error:  getbundle failed: *Error: malformed request: Odd-length string (glob)
  HG error:  lookup failed: KeyError: missing or unknown: key
  HG error:  known failed: *Error: malformed request: Odd-length string (glob)
  HG error:  between failed: ValueError: not enough values to unpack (expected 2, got 1) (*.py:*) (glob)
  HG error:  bad query: 'ascii' codec can't encode character * (glob)
  HG error:  changegroup failed: KeyError: missing or unknown: roots
  HG error:  changegroup failed: *Error: unknown revision* (glob)
  HG error:  batch failed: *Error: malformed request: not enough values to unpack (expected 2, got 1) (glob)
  $ hg clone -q -U http://localhost:$HGPORT/ clone
  $ hg -R clone verify -q

A clone of what has a name that is not ASCII

  $ hg clone -q -U -r "$name" --encoding utf-8 http://localhost:$HGPORT/ named
  $ hg -R named id -r tip
  cb9a9f314b8b tip caf?

Bytes of the peer don't reach the logs as they are

  $ rm errors.log access.log
  $ stop
  $ serve -R repo
  $ printf 'GET /?cmd=lookup&key=%%1b%%5b2J\033[2J HTTP/1.1\nX-HgProto-1: \033[2J\n\n' | raw GET
  200 application/mercurial-0.1 no-store: 0 unknown revision '\x1b[2J\x1b[2J'\n
  kept
  $ stop
  $ sed 's/^[^]]*\] //' access.log errors.log
  "GET /?cmd=lookup&key=%1b%5b2J\x1b[2J HTTP/1.1" 200 -
  "GET /?cmd=hello HTTP/1.1" 200 -

Many heads need many headers, unless arguments go in the body

  $ hg init many
  $ cd many
  $ hg debugbuilddag "$("$PYTHON" -c "print('.:root' + '<root+1' * 1500)")"
  $ hg heads -T . | wc -c | tr -d ' '
  1500
  $ cd ..
  $ serve -R many --config extensions.wirecomp= \
  >   --config wirecomp.post-arguments=no
  $ hg clone -q -U http://localhost:$HGPORT/ manyclone
  $ cd many
  $ hg up -q -r 1
  $ echo new > new
  $ hg ci -qAm new
  $ cd ..
  $ hg -R manyclone pull -q
  $ hg -R manyclone id -r tip
  13901e8e5438 tip
  $ stop
