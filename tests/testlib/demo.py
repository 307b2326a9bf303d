#!/usr/bin/env python3
"""Serve a repository with wirecomp, clone it as each kind of client, compare.

    demo.py BUILD VERSION [REPOSITORY]

Without a repository it makes one. To be run by the Python of BUILD/hg-VERSION.
"""

import contextlib
import os
import platform
import re
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time

import hgenv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHANGESETS = 3000
EVENT = re.compile(
    r'getbundle: (?P<type>\S+), engine (?P<engine>\S+), level (?P<level>\S+): '
    r'(?P<reason>.*)'
)
COLUMNS = (
    'client',
    'media type',
    'engine',
    'level',
    'bytes',
    'server CPU',
    'client CPU',
    'reason',
)


class Relay:
    """A TCP relay in front of the server that counts what it answers."""

    def __init__(self, target):
        self.target = target
        self.answered = 0
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            server = socket.create_connection(('127.0.0.1', self.target))
            for args in ((client, server, False), (server, client, True)):
                threading.Thread(
                    target=self.pump, args=args, daemon=True
                ).start()

    def pump(self, source, sink, count):
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(1 << 18)
                if not data:
                    break
                if count:
                    self.answered += len(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


class Server:
    """``hg serve`` with wirecomp, in the foreground, on a free port."""

    def __init__(self, hg, repo, log, environ):
        self.log = log
        self.process = subprocess.Popen(
            [
                hg,
                'serve',
                '-R',
                repo,
                '--port',
                '0',
                '--print-url',
                '--accesslog',
                os.devnull,
                '--config',
                'extensions.wirecomp=',
                '--config',
                'server.compressionengines=zstd, zlib, bz2, none',
                '--config',
                'extensions.wirelog=%s/wirelog.py' % HERE,
                '--config',
                'wirelog.file=' + log,
            ],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=open(log + '.stderr', 'wb'),
        )
        url = self.process.stdout.readline().decode().strip()
        if not url:
            with open(log + '.stderr') as said:
                sys.exit('hg serve did not start:\n' + said.read().strip())
        self.port = int(url.rstrip('/').rsplit(':', 1)[1])

    def cpu(self):
        """Return the CPU seconds that the server has used so far."""
        with open('/proc/%d/stat' % self.process.pid) as stat:
            ticks = stat.read().rsplit(')', 1)[1].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf('SC_CLK_TCK')

    def event(self):
        """Return the last event of the log (a match of EVENT)."""
        with open(self.log) as log:
            return list(EVENT.finditer(log.read()))[-1]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def clients(hg, build):
    """Yield (name, command) of each client."""

    def offer(proto):
        return [
            hg,
            '--config',
            'extensions.offer=%s/offer.py' % HERE,
            '--config',
            'offer.proto=' + proto,
        ]

    yield 'current', [hg, 'clone']
    yield 'zlib only', offer('0.1 0.2 comp=zlib,none') + ['clone']
    yield 'bzip2 only', offer('0.1 0.2 comp=bzip2,none') + ['clone']
    yield 'none only', offer('0.1 0.2 comp=none') + ['clone']
    legacy = hgenv.LEGACY[-1]
    try:
        hg40 = hgenv.ensure(legacy, build)
        yield 'legacy (hg %s)' % legacy, [hg40, 'clone']
    except hgenv.Absent as missing:
        print('hg %s: absent, %s; played by hg' % (legacy, missing))
        yield 'legacy (played)', offer('') + ['clone']
    yield 'stream clone', [hg, 'clone', '--stream']
    yield 'stream, no X-HgProto', offer('') + ['clone', '--stream']


def clone(command, url, target, environ):
    """Clone; return the CPU seconds of the client."""
    shutil.rmtree(target, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command + ['-q', '--noupdate', url, target], env=environ, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(after[:2]) - sum(before[:2])


def nodes(hg, repo, environ):
    """Return all nodes of a repository, as one text."""
    return subprocess.check_output(
        [hg, '-R', repo, 'log', '-T', '{node}\n'], env=environ
    )


def verify(hg, repo, source, environ):
    """Exit unless the clone is whole, sound and equal to its source."""
    subprocess.run(
        [hg, '-R', repo, 'verify', '-q'],
        env=environ,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    if nodes(hg, repo, environ) != nodes(hg, source, environ):
        sys.exit('the clone %s differs from its source' % repo)


def measure(name, command, server, hg, repo, work, environ):
    """Clone as one client; return the row of the table."""
    relay = Relay(server.port)
    target = os.path.join(work, 'clone')
    before = server.cpu()
    cpu = clone(command, 'http://127.0.0.1:%d/' % relay.port, target, environ)
    spent = server.cpu() - before
    verify(hg, target, repo, environ)
    shutil.rmtree(target)
    event = server.event()
    return (
        name,
        event['type'],
        event['engine'],
        event['level'],
        f'{relay.answered:,}',
        '%.2f s' % spent,
        '%.2f s' % cpu,
        event['reason'],
    )


def show(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [
            cell.rjust(width)
            if 3 < number < 7 or number == 3
            else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths))
        ]
        print('  '.join(cells).rstrip())


def main(build, version, repo=''):
    build = os.path.abspath(build)
    work = os.path.join(build, 'demo')
    hg = os.path.join(build, 'hg-' + version, 'bin', 'hg')
    os.makedirs(work, exist_ok=True)
    environ = dict(
        os.environ, HGRCPATH=os.devnull, HGPLAIN='1', PYTHONPATH=ROOT
    )
    if not repo:
        repo = os.path.join(work, 'repo')
        if not os.path.exists(os.path.join(repo, '.hg', 'complete')):
            print('making a repository of %d changesets' % CHANGESETS)
            shutil.rmtree(repo, ignore_errors=True)
            maker = [sys.executable, os.path.join(HERE, 'makerepo.py')]
            subprocess.run(
                maker + [repo, str(CHANGESETS)], env=environ, check=True
            )
            with open(os.path.join(repo, '.hg', 'complete'), 'w'):
                pass
    elif not os.path.isdir(os.path.join(repo, '.hg')):
        sys.exit('no repository: ' + repo)
    count = nodes(hg, repo, environ).count(b'\n')
    print(
        'serving %d changesets with wirecomp, Mercurial %s, Python %s'
        % (count, version, platform.python_version())
    )
    server = Server(hg, repo, os.path.join(work, 'wirecomp.log'), environ)
    try:
        rows = [COLUMNS]
        for name, command in clients(hg, build):
            print('cloning: ' + name, flush=True)
            rows.append(measure(name, command, server, hg, repo, work, environ))
    finally:
        server.stop()
    print('\nall clones verified, equal to their source')
    show(rows)


if __name__ == '__main__':
    start = time.time()
    main(*sys.argv[1:])
    print('done in %d seconds' % (time.time() - start))
