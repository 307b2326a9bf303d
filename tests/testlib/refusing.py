"""server extension: pushes with a compressed bundle2 are refused

``refusing.how`` says in which way: ``unsupported``, as by a server that knows
nothing of the parameter; ``raise``, as by one that fails on it; ``hg-error``,
by that media type; or a status of HTTP. With ``refusing.all`` any push is.
"""

from mercurial import bundle2, exthelper, wireprototypes
from mercurial import wireprotov1server
from mercurial.hgweb import common

eh = exthelper.exthelper()
eh.configitem(b'refusing', b'how', default=b'unsupported')
eh.configitem(b'refusing', b'all', default=False)

configtable = eh.configtable
uisetup = eh.finaluisetup
extsetup = eh.finalextsetup


class Refused(Exception):
    """A push that is refused."""


@eh.extsetup
def _refuse(ui):
    known = bundle2.b2streamparamsmap
    if ui.config(b'refusing', b'how') == b'unsupported':
        del known[b'compression']
        return

    def refuse(unbundler, param, value):
        raise Refused('refused: %s' % value.decode('ascii'))

    known[b'compression'] = refuse


@eh.wrapfunction(wireprotov1server, 'dispatch')
def _dispatch(orig, repo, proto, command, *args, **kwargs):
    how = repo.ui.config(b'refusing', b'how')
    try:
        if command == b'unbundle' and repo.ui.configbool(b'refusing', b'all'):
            raise Refused('refused: all')
        return orig(repo, proto, command, *args, **kwargs)
    except Refused as inst:
        text = str(inst).encode('ascii')
        if how == b'hg-error':
            return wireprototypes.ooberror(text)
        if how.isdigit():
            raise common.ErrorResponse(int(how), text) from inst
        raise
