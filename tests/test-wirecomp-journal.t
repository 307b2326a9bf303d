#require serve

The log of responses: a line of JSON for each, whatever becomes of it.

  $ . "$TESTDIR/testlib/lib.sh"
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makerepo.py" repo 300
  $ cat > repo/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [server]
  > compressionengines = zstd, zlib, bz2, none
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ log="$TESTTMP/wire.json"
  $ field() {
  >   "$PYTHON" -c '
  > import json, sys
  > for line in open(sys.argv[1]):
  >     record = json.loads(line)
  >     print(*(record.get(name) for name in sys.argv[2:]))' "$log" "$@"
  > }

Clients of many kinds at once: what they count is what the log says

  $ serve -R repo --config wirecomp.log="$log"
  $ for n in 1 2; do
  >   hg clone -q -U http://localhost:$HGPORT/ clone$n &
  >   hg clone -q -U --stream http://localhost:$HGPORT/ stream$n &
  > done
  $ if test -e "$WIRECOMPBUILD/hg-6.1.4/.complete"; then
  >   "$WIRECOMPBUILD/hg-6.1.4/bin/hg" clone -q -U http://localhost:$HGPORT/ old &
  > fi
  $ "$PYTHON" "$TESTDIR/testlib/counted.py" $HGPORT "$log"
  
  200 requests, 0 differ
  $ wait

There is one line for each request

  $ stop
  $ lines=$(wc -l < "$log")
  $ test $lines -eq $(grep -c 'cmd=' access.log) && echo as many
  as many
  $ field outcome | sort | uniq -c | sed 's/^ *//' | cut -d ' ' -f 2
  complete
  failed
  $ field command outcome error | grep failed | sort -u
  getbundle failed LookupError
  lookup failed KeyError

A push

  $ : > "$log"
  $ serve -R repo --config wirecomp.log="$log"
  $ hg clone -q http://localhost:$HGPORT/ pushing
  $ cd pushing
  $ echo pushed > pushed
  $ hg ci -qAm pushed
  $ hg push -q
  $ cd ..
  $ field command status outcome | grep unbundle
  unbundle 200 complete
  $ stop

A client that hangs up, a source that fails, one that is slow

  $ : > "$log"
  $ serve -R repo --config wirecomp.log="$log" \
  >   --config extensions.slowsource="$TESTDIR/testlib/slowsource.py" \
  >   --config wirecomp.flush-interval=0.1
  $ cat > hangup.py <<EOF
  > import http.client
  > conn = http.client.HTTPConnection('127.0.0.1', $HGPORT, timeout=60)
  > conn.request('GET', '/?cmd=getbundle')
  > conn.getresponse().read(1)
  > conn.close()
  > EOF
  $ "$PYTHON" hangup.py
  $ until grep -q hung-up "$log"; do sleep 0.1; done
  $ wireget heads | head -1
  200 application/mercurial-0.1
  $ field command outcome
  getbundle hung-up
  heads complete
  $ wireget getbundle > /dev/null
  $ field command wall cpu | tail -1 > slow
  $ "$PYTHON" -c "
  > command, wall, cpu = open('slow').read().split()
  > print(command, float(wall) > 3, float(cpu) < float(wall) / 2)"
  getbundle True True
  $ stop
  $ : > "$log"
  $ echo first OSError > control
  $ serve -R repo --config wirecomp.log="$log" \
  >   --config extensions.failing="$TESTDIR/testlib/failing.py" \
  >   --config failing.file="$TESTTMP/control" \
  >   --config server.compressionengines=none
  $ wireget getbundle | head -1
  200 application/hg-error
  $ echo last OSError > control
  $ hg clone -q -U http://localhost:$HGPORT/ failed > /dev/null 2>&1 || echo failed
  failed
  $ field command mediatype outcome error | grep getbundle
  getbundle application/hg-error failed OSError
  getbundle application/mercurial-0.2 failed OSError
  $ stop

A log that can't be written harms nobody, and is named once

  $ : > errors.log
  $ mkdir folder
  $ serve -R repo --config wirecomp.log="$TESTTMP/folder"
  $ hg clone -q -U http://localhost:$HGPORT/ harmless
  $ errors
  HG error:  warning: --config: wirecomp.log: cannot write $TESTTMP/folder: Is a directory (let the user who runs the server write there)
  $ stop

Not from a file that is not trusted

  $ : > errors.log
  $ cat >> repo/.hg/hgrc <<EOF
  > [wirecomp]
  > log = $TESTTMP/untrusted.json
  > EOF
  $ foreign repo/.hg/hgrc
  $ serve -R repo --config extensions.wirecomp= --config extensions.foreign="$TESTDIR/testlib/foreign.py" \
  >   2> /dev/null
  $ wireget heads | head -1
  200 application/mercurial-0.1
  $ stop
  $ test -e untrusted.json
  [1]
  $ errors | grep -c 'wirecomp.log: ignored'
  1
