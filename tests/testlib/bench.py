#!/usr/bin/env python3
"""Measure what wirecomp saves, against plain Mercurial in the same run.

    bench.py BUILD VERSION [REPOSITORY]

Without a repository it makes three: source-like text with merges and renames,
large files that a program wrote, many small files in deep directories. For
each it writes BUILD/bench/NAME.json and NAME.svg, and prints tables, which are
in BUILD/bench/tables.txt too. Nothing passes or fails by it. To be run by the
Python of BUILD/hg-VERSION.
"""

import contextlib
import http.client
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

import zstandard

import benchreplies

from hgext3rd.wirecomp import engines, negotiation, stream, zlibs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = (('source', 3000), ('machine', 800), ('small', 3000))
ROUNDS = '5'
SMALL = 15
ENVIRON = dict(os.environ, HGRCPATH=os.devnull, HGPLAIN='1', PYTHONPATH=ROOT)
SWITCH = {'plain': '!', 'wirecomp': ''}
NULL = '0' * 40
# What is asked for eight times at once.
EIGHT = (
    ('zstd', 1), ('zstd', 3), ('zstd', 9),
    ('zlib', 1), ('zlib', -1), ('none',), ('stream',),
)  # fmt: skip
CONFIGURED = {'stream': 'zstd'}
LONGQUEUE = 'wirecomp.queue-timeout=600'
LINE = '%-16s %5s  %12s %12s %6s  %8s %8s %6s  %5s %5s MB'


class Bench:
    """The benchmark on one machine, with one hg."""

    environ = ENVIRON

    def __init__(self, hg, folder):
        self.hg = hg
        self.folder = folder
        self.out = open(os.path.join(folder, 'tables.txt'), 'w')

    def say(self, text=''):
        print(text, flush=True)
        self.out.write(text + '\n')
        self.out.flush()

    def run(self, *args, **kwargs):
        return subprocess.run(
            [self.hg, *args], env=ENVIRON, check=True, **kwargs
        )

    def answers(self, repo, name):
        """Print the table of a repository's answers; write json and plot."""
        said = self.run(
            '-R', repo,
            '--config', 'extensions.wirecomp=',
            'admin::wire-bench', '--rounds', ROUNDS, '-T', 'json',
            '--plot', os.path.join(self.folder, name + '.svg'),
            stdout=subprocess.PIPE,
        )  # fmt: skip
        with open(os.path.join(self.folder, name + '.json'), 'wb') as out:
            out.write(said.stdout)
        rows = json.loads(said.stdout)
        count = self.run(
            '-R', repo, 'log', '-r', 'all()', '-T', '.', stdout=subprocess.PIPE
        )
        self.say('\n%s, %d changesets' % (name, len(count.stdout)))
        self.say(
            LINE % (
                'answer', 'level', 'bytes plain', 'wirecomp', 'ratio',
                'server', 'wirecomp', 'ratio', 'peak', 'peak',
            )
        )  # fmt: skip
        plain = {key(row): row for row in rows if row['server'] == 'plain'}
        for row in rows:
            base = plain.get(key(row))
            if row['server'] == 'plain' or base is None:
                continue
            self.say(LINE % (answer(row), *both(base, row)))

    def server(self, mode, repo, *config, accesslog=os.devnull):
        """Return a started (process, port)."""
        args = [self.hg, 'serve', '-R', repo, '--port', '0', '--print-url']
        for item in ('extensions.wirecomp=' + SWITCH[mode], *config):
            args += ['--config', item]
        process = subprocess.Popen(
            [*args, '--accesslog', accesslog],
            env=ENVIRON,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        url = process.stdout.readline().decode()
        return process, int(re.search(r':(\d+)/', url)[1])

    @contextlib.contextmanager
    def servers(self, repo, *config):
        started = {}
        try:
            for mode in SWITCH:
                started[mode] = self.server(mode, repo, *config)
            yield started
        finally:
            for process, _port in started.values():
                process.kill()
                process.wait()

    def noops(self, repo):
        """Print the wall time of a pull and a push that move nothing."""
        target = os.path.join(self.folder, 'noop')
        shutil.rmtree(target, ignore_errors=True)
        self.run('clone', '-q', '-U', repo, target)
        config = ('web.push_ssl=no', 'web.allow-push=*')
        walls = {}
        with self.servers(repo, *config) as started:
            for turn in range(SMALL + 1):
                for mode, (_process, port) in started.items():
                    url = 'http://127.0.0.1:%d/' % port
                    for command in ('pull', 'push'):
                        start = time.monotonic()
                        ran = subprocess.run(
                            [self.hg, '-R', target, command, '-q', url],
                            env=ENVIRON,
                        )
                        # A push without anything to push says 1.
                        if ran.returncode > (command == 'push'):
                            sys.exit('%s from %s failed' % (command, mode))
                        if turn:
                            wall = time.monotonic() - start
                            walls.setdefault((command, mode), []).append(wall)
        shutil.rmtree(target)
        for command in ('pull', 'push'):
            plain, ours = (
                statistics.median(walls[command, mode]) * 1000
                for mode in SWITCH
            )
            self.say(
                'no-op %s: wall %.0f ms, wirecomp %.0f ms, ratio %.2f'
                % (command, plain, ours, ours / plain)
            )

    def writes(self, repo):
        """Print how many writes a stream clone and ``none`` make per MB."""
        log = os.path.join(self.folder, 'writes.log')
        config = (
            'extensions.countwrites=%s/countwrites.py' % HERE,
            'countwrites.file=' + log,
            'server.compressionengines=zstd, zlib, none',
        )
        found = {}
        with self.servers(repo, *config) as started:
            for mode, (_process, port) in started.items():
                for name in ('stream', 'zstd', 'zlib', 'none'):
                    with contextlib.suppress(OSError):
                        os.unlink(log)
                    body = clone(port, name)
                    with open(log) as lines:
                        total = sum(map(int, lines))
                    found[name, mode] = total / len(body) * 1e6
        for name in ('stream', 'zstd', 'zlib', 'none'):
            self.say(
                'writes to the socket per MB, %s: %.1f, wirecomp %.1f'
                % (name, found[name, 'plain'], found[name, 'wirecomp'])
            )

    def eight(self, repo, name, level=None):
        """Print the server's peak memory with eight clones at once."""
        config = ['server.compressionengines=' + CONFIGURED.get(name, name)]
        if level is not None:
            config.append('server.%slevel=%d' % (name, level))
        peaks = []
        with self.servers(repo, *config) as started:
            for process, port in started.values():
                # The first requests of a server must not come together.
                clone(port, name)
                threads = [
                    threading.Thread(target=clone, args=(port, name))
                    for _ in range(8)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                with open('/proc/%d/status' % process.pid) as status:
                    peak = re.search(r'VmHWM:\s+(\d+)', status.read())[1]
                peaks.append(int(peak) / 1024)
        label = name if level is None else '%s %d' % (name, level)
        self.say(
            'eight clones at once, %s: peak %.0f MB, wirecomp %.0f MB'
            % (label, *peaks)
        )

    def checksum(self, repo):
        """Print what the checksum of a stream clone costs the server."""
        spent, lengths = {}, {}
        with contextlib.ExitStack() as stack:
            servers = {}
            for value in ('no', 'yes'):
                started = self.server(
                    'wirecomp', repo, 'wirecomp.stream-checksum=' + value
                )
                servers[value] = started
                stack.callback(started[0].kill)
            for _turn in range(SMALL + 1):
                for value, (process, port) in servers.items():
                    before = cpu(process)
                    lengths[value] = len(clone(port, 'stream'))
                    spent.setdefault(value, []).append(cpu(process) - before)
        # The first of each loads what the others use.
        off, on = (statistics.median(spent[v][1:]) for v in ('no', 'yes'))
        self.say(
            'stream clone: server %.3f s, with checksum %.3f s, ratio %.2f, '
            'bytes %.4f' % (off, on, on / off, lengths['yes'] / lengths['no'])
        )

    def journal(self, repo):
        """Print what the log of responses costs the smallest of requests."""
        log = os.path.join(self.folder, 'journal.json')
        configs = {'without': (), 'with': ('wirecomp.log=' + log,)}
        spent, rates = {}, {}
        with contextlib.ExitStack() as stack:
            servers = {}
            for name, config in configs.items():
                started = self.server('wirecomp', repo, *config)
                servers[name] = started
                stack.callback(started[0].kill)
            for turn in range(SMALL * 2):
                for name, (process, port) in servers.items():
                    before, start = cpu(process), time.monotonic()
                    many = asked(port, 200)
                    if turn:
                        took = (time.monotonic() - start) / many
                        rates.setdefault(name, []).append(1 / took)
                        took = (cpu(process) - before) / many
                        spent.setdefault(name, []).append(took)
        os.unlink(log)
        off, on = (statistics.median(spent[name]) for name in configs)
        slow, fast = (statistics.median(rates[name]) for name in configs)
        self.say(
            'heads, log of responses: %.1f us of CPU, with it %.1f us, '
            'ratio %.3f; %.0f requests/s, with it %.0f, ratio %.3f'
            % (off * 1e6, on * 1e6, on / off, slow, fast, fast / slow)
        )

    def many(self, repo, count, *config):
        """Print how long others wait while many clones are made, and the peak
        memory; every clone is verified."""
        folder = os.path.join(self.folder, 'many')
        for mode in SWITCH:
            if config and mode == 'plain':
                continue
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            process, port = self.server(mode, repo, *config)
            url = 'http://127.0.0.1:%d/' % port
            # The first requests of a server must not come together.
            clone(port, 'zstd')
            clients = [
                subprocess.Popen(
                    [self.hg, 'clone', '-q', '-U', url, str(number)],
                    cwd=folder,
                    env=ENVIRON,
                    stderr=subprocess.DEVNULL,
                )
                for number in range(count)
            ]
            waits = []
            while any(client.poll() is None for client in clients):
                waits.append(spentwall(heads, url))
                time.sleep(0.02)
            with open('/proc/%d/status' % process.pid) as status:
                peak = re.search(r'VmHWM:\s+(\d+)', status.read())[1]
            process.kill()
            good = sum(
                not client.returncode
                and not subprocess.call(
                    [self.hg, '-R', str(number), 'verify', '-q'],
                    cwd=folder,
                    env=ENVIRON,
                    stderr=subprocess.DEVNULL,
                )
                for number, client in enumerate(clients)
            )
            self.say(
                '%d clones at once, %s: %d verified, heads meanwhile %.1f ms, '
                'peak %d MB'
                % (
                    count,
                    ' '.join((mode, *config)),
                    good,
                    statistics.median(waits) * 1000,
                    int(peak) >> 10,
                )
            )
        shutil.rmtree(folder)

    def memory(self):
        """Print the most that an answer by zstd takes, by window and level."""
        for megabytes in (8, 32, 128):
            tuning = engines.Tuning(zstdwindow=megabytes * engines.MB)
            self.say(
                'memory of an answer, zstd, window %d MB: %s'
                % (megabytes, _memories(tuning, None))
            )
        self.say(
            'memory of an answer of 1 MB, zstd: %s'
            % _memories(engines.Tuning(), stream.SHORT)
        )

    def share(self, repo):
        """Print what encoding costs beside the bare library calls."""
        bundle = os.path.join(self.folder, 'bundle.hg')
        self.run('-R', repo, 'bundle', '-q', '--all', '-t', 'none-v2', bundle)
        with open(bundle, 'rb') as fp:
            chunks = list(iter(lambda: fp.read(32768) or fp.read(4), b''))
        os.unlink(bundle)
        for engine in (engines.ZSTD, engines.ZLIB):
            level = engine.defaultlevel
            bare, whole = [], []
            for _ in range(7):
                bare.append(spent(barely, engine, level, chunks))
                whole.append(spent(encode, engine, level, chunks))
            bare, whole = statistics.median(bare), statistics.median(whole)
            self.say(
                'encoding, %s %s: library %.3f s, wirecomp %.3f s, ratio %.3f'
                % (engine.name.decode(), level, bare, whole, whole / bare)
            )


def _memories(tuning, size):
    return ', '.join(
        'level %d %.1f MB'
        % (level, engines.ZSTD.memory(level, tuning, size) / 1e6)
        for level in (1, 3, 9, 19, 22)
    )


def cpu(process):
    """Return the CPU seconds of a child, as by clock_getcpuclockid(3)."""
    return time.clock_gettime((~process.pid << 3) | 2)


def asked(port, count):
    """Ask for the heads so many times on one connection; return ``count``."""
    conn = http.client.HTTPConnection('127.0.0.1', port)
    for _ in range(count):
        conn.request('GET', '/?cmd=heads')
        conn.getresponse().read()
    conn.close()
    return count


def heads(url):
    """Ask what touches nothing and is the shortest of all."""
    with urllib.request.urlopen(url + '?cmd=heads') as answered:
        return answered.read()


def spentwall(function, *args):
    start = time.monotonic()
    function(*args)
    return time.monotonic() - start


def spent(function, *args):
    start = time.process_time()
    function(*args)
    return time.process_time() - start


def barely(engine, level, chunks):
    """Compress with the library alone, as one would by hand."""
    compressor = engine.compressor(level, engines.Tuning())
    made = [compressor.compress(chunk) for chunk in chunks]
    made.append(compressor.finish())


def encode(engine, level, chunks):
    encoding = negotiation.Encoding(negotiation.MEDIATYPE2, engine, level, b'')
    for _ in stream.encode(iter(chunks), encoding):
        pass


def clone(port, name):
    """Ask for the whole repository as raw HTTP; return the body."""
    url = 'http://127.0.0.1:%d/' % port
    nodes = heads(url).decode().split()
    caps = 'HG20%250Achangegroup%253D02%250Astream%253Dv2'
    request = urllib.request.Request(
        url + '?cmd=getbundle',
        headers={
            'X-HgArg-1': 'bundlecaps=HG20%%2Cbundle2%%3D%s&common=%s&heads=%s'
            '&cg=%d&stream=%d'
            % (caps, NULL, '+'.join(nodes), name != 'stream', name == 'stream'),
            'X-HgProto-1': '0.1 0.2 comp=' + CONFIGURED.get(name, name),
        },
    )
    with urllib.request.urlopen(request) as answered:
        return answered.read()


def key(row):
    return row['kind'], row['legacy'], row['engine'], row['level']


def answer(row):
    if row['kind'] == 'pull':
        return row['engine']
    return 'stream, legacy' if row['legacy'] else 'stream'


def both(base, row):
    """Return the cells of a row: plain's figures, wirecomp's, ratios."""
    level = row['level']
    return (
        '-' if level is None else level,
        f'{base["bytes"]:,}',
        f'{row["bytes"]:,}',
        '%.3f' % (row['bytes'] / base['bytes']),
        '%.3f s' % base['servercpu'],
        '%.3f s' % row['servercpu'],
        '%.3f' % (row['servercpu'] / base['servercpu']),
        '%.0f' % base['memory'],
        '%.0f' % row['memory'],
    )


def machine(version):
    with open('/proc/cpuinfo') as info:
        model = re.search(r'model name\s*:\s*(.*)', info.read())
    names = [
        name.decode()
        for name in (b'zlib-ng', b'isal')
        if zlibs.backend(name) is not None
    ]
    return (
        '%s: Mercurial %s, Python %s, zstandard %s, %s; %s, %d processors'
        % (
            time.strftime('%Y-%m-%d'),
            version,
            platform.python_version(),
            zstandard.__version__,
            ' and '.join(names) or 'no faster zlib',
            model[1] if model else platform.machine(),
            os.cpu_count(),
        )
    )


def main(build, version, repo=''):
    build = os.path.abspath(build)
    folder = os.path.join(build, 'bench')
    os.makedirs(folder, exist_ok=True)
    bench = Bench(os.path.join(build, 'hg-' + version, 'bin', 'hg'), folder)
    bench.say(machine(version))
    repos = [(os.path.basename(os.path.abspath(repo)), repo)] if repo else []
    for kind, changesets in () if repo else KINDS:
        path = os.path.join(folder, kind)
        if not os.path.exists(path + '.made'):
            print('making a repository: ' + kind, flush=True)
            shutil.rmtree(path, ignore_errors=True)
            subprocess.run(
                [
                    sys.executable, os.path.join(HERE, 'makerepo.py'),
                    path, str(changesets), kind,
                ],
                env=ENVIRON,
                check=True,
            )  # fmt: skip
            with open(path + '.made', 'w'):
                pass
        repos.append((kind, path))
    for name, path in repos:
        bench.answers(path, name)
    bench.say()
    bench.noops(repos[0][1])
    bench.writes(repos[0][1])
    for answer in EIGHT:
        bench.eight(repos[0][1], *answer)
    bench.checksum(repos[0][1])
    for count in (8, 64):
        bench.many(repos[0][1], count)
    bench.many(repos[0][1], 64, 'wirecomp.max-clients=8', LONGQUEUE)
    bench.journal(repos[0][1])
    benchreplies.report(bench, cpu)
    bench.share(repos[0][1])
    bench.memory()


if __name__ == '__main__':
    main(*sys.argv[1:])
