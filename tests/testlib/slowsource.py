"""server extension: what getbundle sends is slow to come

Before each of the first ``slowsource.count`` pieces it sleeps for
``slowsource.pause`` milliseconds; after half of them it makes the file
``slowsource.inside``.
"""

import time

from mercurial import exchange, exthelper

eh = exthelper.exthelper()
eh.configitem(b'slowsource', b'count', default=8)
eh.configitem(b'slowsource', b'pause', default=500)
eh.configitem(b'slowsource', b'inside', default=b'')

configtable = eh.configtable
uisetup = eh.finaluisetup


@eh.wrapfunction(exchange, 'getbundlechunks')
def getbundlechunks(orig, repo, *args, **kwargs):
    info, chunks = orig(repo, *args, **kwargs)
    return info, slowly(repo.ui, chunks)


def slowly(ui, chunks):
    """Yield ``chunks`` at the pace that is configured."""
    count = ui.configint(b'slowsource', b'count')
    pause = ui.configint(b'slowsource', b'pause') / 1000
    inside = ui.config(b'slowsource', b'inside')
    for n, chunk in enumerate(chunks):
        if n < count:
            time.sleep(pause)
        if inside and n == count // 2:
            open(inside, 'w').close()
        yield chunk
