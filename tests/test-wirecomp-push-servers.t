#require serve nginx

Compressed pushes to other versions as they come, behind nginx.

  $ . "$TESTDIR/testlib/lib.sh"
  $ . "$TESTDIR/testlib/push.sh"
  $ . "$TESTDIR/testlib/front.sh"
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makerepo.py" repo 200
  $ hg -R repo phase --draft --force -r 'all()'
  no phases changed
  $ cat > hgrc <<END
  > [web]
  > push_ssl = no
  > allow-push = *
  > allow_push = *
  > END

Those find their own Mercurial

  $ theirs() {
  >   env -u PYTHONPATH -u HGMODULEPOLICY HGRCPATH="$TESTTMP/hgrc" "$@"
  > }
  $ start() {
  >   prefix="$WIRECOMPBUILD/hg-$version"
  >   rm -rf server
  >   theirs "$prefix/bin/hg" init server
  >   if test $by = serve; then
  >     theirs "$prefix/bin/hg" serve -R server -d -p $HGPORT \
  >       --pid-file their.pid -E errors.log
  >     cat their.pid >> $DAEMON_PIDS
  >   else
  >     theirs "$prefix/bin/python3" "$TESTDIR/testlib/appserver.py" $by \
  >       $HGPORT server
  >   fi
  > }
  $ pushto() {
  >   start
  >   front nginx $2
  >   ours -R repo push --debug http://$1localhost:$HGPORT1/ > out 2>&1 ||
  >     { echo "failed: $?"; tail -3 out; }
  >   printf "$version $by: "
  >   sed -n "s/.*unbundle: sending engine \([a-z]*\).*/\1, /p" out | tr -d '\n'
  >   same repo server
  >   hg -R repo phase --draft --force -r 'all()'
  >   stop
  > }
  $ for version in 6.1.4 6.9.5 7.0.3 7.2.4; do
  >   for by in serve gunicorn; do
  >     test $by = serve ||
  >       test -e "$WIRECOMPBUILD/hg-$version/bin/$by" || continue
  >     test -e "$WIRECOMPBUILD/hg-$version/.complete" || continue
  >     pushto
  >     pushto me:secret@ '--auth me:secret'
  >   done
  > done
  6.1.4 serve: zstd, same (serving614 !)
  6.1.4 serve: zstd, same (serving614 !)
  6.1.4 gunicorn: zstd, same (gunicorn614 !)
  6.1.4 gunicorn: zstd, same (gunicorn614 !)
  6.9.5 serve: zstd, same (serving695 !)
  6.9.5 serve: zstd, same (serving695 !)
  7.0.3 serve: zstd, same (serving703 !)
  7.0.3 serve: zstd, same (serving703 !)
  7.2.4 serve: zstd, same (serving724 !)
  7.2.4 serve: zstd, same (serving724 !)
  7.2.4 gunicorn: zstd, same (gunicorn724 !)
  7.2.4 gunicorn: zstd, same (gunicorn724 !)

Those before 4.1 list no engines: the bundle goes plain

#if legacyhg
  $ by=serve
  $ for version in 3.6.3 4.0.2; do
  >   pushto
  > done
  3.6.3 serve: none, same
  4.0.2 serve: none, same
#endif
  $ cat errors.log
