"""client extension: send the X-HgProto headers of another client

``offer.proto`` is what is sent; empty sends none, as clients before 4.1 and
those behind a proxy that drops the headers.
"""

from mercurial import exthelper, httppeer

eh = exthelper.exthelper()
eh.configitem(b'offer', b'proto', default=b'')

configtable = eh.configtable
value = [b'']


def uisetup(ui):
    eh.finaluisetup(ui)
    value[0] = ui.config(b'offer', b'proto')


@eh.wrapfunction(httppeer, 'encodevalueinheaders')
def encodevalueinheaders(orig, text, header, limit):
    if header == b'X-HgProto':
        text = value[0]
    return orig(text, header, limit)
