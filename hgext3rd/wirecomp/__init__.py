"""cheaper, safer HTTP answers for Mercurial servers (EXPERIMENTAL)
"""

from __future__ import annotations

from mercurial import exthelper

from . import compat, metadata, settings, webproto, wireproto

__version__ = metadata.__version__
testedwith = metadata.testedwith
minimumhgversion = metadata.minimumhgversion

eh = exthelper.exthelper()
for _part in (settings, webproto, wireproto):
    eh.merge(_part.eh)

compat.checkseams()

cmdtable = eh.cmdtable
configtable = eh.configtable
extsetup = eh.finalextsetup
reposetup = eh.finalreposetup


def uisetup(ui):
    """Put the patches in, once per process; core calls this at load."""
    if compat.claim():
        eh.finaluisetup(ui)
