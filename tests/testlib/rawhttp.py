"""Answers of an HTTP server, read strictly from a socket, and what /proc says
of its process. Used by the tools that play hostile peers."""

import os
import re
import socket
import time

TOKEN = re.compile(rb"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
# What may stand in a header's value, and in an error that people read.
VALUE = re.compile(rb'^[\t\x20-\x7e\x80-\xff]*$')
CONTROLS = re.compile(rb'[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]')
SIZE = re.compile(rb'^[0-9a-fA-F]+$')
BODILESS = (204, 304)
# By how much a server may grow (bytes).
GROWTH = 30 << 20


class Malformed(Exception):
    """The server sent what is no HTTP."""


class Cut(Exception):
    """The connection ended within an answer, or before one."""


class Hang(Exception):
    """No byte came for as long as we were willing to wait."""


class Answer:
    """One answer: ``status`` (int, 0 for one without a head), ``headers``
    (dict of lower-case bytes), ``body`` (bytes), ``closes`` (bool)."""

    def __init__(self, status, headers):
        self.status = status
        self.headers = headers
        self.body = b''
        self.closes = headers.get(b'connection', b'').lower() == b'close'

    def kind(self):
        return self.headers.get(b'content-type', b'').split(b';')[0]


class Connection:
    """A client's end, with answers read one after the other.

    Takes a port of this machine (int) and the longest silence (seconds).
    """

    def __init__(self, port, patience=15):
        self.sock = socket.create_connection(('127.0.0.1', port), patience)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b''

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.sock.close()

    def send(self, data):
        """Send bytes; return whether the server took them all (bool)."""
        try:
            self.sock.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False
        except socket.timeout:
            raise Hang('the request is not read') from None

    def finish(self):
        """Say that nothing more will be sent."""
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def more(self):
        """Read more bytes into the buffer; return False at the end."""
        try:
            data = self.sock.recv(1 << 16)
        except (ConnectionResetError, BrokenPipeError):
            return False
        except socket.timeout:
            raise Hang('no byte came') from None
        self.buffer += data
        return bool(data)

    def line(self):
        while b'\n' not in self.buffer:
            if len(self.buffer) > 1 << 17:
                raise Malformed('an endless line')
            if not self.more():
                raise Cut('cut within a line')
        line, self.buffer = self.buffer.split(b'\n', 1)
        if line[-1:] != b'\r' or b'\r' in line[:-1]:
            raise Malformed('bad end of line: %r' % line[:80])
        return line[:-1]

    def take(self, size):
        """Return ``size`` (int) bytes."""
        parts, missing = [], size
        while True:
            part, self.buffer = self.buffer[:missing], self.buffer[missing:]
            parts.append(part)
            missing -= len(part)
            if not missing:
                return b''.join(parts)
            if not self.more():
                raise Cut('cut within a body')

    def rest(self):
        """Return all bytes up to the end of the connection."""
        while self.more():
            pass
        data, self.buffer = self.buffer, b''
        return data

    def answer(self, method=b'GET', headless=False):
        """Return the next Answer, of a request with this method (bytes).

        ``headless`` allows one without status line and headers, as Python's
        servers give to a request line that they can't read.
        """
        if not self.buffer and not self.more():
            raise Cut('cut before an answer')
        while len(self.buffer) < 5 and self.more():
            pass
        if headless and self.buffer[:5] != b'HTTP/':
            answer = Answer(0, {b'connection': b'close'})
            answer.body = self.rest()
            return answer
        answer = self._head()
        while 100 <= answer.status < 200:
            answer = self._head()
        if method != b'HEAD' and answer.status not in BODILESS:
            answer.body = self._body(answer)
        return answer

    def _head(self):
        line = self.line()
        found = re.match(rb'^HTTP/1\.[01] ([1-5]\d\d) ', line)
        if not found or not VALUE.match(line):
            raise Malformed('bad status line: %r' % line[:80])
        headers = {}
        while True:
            line = self.line()
            if not line:
                return Answer(int(found.group(1)), headers)
            name, colon, value = line.partition(b':')
            if not (colon and TOKEN.match(name) and VALUE.match(value)):
                raise Malformed('bad header: %r' % line[:80])
            name = name.lower()
            if name in headers and name in (
                b'content-length',
                b'transfer-encoding',
            ):
                raise Malformed('header given twice: %r' % line[:80])
            headers[name] = value.strip()

    def _body(self, answer):
        length = answer.headers.get(b'content-length')
        if answer.headers.get(b'transfer-encoding') == b'chunked':
            if length is not None:
                raise Malformed('chunked, and a Content-Length')
            return self._chunks()
        if length is not None:
            if not length.isdigit():
                raise Malformed('Content-Length %r' % length)
            return self.take(int(length))
        answer.closes = True
        return self.rest()

    def _chunks(self):
        parts = []
        while True:
            line = self.line()
            if not SIZE.match(line):
                raise Malformed('bad size of a chunk: %r' % line[:80])
            size = int(line, 16)
            parts.append(self.take(size))
            if self.line():
                raise Malformed('a chunk longer than it says')
            if not size:
                return b''.join(parts)


def ask(port, target, patience=10, headers=b''):
    """Return the Answer to one GET on a connection of its own.

    ``target`` is the path and query (bytes); ``headers`` whole lines (bytes).
    """
    with Connection(port, patience) as conn:
        conn.send(
            b'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n'
            % (target, headers)
        )
        return conn.answer()


class Usage:
    """What a process holds: ``memory`` (bytes), ``threads``, ``files``."""

    def __init__(self, pid):
        with open('/proc/%d/status' % pid) as status:
            said = dict(line.split(':', 1) for line in status)
        self.memory = int(said['VmRSS'].split()[0]) << 10
        self.threads = int(said['Threads'])
        self.files = len(os.listdir('/proc/%d/fd' % pid))

    def __str__(self):
        return '%d MB, %d threads, %d descriptors' % (
            self.memory >> 20,
            self.threads,
            self.files,
        )


def settled(pid, before, allowed, patience=10):
    """Return the Usage of a process as soon as it has no more threads than
    ``before`` (Usage) and no more files than ``allowed``, or after so many
    seconds."""
    deadline = time.monotonic() + patience
    while True:
        now = Usage(pid)
        fits = now.threads <= before.threads and now.files <= allowed
        if fits or time.monotonic() > deadline:
            return now
        time.sleep(0.1)


class Flat:
    """Whether a process (pid, or None for none) stays as it is now.

    For each that it serves at once it keeps a repository, which can hold two
    files open; for each of ``peers`` (int) that may be two, since one may be
    gone before the server has noticed. Memory counts from the last
    ``warmed()`` on; afterwards ``words()`` says what became of it, and
    ``good`` whether that is well.
    """

    def __init__(self, pid, peers):
        self.pid = pid
        self.before = pid and Usage(pid)
        self.files = self.before and self.before.files + 4 * peers
        self.memory = self.before and self.before.memory
        self.good = True

    def warmed(self):
        if self.pid:
            self.memory = Usage(self.pid).memory

    def words(self):
        """Return what to say (str)."""
        if not self.pid:
            return 'memory not measured'
        now = settled(self.pid, self.before, self.files)
        self.good = False
        if now.threads > self.before.threads or now.files > self.files:
            return 'left over: %s, before: %s' % (now, self.before)
        if now.memory - self.memory >= GROWTH:
            return 'memory grown by %d MB' % ((now.memory - self.memory) >> 20)
        self.good = True
        return 'memory flat'
