# journal.py - what the operator is told
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""One event for each response, and what is wrong with the configuration."""

from __future__ import annotations

import collections
import contextlib
import datetime
import errno
import json
import os
import threading
import time

from mercurial import util
from mercurial.utils import stringutil

from . import compat, metrics

# How many different complaints a process remembers. Beyond that the oldest is
# forgotten, and may be made again.
TOLDMAX = 1024
# The most of what a peer says of itself that is kept (bytes).
AGENTMAX = 256

COMPLETE, HUNGUP, FAILED = 'complete', 'hung-up', 'failed'

# The most files that a process has open to append to.
OPENMAX = 16
# Windows has none.
CLOEXEC = getattr(os, 'O_CLOEXEC', 0)

_encode = json.JSONEncoder(separators=(',', ':')).encode

_told = util.lrucachedict(TOLDMAX)
_toldlock = threading.Lock()


def complain(ui, environ, problems):
    """Log each of ``problems`` (reading.Problem), once per process.

    They go to the error log of the WSGI server, since what a daemon writes to
    its standard error is lost, and to ``ui.log``. ``environ`` is the WSGI
    environment, with bytes keys; ``ui`` may be None, for what is wrong with
    logging itself.
    """
    for problem in problems:
        line = problem.line
        with _toldlock:
            known = line in _told
            _told[line] = True
        if not known:
            # A full disk under the error log must not fail the request.
            with contextlib.suppress(Exception):
                compat.writeerror(environ, line)
            if ui is not None:
                ui.log(b'wirecomp', b'%s\n', line)


class Entry:
    """What is known of one response, from the begin of its making (SPEC 9).

    Takes the ui, core's parsedrequest, the command (bytes) and the
    settings.Settings. ``encoding`` is the negotiation.Encoding of a stream, or
    None. ``source``
    (int) counts bytes before, ``wire`` after encoding. ``error`` (str or
    None) names the exception for which the response failed.
    """

    def __init__(self, ui, req, cmd, effective):
        self._ui = ui
        self._paths = effective.paths
        self._client = effective.client or req.remotehost
        self._req = req
        self._cmd = cmd
        self._start = time.monotonic()
        self._cpu = -time.thread_time()
        self.encoding = None
        self.source = self.wire = 0
        self.first = None
        self.error = None

    def counted(self, chunks):
        """Yield ``chunks``, the source of a stream, counting their bytes."""
        for chunk in chunks:
            self.source += len(chunk)
            yield chunk

    def follow(self, res):
        """Log the response ``res`` (core's wsgiresponse) once it was sent."""
        self._cpu += time.thread_time()

        def sendresponse():
            # Else it would hold itself.
            del res.sendresponse
            return self._sent(res)

        res.sendresponse = sendresponse

    def _sent(self, res):
        outcome = FAILED
        try:
            yield from self._pieces(res.sendresponse())
            outcome = FAILED if self.error else COMPLETE
        except GeneratorExit:
            outcome = FAILED if self.error else HUNGUP
            raise
        except Exception as inst:
            self.error = self.error or type(inst).__name__
            raise
        finally:
            # No logger of the operator's may harm an answer.
            with contextlib.suppress(Exception):
                self._log(res, outcome)

    def _pieces(self, pieces):
        """Yield ``pieces``, of bytes, counting the CPU that they take."""
        while True:
            begin = time.thread_time()
            try:
                piece = next(pieces, None)
            finally:
                self._cpu += time.thread_time() - begin
            if piece is None:
                return
            if self.first is None:
                self.first = time.monotonic() - self._start
            self.wire += len(piece)
            yield piece

    def _log(self, res, outcome):
        ui = self._ui
        if not (self._paths.log or self._paths.metrics):
            words = _Words(lambda: self._record(res, outcome))
            ui.log(b'wirecomp', b'%s\n', words)
            return
        record = self._record(res, outcome)
        ui.log(b'wirecomp', b'%s\n', _Words(lambda: record))
        if self._paths.log:
            _append(self._req.rawenv, self._paths, record)
        if self._paths.metrics:
            failure = metrics.count(self._paths.metrics, record)
            if failure is not None:
                problem = self._paths.unwritable('metrics', failure)
                complain(None, self._req.rawenv, [problem])

    def _record(self, res, outcome):
        """Return what is logged (dict of str)."""
        req, encoding = self._req, self.encoding
        now = datetime.datetime.now(datetime.timezone.utc)
        now = now.isoformat(timespec='milliseconds')
        record = {
            'time': now.replace('+00:00', 'Z'),
            'repo': _text(req.apppath) or '/',
            'command': _text(self._cmd),
            'address': _text(self._client) or None,
            'user': _text(req.remoteuser) or None,
            'agent': _text(req.headers.get(b'User-Agent'))[:AGENTMAX] or None,
            'status': int(res.status.split(None, 1)[0]),
            'mediatype': _text(res.headers.get(b'Content-Type')),
            'engine': None,
            'level': None,
            'reason': None,
            'source': self.source if encoding else self.wire,
            'wire': self.wire,
            'cpu': round(self._cpu, 6),
            'wall': round(time.monotonic() - self._start, 6),
            'first': None if self.first is None else round(self.first, 6),
            'outcome': outcome,
        }
        if encoding:
            record['engine'] = _text(encoding.engine.wirename)
            record['level'] = encoding.level
            record['reason'] = _text(encoding.reason)
        if outcome == FAILED:
            record['error'] = self.error
        return record


def _text(value):
    """Return bytes, or None, as str; what is no UTF-8 is escaped."""
    return (value or b'').decode('utf-8', 'backslashreplace')


class _Words:
    """A record (a function that returns it) in one line for the log, made when
    a logger wants it.

    Example::

        getbundle: application/mercurial-0.1, engine zlib, level -1: no common
        engine; 5000 of 20000 bytes, cpu 0.010 s, wall 0.020 s, complete
    """

    def __init__(self, record):
        self._record = record

    def __bytes__(self):
        record = self._record()
        words = '%(command)s: %(mediatype)s' % record
        if record['engine']:
            level = '-' if record['level'] is None else record['level']
            words += ', engine %s, level %s: %s' % (
                record['engine'],
                level,
                record['reason'],
            )
        words += '; %(wire)d of %(source)d bytes' % record
        words += ', cpu %(cpu).3f s, wall %(wall).3f s, %(outcome)s' % record
        if record['outcome'] == FAILED:
            words += ' (%s)' % record['error']
        return stringutil.escapestr(words.encode('utf-8'))


def _append(environ, paths, record):
    """Append ``record`` as a line to the log of ``paths`` (reading.Paths).

    What goes wrong is told once.
    """
    line = _encode(record).encode('ascii') + b'\n'
    try:
        _files.append(paths.log, line)
    except (OSError, ValueError) as inst:
        complain(None, environ, [paths.unwritable('log', inst)])


class _Files:
    """Files that lines are appended to, each by one write: those of other
    threads and processes stay whole."""

    def __init__(self):
        self._lock = threading.Lock()
        # Path to (descriptor, which file it is).
        self._open = collections.OrderedDict()

    def append(self, path, line):
        """Append ``line`` (bytes) to the file at ``path`` (bytes), which is
        made anew if it was moved away. Raises OSError."""
        with self._lock:
            written = os.write(self._descriptor(path), line)
        if written < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _descriptor(self, path):
        descriptor, known = self._open.get(path, (None, None))
        if descriptor is not None:
            with contextlib.suppress(FileNotFoundError):
                if _which(os.stat(path)) == known:
                    return descriptor
            del self._open[path]
            os.close(descriptor)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | CLOEXEC
        descriptor = os.open(path, flags, 0o640)
        self._open[path] = descriptor, _which(os.fstat(descriptor))
        if len(self._open) > OPENMAX:
            os.close(self._open.popitem(last=False)[1][0])
        return descriptor


def _which(stat):
    return stat.st_dev, stat.st_ino


_files = _Files()
