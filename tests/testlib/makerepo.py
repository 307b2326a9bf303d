#!/usr/bin/env python3
"""Make a repository whose history looks like that of source code.

    makerepo.py PATH CHANGESETS

The text is that of Python's own library: files appear, grow, are edited and
merged. The same call makes the same history. To be run by the Python of a
Mercurial.
"""

import glob
import os
import random
import sys

from mercurial import context, hg, node, ui as uimod


# Of the lines of a file, how many there are at first, and how many come at a
# time.
FIRST = 40
BLOCK = (1, 25)
WORDS = (
    'fix add drop rename test document speed up simplify handle check allow '
    'error path buffer reader parser cache header stream level client server'
).split()


class Source:
    """One file of the history: its text so far, and what is still to come."""

    def __init__(self, name, lines):
        self.name = name
        self.lines = lines[:FIRST]
        self.coming = lines[FIRST:]

    def edit(self, rand):
        """Let some lines appear, or rewrite or drop some."""
        count = rand.randint(*BLOCK)
        where = rand.randrange(len(self.lines) + 1)
        if self.coming and rand.random() < 0.7:
            self.lines[where:where] = self.coming[:count]
            del self.coming[:count]
        elif rand.random() < 0.6 or len(self.lines) < FIRST:
            for at in range(where, min(where + count, len(self.lines))):
                self.lines[at] = self.lines[at].replace(
                    rand.choice(b'aeiou').to_bytes(1, 'big'), b'_'
                )
            self.lines.insert(where, b'# %d\n' % rand.getrandbits(40))
        else:
            del self.lines[where : where + count]


def sources():
    """Return the files of the history, those of the standard library."""
    folder = os.path.dirname(os.__file__)
    found = []
    for path in sorted(glob.glob(os.path.join(folder, '*.py'))):
        with open(path, 'rb') as fp:
            lines = fp.read().splitlines(True)
        if len(lines) > FIRST:
            name = b'src/' + os.path.basename(path).encode()
            found.append(Source(name, lines))
    return found


def commit(repo, parents, changed, rand, date):
    """Commit the changed files; return the node."""
    texts = {source.name: b''.join(source.lines) for source in changed}

    def filectxfn(repo, memctx, path):
        return context.memfilectx(repo, memctx, path, texts[path])

    text = ' '.join(rand.choice(WORDS) for _ in range(rand.randint(3, 12)))
    user = b'author%d <author%d@example.org>' % ((rand.randrange(12),) * 2)
    return context.memctx(
        repo,
        parents,
        text.encode(),
        sorted(texts),
        filectxfn,
        user,
        b'%d 0' % date,
    ).commit()


def make(path, changesets):
    """Make the repository at ``path`` (str) with so many changesets (int)."""
    rand = random.Random(changesets)
    repo = hg.repository(uimod.ui.load(), os.fsencode(path), create=True)
    files = sources()
    live = []
    tip = node.nullid
    with repo.lock(), repo.transaction(b'makerepo'):
        date = 1500000000
        for number in range(changesets):
            date += rand.randrange(60, 40000)
            if files and (len(live) < 5 or rand.random() < 0.06):
                changed = [files.pop(rand.randrange(len(files)))]
                live += changed
            else:
                changed = rand.sample(live, rand.randint(1, min(4, len(live))))
                for source in changed:
                    source.edit(rand)
            parents = (tip, node.nullid)
            if number % 20 == 10:
                # A side branch of one changeset, merged with the next one.
                side = commit(repo, parents, changed, rand, date)
                parents = (tip, side)
            tip = commit(repo, parents, changed, rand, date)


if __name__ == '__main__':
    make(sys.argv[1], int(sys.argv[2]))
