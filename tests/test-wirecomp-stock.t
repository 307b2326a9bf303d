#require serve

Clients as they are: what they say is the same with and without wirecomp, where
replies are long enough to be compressed.

  $ . "$TESTDIR/testlib/lib.sh"
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makemany.py" plain --branches 60 \
  >   --bookmarks 200 --drafts 60
  $ cat >> plain/.hg/hgrc <<EOF
  > [extensions]
  > clonebundles =
  > [web]
  > push_ssl = no
  > allow-push = *
  > [phases]
  > publish = no
  > [experimental]
  > evolution = all
  > [hooks]
  > pretxnclose.said = cat $TESTTMP/said
  > EOF
  $ for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
  >   echo "https://bundles.example.com/project/$n/full.zstd.hg" \
  >     "BUNDLESPEC=unknown-v2 REQUIRESNI=true REQUIREDRAM=12GB"
  > done > plain/.hg/clonebundles.manifest
  $ for n in 1 2 3 4 5 6 7 8 9 10; do
  >   echo "line $n of what the server says to all who push to it, always the same"
  >   echo "and another one, so that it is long enough to be compressed"
  > done > said
  $ cp -r plain wired
  $ cat >> wired/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > [wirecomp]
  > log = $TESTTMP/wire.json
  > EOF
  $ serve -R plain
  $ hg serve -d -p $HGPORT1 --pid-file hg1.pid -E errors1.log -R wired
  $ cat hg1.pid >> "$DAEMON_PIDS"
  $ replies() {
  >   "$PYTHON" -c '
  > import collections, json
  > count = collections.Counter()
  > for line in open("wire.json"):
  >     record = json.loads(line)
  >     if record["command"] in ("batch", "unbundle", "listkeys", "heads", "branchmap", "known"):
  >         count[record["command"], record["mediatype"][-3:], record["engine"]] += 1
  > for key in sorted(count, key=str):
  >     print(*key)'
  >   rm wire.json
  > }
  $ sameas() {
  >   hg="$WIRECOMPBUILD/hg-$1/bin/hg"
  >   "$PYTHON" "$TESTDIR/testlib/sameas.py" "$hg" "$TESTTMP/hg-$1" \
  >     $HGPORT $HGPORT1 "$TESTTMP/said"
  >   replies
  > }

A client that reads 0.1

#if legacyhg
  $ sameas 4.0.2
  hg-4.0.2: 46 commands, * succeed, 0 differ (glob)
  batch 0.1 None
  branchmap 0.1 None
  known 0.1 None
  listkeys 0.1 None
  unbundle 0.1 none
  unbundle 0.1 None
#endif

Clients that read 0.2

#if hg49
  $ sameas 4.9.1
  hg-4.9.1: 46 commands, * succeed, 0 differ (glob)
  batch 0.2 zstd
  branchmap 0.1 None
  known 0.1 None
  listkeys 0.1 None
  unbundle 0.1 None
  unbundle 0.2 zstd
#endif
#if oldesthg
  $ sameas 6.1.4
  hg-6.1.4: 46 commands, * succeed, 0 differ (glob)
  batch 0.2 zstd
  branchmap 0.1 None
  known 0.1 None
  listkeys 0.1 None
  unbundle 0.1 None
  unbundle 0.2 zstd
#endif
#if newesthg
  $ sameas 7.2.4
  hg-7.2.4: 46 commands, * succeed, 0 differ (glob)
  batch 0.2 zstd
  branchmap 0.1 None
  known 0.1 None
  listkeys 0.1 None
  unbundle 0.1 None
  unbundle 0.2 zstd
#endif
  $ cat errors1.log

The two repositories are the same in the end

  $ for repo in plain wired; do
  >   hg -R $repo verify -q
  >   hg -R $repo log --hidden -T '{node} {phase} {bookmarks} {branch}\n' > $repo.log
  >   hg -R $repo debugobsolete | sort >> $repo.log
  > done
  $ cmp plain.log wired.log
