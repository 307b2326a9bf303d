#require serve

Compressed pushes to servers that ask who pushes, and to those that send the
client elsewhere: as with plain Mercurial.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/push.sh"
  $ . "$TESTDIR/testlib/front.sh"
  $ cat >> $HGRCPATH <<END
  > [web]
  > push_ssl = no
  > allow-push = *
  > END
  $ textrepo repo
  $ url=http://localhost:$HGPORT1/
  $ known=http://me:secret@localhost:$HGPORT1/
  $ fresh() {
  >   stop
  >   rm -rf server
  >   hg init server
  >   serve -R server
  >   hg -R repo phase --draft --force -r 'all()' 2> /dev/null
  > }
  $ pushed() {
  >   "$@" -R repo push -q $known || echo "failed: $?"
  >   sent
  >   same repo server
  > }

Asked for by all requests, or by pushes alone: then the body goes again, the
same one

  $ fresh
  $ record --auth me:secret
  $ pushed ours
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  same
  $ fresh
  $ record --auth me:secret --only-push
  $ pushed hg
  unbundle: POST, bundle2 plain, body 1: 401
  unbundle: POST, bundle2 plain, body 1: 200
  same
  $ fresh
  $ record --auth me:secret --only-push
  $ pushed ours
  unbundle: POST, bundle2 Compression=??, body 1: 401 (glob)
  unbundle: POST, bundle2 Compression=??, body 1: 200 (glob)
  same

By a wrong password, or none

  $ fresh
  $ record --auth me:secret --only-push
  $ ours -R repo push -q http://me:wrong@localhost:$HGPORT1/
  abort: authorization failed
  [255]
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 401 (glob)
  unbundle: POST, bundle2 Compression=??, body 1: 401 (glob)
  $ ours -R repo push -q $url
  abort: http authorization required for http://localhost:$HGPORT1/
  [255]
  $ sent
  unbundle: POST, bundle2 Compression=??, body 1: 401 (glob)
  $ hg -R server log

Sent elsewhere

  $ for status in 301 302 303 307 308; do
  >   echo "- $status"
  >   fresh
  >   record --redirect $status --to $HGPORT
  >   for client in hg ours; do
  >     $client -R repo push $url > $client.out 2>&1
  >     echo "$?" >> $client.out
  >     sent
  >   done
  >   cat ours.out
  >   cmp hg.out ours.out
  >   hg -R server log
  > done
  - 301
  unbundle: POST, bundle2 plain, body 1: 301
  unbundle: POST, bundle2 Compression=??, body 2: 301 (glob)
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: HTTP Error 405: push requires POST request
  100
  - 302
  unbundle: POST, bundle2 plain, body 1: 302
  unbundle: POST, bundle2 Compression=??, body 2: 302 (glob)
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: HTTP Error 405: push requires POST request
  100
  - 303
  unbundle: POST, bundle2 plain, body 1: 303
  unbundle: POST, bundle2 Compression=??, body 2: 303 (glob)
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: HTTP Error 405: push requires POST request
  100
  - 307
  unbundle: POST, bundle2 plain, body 1: 307
  unbundle: POST, bundle2 Compression=??, body 2: 307 (glob)
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: HTTP Error 307: Temporary Redirect
  100
  - 308
  unbundle: POST, bundle2 plain, body 1: 308
  unbundle: POST, bundle2 Compression=??, body 2: 308 (glob)
  pushing to http://localhost:$HGPORT1/
  searching for changes
  abort: HTTP Error 308: Permanent Redirect
  100

#if nginx

nginx asks

  $ fresh
  $ front nginx --auth me:secret
  $ ours -R repo push --debug $known 2>&1 | grep -o '.*sending engine [a-z]*'
  wirecomp: unbundle: sending engine z??? (glob)
  $ same repo server
  same
  $ fresh
  $ front nginx --auth me:secret --only-push
  $ ours -R repo push --debug $known 2>&1 | grep -o '.*sending engine [a-z]*'
  wirecomp: unbundle: sending engine z??? (glob)
  $ same repo server
  same
  $ ours -R repo bookmark -r 0 mark
  $ ours -R repo push -q -B mark $url
  abort: http authorization required for http://localhost:$HGPORT1/
  [255]
  $ ours -R repo push -q -B mark $known
  [1]
  $ same repo server
  same
#endif
  $ cat errors.log sent.log.errors
