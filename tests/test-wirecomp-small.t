#require serve

Byte replies: who gets them compressed, and that they stand for the same bytes.

  $ . "$TESTDIR/testlib/lib.sh"
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makemany.py" repo --branches 60 \
  >   --bookmarks 200 --drafts 60
  $ cat >> repo/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > clonebundles =
  > largefiles =
  > wirelog = $TESTDIR/testlib/wirelog.py
  > [wirelog]
  > file = $TESTTMP/wirecomp.log
  > [web]
  > push_ssl = no
  > allow-push = *
  > EOF
  $ for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
  >   echo "https://bundles.example.com/project/$n/full.zstd.hg" \
  >     "BUNDLESPEC=zstd-v2 REQUIRESNI=true REQUIREDRAM=12GB"
  > done > repo/.hg/clonebundles.manifest

  $ heads=$(hg -R repo log -r 'head()' -T '{node} ')
  $ nodes=$(echo $heads $heads $heads $heads $heads $heads $heads $heads $heads $heads | tr ' ' +)
  $ pairs=$(for node in $heads; do printf "$node-%040d+" 0; done)
  $ pairs=${pairs%+}
  $ long=$("$PYTHON" -c 'print("x" * 1200)')
  $ stock='0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull'
  $ token="$stock wirecomp"
  $ replies() {
  >   "$PYTHON" "$TESTDIR/testlib/replies.py" $HGPORT "$@"
  > }
  $ all() {
  >   replies "$@" \
  >     'batch&cmds=heads+%3Blistkeys+namespace%3Dbookmarks' \
  >     'listkeys&namespace=bookmarks' 'listkeys&namespace=phases' \
  >     heads branchmap "known&nodes=$nodes" "lookup&key=$long" \
  >     "between&pairs=$pairs" clonebundles unbundle
  > }
  $ serve -R repo

A client that runs wirecomp

  $ all --proto "$token"
  batch: 200 mercurial-0.2, zstd, same, smaller
  listkeys: 200 mercurial-0.2, zstd, same, smaller
  listkeys: 200 mercurial-0.2, zstd, same, smaller
  heads: 200 mercurial-0.2, zstd, same, smaller
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  known: 200 mercurial-0.2, zstd, same, smaller
  lookup: 200 mercurial-0.2, zstd, same, smaller
  between: 200 mercurial-0.2, zstd, same, smaller
  clonebundles: 200 mercurial-0.2, zstd, same, smaller
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  $ uniq -c wirecomp.log | sed 's/^ *//'
  1 batch: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  2 listkeys: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 heads: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 branchmap: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 known: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 lookup: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 between: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 clonebundles: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 unbundle: application/mercurial-0.1, engine none, level -: legacy client
  1 unbundle: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads

A client that does not

  $ : > wirecomp.log
  $ all --proto "$stock"
  batch: 200 mercurial-0.2, zstd, same, smaller
  listkeys: 200 mercurial-0.1, as it is
  listkeys: 200 mercurial-0.1, as it is
  heads: 200 mercurial-0.1, as it is
  branchmap: 200 mercurial-0.1, as it is
  known: 200 mercurial-0.1, as it is
  lookup: 200 mercurial-0.1, as it is
  between: 200 mercurial-0.1, as it is
  clonebundles: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  $ uniq -c wirecomp.log | sed 's/^ *//'
  1 batch: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  1 unbundle: application/mercurial-0.1, engine none, level -: legacy client
  1 unbundle: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads

Clients that read zlib only, nothing, or 0.1; the token without 0.2; a token
that has lost its space

  $ all --proto '0.1 0.2 comp=zlib partial-pull wirecomp'
  batch: 200 mercurial-0.2, zlib, same, smaller
  listkeys: 200 mercurial-0.2, zlib, same, smaller
  listkeys: 200 mercurial-0.2, zlib, same, smaller
  heads: 200 mercurial-0.2, zlib, same, smaller
  branchmap: 200 mercurial-0.2, zlib, same, smaller
  known: 200 mercurial-0.2, zlib, same, smaller
  lookup: 200 mercurial-0.2, zlib, same, smaller
  between: 200 mercurial-0.2, zlib, same, smaller
  clonebundles: 200 mercurial-0.2, zlib, same, smaller
  unbundle: 200 mercurial-0.2, zlib, same, smaller
  $ replies --proto '0.1 0.2 comp=zlib partial-pull' heads unbundle
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.2, zlib, same, smaller
  $ all --proto '0.1 0.2 comp=none partial-pull wirecomp' | sort -u
  batch: 200 mercurial-0.1, as it is
  between: 200 mercurial-0.1, as it is
  branchmap: 200 mercurial-0.1, as it is
  clonebundles: 200 mercurial-0.1, as it is
  heads: 200 mercurial-0.1, as it is
  known: 200 mercurial-0.1, as it is
  listkeys: 200 mercurial-0.1, as it is
  lookup: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.1, as it is
  $ replies --proto '0.1 0.2 comp=bzip2 wirecomp' heads unbundle
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.1, as it is
  $ replies --proto '0.1 comp=zstd wirecomp' heads unbundle
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.1, as it is
  $ replies --proto '0.1' heads unbundle
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.1, as it is
  $ replies --proto '0.1 0.2 comp=zstd partial-pull' --proto wirecomp heads
  heads: 200 mercurial-0.2, zstd, same, smaller
  $ replies --proto '0.1 0.2' --proto wirecomp heads
  heads: 200 mercurial-0.2, zlib, same, smaller

Capabilities are for those who ask with the token; short replies and errors for
nobody

  $ replies --proto "$stock" capabilities
  capabilities: 200 mercurial-0.1, as it is
  $ replies --proto "$token" 'listkeys&namespace=namespaces' \
  >   'lookup&key=tip' 'lookup&key=nothing' lookup 'batch&cmds=heads+;nothing+' \
  >   'getbundle&heads=1111111111111111111111111111111111111111' \
  >   'pushkey&namespace=bookmarks&key=no&old=1&new=2'
  listkeys: 200 mercurial-0.1, as it is
  lookup: 200 mercurial-0.1, as it is
  lookup: 200 mercurial-0.1, as it is
  lookup: 200 hg-error, as it is
  batch: 200 hg-error, as it is
  getbundle: 200 hg-error, as it is
  pushkey: 200 mercurial-0.1, as it is

largefiles' own commands

  $ sha=1111111111111111111111111111111111111111
  $ mkdir repo/.hg/largefiles
  $ echo "$long" > repo/.hg/largefiles/$sha
  $ replies --proto "$token" "statlfile&sha=$sha" "getlfile&sha=$sha" lheads
  statlfile: 200 mercurial-0.1, as it is
  getlfile: 200 mercurial-0.1, as it is, no Content-Length
  lheads: 200 mercurial-0.1, as it is
  $ replies --proto "$token" "putlfile&sha=$sha"
  putlfile: 200 mercurial-0.1, as it is

HEAD

  $ "$PYTHON" - <<EOF
  > import http.client
  > conn = http.client.HTTPConnection('127.0.0.1', $HGPORT)
  > conn.request('HEAD', '/?cmd=heads', headers={'X-HgProto-1': '$token'})
  > answer = conn.getresponse()
  > print(answer.status, answer.getheader('Content-Type'), answer.read())
  > EOF
  200 application/mercurial-0.1 b''
  $ stop

What hooks print is part of the reply

  $ serve -R repo --config hooks.pretxnclose.loud="\"$PYTHON\" -c 'print(4000 * \"many words \")'"
  $ key="pushkey&namespace=bookmarks&key=new&old=&new=$(hg -R repo log -r 0 -T '{node}')"
  $ replies --proto "$token" "$key" unbundle
  pushkey: 200 mercurial-0.2, zstd, same, smaller
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  $ replies --proto "$stock" "$key" unbundle
  pushkey: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  $ stop

Nobody without permission learns more

  $ serve -R repo --config web.allow-push=somebody
  $ replies --proto "$token" "$key" unbundle
  pushkey: 401 None, as it is
  unbundle: 401 None, as it is
  $ stop

The list of the server decides

  $ for list in zlib,zstd none,zstd bz2,zstd bz2 zstd,none; do
  >   serve -R repo --config server.compressionengines=$list
  >   echo $list
  >   replies --proto "$token" heads
  >   replies --proto "$stock" unbundle
  >   stop
  > done
  zlib,zstd
  heads: 200 mercurial-0.2, zlib, same, smaller
  unbundle: 200 mercurial-0.2, zlib, same, smaller
  none,zstd
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.1, as it is
  bz2,zstd
  heads: 200 mercurial-0.2, zstd, same, smaller
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  bz2
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.1, as it is
  zstd,none
  heads: 200 mercurial-0.2, zstd, same, smaller
  unbundle: 200 mercurial-0.2, zstd, same, smaller

So do levels, up to the one that pays

  $ : > wirecomp.log
  $ for level in -5 1 3 19; do
  >   serve -R repo --config server.zstdlevel=$level
  >   replies --proto "$token" branchmap
  >   stop
  > done
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  $ for level in 1 9 0; do
  >   serve -R repo --config server.compressionengines=zlib \
  >     --config server.zliblevel=$level
  >   replies --proto "$token" branchmap
  >   stop
  > done
  branchmap: 200 mercurial-0.2, zlib, same, smaller
  branchmap: 200 mercurial-0.2, zlib, same, smaller
  branchmap: 200 mercurial-0.1, as it is
  $ cat wirecomp.log
  branchmap: application/mercurial-0.2, engine zstd, level -5: first cheap engine of the server that the client reads
  branchmap: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  branchmap: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  branchmap: application/mercurial-0.2, engine zstd, level 1: first cheap engine of the server that the client reads
  branchmap: application/mercurial-0.2, engine zlib, level 1: first cheap engine of the server that the client reads
  branchmap: application/mercurial-0.2, engine zlib, level 1: first cheap engine of the server that the client reads

A policy

  $ : > wirecomp.log
  $ serve -R repo --config wirecomp-policy.office.networks=127.0.0.0/8 \
  >   --config wirecomp-policy.office.compressionengines=zlib
  $ replies --proto "$token" heads
  heads: 200 mercurial-0.2, zlib, same, smaller
  $ stop
  $ cat wirecomp.log
  heads: application/mercurial-0.2, engine zlib, level 1: first cheap engine of the server that the client reads, policy office

A repository beside it that does not enable wirecomp

  $ hg clone -q -U --pull repo plain
  $ cat > web.conf <<EOF
  > [paths]
  > repo = $TESTTMP/repo
  > plain = $TESTTMP/plain
  > EOF
  $ serve --web-conf web.conf
  $ replies --path /plain --proto "$token" heads branchmap
  heads: 200 mercurial-0.1, as it is
  branchmap: 200 mercurial-0.1, as it is
  $ replies --path /repo --proto "$token" heads branchmap
  heads: 200 mercurial-0.2, zstd, same, smaller
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  $ stop

#if gunicorn

gunicorn

  $ "$PYTHON" "$TESTDIR/testlib/appserver.py" gunicorn $HGPORT repo
  $ all --proto "$token"
  batch: 200 mercurial-0.2, zstd, same, smaller
  listkeys: 200 mercurial-0.2, zstd, same, smaller
  listkeys: 200 mercurial-0.2, zstd, same, smaller
  heads: 200 mercurial-0.2, zstd, same, smaller
  branchmap: 200 mercurial-0.2, zstd, same, smaller
  known: 200 mercurial-0.2, zstd, same, smaller
  lookup: 200 mercurial-0.2, zstd, same, smaller
  between: 200 mercurial-0.2, zstd, same, smaller
  clonebundles: 200 mercurial-0.2, zstd, same, smaller
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  $ replies --proto "$stock" heads unbundle
  heads: 200 mercurial-0.1, as it is
  unbundle: 200 mercurial-0.2, zstd, same, smaller
  $ "$PYTHON" "$RUNTESTDIR/killdaemons.py" "$DAEMON_PIDS"
#endif
  $ errors | sort -u
  HG error:  batch failed: KeyError: missing or unknown: nothing
  HG error:  getbundle failed: LookupError: unknown revision 1111111111111111111111111111111111111111
  HG error:  lookup failed: KeyError: missing or unknown: key
