A Mercurial that wirecomp doesn't know: it does not load, says what is missing
and what to do, and hg goes on without it.

  $ cat > newhg.py <<EOF
  > import os
  > from mercurial import bundle2, exchange, extensions
  > from mercurial import wireprotoserver, wireprotov1server
  > from mercurial.hgweb import request
  > def changed(repo, context):
  >     pass
  > case = os.environ['CASE']
  > if case == 'function gone':
  >     del wireprotoserver._callhttp
  > if case == 'function changed':
  >     wireprotov1server._capabilities = changed
  > if case == 'class gone':
  >     del bundle2.bundle20
  > if case == 'method changed':
  >     request.wsgiresponse.setbodygen = changed
  > if case == 'attribute gone':
  >     del request.parsedrequest.__init__
  > if case == 'table gone':
  >     del wireprotov1server.commands
  > if case == 'command gone':
  >     del wireprotov1server.commands[b'getbundle']
  > if case == 'wrapped by others':
  >     def wrapper(orig, *args, **kwargs):
  >         return orig(*args, **kwargs)
  >     wrap = extensions.wrapfunction
  >     wrap(wireprotoserver, '_callhttp', wrapper)
  >     wrap(bundle2.bundle20, '__init__', wrapper)
  >     wrap(request.wsgiresponse, '__init__', wrapper)
  >     wrap(wireprotoserver.httpv1protocolhandler, '__init__', wrapper)
  > EOF
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > newhg = $TESTTMP/newhg.py
  > wirecomp =
  > EOF
  $ CASE=none hg init repo
  $ for CASE in 'none' 'wrapped by others' 'function gone' \
  >   'function changed' 'class gone' 'method changed' 'attribute gone' \
  >   'table gone' 'command gone'; do
  >   export CASE
  >   echo "== $CASE"
  >   hg -R repo id
  > done
  == none
  000000000000 tip
  == wrapped by others
  000000000000 tip
  == function gone
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks wireprotoserver._callhttp(repo, req, res, proto, cmd) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == function changed
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks wireprotov1server._capabilities(repo, proto) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == class gone
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks bundle2.bundle20.__init__(self, ui) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == method changed
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks hgweb.request.wsgiresponse.setbodygen(self, gen) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == attribute gone
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks hgweb.request.parsedrequest(..., rawenv) (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == table gone
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks wireprotov1server.commands (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip
  == command gone
  *** failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks wireprotov1server.commands[b'getbundle'].func (glob)
  *** (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  000000000000 tip

Required, it stops hg

  $ hg -R repo id --config extensions.wirecomp:required=yes
  abort: failed to import extension *wirecomp*: wirecomp does not know this Mercurial: * lacks wireprotov1server.commands[b'getbundle'].func (glob)
  (upgrade hg-wirecomp, or disable it: extensions.wirecomp = !)
  [255]

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
  > from mercurial import wireprotov1server
  > def extsetup(ui):
  >     for f in (wireprotoserver._callhttp,
  >               wireprotov1server.commands[b'getbundle'].func):
  >         depth = 0
  >         while hasattr(f, '_origfunc'):
  >             depth, f = depth + 1, f._origfunc
  >         ui.write(b'wrapped %d times\n' % depth)
  > EOF
  $ hg -R repo id --config extensions.again=$TESTDIR/../hgext3rd/wirecomp 2>&1 | grep -v ' .again. over'
  wrapped 1 times
  wrapped 1 times
  000000000000 tip
