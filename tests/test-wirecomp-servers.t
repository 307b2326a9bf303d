#testcases gunicorn gunicorn-threads waitress uwsgi modwsgi
#require serve

A source that fails midway, under the servers that people use.

#if gunicorn
#require gunicorn
  $ kind=gunicorn
#endif
#if gunicorn-threads
#require gunicorn-threads
  $ kind=gunicorn-threads
#endif
#if waitress
#require waitress
  $ kind=waitress
#endif
#if uwsgi
#require uwsgi
  $ kind=uwsgi
#endif
#if modwsgi
#require modwsgi
  $ kind=modwsgi
#endif

  $ . "$TESTDIR/testlib/lib.sh"
  $ faultrepo
  $ hg clone -q -U -r 0 repo base
  $ "$PYTHON" "$TESTDIR/testlib/appserver.py" $kind $HGPORT repo

The first requests, all together

  $ cat > together.py <<EOF
  > import concurrent.futures, urllib.request
  > def ask(number):
  >     with urllib.request.urlopen('http://localhost:$HGPORT/?cmd=branchmap') as answer:
  >         return answer.status
  > with concurrent.futures.ThreadPoolExecutor(10) as pool:
  >     print(set(pool.map(ask, range(10))))
  > EOF
  $ "$PYTHON" together.py
  {200}

Clients print the message where the format can carry one. The message of HTTP
is cut short, but by mod_wsgi, which ends all answers as if they were whole.

  $ cut=incomplete
#if modwsgi
  $ cut=whole
#endif
  $ cutfaults() {
  >   faults "$@" | sed "s/, $cut\$/, cut/"
  > }
  $ cutfaults --kinds bundle2 --at first,middle
  zstd bundle2 first: abort, message, clean, refused
  zstd bundle2 middle: abort, message, clean, cut
  zlib bundle2 first: abort, message, clean, refused
  zlib bundle2 middle: abort, message, clean, cut
  bz2 bundle2 first: abort, message, clean, refused
  bz2 bundle2 middle: abort, message, clean, cut
  none bundle2 first: abort, message, clean, refused
  none bundle2 middle: abort, message, clean, cut
  legacy bundle2 first: abort, message, clean, refused
  legacy bundle2 middle: abort, message, clean, cut
  $ cutfaults --kinds bundle2,bundle1,stream --offers zstd,legacy --at last
  zstd bundle2 last: abort, message, clean, cut
  zstd bundle1 last: abort, no message, clean, cut
  zstd stream last: abort, message, clean, cut
  legacy bundle2 last: abort, message, clean, cut
  legacy bundle1 last: abort, no message, clean, cut
  legacy stream last: abort, message, clean, cut

Without a failure it is served

  $ hg clone -q -U http://localhost:$HGPORT/ whole
  $ hg -R whole verify -q

What can't be answered

  $ wireget getbundle --heads 1111111111111111111111111111111111111111
  200 application/hg-error
  as it is: 'unknown revision 1111111111111111111111111111111111111111\n'
  $ wireget capabilities --all --save /dev/null | grep -i ^cache
  Cache-Control: no-store
