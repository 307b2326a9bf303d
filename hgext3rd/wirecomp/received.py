# received.py - what a client is answered, decoded and counted
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Answers of a server as a client reads them: sizes, and clear failures."""

from __future__ import annotations

import contextlib
import socket

from mercurial import error, util
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import engines

urlerr = util.urlerr

# How much is read at once where all of an answer is wanted.
PIECE = 128 << 10

# Commands whose answers are read in pieces whose lengths are known; readers of
# a ready-made bundle, which is compressed by itself, ask for engines.READ bytes
# and take what there is.
EXACT = frozenset(
    [b'getbundle', b'changegroup', b'changegroupsubset', b'stream_out']
)

# How an answer in application/mercurial-0.2 begins, and none in 0.1.
LABELS = (b'\4zstd', b'\4zlib', b'\4none')

AGAIN = _(
    b'try again; if it stays so, look at the log of the server and at the '
    b'proxies on the way'
)
WHERE = _(
    b'look whether the URL is right; if it is, look at the log of the server '
    b'and at the proxies on the way'
)
DAMAGED = _(b'damaged on the way, or by the server: %s') % AGAIN


class Answer:
    """One answer of a server: what it is, and how long.

    ``command`` (bytes). ``mediatype`` (bytes or None). ``engine`` (bytes, or
    None where nothing was compressed): by its wire name. ``wire`` and
    ``decoded`` (int): bytes of the body read so far, and what they became.
    """

    def __init__(self, command):
        self.command = command
        self.mediatype = None
        self.engine = None
        self.wire = self.decoded = 0
        # Bytes before the body proper: the name of the engine.
        self.header = 0


class Session:
    """What one peer was answered, and what it sent.

    ``sent`` is (engine, wire bytes, bytes before) of the last push, or None.
    """

    def __init__(self):
        self.sent = None
        self._answer = None
        self._engines = set()
        self._wire = self._decoded = 0

    def begin(self, ui, answer):
        """Count ``answer``, after the one that was being read."""
        self.settle(ui)
        self._answer = answer

    def settle(self, ui):
        """End the answer that was being read; ``ui`` gets its debug line."""
        answer, self._answer = self._answer, None
        if answer is None:
            return
        if answer.engine is None:
            answer.decoded = answer.wire - answer.header
        ui.debug(
            b'wirecomp: %s: %s, engine %s, %d bytes for %d\n'
            % (
                answer.command,
                answer.mediatype or b'no media type',
                answer.engine or b'none',
                answer.wire,
                answer.decoded,
            )
        )
        self._wire += answer.wire
        self._decoded += answer.decoded
        if answer.engine is not None:
            self._engines.add(answer.engine)

    def note(self, ui):
        """Tell ``ui``, if it is verbose, what went over the wire."""
        self.settle(ui)
        if self.sent is not None:
            engine, wire, whole = self.sent
            self.sent = None
            ui.note(_(b'(sent %s)\n') % _sizes(engine, wire, whole))
        elif self._wire:
            engines = b', '.join(sorted(self._engines))
            sizes = _sizes(engines, self._wire, self._decoded)
            ui.note(_(b'(received %s)\n') % sizes)
        self._engines = set()
        self._wire = self._decoded = 0


def _sizes(engine, wire, whole):
    if not engine or not whole:
        return _(b'%d bytes, not compressed') % wire
    words = (wire, whole, engine, wire / whole)
    return _(b'%d bytes for %d, engine %s, ratio %.2f') % words


class Source:
    """An HTTP response (of core's keepalive) whose body is counted.

    What can go wrong while it is read is an Abort with a hint.
    """

    def __init__(self, response, answer):
        self._response = response
        self._answer = answer
        self._begin = b''
        self.plain = False

    def begun(self):
        """Return what was read until now (bytes): of a body in
        application/mercurial-0.2 the header, as core reads it by itself."""
        begin, self._begin = self._begin, None
        return begin

    def __getattr__(self, name):
        return getattr(self._response, name)

    def read(self, *size):
        """As of a file; raises RemoteError, or core's Abort with its hint."""
        with explained(self._answer.command):
            data = self._response.read(*size)
        if self.plain and not self._answer.wire and data.startswith(LABELS):
            raise relabelled(self._answer)
        self._answer.wire += len(data)
        if self._begin is not None:
            self._begin += data
        if size and size[0] and len(data) < size[0]:
            self._ended(len(data), size[0])
        return data

    def readline(self, *size):
        """As of a file; raises as ``read``."""
        with explained(self._answer.command):
            data = self._response.readline(*size)
        self._answer.wire += len(data)
        return data

    def __iter__(self):
        # As extensions may read a stream; not found by ``__getattr__``.
        return iter(self.readline, b'')

    def _ended(self, got, wanted):
        """Raise if this is too early for the end, of bytes (int)."""
        # What Content-Length promised and did not come.
        missing = getattr(self._response, 'length', None)
        exact = self.plain and self._answer.command in EXACT
        if missing or exact and 0 < got < wanted < engines.READ:
            raise tooearly(self._answer)


class Reader:
    """The decoded body of an answer, as a file to read.

    Takes core's reader for the engine (with ``read(size)`` alone), the Source
    below it, and the Answer. Damage, and an end before the end of the
    compressed stream, are RemoteError, a kind of Abort, with a hint.
    """

    def __init__(self, reader, source, answer):
        self._reader = reader
        self._source = source
        self._answer = answer

    def read(self, size=-1):
        """Return ``size`` bytes, fewer at the end; all for None or -1."""
        if size is None or size < 0:
            return b''.join(iter(lambda: self.read(PIECE), b''))
        try:
            data = self._reader.read(size)
        except error.Abort:
            raise
        except Exception as inst:
            # Each engine has an exception of its own, of no common base.
            raise self._damaged(inst) from inst
        self._answer.decoded += len(data)
        if len(data) < size and getattr(self._reader, '_eof', True) is False:
            raise tooearly(self._answer)
        return data

    def readline(self):
        """Return the bytes up to the next newline, with it."""
        line = b''
        while not line.endswith(b'\n'):
            byte = self.read(1)
            if not byte:
                break
            line += byte
        return line

    def close(self):
        """End reading."""
        self._source.close()

    def _damaged(self, inst):
        text = _(b'the answer to %s cannot be decoded as %s: %s') % (
            self._answer.command,
            self._answer.engine,
            stringutil.forcebytestr(inst),
        )
        return error.RemoteError(text, hint=DAMAGED)


def tooearly(answer):
    """Return the RemoteError of an Answer whose end is missing."""
    text = _(b'the answer to %s ends too early') % answer.command
    return error.RemoteError(text, hint=AGAIN)


def relabelled(answer):
    """Return the RemoteError of an Answer whose media type is not its own."""
    text = _(b'the answer to %s is not of its media type, %s')
    text %= (answer.command, answer.mediatype)
    return error.RemoteError(text, hint=DAMAGED)


def unknown(answer, name):
    """Return the RemoteError of an Answer by an engine ``name`` (bytes) that
    this client does not know."""
    text = _(b"the answer to %s is by an unknown engine, '%s'") % (
        answer.command,
        stringutil.escapestr(name),
    )
    return error.RemoteError(text, hint=DAMAGED)


@contextlib.contextmanager
def explained(command):
    """Turn what the network raises in the block into RemoteError, with the
    command (bytes) that is not answered, and a hint."""
    try:
        yield
    except urlerr.httperror:
        # An answer, of a status that core, or the caller, has to do with.
        raise
    except OSError as inst:
        reason = getattr(inst, 'reason', inst)
        if isinstance(reason, socket.timeout):
            text = _(b'no answer to %s in time') % command
            hint = _(b'raise http.timeout, or try again later')
            raise error.RemoteError(text, hint=hint) from inst
        if isinstance(inst, urlerr.urlerror):
            raise
        reason = stringutil.forcebytestr(inst.strerror or inst)
        text = _(b'the answer to %s was cut: %s') % (command, reason)
        raise error.RemoteError(text, hint=AGAIN) from inst


@contextlib.contextmanager
def hinted(command):
    """Give what core raises in the block about the answer to a command (bytes)
    a hint, if it has none."""
    try:
        yield
    except (error.Abort, error.RepoError) as inst:
        said = isinstance(inst, error.OutOfBandError)
        if not said and not getattr(inst, 'hint', None):
            # By the first of all, what is at that URL is not known yet.
            inst.hint = WHERE if command == b'capabilities' else AGAIN
        raise
