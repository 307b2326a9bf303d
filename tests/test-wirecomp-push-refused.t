#require serve

Servers that refuse a compressed push get it plain, once; what is of the push
itself is not tried again.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/push.sh"
  $ cat >> $HGRCPATH <<END
  > [web]
  > push_ssl = no
  > allow-push = *
  > END
  $ textrepo repo
  $ url=http://localhost:$HGPORT1/
  $ fresh() {
  >   stop
  >   rm -rf server access.log errors.log
  >   hg init server
  >   serve -R server "$@"
  >   record
  >   hg -R repo phase --draft --force -r 'all()' 2> /dev/null
  > }
  $ refusing() {
  >   how=$1; shift
  >   fresh --config extensions.refusing="$TESTDIR/testlib/refusing.py" \
  >     --config refusing.how=$how "$@"
  > }

It is sent plain, and arrives

  $ for how in unsupported raise 400 415 501; do
  >   echo "- $how"
  >   refusing $how
  >   ours -R repo push $url || echo "failed: $?"
  >   sent
  >   same repo server
  > done
  - unsupported
  pushing to http://localhost:$HGPORT1/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  unbundle: POST, bundle2 plain, body 2: 200
  same
  - raise
  pushing to http://localhost:$HGPORT1/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  unbundle: POST, bundle2 Compression=??, body 1: 500 (glob)
  unbundle: POST, bundle2 plain, body 2: 200
  same
  - 400
  pushing to http://localhost:$HGPORT1/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  unbundle: POST, bundle2 Compression=??, body 1: 400 (glob)
  unbundle: POST, bundle2 plain, body 2: 200
  same
  - 415
  pushing to http://localhost:$HGPORT1/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  unbundle: POST, bundle2 Compression=??, body 1: 415 (glob)
  unbundle: POST, bundle2 plain, body 2: 200
  same
  - 501
  pushing to http://localhost:$HGPORT1/
  searching for changes
  (the server refuses the compressed push, sending it plain)
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  unbundle: POST, bundle2 Compression=??, body 1: 501 (glob)
  unbundle: POST, bundle2 plain, body 2: 200
  same
  $ refusing unsupported
  $ ours -R repo push -v $url | sed -n 's/^(sent [0-9]* bytes/(sent N bytes/p; /wirecomp/p'
  (wirecomp.compress-push = no avoids the attempt)
  (sent N bytes, not compressed)
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  unbundle: POST, bundle2 plain, body 2: 200

Not the next time, if it is told so, nor for whom does not compress

  $ refusing unsupported
  $ ours -R repo push -q $url --config wirecomp.compress-push=no
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200
  $ refusing unsupported
  $ hg -R repo push -q $url
  $ sent
  unbundle: POST, bundle2 plain, body 1: 200

Other answers are not about the compression

  $ for how in 401 403 404 413 502 503; do
  >   echo "- $how"
  >   refusing $how
  >   ours -R repo push -q $url 2>&1 || echo "failed: $?"
  >   sent
  > done
  - 401
  abort: authorization failed
  failed: 255
  unbundle: POST, bundle2 Compression=??, body 1: 401 (glob)
  - 403
  abort: HTTP Error 403: Forbidden
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 403 (glob)
  - 404
  abort: HTTP Error 404: Not Found
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 404 (glob)
  - 413
  abort: HTTP Error 413: Request Entity Too Large
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 413 (glob)
  - 502
  abort: HTTP Error 502: Bad Gateway
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 502 (glob)
  - 503
  abort: HTTP Error 503: Service Unavailable
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 503 (glob)

A server that refuses the plain one too: its answer is the one that counts

  $ for how in hg-error 400 raise; do
  >   echo "- $how"
  >   refusing $how --config refusing.all=yes
  >   ours -R repo push -q $url 2>&1 || echo "failed: $?"
  >   sent
  > done
  - hg-error
  abort: remote error:
  refused: all
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  - 400
  abort: HTTP Error 400: Bad Request
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 400 (glob)
  unbundle: POST, bundle2 plain, body 2: 400
  - raise
  abort: HTTP Error 500: Internal Server Error
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 500 (glob)
  unbundle: POST, bundle2 plain, body 2: 500

A hook that refuses the push

  $ cat > hooks.py <<END
  > from mercurial import error
  > def refuse(ui, repo, **kwargs):
  >     ui.warn(b'not on a Friday\n')
  >     return True
  > def abort(ui, repo, **kwargs):
  >     raise error.Abort(b'never', hint=b'try error:unsupportedcontent')
  > END
  $ for hook in refuse abort; do
  >   for name in pretxnchangegroup prechangegroup pretxnclose; do
  >     echo "- $name, $hook"
  >     fresh --config hooks.$name=python:"$TESTTMP/hooks.py":$hook
  >     ours -R repo push $url || echo "failed: $?"
  >     sent
  >     grep -c 'POST.*cmd=unbundle' access.log
  >     hg -R server log
  >   done
  > done
  - pretxnchangegroup, refuse
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: not on a Friday
  remote: transaction abort!
  remote: rollback completed
  remote: pretxnchangegroup hook failed
  abort: push failed on remote
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  1
  - prechangegroup, refuse
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: not on a Friday
  remote: prechangegroup hook failed
  abort: push failed on remote
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  1
  - pretxnclose, refuse
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: not on a Friday
  remote: transaction abort!
  remote: rollback completed
  remote: pretxnclose hook failed
  abort: push failed on remote
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  1
  - pretxnchangegroup, abort
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: error: pretxnchangegroup hook failed: never
  remote: transaction abort!
  remote: rollback completed
  remote: never
  remote: (try error:unsupportedcontent)
  abort: push failed on remote
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  1
  - prechangegroup, abort
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: error: prechangegroup hook failed: never
  remote: never
  remote: (try error:unsupportedcontent)
  abort: push failed on remote
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  1
  - pretxnclose, abort
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: error: pretxnclose hook failed: never
  remote: transaction abort!
  remote: rollback completed
  remote: never
  remote: (try error:unsupportedcontent)
  abort: push failed on remote
  failed: 100
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  1

What the output of a hook says is not what the server says

  $ fresh --config hooks.changegroup="echo error:unsupportedcontent Compression"
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote: adding changesets
  remote: adding manifests
  remote: adding file changes
  remote: added 4 changesets with 4 changes to 4 files
  remote: error:unsupportedcontent Compression
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  $ same repo server
  same

Whoever may not push

  $ fresh --config web.allow-push=
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: authorization failed
  [255]
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 401 (glob)
  $ fresh --config web.push_ssl=yes
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: HTTP Error 403: Forbidden
  [100]
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 403 (glob)
  $ fresh --config phases.publish=no
  $ hg -R server up -q null
  $ hg clone -q repo other
  $ echo other > other/other
  $ hg -R other ci -qAm other
  $ ours -R other push -q $url
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  $ hg -R repo up -q 0
  $ echo head > repo/head
  $ hg -R repo ci -qAm head
  $ ours -R repo push $url
  pushing to http://localhost:$HGPORT1/
  searching for changes
  remote has heads on branch 'default' that are not known locally: 2e3117789479
  abort: push creates new remote head f550e2134919
  (pull and merge or see 'hg help push' for details about pushing new heads)
  [20]
  $ sent
  $ cat sent.log.errors
