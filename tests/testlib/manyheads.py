"""Make many heads in a moment: an extension of Mercurial.

    hg manyheads COUNT [NAME]

adds so many children of revision 0, which it makes in an empty repository;
NAME tells those of one call from those of another. They change no files.
"""

from mercurial import metadata, registrar

cmdtable = {}
command = registrar.command(cmdtable)


@command(b'manyheads', [], b'COUNT [NAME]')
def manyheads(ui, repo, count, name=b'head'):
    with repo.lock(), repo.transaction(b'manyheads') as tr:
        log = repo.changelog
        null = log.node(-1)
        files = metadata.ChangingFiles()

        def add(desc, parent):
            date = (0, 0)
            return log.add(null, files, desc, tr, parent, null, b'test', date)

        root = log.node(0) if len(log) else add(b'root', null)
        for number in range(int(count)):
            add(b'%s %d' % (name, number), root)
