#require serve

Either side is killed in the middle of clones, pulls and pushes, or does as it
likes: repositories stay whole, and the server as it was.

  $ . "$TESTDIR/testlib/lib.sh"
  $ hg init repo
  $ cd repo
  $ for n in 1 2 3; do
  >   "$PYTHON" -c "
  > import random
  > rand = random.Random($n)
  > for _ in range(3000):
  >     print('a line of text %x' % rand.getrandbits(60))" > f$n
  >   hg ci -qAm "change $n"
  > done
  $ cd ..
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ "$PYTHON" "$TESTDIR/testlib/kills.py" $HGPORT repo --times 5
  server killed 5 times: 0 damaged
  client killed 5 times: 0 damaged, memory flat

Clones, pulls, pushes, hang-ups and slow readers at once

  $ serve -R repo
  $ "$PYTHON" "$TESTDIR/testlib/soak.py" $HGPORT --pid $(cat hg.pid) --seconds 20
  0 failures, memory flat
  $ stop
  $ hg -R repo verify -q
  $ grep -c Traceback errors.log
  0
  [1]
