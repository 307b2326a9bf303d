#!/usr/bin/env python3
"""Let clients clone and pull while one bit flips on the way, here and there.

    flips.py PORT SOURCE BEFORE [--places N] [--pull-places N] [--hg HG]
        [--seed N] [--name NAME] [-v] [-- ARGUMENTS OF HG...]

SOURCE is the repository that is served at PORT, BEFORE a clone of the first of
its changesets. N places are spread over the answer; for each, a clone through
a proxy that flips one bit there. Then the same with pulls into copies of
BEFORE. Prints one line for clones and one for pulls:

noticed
    the client failed, and left no clone, or its repository as it was before
silent
    the client took it for good (exit code 0), but its repository does not
    verify or is another than the source
left
    the client failed and left a clone, or a repository that is not as before
harmless
    the bit had no meaning: all is well

Exit code 1 if any was silent or left.
"""

import argparse
import collections
import os
import random
import sys
import tempfile

import flip
import peers

KINDS = ('noticed', 'silent', 'left', 'harmless')


class Trial:
    """Clones (``clone``) or pulls through a proxy, one for each place."""

    def __init__(self, opts, client, proxy, clone):
        self.client = client
        self.proxy = proxy
        self.clone = clone
        self.verbose = opts.verbose
        self.url = 'http://127.0.0.1:%d/' % proxy.port
        self.nodes = client.nodes(os.path.abspath(opts.source))
        self.right = None
        self.before = client.content('before')
        self.crashes = 0

    def go(self):
        """Run the client; return its exit code and output."""
        if self.clone:
            self.client.remove('work')
            return self.client.run('clone', '-q', '-U', self.url, 'work')
        self.client.copy('before', 'work')
        return self.client.run('pull', '-q', '-R', 'work', self.url)

    def good(self, content):
        """Return whether the repository holds this and verifies (bool)."""
        return self.client.content('work') == content and self.client.verifies(
            'work'
        )

    def outcome(self, code, output):
        """Return one of KINDS."""
        if b'Traceback' in output:
            self.crashes += 1
        if code == 0:
            return 'harmless' if self.good(self.right) else 'silent'
        if self.clone:
            return 'left' if self.client.exists('work') else 'noticed'
        return 'noticed' if code and self.good(self.before) else 'left'

    def run(self, places, rand):
        """Return a Counter of KINDS for so many places (int)."""
        self.proxy.flip(None)
        code, output = self.go()
        size = self.proxy.size
        self.right = self.client.content('work')
        same = self.client.nodes('work') == self.nodes
        if code or not size or not same or not self.good(self.right):
            sys.exit('without damage: %r %r' % (code, output))
        found = collections.Counter()
        for number in range(places):
            offset = int((number + rand.random()) * size / places)
            if number in (0, places - 1):
                offset = number and size - 1
            self.proxy.flip(offset, rand.randrange(8))
            code, output = self.go()
            kind = self.outcome(code, output)
            if not self.proxy.flipped:
                kind = 'not flipped'
            found[kind] += 1
            if self.verbose or kind in ('silent', 'left', 'not flipped'):
                said = output.strip().rsplit(b'\n', 1)[-1][:70]
                print('byte %d of %d: %s, %r' % (offset, size, kind, said))
        return found


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('source')
    parser.add_argument('before')
    parser.add_argument('--places', type=int, default=12)
    parser.add_argument('--pull-places', type=int, default=12)
    parser.add_argument('--hg', default='hg')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--name', default='')
    parser.add_argument('-v', '--verbose', action='store_true')
    parser.add_argument('args', nargs='*')
    opts = parser.parse_args(argv)
    proxy = flip.Proxy(opts.port)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        client = peers.Client(opts.hg, folder, opts.args)
        client.copy(os.path.abspath(opts.before), 'before')
        for clone in (True, False):
            places = opts.places if clone else opts.pull_places
            if not places:
                continue
            trial = Trial(opts, client, proxy, clone)
            found = trial.run(places, random.Random(opts.seed))
            what = 'clones' if clone else 'pulls'
            words = ['%d %s' % (found.pop(kind, 0), kind) for kind in KINDS]
            words += ['%d %s' % (n, kind) for kind, n in found.items()]
            if opts.verbose:
                words.append('%d client tracebacks' % trial.crashes)
            print('%s %d %s: %s' % (opts.name, places, what, ', '.join(words)))
            bad += sum(int(word.split()[0]) for word in words[1:3] + words[4:5])
    return bad > 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
