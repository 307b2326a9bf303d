# serve.py - the connections of hg serve (hgweb.server)
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""What ``hg serve`` itself does on the road of an answer.

Other servers (RFC 9112 in mind) take care of this by themselves: they frame
requests and answers, cut the connection of an answer that failed, and stand
peers that go away.
"""

from __future__ import annotations

import contextlib
import errno
import re
import socket
import threading
import traceback

from mercurial import extensions, ui as uimod, util

from . import compat, cutting, stream

# Of Content-Length: more digits are no length.
LENGTH = re.compile(r'[ \t]*[0-9]{1,18}[ \t]*')
# What the parser of mails (its ``email.errors``) says of heads that others may
# read otherwise. Of the bodies that the headers promise it knows nothing.
DEFECTS = (
    'FirstHeaderLineIsContinuationDefect',
    'MalformedHeaderDefect',
    'MissingHeaderBodySeparatorDefect',
)

# The most headers of a request, and bytes of all of them: a node in the
# arguments takes 41 of a client's 1024 bytes of a header.
HEADERS = 1000
HEADMAX = 1 << 20

# How many files a process remembers that it does not trust.
UNTRUSTEDMAX = 1024

_lock = threading.Lock()
_untrusted = util.lrucachedict(UNTRUSTEDMAX)


def watch(environ, limits):
    """Take care of the connection of a request, where ``hg serve`` has it.

    ``environ`` is the WSGI environment, with bytes keys; ``limits`` a
    keys.Limits. It lasts until the end of the request. Raises Abort if ``hg
    serve`` lacks what is patched.
    """
    handler = compat.handlerof(environ)
    if handler is None:
        return
    # What the class has since it was patched; that takes its time.
    if not hasattr(handler, '_wirecomp'):
        patch()
    handler._wirecomp = limits
    # The headers and the body of a reply are written apart; with Nagle's
    # algorithm (RFC 896) the second would wait for the client's delayed
    # acknowledgement. It may be no TCP connection, or be gone.
    with contextlib.suppress(OSError):
        handler.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@contextlib.contextmanager
def receiving(environ):
    """Wait in the block for what a peer sends, for as long as it may take to
    take something. Raises OSError for one that sends nothing."""
    handler = compat.handlerof(environ)
    with contextlib.nullcontext() if handler is None else _timed(handler):
        yield


@contextlib.contextmanager
def _timed(handler):
    """Let the connection wait no longer than ``wirecomp.send-timeout`` says."""
    limits = handler._wirecomp
    if limits is not None:
        handler.connection.settimeout(limits.sendtimeout or None)
    try:
        yield
    finally:
        if limits is not None:
            # It may be closed by now.
            with contextlib.suppress(OSError):
                handler.connection.settimeout(handler.timeout)


def last(environ):
    """Take no more requests from the connection of this one."""
    handler = compat.handlerof(environ)
    if handler is not None:
        handler.close_connection = handler._last = True


def patch():
    """Put the patches in, once per process.

    Raises Abort if ``hg serve`` lacks what is patched.
    """
    handler = compat.servehandler()
    with _lock:
        if '_wirecomp' in handler.__dict__:
            return
        # What a handler has of its own: the keys.Limits of a request of a
        # repository that enables the extension.
        handler._wirecomp = None
        # Of requests that were read before this.
        handler._badhead = False
        handler._last = False
        compat.addhead(handler)
        compat.moreheaders(HEADERS)
        for name, wrapper in (
            ('parse_request', _parserequest),
            ('send_response', _sendresponse),
            ('_write', _write),
            ('_done', _done),
            ('do_hgweb', _dohgweb),
            ('_log_any', _logany),
        ):
            extensions.wrapfunction(handler, name, wrapper)
        extensions.wrapfunction(uimod.ui, '_trusted', _trusted)


def _trusted(orig, self, fp, f):
    # Under --web-conf each request reads the file anew.
    said = self._reportuntrusted
    with _lock:
        self._reportuntrusted = said and (self.debugflag or f not in _untrusted)
    try:
        trusted = orig(self, fp, f)
    finally:
        self._reportuntrusted = said
    if said and not trusted:
        with _lock:
            _untrusted[f] = True
    return trusted


class _Lines:
    """The file of a connection while the head of a request is read from it.

    ``bad`` (bool): it is longer than HEADMAX, or a line had a carriage return
    within. The standard library takes that for a line end, others don't: what
    is a header to one is none to the other (RFC 9112, 2.2).
    """

    def __init__(self, file):
        self._file = file
        self._left = HEADMAX
        self.bad = False

    def readline(self, limit=-1):
        line = self._file.readline(limit)
        self._left -= len(line)
        self.bad |= self._left < 0 or b'\r' in line.rstrip(b'\n')[:-1]
        # No bytes are the end.
        return line if self._left >= 0 else b''


def _parserequest(orig, self):
    file = self.rfile
    lines = self.rfile = _Lines(file)
    try:
        parsed = orig(self)
    finally:
        self.rfile = file
        self._badhead = lines.bad
    return parsed


def _sendresponse(orig, self, code, message=None):
    # Up to hg63 hgweb puts into it what the peer sent.
    orig(self, code, message and printable(message))
    if self._last:
        # Core says so only where nothing else ends the answer.
        self.send_header('Connection', 'close')


def _dohgweb(orig, self):
    # The repository is not known yet, and the connection belongs to all.
    self._wirecomp = None
    self._last = False
    problem = _badframing(self)
    if problem is not None:
        _refuse(self, problem)
        return
    self._last = _leavesbody(self)
    if self._last:
        self.close_connection = True
    try:
        orig(self)
    except BrokenPipeError:
        raise
    except Exception as inst:
        # The rest of the request may not have been read.
        self.close_connection = True
        _failed(self, inst)
    finally:
        self._wirecomp = None


def _failed(handler, inst):
    """End the answer to a request that raised ``inst``, or raise it again."""
    ours = handler._wirecomp is not None
    if ours and handler.sent_headers:
        if not isinstance(inst, stream.Failed):
            _error(handler, traceback.format_exc())
        cutting.cut(handler)
    elif ours and isinstance(inst, OSError):
        # What is read between making an answer and sending it.
        _error(handler, '%s: the client sent no more' % handler.path)
    elif not handler.sent_headers and _badquery(inst):
        _error(handler, 'bad query: %s' % inst)
        _refuse(handler, 'bad query')
    else:
        raise inst


def _badquery(inst):
    """Return whether ``inst`` was raised where core decodes the query (bool),
    before it knows the repository."""
    frames = traceback.walk_tb(inst.__traceback__)
    return isinstance(inst, UnicodeError) and any(
        frame.f_globals.get('__name__') == 'mercurial.hgweb.request'
        for frame, _line in frames
    )


def _badframing(handler):
    """Return why the end of a request can't be told (str), or None."""
    headers = handler.headers
    lengths = headers.get_all('content-length', [])
    if len(lengths) > 1 or not all(map(LENGTH.fullmatch, lengths)):
        return 'bad Content-Length'
    # What follows such a line was not taken for a header.
    body = headers.get_payload()
    if (
        handler._badhead
        or (isinstance(body, str) and body)
        or any(type(defect).__name__ in DEFECTS for defect in headers.defects)
    ):
        return 'bad header'
    return None


def _leavesbody(handler):
    """Return whether some of the request may stay unread (bool): it must not
    be taken for the next one."""
    headers = handler.headers
    if 'transfer-encoding' in headers:
        return True
    if int(headers.get('content-length') or 0) == 0:
        return False
    # Core reads the bodies of these to the end, but for a client that waits
    # to be told to send it.
    return handler.command not in ('POST', 'PUT') or 'expect' in headers


def _refuse(handler, problem):
    """Answer 400 to a request that can't be told from the next one."""
    handler.close_connection = True
    text = b'%s\n' % problem.encode('ascii')
    with contextlib.suppress(OSError):
        handler.send_response(400)
        handler.send_header('Content-Type', 'text/plain')
        handler.send_header('Content-Length', '%d' % len(text))
        handler.send_header('Connection', 'close')
        handler.end_headers()
        if handler.command != 'HEAD':
            handler.wfile.write(text)


def _write(orig, self, data):
    if self.command == 'HEAD' and self.saved_status:
        # A body would be taken for the next answer (RFC 9110, 9.3.2).
        if not self.sent_headers:
            self.send_headers()
        return
    # The timeout of a socket is one for all that is sent at once.
    for start in range(0, len(data) or 1, stream.LARGEST):
        with _sending(self):
            orig(self, data[start : start + stream.LARGEST])


def _done(orig, self):
    if self.command == 'HEAD':
        return
    with _sending(self):
        orig(self)


@contextlib.contextmanager
def _sending(handler):
    """Send in the block.

    A peer that is gone, or takes nothing, is one line in the log; to core it
    is a broken pipe, which it passes over.
    """
    limits = handler._wirecomp
    try:
        with _timed(handler):
            yield
    except OSError as inst:
        if limits is None:
            raise
        handler.close_connection = True
        why = 'hung up'
        if isinstance(inst, socket.timeout):
            why = 'took too little in %g s (wirecomp.send-timeout)'
            why %= limits.sendtimeout
        _error(handler, '%s: the client %s' % (handler.path, why))
        raise BrokenPipeError(errno.EPIPE, why) from inst


def _error(handler, text):
    """Write ``text`` (str) to the error log, in the form of core's lines."""
    handler.log_error('HG error:  %s', text)


def _logany(orig, self, fp, format, *args):
    # What the peer sent can hold line ends and escape sequences. A traceback
    # has lines of its own.
    kept = '' if fp is self.server.accesslog else '\n'
    args = tuple(
        printable(arg, kept) if isinstance(arg, str) else arg for arg in args
    )
    orig(self, fp, format, *args)


def printable(text, kept=''):
    """Return ``text`` (str) with each character escaped that can't be printed,
    but for those in ``kept`` (str)."""
    if text.isprintable():
        return text
    return ''.join(
        c if c.isprintable() or c in kept else _escape(c) for c in text
    )


def _escape(character):
    return character.encode('unicode_escape').decode('ascii')
