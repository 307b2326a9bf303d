# fronts.py - what servers and proxies take of a request
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""How large the requests are that name many heads, and who refuses them."""

from __future__ import annotations

import math
from typing import NamedTuple

from . import faults, serve

# A node in the arguments of a request, with the space behind it.
NODE = 41
# Core's client (httppeer, ``encodevalueinheaders``) keeps room for this in
# each header.
HEADERFRAME = len(b'X-HgArg-000') + len(b': \r\n')
# What a request has beside its nodes: other headers, other bytes.
OTHERHEADERS = 10
OTHERBYTES = 1024

OURS = b'wirecomp'
HAPROXY = b'haproxy (tune.http.maxhdr 101, tune.bufsize 16384)'


class Front(NamedTuple):
    """What a server or proxy takes of a request by default.

    ``name`` (bytes): its name and the setting. ``headers`` (int): how many.
    ``line`` (int): bytes of one. ``total`` (int): bytes of all of them.
    ``body`` (int): bytes of that. None is any number.
    """

    name: bytes
    headers: int | None
    line: int | None
    total: int | None
    body: int | None = None


# From their manuals; haproxy keeps tune.maxrewrite, 1024 bytes, of a buffer.
# Python's http.client and http.server: _MAXHEADERS, _MAXLINE.
FRONTS = (
    Front(b'hg serve with wirecomp', serve.HEADERS, 1 << 16, serve.HEADMAX),
    Front(b'plain hg serve (100 headers)', 100, 1 << 16, None),
    Front(b'nginx (large_client_header_buffers 4 8k)', None, 8 << 10, 32 << 10),
    Front(b'Apache (LimitRequestFields 100)', 100, 8190, None),
    Front(
        HAPROXY,
        101,
        None,
        (16 << 10) - 1024,
    ),
    Front(b'gunicorn (limit_request_fields 100)', 100, 8190, None),
    Front(b'nginx (client_max_body_size 1m)', None, None, None, 1 << 20),
    Front(OURS, None, None, None, faults.ARGSMAX),
)


class Head(NamedTuple):
    """The head of the largest request: its ``headers`` and ``size`` in bytes
    (int), and who refuses it by default (tuple of bytes)."""

    headers: int
    size: int
    refusing: tuple


def head(heads, headerlen):
    """Return the Head of a pull that brings news from a repository with so
    many ``heads`` (int), whose client had them all.

    Such a pull names the heads twice: what it wants, and what it has.
    ``headerlen`` (int) is ``server.maxhttpheaderlen``; up to 0 the arguments
    go in the query, one line.
    """
    nodes = 2 * heads * NODE
    line = nodes + OTHERBYTES
    headers = OTHERHEADERS
    if headerlen > 0:
        headers += math.ceil(nodes / max(headerlen - HEADERFRAME, 1))
        line = min(line, headerlen)
    size = nodes + (headers - OTHERHEADERS) * HEADERFRAME + OTHERBYTES
    names = []
    for front in FRONTS:
        taken = ((headers, front.headers), (line, front.line))
        taken += ((size, front.total),)
        if any(most is not None and count > most for count, most in taken):
            names.append(front.name)
    return Head(headers, size, tuple(names))


class Body(NamedTuple):
    """The body of the largest request: its ``size`` in bytes (int), and who
    refuses it by default (tuple of bytes)."""

    size: int
    refusing: tuple


def body(heads):
    """Return the Body of the pull of ``head``, if its arguments go there."""
    size = 2 * heads * NODE + OTHERBYTES
    names = [
        front.name
        for front in FRONTS
        if front.body is not None and size > front.body
    ]
    return Body(size, tuple(names))
