# journal.py - what the operator is told
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The log event of an answer, and what is wrong with the configuration."""

from __future__ import annotations

import contextlib
import threading

from mercurial import util

from . import compat

# How many different complaints a process remembers. Beyond that the oldest is
# forgotten, and may be made again.
TOLDMAX = 1024

_told = util.lrucachedict(TOLDMAX)
_toldlock = threading.Lock()


def complain(ui, environ, problems):
    """Log each of ``problems`` (settings.Problem), once per process.

    They go to the error log of the WSGI server, since what a daemon writes to
    its standard error is lost, and to ``ui.log``. ``environ`` is the WSGI
    environment, with bytes keys.
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
            ui.log(b'wirecomp', b'%s\n', line)


def chosen(ui, cmd, encoding):
    """Log how an answer to ``cmd`` (bytes) goes out: a negotiation.Encoding.

    Example::

        getbundle: application/mercurial-0.1, engine zlib, level -1: no common
        engine
    """
    level = b'-' if encoding.level is None else b'%d' % encoding.level
    ui.log(
        b'wirecomp',
        b'%s: %s, engine %s, level %s: %s\n',
        cmd,
        encoding.mediatype,
        encoding.engine.wirename,
        level,
        encoding.reason,
    )
