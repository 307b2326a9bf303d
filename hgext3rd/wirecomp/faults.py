# faults.py - requests that can't be answered, and sources that fail
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""What the peer and the operator are told of a failure."""

from __future__ import annotations

import contextlib
import os
import traceback

from mercurial import error, pycompat, util, wireprotoserver
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import compat, serve

urlreq = util.urlreq

# The longest arguments in the body of a request (bytes), and the most of them:
# 100,000 nodes are 4 MB, in one argument.
ARGSMAX = 16 << 20
ARGSCOUNT = 1000

# Where core takes requests apart: what is raised there is the peer's mistake.
PARSING = (
    'mercurial.node',
    'mercurial.wireprotoserver',
    'mercurial.wireprototypes',
    'mercurial.wireprotov1server',
    __name__,
)

# Where nodes are looked up: a ValueError from there is of a malformed one.
LOOKING = (
    'mercurial.localrepo',
    'mercurial.revlog',
    'mercurial.revset',
)


class Refused(Exception):
    """A request that is not to be worked on; ``message`` (bytes) is why."""

    def __init__(self, message):
        super().__init__(message)
        self.message = message


def readargs(req, inbody):
    """Return the arguments of a request, as they came (bytes).

    ``req`` is core's parsedrequest. They stand in the headers X-HgArg-<N>, or,
    where they may (``inbody``, a bool), at the begin of the body, as long as
    X-HgArgs-Post says (core's ``httpv1protocolhandler._args``). Raises Refused
    for a body that is not to be read.
    """
    value = req.headers.get(b'X-HgArgs-Post')
    if value is None:
        return wireprotoserver.decodevaluefromheaders(req, b'X-HgArg')
    if not inbody:
        raise Refused(b'X-HgArgs-Post is not allowed here')
    if not value.isdigit() or len(value) > 18:
        raise Refused(b'malformed X-HgArgs-Post')
    size = int(value)
    if size > int(req.headers.get(b'Content-Length') or 0):
        raise Refused(b'X-HgArgs-Post is more than the body has')
    if size > ARGSMAX:
        raise Refused(b'X-HgArgs-Post is more than %d' % ARGSMAX)
    data = req.bodyfh.read(size)
    if len(data) < size:
        raise Refused(b'the body is shorter than its Content-Length')
    return data


def drain(req):
    """Read the rest of the body of a core's parsedrequest, as core's response
    does later."""
    capped = isinstance(req.bodyfh, util.cappedreader)
    if capped and b'Expect' not in req.headers:
        while req.bodyfh.read(32768):
            pass


def parseargs(data):
    """Return the arguments in ``data`` (bytes), each a list of its values.

    The form is application/x-www-form-urlencoded, of any bytes: Python's
    parser, which core uses, knows only ASCII. Raises Refused for too many.
    """
    if data.count(b'&') > ARGSCOUNT:
        raise Refused(b'more than %d arguments' % ARGSCOUNT)
    args = {}
    for pair in data.split(b'&'):
        if pair:
            name, _sep, value = map(_unquote, pair.partition(b'='))
            args.setdefault(name, []).append(value)
    return args


def _unquote(text):
    return urlreq.unquote(text.replace(b'+', b' '))


def refuse(environ, res, reason):
    """Answer 400 with ``reason`` (bytes) and take nothing more from the peer.

    ``environ`` is the WSGI environment, ``res`` core's wsgiresponse.
    """
    serve.last(environ)
    res.status = b'400 Bad Request'
    res.headers[b'Content-Type'] = b'text/plain'
    res.setbodybytes(reason + b'\n')


def noplace(limits):
    """Return the Refused of a stream for which there is no place."""
    text = b'no place within %g s (wirecomp.max-clients is %d)'
    return Refused(text % (limits.queuetimeout, limits.maxclients))


def busy(res, limits):
    """Answer 503 for want of a place, by keys.Limits."""
    res.status = b'503 Service Unavailable'
    res.headers[b'Content-Type'] = b'text/plain'
    res.headers[b'Retry-After'] = b'%d' % max(1, limits.queuetimeout)
    res.setbodybytes(b'too many clients at once, try again later\n')


def answer(res, inst):
    """Answer with application/hg-error, which every client prints."""
    res.status = b'200 Script output follows'
    res.headers[b'Content-Type'] = wireprotoserver.HGERRTYPE
    # It may have been set for the answer that failed.
    for name in (b'X-Accel-Buffering', b'Content-Length'):
        del res.headers[name]
    res.setbodybytes(public(inst) + b'\n')


def public(inst):
    """Return what a peer is told of an exception (bytes, one line or more).

    No paths of the server, and nothing of what nobody expects.
    """
    if isinstance(inst, OSError) and inst.strerror:
        return stringutil.forcebytestr(inst.strerror)
    malformed = isinstance(inst, ValueError) and _parsing(inst, LOOKING)
    if not malformed and not _expected(inst):
        name = pycompat.sysbytes(type(inst).__name__)
        return _(b'internal error: %s (see the log of the server)') % name
    return describe(inst)


def describe(inst):
    """Return what the operator is told of an exception (bytes, one line or
    more)."""
    if isinstance(inst, error.LookupError):
        if inst.index.startswith(b'00changelog') and not isinstance(
            inst, error.AmbiguousPrefixLookupError
        ):
            # Its name may be a node in binary.
            text = _(b'unknown revision %s') % _readable(inst.name)
        else:
            text = stringutil.escapestr(_bytes(inst))
    elif isinstance(inst, KeyError) and _parsing(inst):
        text = _(b'missing or unknown: %s') % _readable(
            inst.args[0] if inst.args else b''
        )
    elif isinstance(getattr(inst, 'message', None), bytes):
        text = inst.message
    else:
        text = _bytes(inst)
        if isinstance(inst, (ValueError, TypeError)) and _parsing(inst):
            text = _(b'malformed request: %s') % text
    hint = getattr(inst, 'hint', None)
    if hint:
        text += b'\n(%s)' % hint
    name = pycompat.sysbytes(type(inst).__name__)
    text = text.strip() or name
    # The C part of the changelog says no more than that.
    if text == b'RevlogError':
        text = _(b'unknown revision')
    return text


def _bytes(inst):
    """Return what an exception says (bytes)."""
    try:
        return stringutil.forcebytestr(inst)
    except TypeError:
        # Those of core are of bytes, but for some that its C parts raise.
        return pycompat.sysbytes(' '.join(map(str, inst.args)))


def _readable(name):
    if not isinstance(name, bytes):
        return stringutil.forcebytestr(name)
    if len(name) == 20:
        return name.hex().encode('ascii')
    return stringutil.escapestr(name)


def _raisedat(inst):
    """Return the innermost frame of where ``inst`` was raised, or None."""
    last = inst.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last


def _parsing(inst, modules=PARSING):
    """Return whether it was raised while a request was taken apart (bool)."""
    last = _raisedat(inst)
    return last is not None and (
        last.tb_frame.f_globals.get('__name__') in modules
    )


def _expected(inst):
    """Return whether ``inst`` says by itself what is wrong (bool), with the
    request, the repository or the machine."""
    known = (Refused, error.Error, error.LookupError, OSError)
    return isinstance(inst, known) or _parsing(inst)


def _printable(line):
    text = line.decode('utf-8', 'backslashreplace')
    return serve.printable(text).encode('utf-8')


def tell(ui, environ, cmd, inst):
    """Log that an answer to ``cmd`` (bytes) failed with ``inst``.

    One line in the server's error log, and an event. Where it was raised, if
    it is nothing to be expected; the whole traceback with ``ui.traceback``.
    """
    reason = b' '.join(describe(inst).split())
    name = pycompat.sysbytes(type(inst).__name__)
    path = environ.get(b'SCRIPT_NAME', b'') + environ.get(b'PATH_INFO', b'')
    path = path.strip(b'/')
    if path:
        cmd = b'/%s: %s' % (path, cmd)
    line = _printable(b'%s failed: %s: %s' % (cmd, name, reason))
    last = _raisedat(inst)
    if last is not None and not _expected(inst):
        path = os.path.basename(last.tb_frame.f_code.co_filename)
        line += b' (%s:%d)' % (pycompat.fsencode(path), last.tb_lineno)
    ui.log(b'wirecomp', b'%s\n', line)
    if ui.configbool(b'ui', b'traceback'):
        lines = traceback.format_exception(type(inst), inst, inst.__traceback__)
        line += b'\n' + pycompat.sysbytes(''.join(lines)).rstrip()
    # A full disk under the error log must not fail the request.
    with contextlib.suppress(Exception):
        compat.writeerror(environ, line)
