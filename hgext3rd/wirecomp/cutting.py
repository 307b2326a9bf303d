# cutting.py - connections of answers that failed
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""How an answer that failed ends: never as if it were whole."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
import time

# For how long nothing of the rest of an answer may leave before its connection
# is reset (seconds).
LINGER = 10


def cut(handler):
    """End the connection of an answer that failed, such that it can't pass for
    whole (RFC 9112, section 8); ``handler`` is core's of ``hg serve``."""
    handler.close_connection = True
    if handler._chunked or handler.length is not None:
        # The last chunk is missing, or the rest of the length.
        return
    _reset(handler.connection)


def _reset(connection):
    """Reset a connection on which nothing but its end would end the answer."""
    # Detached, since the server would end it properly.
    _neverending(connection)
    with contextlib.suppress(OSError):
        socket.close(connection.detach())


def _neverending(connection):
    """Wait until all was sent; then let closing the connection reset it."""
    left = _unsent(connection)
    deadline = time.monotonic() + LINGER
    while left and time.monotonic() < deadline:
        time.sleep(0.01)
        before, left = left, _unsent(connection)
        if left < before:
            deadline = time.monotonic() + LINGER
    with contextlib.suppress(OSError):
        connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)
        )


def spoil():
    """See to it that an answer that failed can't pass for whole in uWSGI,
    which closes the connection as after any other."""
    # Its module exists nowhere else.
    uwsgi = sys.modules.get('uwsgi')
    if uwsgi is not None:
        with contextlib.suppress(OSError, ValueError):
            with socket.socket(fileno=os.dup(uwsgi.connection_fd())) as same:
                _neverending(same)


def _unsent(connection):
    """Return how many bytes the peer has not acknowledged (int), 0 where the
    system does not tell."""
    try:
        import fcntl
        import termios

        count = fcntl.ioctl(connection, termios.TIOCOUTQ, b'\0' * 4)
        return struct.unpack('i', count)[0]
    except (ImportError, OSError, ValueError):
        return 0
