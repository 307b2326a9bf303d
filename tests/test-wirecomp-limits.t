#require serve

What peers may take of a server, and what becomes of those that go away.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ "$PYTHON" -c "
  > import random
  > rand = random.Random(1)
  > for _ in range(200000):
  >     print('%x' % rand.getrandbits(100))" > large
  $ hg ci -qAm large
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ cd ..
  $ raw() {
  >   "$PYTHON" "$TESTDIR/testlib/rawask.py" "$HGPORT" "$@"
  > }

The first requests to a server that has just been started, all together

  $ cat > together.py <<EOF
  > import concurrent.futures, urllib.request
  > def ask(number):
  >     cmd = ('capabilities', 'heads', 'branchmap', 'getbundle')[number % 4]
  >     with urllib.request.urlopen('http://localhost:$HGPORT/?cmd=' + cmd) as answer:
  >         return answer.status, answer.read()[:0]
  > with concurrent.futures.ThreadPoolExecutor(24) as pool:
  >     print(set(pool.map(ask, range(24))))
  > EOF
  $ for n in 1 2 3; do
  >   serve -R repo
  >   "$PYTHON" together.py
  >   stop
  > done
  {(200, b'')}
  {(200, b'')}
  {(200, b'')}
  $ cat errors.log

One that takes a stream without reading it: idle.py holds so many of them for
as long as its standard input is open

  $ cat > idle.py <<EOF
  > import socket, sys
  > port, count, *headers = sys.argv[1:]
  > socks = []
  > for _ in range(int(count)):
  >     sock = socket.socket()
  >     sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
  >     sock.connect(('127.0.0.1', int(port)))
  >     sock.sendall(b'GET /?cmd=getbundle HTTP/1.1\r\nHost: a\r\n\r\n')
  >     assert sock.recv(1)
  >     socks.append(sock)
  > open('idle', 'w').close()
  > sys.stdin.read()
  > EOF
  $ mkfifo hold
  $ idle() {
  >   rm -f idle
  >   "$PYTHON" idle.py $HGPORT "$1" < hold &
  >   exec 9> hold
  >   while ! test -e idle; do sleep 0.05; done
  > }
  $ gone() {
  >   exec 9>&-
  >   wait
  > }

It is dropped in the end, in one line

  $ serve -R repo --config wirecomp.send-timeout=1
  $ idle 2
  $ waitlog() {
  >   n=0
  >   while test $(grep -c "$1" errors.log) -lt $2 && test $n -lt 400; do
  >     n=$((n + 1))
  >     sleep 0.05
  >   done
  > }
  $ waitlog 'HG error' 2
  $ errors
  HG error:  /?cmd=getbundle: the client took too little in 1 s (wirecomp.send-timeout)
  HG error:  /?cmd=getbundle: the client took too little in 1 s (wirecomp.send-timeout)
  $ gone
  $ stop

So is one that goes away

  $ rm errors.log
  $ serve -R repo
  $ idle 1
  $ gone
  $ waitlog 'HG error' 1
  $ errors
  HG error:  /?cmd=getbundle: the client hung up
  $ hg clone -q -U http://localhost:$HGPORT/ clone
  $ hg -R clone verify -q
  $ stop

No more streams at once than there are places; what is no stream needs none

  $ rm errors.log
  $ serve -R repo --config wirecomp.max-clients=2 --config wirecomp.queue-timeout=0
  $ idle 2
  $ raw GET GET <<EOF
  > GET /?cmd=getbundle HTTP/1.1
  > 
  > GET /?cmd=heads HTTP/1.1
  > 
  > EOF
  503 text/plain no-store 1: too many clients at once, try again later\n
  200 application/mercurial-0.1 no-store: *\n (glob)
  kept
  $ raw GET <<EOF
  > GET /?cmd=stream_out HTTP/1.1
  > 
  > EOF
  503 text/plain no-store 1: too many clients at once, try again later\n
  kept
  $ hg clone -q -U http://localhost:$HGPORT/ refused
  abort: HTTP Error 503: Service Unavailable
  [100]
  $ gone
  $ waitlog 'hung up' 2
  $ hg clone -q -U http://localhost:$HGPORT/ second
  $ hg -R second verify -q
  $ stop

Who waits gets the place of the one that goes

  $ serve -R repo --config wirecomp.max-clients=1
  $ idle 1
  $ for n in 1 2 3; do
  >   hg clone -q -U http://localhost:$HGPORT/ waiting$n 9>&- &
  > done
  $ exec 9>&-
  $ wait
  $ for n in 1 2 3; do
  >   hg -R waiting$n verify -q
  > done
  $ stop

Nobody holds a place who does not even send the request

  $ serve -R repo --config wirecomp.max-clients=1 --config wirecomp.queue-timeout=0
  $ cat > stall.py <<EOF
  > import socket, sys
  > sock = socket.create_connection(('127.0.0.1', $HGPORT))
  > sock.sendall(b'POST /?cmd=getbundle HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n')
  > open('idle', 'w').close()
  > sys.stdin.read()
  > EOF
  $ rm -f idle
  $ "$PYTHON" stall.py < hold &
  $ exec 9> hold
  $ while ! test -e idle; do sleep 0.05; done
  $ hg clone -q -U http://localhost:$HGPORT/ third
  $ hg -R third verify -q
  $ gone
  $ stop

An empty pull is as cheap at the dearest level as at any

  $ serve -R repo --config server.zstdlevel=22
  $ cat > peak.py <<EOF
  > import re, sys, urllib.request
  > def peak():
  >     status = open('/proc/%s/status' % open('hg.pid').read().strip()).read()
  >     return int(re.search(r'VmHWM:\s+(\d+)', status)[1]) >> 10
  > def ask():
  >     url = 'http://localhost:$HGPORT/?cmd=getbundle&common=' + sys.argv[1]
  >     headers = {'X-HgProto-1': '0.2 comp=zstd', 'X-HgArg-1': 'heads=' + sys.argv[1]}
  >     request = urllib.request.Request(url, headers=headers)
  >     with urllib.request.urlopen(request) as answer:
  >         return answer.read()
  > before = peak()
  > assert ask().startswith(b'\4zstd')
  > print(peak() - before < 30)
  > EOF
  $ "$PYTHON" peak.py $(hg -R repo id -r tip --debug -i)
  True
  $ stop

A manifest of pull bundles with bad lines serves the good ones, and the log
names the others, once

  $ rm errors.log
  $ hg -R repo bundle -q -t none-v2 --all pull.hg
  $ mv pull.hg repo/.hg/
  $ cat > repo/.hg/pullbundles.manifest <<EOF
  > missing.hg BUNDLESPEC=none-v2 what
  > missing.hg BUNDLESPEC=none-v2 heads=xyz
  > missing.hg BUNDLESPEC=none-v2 heads=1111111111111111111111111111111111111111
  > missing.hg BUNDLESPEC=none-v2 bases=ffffffffffffffffffffffffffffffffffffff00
  > 
  > pull.hg BUNDLESPEC=none-v2 heads=$(hg -R repo id -r tip --debug -i)
  > EOF
  $ serve -R repo --config server.pullbundle=yes --debug > debug.log
  $ for n in 1 2; do
  >   hg clone -q -U http://localhost:$HGPORT/ bundled$n
  >   hg -R bundled$n verify -q
  > done
  $ stop
  $ errors
  HG error:  warning: pullbundles.manifest:1: bad line is skipped: not enough values to unpack (expected 2, got 1) (see hg help -e clonebundles for its form)
  HG error:  warning: pullbundles.manifest:2: bad line is skipped: Odd-length string (see hg help -e clonebundles for its form)
  HG error:  warning: pullbundles.manifest:3: bad line is skipped: unknown revision 1111111111111111111111111111111111111111 (see hg help -e clonebundles for its form)
  HG error:  warning: pullbundles.manifest:4: bad line is skipped: unknown revision ffffffffffffffffffffffffffffffffffffff00 (see hg help -e clonebundles for its form)
