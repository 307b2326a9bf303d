"""Real hg clients, and what became of their repositories."""

import os
import shutil
import subprocess

# What a changeset is, for comparing repositories.
TEMPLATE = '{node} {phase} {bookmarks} {branch}\n'


class Client:
    """``hg`` (path) as a client without extensions, working in ``folder``.

    ``args`` are added to each command.
    """

    def __init__(self, hg, folder, args=()):
        self.hg = hg
        self.folder = folder
        self.args = list(args)
        self.environ = dict(os.environ, HGRCPATH='', HGUSER='peer')
        self.environ['HGPLAIN'] = '1'
        if os.path.isabs(hg):
            # It finds its own Mercurial, not the one under test.
            self.environ.pop('PYTHONPATH', None)

    def start(self, *args):
        """Start a command; return the Popen."""
        return subprocess.Popen(
            [self.hg, *args, *self.args],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *args, patience=60):
        """Return (exit code, output as bytes); the code is None for a command
        that did not end within so many seconds, and was killed."""
        process = self.start(*args)
        try:
            output = process.communicate(timeout=patience)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.kill()
            return None, process.communicate()[0]

    def path(self, name):
        return os.path.join(self.folder, name)

    def exists(self, name):
        return os.path.lexists(self.path(name))

    def remove(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)

    def copy(self, source, name):
        """Put a repository into place anew, as a copy."""
        self.remove(name)
        shutil.copytree(self.path(source), self.path(name), symlinks=True)

    def content(self, name):
        """Return what a repository holds (bytes), to be compared."""
        return self.run('log', '-R', name, '-T', TEMPLATE)[1]

    def nodes(self, name):
        """Return the changesets of a repository (bytes)."""
        return self.run('log', '-R', name, '-T', '{node}\n')[1]

    def verifies(self, name):
        """Return whether ``hg verify`` finds no fault (bool)."""
        return self.run('verify', '-q', '-R', name)[0] == 0

    def abandoned(self, name):
        """Return whether a transaction was left (bool)."""
        return self.exists(os.path.join(name, '.hg', 'store', 'journal'))
