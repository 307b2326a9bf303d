"""server extension: append the log events of wirecomp to ``wirelog.file``

Of responses, only how streams were encoded, without figures.
"""

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
        if b'; ' in msg:
            if b', engine ' not in msg or b'never compressed' in msg:
                return
            msg = msg.partition(b'; ')[0] + b'\n'
        with open(self.path, 'ab') as out:
            out.write(msg)


def uipopulate(ui):
    path = ui.config(b'wirelog', b'file')
    if path:
        ui.setlogger(b'wirelog', logger(path))
