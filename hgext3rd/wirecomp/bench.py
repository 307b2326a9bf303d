# bench.py - what a repository's answers cost, measured
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Measure a full clone's answer: plain Mercurial's and wirecomp's.

Each way of answering has a server process of its own, so that CPU and memory
are those of the real answer path; they are asked in turns, so that whatever
else the machine does meets all of them.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import re
import statistics
import subprocess
import threading
import time
import urllib.parse
from typing import NamedTuple

from mercurial import encoding, error, node, util
from mercurial.i18n import _
from mercurial.utils import compression, procutil

from . import engines, keys, settings

urlreq = util.urlreq

NOWHERE = os.fsencode(os.devnull)
NULL = b'0' * 40
CAPS = b'HG20\nchangegroup=01,02,03\nstream=v2\nerror=abort'
READ = 1 << 16
# The first part of a bundle has its name within so many bytes.
ERRORAT = 100
# Servers that run at the same time: each has the memory of one.
ATONCE = 10

# What --config may set of these is measured too.
TUNED = (b'server', b'wirecomp')

PLAIN = b'plain'
WIRECOMP = b'wirecomp'
# What is asked for: a changegroup, or the store's files.
PULL = b'pull'
STREAM = b'stream'


class Case(NamedTuple):
    """One way of answering.

    ``server`` (bytes): PLAIN or WIRECOMP. ``engine`` (bytes) and ``level``
    (int, or None for its default): as configured; the client offers just this
    engine, or, with ``legacy`` (bool), reads 0.1 only. ``kind`` (bytes): PULL
    or STREAM.
    """

    server: bytes
    engine: bytes
    level: int | None
    kind: bytes = PULL
    legacy: bool = False


class Figures(NamedTuple):
    """What one answer costs: CPU seconds of the server and of a client that
    decodes it, wall seconds, seconds to the first byte, bytes of the body."""

    servercpu: float
    clientcpu: float
    wall: float
    first: float
    size: int


class Server:
    """``hg serve`` of one repository, configured for one Case."""

    def __init__(self, ui, repo, case):
        command = procutil.hgcmd() + [
            b'serve',
            b'--repository',
            repo.root,
            b'--address',
            b'127.0.0.1',
            b'--port',
            b'0',
            b'--print-url',
            b'--accesslog',
            NOWHERE,
        ]
        for item in _config(ui, case):
            command += [b'--config', item]
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, HGPLAIN='1'),
        )
        try:
            self.port = self._start()
        except BaseException:
            self.stop()
            raise
        # The CPU clock of another process, as by clock_getcpuclockid(3).
        self._clock = (~self._process.pid << 3) | 2

    def _start(self):
        """Wait for the server; return its port (int)."""
        said = []
        # Warnings may come before the address, and all ends with the server.
        for line in self._process.stdout:
            found = re.match(rb'http://.*:(\d+)/', line)
            if found:
                # What hooks print must not fill the pipe.
                threading.Thread(
                    target=self._process.stdout.read, daemon=True
                ).start()
                return int(found.group(1))
            said.append(line.strip())
        raise error.Abort(
            _(b'hg serve did not start: %s') % b'; '.join(said),
            hint=_(b'try it by hand: hg serve --repository .'),
        )

    def cpu(self):
        """Return the CPU seconds that the server has used so far (float)."""
        return time.clock_gettime(self._clock)

    def peak(self):
        """Return the most bytes of memory that it has had (int)."""
        with open('/proc/%d/status' % self._process.pid) as status:
            return int(re.search(r'VmHWM:\s+(\d+)', status.read())[1]) << 10

    def stop(self):
        """End the process."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()


def _config(ui, case):
    """Yield the configuration of the server for ``case``, as bytes."""
    for name in settings.enabledas(ui):
        yield b'extensions.%s=!' % name
    for section in TUNED:
        for name, value in ui.configitems(section):
            if ui.configsource(section, name) == b'--config':
                yield b'%s.%s=%s' % (section, name, value)
    if case.server == WIRECOMP:
        yield b'extensions.wirecomp=%s' % encoding.strtolocal(settings.HERE)
    if ui.configitems(keys.POLICY):
        # What is measured is what the case says.
        yield b'%s.wire-bench.%s=127.0.0.1' % (keys.POLICY, keys.NETWORKS)
    if case.engine:
        yield b'server.compressionengines=%s' % case.engine
        if case.level is not None:
            yield b'server.%slevel=%d' % (case.engine, case.level)
    # The whole clone, made now, whatever the repository allows and however
    # many heads it has.
    yield b'server.pullbundle=no'
    yield b'server.disablefullbundle=no'
    yield b'server.uncompressed=yes'
    yield b'experimental.httppostargs=yes'
    yield b'wirecomp.post-arguments=yes'
    yield b'web.allow-pull=yes'
    yield b'web.allow-read='
    yield b'web.certificate='
    yield b'web.ipv6=no'
    yield b'web.prefix='
    yield b'web.deny-read='


def fetch(server, heads, case):
    """Ask a Server for the whole answer of ``case`` once; return Figures.

    ``heads`` are those of the repository, in hex (list of bytes). Raises Abort
    if it is no whole answer of the kind.
    """
    body, headers = _request(heads, case)
    conn = http.client.HTTPConnection('127.0.0.1', server.port, timeout=3600)
    used, start = server.cpu(), time.monotonic()
    conn.request('POST', '/?cmd=getbundle', body, headers)
    response = conn.getresponse()
    data = [response.read(1)]
    first = time.monotonic() - start
    data.extend(iter(lambda: response.read(READ), b''))
    wall = time.monotonic() - start
    spent = server.cpu() - used
    conn.close()
    data = b''.join(data)
    if response.status != 200:
        raise _failed(_(b'the server answered %d') % response.status)
    if response.headers['Content-Type'] == 'application/hg-error':
        raise _failed(_(b'the server answered with an error'))
    decoded = _decode(response.headers['Content-Type'], data)
    return Figures(spent, decoded, wall, first, len(data))


def _failed(text):
    return error.Abort(text, hint=_(b'try hg clone from hg serve'))


def _request(heads, case):
    """Return (body, headers) of the request for the answer of ``case``."""
    raw = case.kind == STREAM
    args = [
        (b'bundlecaps', b'HG20,bundle2=' + urlreq.quote(CAPS)),
        (b'common', NULL),
        (b'heads', b' '.join(heads)),
        (b'cg', b'%d' % (not raw)),
        (b'stream', b'%d' % raw),
    ]
    body = '&'.join(
        '%s=%s' % (name.decode('ascii'), urllib.parse.quote(value))
        for name, value in args
    ).encode('ascii')
    headers = {
        'Content-Type': 'application/mercurial-0.1',
        'X-HgArgs-Post': '%d' % len(body),
    }
    if not case.legacy:
        name = compression.compengines[case.engine or b'zlib']
        name = name.wireprotosupport().name.decode('ascii')
        headers['X-HgProto-1'] = '0.1 0.2 comp=%s' % name
    return body, headers


def _decode(mediatype, data):
    """Decode an answer as a client does; return the CPU seconds of it."""
    start = time.thread_time()
    stream = io.BytesIO(data)
    name = b'zlib'
    if mediatype == 'application/mercurial-0.2':
        name = stream.read(ord(stream.read(1)))
    reader = readerof(name, stream)
    magic = reader.read(4)
    begin = reader.read(READ)
    while reader.read(READ):
        pass
    if b'error:abort' in begin[:ERRORAT].lower():
        raise _failed(_(b'the server answered with an error'))
    if magic != b'HG20':
        raise error.Abort(
            _(b'the answer is no bundle'), hint=_(b'try hg clone')
        )
    return time.thread_time() - start


def readerof(wirename, stream):
    """Return what reads the stream of an engine (bytes) from a file object,
    decoded: Mercurial's own reader where this build has it."""
    if wirename == engines.ZSTD.wirename and not plainknows(b'zstd'):
        return engines.ZSTD.module().ZstdDecompressor().stream_reader(stream)
    engine = compression.compengines.forwiretype(wirename)
    return engine.decompressorreader(stream)


def plainknows(name):
    """Return whether plain Mercurial can answer with an engine (bool)."""
    return name in compression.compengines and (
        compression.compengines[name].available()
    )


class Result(NamedTuple):
    """A Case, the medians of its Figures, and the server's peak memory in
    bytes."""

    case: Case
    figures: Figures
    peak: int


def run(ui, repo, cases, rounds):
    """Measure ``cases`` (list of Case) in turns, ``rounds`` (int) times each.

    At most ATONCE servers run at once; those of the same answer, plain and
    wirecomp, always do. Returns a list of Result in the order of ``cases``.
    """
    heads = [node.hex(head) for head in repo.filtered(b'served').heads()]
    results = {}
    total = (rounds + 1) * len(cases)
    with ui.makeprogress(_(b'measuring'), total=total) as progress:
        for batch in _batches(cases):
            with contextlib.ExitStack() as stack:
                servers = {}
                for case in batch:
                    servers[case] = Server(ui, repo, case)
                    stack.callback(servers[case].stop)
                results.update(_turns(servers, heads, rounds, progress))
    return [results[case] for case in cases]


def _medians(all):
    """Return the medians of a list of Figures."""
    *times, sizes = zip(*all)
    return Figures(*map(statistics.median, times), statistics.median_low(sizes))


def _batches(cases):
    """Yield lists of the cases, the same answers together."""
    same = {}
    for case in cases:
        same.setdefault(case._replace(server=b''), []).append(case)
    batch = []
    for pair in same.values():
        if len(batch) + len(pair) > ATONCE:
            yield batch
            batch = []
        batch += pair
    yield batch


def _turns(servers, heads, rounds, progress):
    """Return {case: Result} for {case: Server}."""
    found = {case: [] for case in servers}
    for turn in range(rounds + 1):
        for case, server in servers.items():
            figures = fetch(server, heads, case)
            # The first answer fills caches.
            if turn:
                found[case].append(figures)
            progress.increment()
    return {
        case: Result(
            case,
            _medians(found[case]),
            server.peak(),
        )
        for case, server in servers.items()
    }
