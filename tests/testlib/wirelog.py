"""server extension: append the log events of wirecomp to ``wirelog.file``"""

from mercurial import registrar

configtable = {}
configitem = registrar.configitem(configtable)
configitem(b'wirelog', b'file', default=None)


class logger:
    def __init__(self, path):
        self.path = path

    def tracked(self, event):
        return event == b'wirecomp'

    def log(self, ui, event, msg, opts):
        with open(self.path, 'ab') as out:
            out.write(msg)


def uipopulate(ui):
    path = ui.config(b'wirelog', b'file')
    if path:
        ui.setlogger(b'wirelog', logger(path))
