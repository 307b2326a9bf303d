"""server extension: append the number of writes of each answer to a file"""

from mercurial import exthelper
from mercurial.hgweb import server

eh = exthelper.exthelper()
eh.configitem(b'countwrites', b'file', default=b'')
configtable = eh.configtable
path = [b'']


def uisetup(ui):
    eh.finaluisetup(ui)
    path[0] = ui.config(b'countwrites', b'file')


@eh.wrapfunction(server._httprequesthandler, 'do_hgweb')
def do_hgweb(orig, self):
    writer, count = self.wfile, [0]

    class Counting:
        def write(self, data):
            count[0] += 1
            return writer.write(data)

        def flush(self):
            return writer.flush()

    self.wfile = Counting()
    try:
        return orig(self)
    finally:
        self.wfile = writer
        with open(path[0], 'a') as out:
            out.write('%d\n' % count[0])
