#!/usr/bin/env python3
"""Make a repository with many names, for which replies are long.

    makemany.py PATH [--branches N] [--bookmarks N] [--drafts N]

On one public changeset each branch, and each draft, has a changeset of its own;
bookmarks are spread over all of them. The same call makes the same repository.
To be run by the Python of a Mercurial.
"""

import argparse
import os
import random

from mercurial import context, hg, node, phases, ui as uimod

WORDS = (
    'feature bugfix release hotfix topic user team backend frontend parser '
    'stream cache login api docs test'
).split()


def names(count):
    """Yield ``count`` names such as people give (bytes)."""
    rand = random.Random(count)
    for number in range(count):
        first, *rest = rand.choices(WORDS, k=3)
        name = '%s/%s-%d-%s' % (first, rest[0], number, rest[1])
        yield name.encode('ascii')


def commit(repo, parent, text, branch=b'default'):
    """Commit no change on ``parent`` (node), the fastest; return the node."""
    made = context.memctx(
        repo,
        (parent, node.nullid),
        text,
        [],
        None,
        user=b'somebody',
        date=b'0 0',
        extra={b'branch': branch},
    )
    return repo.commitctx(made)


def main(path, branches, bookmarks, drafts):
    ui = uimod.ui.load()
    # One by one, each would have all of the others looked at.
    ui.setconfig(b'phases', b'new-commit', b'public')
    repo = hg.repository(ui, os.fsencode(path), create=True)
    with repo.wlock(), repo.lock(), repo.transaction(b'many') as tr:
        base = commit(repo, node.nullid, b'base\n')
        nodes = [base]
        for number, name in enumerate(names(branches)):
            nodes.append(commit(repo, base, b'branch %d\n' % number, name))
        made = [
            commit(repo, base, b'draft %d\n' % number)
            for number in range(drafts)
        ]
        nodes += made
        phases.retractboundary(repo, tr, phases.draft, made)
        marks = [
            (name, nodes[number % len(nodes)])
            for number, name in enumerate(names(bookmarks))
        ]
        repo._bookmarks.applychanges(repo, tr, marks)


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('path')
    for option in ('--branches', '--bookmarks', '--drafts'):
        parser.add_argument(option, type=int, default=0)
    main(**vars(parser.parse_args()))
