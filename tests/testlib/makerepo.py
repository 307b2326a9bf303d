#!/usr/bin/env python3
"""Make a repository with a history of some kind.

    makerepo.py PATH CHANGESETS [KIND]

Kinds: ``source`` (the default) is text like that of source code, that of
Python's own library: files appear, grow, are edited, renamed and merged;
``machine`` has a few large files that a program wrote; ``small`` has many small
files in deep directories. The same call makes the same history. To be run by
the Python of a Mercurial.
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


class File:
    """One file of the history: its name, its lines, what is still to come."""

    def __init__(self, name, lines, coming=()):
        self.name = name
        self.lines = list(lines)
        self.coming = list(coming)

    def text(self):
        return b''.join(self.lines)

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


class Table(File):
    """A large file that a program writes: edits rewrite some rows."""

    def edit(self, rand):
        for _ in range(rand.randint(5, 300)):
            self.lines[rand.randrange(len(self.lines))] = row(rand)


def row(rand):
    return b'{"id": %d, "at": %.6f, "state": "%s", "value": %.9g},\n' % (
        rand.getrandbits(31),
        1.5e9 + rand.random() * 1e8,
        rand.choice((b'ready', b'done', b'failed', b'waiting')),
        rand.gauss(0, 1000),
    )


def source(rand):
    """Return the files of the history, those of the standard library."""
    folder = os.path.dirname(os.__file__)
    found = []
    for path in sorted(glob.glob(os.path.join(folder, '*.py'))):
        with open(path, 'rb') as fp:
            lines = fp.read().splitlines(True)
        if len(lines) > FIRST:
            name = b'src/' + os.path.basename(path).encode()
            found.append(File(name, lines[:FIRST], lines[FIRST:]))
    return found


def machine(rand):
    return [
        Table(b'data/table%02d.json' % n, [row(rand) for _ in range(6000)])
        for n in range(10)
    ]


def small(rand):
    found = []
    for _ in range(4000):
        name = b'/'.join(
            rand.choice(WORDS).encode() for _ in range(rand.randint(3, 8))
        )
        words = (rand.choice(WORDS) for _ in range(rand.randint(4, 120)))
        lines = [word.encode() + b'\n' for word in words]
        name += b'/%06x.cfg' % rand.getrandbits(24)
        found.append(File(name, lines[:4], lines[4:]))
    return found


KINDS = {'source': source, 'machine': machine, 'small': small}


class History:
    """A repository in the making."""

    def __init__(self, repo, files, rand):
        self.repo = repo
        self.rand = rand
        self.coming = files
        self.live = []
        self.date = 1500000000
        # How many files appear, and how many change, at a time.
        self.pace = max(1, len(files) // 400)

    def step(self):
        """Change some files; return those and the names that went away."""
        rand = self.rand
        if self.coming and (len(self.live) < 5 or rand.random() < 0.15):
            changed = [
                self.coming.pop(rand.randrange(len(self.coming)))
                for _ in range(min(self.pace, len(self.coming)))
            ]
            self.live += changed
            return changed, {}
        most = min(4 * self.pace, len(self.live))
        changed = rand.sample(self.live, rand.randint(1, most))
        for one in changed:
            one.edit(rand)
        renamed = {}
        if rand.random() < 0.02:
            old, changed[0].name = changed[0].name, changed[0].name + b'x'
            renamed[changed[0].name] = old
        return changed, renamed

    def commit(self, parents, changed, renamed):
        """Commit the changed files; return the node."""
        rand = self.rand
        texts = {one.name: one.text() for one in changed}
        gone = {old: None for old in renamed.values()}

        def filectxfn(repo, memctx, path):
            if path in gone:
                return None
            return context.memfilectx(
                repo, memctx, path, texts[path], copysource=renamed.get(path)
            )

        self.date += rand.randrange(60, 40000)
        words = (rand.choice(WORDS) for _ in range(rand.randint(3, 12)))
        return context.memctx(
            self.repo,
            parents,
            ' '.join(words).encode(),
            sorted(set(texts) | set(gone)),
            filectxfn,
            b'author%d <author%d@example.org>' % ((rand.randrange(12),) * 2),
            b'%d 0' % self.date,
        ).commit()


def make(path, changesets, kind='source'):
    """Make the repository at ``path`` (str) with so many changesets (int)."""
    rand = random.Random(changesets)
    repo = hg.repository(uimod.ui.load(), os.fsencode(path), create=True)
    history = History(repo, KINDS[kind](rand), rand)
    tip = node.nullid
    with repo.lock(), repo.transaction(b'makerepo'):
        for number in range(changesets):
            changed, renamed = history.step()
            parents = (tip, node.nullid)
            if number % 20 == 10 and not renamed:
                # A side branch of one changeset, merged with the next one.
                side = history.commit(parents, changed, renamed)
                parents = (tip, side)
            tip = history.commit(parents, changed, renamed)


if __name__ == '__main__':
    make(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
