A Mercurial that wirecomp doesn't know: it does not load, says what is missing
and what to do, and hg goes on without it.

  $ cat > newhg.py <<EOF
  > import os
  > from mercurial import exchange, wireprotoserver, wireprotov1server
  > from mercurial.hgweb import request
  > def gone(module, name):
  >     delattr(module, name)
  > def changed(module, name):
  >     setattr(module, name, lambda repo, context: None)
  > def init(self, req):
  >     self.body = None
  > case = os.environ['CASE']
  > if case == 'gone':
  >     gone(wireprotoserver, '_callhttp')
  > if case == 'changed':
  >     changed(wireprotov1server, '_capabilities')
  > if case == 'attribute':
  >     request.wsgiresponse.__init__ = init
  > if case == 'command':
  >     del wireprotov1server.commands[b'getbundle']
  > EOF
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > newhg = $TESTTMP/newhg.py
  > wirecomp =
  > EOF
  $ CASE=none hg init repo
  $ for CASE in none gone changed attribute command; do
  >   export CASE
  >   echo "== $CASE"
  >   hg -R repo id
  > done
  == none
  000000000000 tip
  == gone
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * has no wireprotoserver._callhttp(repo, req, res, proto, cmd) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == changed
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * has no wireprotov1server._capabilities(repo, proto) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == attribute
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * has no hgweb.request.wsgiresponse._bodygen (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == command
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * has no wireprotov1server.commands[b'getbundle'].func (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip

An older Mercurial says so itself

  $ cat > newhg.py <<EOF
  > from mercurial import util, wireprotoserver
  > util.version = lambda: b'5.9.3'
  > util.versiontuple = lambda v=None, n=4: (5, 9) if v is None else (6, 1)
  > del wireprotoserver._callhttp
  > EOF
  $ hg -R repo id
  (third party extension wirecomp requires version 6.1 or newer of Mercurial (current: 5.9.3); disabling)
  000000000000 tip

It loads under two names, and patches once

  $ cat > newhg.py <<EOF
  > from mercurial import wireprotoserver
  > def extsetup(ui):
  >     depth, f = 0, wireprotoserver._callhttp
  >     while hasattr(f, '_origfunc'):
  >         depth, f = depth + 1, f._origfunc
  >     ui.write(b'wrapped %d times\n' % depth)
  > EOF
  $ hg -R repo id --config extensions.again=$TESTDIR/../hgext3rd/wirecomp
  devel-warn: extension 'again' overwrite* config item 'server.bz2level' at: * (glob)
  wrapped 1 times
  000000000000 tip
