#!/usr/bin/env python3
"""Kill the server, or the client, at random moments of real exchanges.

    kills.py PORT SOURCE [--times N] [--seed N] [--hg HG] [--stream] [-v]

Serves copies of the repository SOURCE at PORT (as `hg`, configured by
HGRCPATH, does it), and lets a client clone, pull and push; a SIGKILL hits one
side somewhere between the begin and the end of it. Then each repository must
hold what it held before or all of what was sent, and verify; where a
transaction was left, after `hg recover`. A clone that did not finish may be
absent. Prints one line for each side. A server whose client was killed must
serve on, with no thread or descriptor left over. Exit code 1 if not.
"""

import argparse
import collections
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

import peers
import rawhttp

BAD = ('damaged', 'not recoverable', 'not served')


class Server:
    """``hg serve`` of a repository (path) at a port (int)."""

    def __init__(self, repo, port, folder):
        self.repo = repo
        self.port = port
        self.folder = folder
        self.process = None

    def start(self):
        with open(os.path.join(self.folder, 'errors.log'), 'ab') as log:
            self.process = subprocess.Popen(
                ['hg', 'serve', '-R', self.repo, '-p', '%d' % self.port]
                + ['-a', '127.0.0.1', '-A', os.devnull]
                + [
                    '--config',
                    'web.push_ssl=no',
                    '--config',
                    'web.allow-push=*',
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        if os.environ.get('DAEMON_PIDS'):
            with open(os.environ['DAEMON_PIDS'], 'a') as pids:
                pids.write('%d\n' % self.process.pid)
        for _ in range(200):
            with contextlib.suppress(OSError):
                socket.create_connection(('127.0.0.1', self.port)).close()
                return
            time.sleep(0.05)
        sys.exit('the server does not start')

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()


class Exchange:
    """One kind of exchange: the arguments of hg, and which repositories it
    changes (names in the client's folder)."""

    def __init__(self, args, touches):
        self.args = args
        self.touches = touches
        self.seconds = 0
        self.states = {}


class Killer:
    """Runs exchanges, kills, and judges what is left."""

    def __init__(self, opts, folder):
        self.client = peers.Client(opts.hg, folder)
        self.rand = random.Random(opts.seed)
        self.url = 'http://127.0.0.1:%d/' % opts.port
        self.client.copy(os.path.abspath(opts.source), 'source')
        self.server = Server(self.client.path('served'), opts.port, folder)
        self.exchanges = {
            'clone': Exchange(['clone', '-q', '-U', self.url, 'work'], 'work'),
            'pull': Exchange(['pull', '-q', '-R', 'work', self.url], 'work'),
            'push': Exchange(['push', '-q', '-R', 'more', self.url], 'served'),
        }
        if opts.stream:
            args = ['clone', '-q', '-U', '--stream', self.url, 'work']
            self.exchanges = {'clone': Exchange(args, 'work')}

    def prepare(self):
        """Make the repositories, and measure the exchanges undisturbed."""
        run = self.client.run
        run('clone', '-q', '-U', '--pull', '-r', '0', 'source', 'less')
        run('clone', '-q', '--pull', 'source', 'more')
        with open(self.client.path('more/added'), 'w') as added:
            added.write('text\n' * 5000)
        run('commit', '-q', '-R', 'more', '-A', '-m', 'added')
        for name, exchange in self.exchanges.items():
            self.reset()
            self.server.start()
            before = self.states(name, exchange)
            begin = time.monotonic()
            code, output = run(*exchange.args)
            exchange.seconds = time.monotonic() - begin
            self.server.stop()
            if code:
                sys.exit('undisturbed: %r' % output)
            exchange.states = before | self.states(None, exchange)

    def reset(self):
        """Put all repositories into their first state."""
        self.client.copy('source', 'served')
        self.client.copy('less', 'work')

    def states(self, name, exchange):
        """Return the set of what the changed repository holds."""
        if name == 'clone':
            self.client.remove('work')
            return set()
        return {self.client.nodes(exchange.touches)}

    def kill(self, name, exchange, server):
        """Run an exchange, kill one side of it; return how that ended."""
        if name == 'clone':
            self.client.remove('work')
        process = self.client.start(*exchange.args)
        time.sleep(self.rand.random() * exchange.seconds)
        if server:
            self.server.stop(signal.SIGKILL)
        else:
            process.kill()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return 'damaged'
        if server and name == 'clone' and process.returncode:
            return 'damaged' if self.client.exists('work') else 'no clone'
        return self.judge(name, exchange)

    def judge(self, name, exchange):
        """Return what became of the repository that the exchange changes."""
        repo = exchange.touches
        if not self.client.exists(os.path.join(repo, '.hg', 'requires')):
            return 'no clone' if name == 'clone' else 'damaged'
        recovered = self.client.abandoned(repo)
        if recovered and self.client.run('recover', '-q', '-R', repo)[0]:
            return 'not recoverable'
        states = exchange.states
        if name == 'clone':
            # Of a clone, an empty repository is what was there before.
            states = states | {b''}
        if self.client.nodes(repo) not in states:
            return 'damaged'
        if not self.client.verifies(repo):
            return 'damaged'
        return 'recovered' if recovered else 'whole'

    def servers(self, times):
        """Kill the server so many times; return a Counter of outcomes."""
        found = collections.Counter()
        for number in range(times):
            name = list(self.exchanges)[number % len(self.exchanges)]
            self.reset()
            self.server.start()
            found[self.kill(name, self.exchanges[name], server=True)] += 1
        return found

    def clients(self, times):
        """Kill the client so many times, with one server all the while."""
        found = collections.Counter()
        self.reset()
        self.server.start()
        self.client.run('clone', '-q', '-U', self.url, 'warm')
        flat = rawhttp.Flat(self.server.process.pid, 1)
        for number in range(times):
            name = list(self.exchanges)[number % len(self.exchanges)]
            self.client.copy('less', 'work')
            found[self.kill(name, self.exchanges[name], server=False)] += 1
            if name == 'push':
                self.unpush()
        if rawhttp.ask(self.server.port, b'/?cmd=heads').status != 200:
            found['not served'] += 1
        words = flat.words()
        self.server.stop()
        return found, words, flat.good

    def unpush(self):
        """Take back what may have been pushed."""
        args = ['--config', 'extensions.strip=', 'strip', '-q', '--no-backup']
        args += ['-R', 'served', '-r', 'desc("added")']
        self.client.run(*args)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('source')
    parser.add_argument('--times', type=int, default=5)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--hg', default='hg')
    parser.add_argument('--stream', action='store_true')
    parser.add_argument('-v', '--verbose', action='store_true')
    opts = parser.parse_args(argv)

    def line(side, found, *words):
        bad = sum(found[kind] for kind in BAD)
        words = ['%d damaged' % bad, *words]
        if opts.verbose:
            words += ['%d %s' % (n, kind) for kind, n in sorted(found.items())]
        print('%s killed %d times: %s' % (side, opts.times, ', '.join(words)))
        return bad

    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(opts, folder)
        killer.prepare()
        bad = line('server', killer.servers(opts.times))
        found, words, good = killer.clients(opts.times)
        bad += line('client', found, words)
    return bad > 0 or not good


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
