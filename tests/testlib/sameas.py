#!/usr/bin/env python3
"""Let a client talk to two servers, and print where its output differs.

    sameas.py HG FOLDER PORT PORT SAID

Both servers are to serve copies of what makemany.py makes, with publishing off,
and to print what stands in the file SAID at each push. The client does the same
with both, in folders of its own under FOLDER. Uses no Mercurial itself.
"""

import os
import sys

import peers

CONFIG = (
    'ui.username=peer',
    'extensions.strip=',
    # Or it would be asked for what the server says it can do.
    'extensions.clonebundles=',
    'ui.clonebundles=no',
)
# More than what the server sends as one piece.
MUCH = 40000


class Side:
    """The client with one of the servers."""

    def __init__(self, hg, folder, port):
        os.makedirs(folder)
        args = [word for item in CONFIG for word in ('--config', item)]
        self.client = peers.Client(hg, folder, args)
        self.url = 'http://127.0.0.1:%s/' % port
        self.port = port.encode()

    def __call__(self, *args):
        """Run a command with URL as the server's; return what it gave."""
        args = [self.url if arg == 'URL' else arg for arg in args]
        code, output = self.client.run(*args)
        return code, output.replace(b':%s/' % self.port, b':PORT/')

    def write(self, name, text):
        with open(self.client.path(name), 'w') as out:
            out.write(text)


def commit(side, text, *config):
    side.write('c/file', text)
    return side('-R', 'c', 'commit', '-A', '-m', text, '-d', '0 0', *config)


def script(side, tag, said, marks):
    """Yield (what was done, what it gave); ``tag`` makes names unique."""

    def run(*args):
        return ' '.join(args), side(*args)

    def local(*args):
        return run('-R', 'c', *args)

    branch, other = marks
    yield run('id', 'URL')
    yield run('id', '-r', branch, 'URL')
    yield run('id', '-B', 'URL')
    yield run('clone', '-U', '-r', branch, 'URL', 'one')
    yield run('clone', '-U', '-b', other, 'URL', 'branch')
    yield run('clone', '-U', '--uncompressed', 'URL', 'stream')
    yield run('clone', '-U', 'URL', 'c')
    yield run('-R', 'one', 'incoming', 'URL')
    yield run('-R', 'one', 'incoming', '-B', 'URL')
    yield run('-R', 'one', 'outgoing', 'URL')
    yield run('-R', 'one', 'pull', '-r', other, 'URL')
    yield run('-R', 'one', 'pull', 'URL')
    yield run('-R', 'one', 'pull', 'URL')
    yield local('bookmarks')
    yield local('update', '-q', '0')
    yield local('push', 'URL')
    yield 'commit', commit(side, 'change of ' + tag)
    yield local('outgoing', 'URL')
    yield local('push', '-f', 'URL')
    yield local('bookmark', 'mark-' + tag)
    yield local('outgoing', '-B', 'URL')
    yield local('push', '-B', 'mark-' + tag, 'URL')
    yield 'commit', commit(side, 'more of ' + tag)
    yield local('push', 'URL')
    yield local('bookmark', '-d', 'mark-' + tag)
    yield local('push', '-B', 'mark-' + tag, 'URL')
    yield local('branch', 'branch-' + tag)
    yield 'commit', commit(side, 'branch of ' + tag)
    with open(said) as was:
        text = was.read()
    with open(said, 'w') as now:
        now.write('%s says much\n' % tag * MUCH)
    yield local('push', '--new-branch', 'URL')
    with open(said, 'w') as now:
        now.write(text)
    yield local('phase', '-p', '.')
    yield local('push', 'URL')
    yield 'commit', commit(side, 'old of ' + tag)
    old = side('-R', 'c', 'log', '-r', '.', '-T', '{node}')[1].decode()
    evolution = ('--config', 'experimental.evolution=all')
    yield local('push', 'URL', *evolution)
    yield local('update', '-q', '.^')
    yield 'commit', commit(side, 'new of ' + tag)
    new = side('-R', 'c', 'log', '-r', '.', '-T', '{node}')[1].decode()
    yield local('debugobsolete', '-d', '0 0', old, new, *evolution)
    yield local('push', '-f', 'URL', *evolution)
    yield run('-R', 'one', 'pull', 'URL', *evolution)
    yield 'commit', commit(side, 'bundle1 of ' + tag)
    yield local(
        *('push', 'URL', '--config', 'devel.legacy.exchange=bundle1'),
        *('--config', 'experimental.bundle2-exp=no'),
    )
    yield run('-R', 'one', 'pull', '-r', 'no-such', 'URL')
    yield run('debugwireargs', 'URL', 'a' * 2000, 'b' * 2000)
    yield run('clone', '-U', '--config', 'ui.clonebundles=yes', 'URL', 'cb')
    yield run('-R', 'one', 'log', '-T', peers.TEMPLATE)
    yield run('-R', 'cb', 'log', '-T', peers.TEMPLATE)
    yield run('-R', 'one', 'debugobsolete', *evolution)


def main(hg, folder, first, second, said):
    tag = os.path.basename(folder)
    sides = [
        Side(hg, os.path.join(folder, name), port)
        for name, port in (('plain', first), ('wired', second))
    ]
    names = sides[0]('clone', '-U', 'URL', 'names')
    names = sides[0]('-R', 'names', 'log', '-T', '{branch}\n')[1].split()
    named = sorted({name.decode() for name in names} - {'default'})
    marks = named[0], named[-1]
    total = differ = good = 0
    for was, now in zip(*(script(s, tag, said, marks) for s in sides)):
        total += 1
        good += was[1][0] == 0
        if was != now or b'Traceback' in was[1][1]:
            differ += 1
            print('%s\n  %r\n  %r' % (was[0], was[1], now[1]))
    print('%s: %d commands, %d succeed, %d differ' % (tag, total, good, differ))


if __name__ == '__main__':
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
