#require serve

Thousands of requests that no client should send, always the same ones: each
is answered or refused, the server keeps its head, and its logs stay readable.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ for n in 1 2 3; do
  >   "$PYTHON" -c 'print("a line of text, %d\n" * 200 % ((9,) * 200))' > f$n
  >   hg ci -qAm "change $n"
  > done
  $ hg log -T '{node}\n' > ../before
  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ serve
  $ cd ..
  $ "$PYTHON" "$TESTDIR/testlib/fuzz.py" $HGPORT --seed 1 --requests 5000 \
  >   --pid $(cat hg.pid) --log access.log --log errors.log
  500? requests: 0 tracebacks, 0 hangs, 0 desynchronised, memory flat (glob)

The logs, as a whole: no control characters, no invalid utf-8

  $ cat > lines.py <<EOF
  > import sys
  > for path in sys.argv[1:]:
  >     text = open(path, encoding='utf-8', newline='').read()
  >     bad = {c for c in text.replace('\n', '') if not c.isprintable()}
  >     print(path, sorted(bad))
  > EOF
  $ "$PYTHON" lines.py access.log errors.log
  access.log []
  errors.log []

The repository is as before, and clients are served

  $ hg -R repo log -T '{node}\n' | cmp - before
  $ hg -R repo verify -q
  $ hg clone -q --noupdate http://localhost:$HGPORT/ clone
  $ hg -R clone verify -q
  $ stop
