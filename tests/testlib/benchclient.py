#!/usr/bin/env python3
"""Measure what the client's half costs and saves, against a plain client.

    benchclient.py BUILD VERSION

Pushes to unmodified servers of VERSION and of others that BUILD has: of 5,000
changesets of source text, of one, and of one large file; clones and pulls from
a server with and without wirecomp; clones by changegroup 4. Plain and wirecomp
take turns, figures are medians; bytes are those that core counts. Nothing
passes or fails by it. To be run by the Python of BUILD/hg-VERSION.
"""

import contextlib
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

import makerepo

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHANGESETS = 5000
LARGE = 10 << 20
# Those that are pushed to besides.
SERVERS = ('6.1.4', '6.9.5', '7.0.3')
ROUNDS = int(os.environ.get('ROUNDS', '5'))
# For those that take a fraction of a second.
SHORT = ROUNDS * 5
SENT = re.compile(
    rb'\(sent \d+ HTTP requests and (\d+) bytes; received (\d+) bytes'
)
# A server on which a push changes nothing of the client.
PUSHED = ('web.push_ssl=no', 'web.allow-push=*', 'phases.publish=no')
MODES = {'plain': '!', 'wirecomp': ''}
CG4 = 'experimental.changegroup4=yes'
LINE = '%-40s %10s %10s %6s %8s %8s %6s %8s %8s %6s %8s %8s %6s'


def options(*items):
    """Return ``--config`` options (list) for items (str)."""
    return [word for item in items for word in ('--config', item)]


class Client:
    """The clients of one hg, plain and with wirecomp."""

    def __init__(self, build, version, folder):
        self.build = build
        self.version = version
        self.folder = folder
        self.environ = dict(os.environ, HGRCPATH=os.devnull, HGPLAIN='1')
        self.environ.update(HGUSER='bench', PYTHONPATH=ROOT)
        # Code is compiled once, by runs that do not count.
        self.environ.pop('PYTHONDONTWRITEBYTECODE', None)
        self.environ['PYTHONPYCACHEPREFIX'] = os.path.join(folder, 'pycache')
        self.out = open(os.path.join(folder, 'client.txt'), 'w')

    def say(self, text=''):
        print(text, flush=True)
        self.out.write(text + '\n')
        self.out.flush()

    def hg(self, version=None):
        version = version or self.version
        return os.path.join(self.build, 'hg-' + version, 'bin', 'hg')

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *args):
        """Run hg without wirecomp."""
        subprocess.run(
            [self.hg(), *args], env=self.environ, check=True, cwd=self.folder
        )

    def node(self, repo, rev):
        """Return the changeset (str) that a revset names."""
        return subprocess.check_output(
            [self.hg(), 'log', '-R', repo, '-r', rev, '-T', '{node}'],
            env=self.environ,
            cwd=self.folder,
            text=True,
        )

    def timed(self, mode, args, config):
        """Run hg as a client; return (bytes sent, bytes received, CPU
        seconds, wall seconds)."""
        command = [self.hg(), *args, '-v']
        command += options('extensions.wirecomp=' + MODES[mode], *config)
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said = process.stdout.read()
        _pid, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(said.decode('utf-8', 'replace'))
        sent, received = map(int, SENT.search(said).groups())
        return sent, received, usage.ru_utime + usage.ru_stime, wall

    @contextlib.contextmanager
    def server(self, repo, version, mode, config):
        """Serve a repository; give (process, url)."""
        environ = dict(self.environ)
        if version != self.version:
            del environ['PYTHONPATH']
        process = subprocess.Popen(
            [
                *(self.hg(version), 'serve', '-R', self.path(repo)),
                *('--port', '0', '--print-url', '--accesslog', os.devnull),
                *(() if mode == 'plain' else options('extensions.wirecomp=')),
                *options(*config),
            ],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            port = re.search(rb':(\d+)/', process.stdout.readline())[1]
            url = 'http://127.0.0.1:%d/' % int(port)
            # The first request loads what all need.
            with urllib.request.urlopen(url + '?cmd=capabilities') as answer:
                answer.read()
            yield process, url
        finally:
            process.kill()
            process.wait()

    def restore(self, name, source):
        """Put a repository into place: a copy of one, or an empty one."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        if source is None:
            self.run('init', name)
        else:
            shutil.copytree(self.path(source), self.path(name), symlinks=True)

    def pushes(self, label, repo, base, version, rounds):
        """Print what a push to a server of a version costs."""
        figures = {}
        for turn in range(rounds + 1):
            for mode in MODES:
                self.restore('target', base)
                with self.server('target', version, 'plain', PUSHED) as (
                    process,
                    url,
                ):
                    before = cpu(process)
                    sent, _received, spent, wall = self.timed(
                        mode, ['-R', repo, 'push', url], ()
                    )
                    row = sent, spent, cpu(process) - before, wall
                if turn:
                    figures.setdefault(mode, []).append(row)
        self.row('%s to %s' % (label, version), figures)

    def pulls(self, label, repo, base, mode, rounds, config=()):
        """Print what a clone costs the client, or a pull onto ``base``, from a
        server of a mode."""
        figures = {}
        with self.server(repo, self.version, mode, config) as (process, url):
            for turn in range(rounds + 1):
                for client in MODES:
                    shutil.rmtree(self.path('target'), ignore_errors=True)
                    args = ['clone', '-U', url, 'target']
                    if base is not None:
                        self.restore('target', base)
                        args = ['-R', 'target', 'pull', url]
                    before = cpu(process)
                    _sent, got, spent, wall = self.timed(client, args, config)
                    row = got, spent, cpu(process) - before, wall
                    if turn:
                        figures.setdefault(client, []).append(row)
        self.row('%s from %s server' % (label, mode), figures)

    def changegroups(self, repo):
        """Print the bytes of a clone by changegroup 4 and by 3."""
        for mode in MODES:
            sizes = []
            for config in ((), (CG4,)):
                with self.server(repo, self.version, mode, config) as started:
                    shutil.rmtree(self.path('target'), ignore_errors=True)
                    args = ['clone', '-U', started[1], 'target']
                    sizes.append(self.timed('wirecomp', args, config)[1])
            self.say(
                'clone by changegroup 4, %s server: %d bytes, by 3 %d, '
                'ratio %.3f' % (mode, sizes[1], sizes[0], sizes[1] / sizes[0])
            )

    def heading(self):
        self.say(
            LINE % (
                '', 'bytes', 'wirecomp', 'ratio', 'client s', 'wirecomp',
                'ratio', 'server s', 'wirecomp', 'ratio', 'wall s',
                'wirecomp', 'ratio',
            )
        )  # fmt: skip

    def row(self, label, figures):
        """Print medians, and the median of the ratios of the pairs."""
        cells = []
        columns = zip(*(zip(*figures[mode]) for mode in MODES))
        for number, (plain, ours) in enumerate(columns):
            ratio = statistics.median(b / a for a, b in zip(plain, ours))
            form = '%.3f' if number else '%d'
            cells += [form % statistics.median(each) for each in (plain, ours)]
            cells.append('%.3f' % ratio)
        self.say(LINE % (label, *cells))


def cpu(process):
    """Return the CPU seconds of a child, as by clock_getcpuclockid(3)."""
    return time.clock_gettime((~process.pid << 3) | 2)


def large(path):
    """Write one large change of text into the working copy at ``path``."""
    rand = random.Random(1)
    with open(os.path.join(path, 'large.txt'), 'wb') as out:
        while out.tell() < LARGE:
            out.write(makerepo.row(rand))


def prepare(client):
    """Make the repositories that are pushed and pulled."""
    if os.path.exists(client.path('pushed.made')):
        return
    for name in ('pushed', 'large', 'butone', 'buthundred'):
        shutil.rmtree(client.path(name), ignore_errors=True)
    print('making repositories', flush=True)
    makerepo.make(client.path('pushed'), CHANGESETS)
    with open(client.path('pushed/.hg/hgrc'), 'w') as out:
        out.write('[phases]\npublish = no\n')
    client.run('init', 'large')
    large(client.path('large'))
    client.run('-R', 'large', 'commit', '-qAm', 'large')
    for name, rev in (('butone', 'tip^'), ('buthundred', 'tip~100')):
        node = client.node('pushed', rev)
        client.run('clone', '-q', '-U', '-r', node, 'pushed', name)
    with open(client.path('pushed.made'), 'w'):
        pass


def main(build, version):
    build = os.path.abspath(build)
    folder = os.path.join(build, 'bench')
    os.makedirs(folder, exist_ok=True)
    client = Client(build, version, folder)
    prepare(client)
    client.heading()
    for server in (version, *SERVERS):
        if not os.path.exists(client.hg(server)):
            continue
        client.pushes('5,000 changesets', 'pushed', None, server, ROUNDS)
        client.pushes('one changeset', 'pushed', 'butone', server, SHORT)
        client.pushes('10 MB of text', 'large', None, server, ROUNDS)
    for mode in MODES:
        client.pulls('clone', 'pushed', None, mode, ROUNDS)
        client.pulls('pull of 100', 'pushed', 'buthundred', mode, SHORT)
    client.changegroups('pushed')


if __name__ == '__main__':
    main(*sys.argv[1:])
