# check.py - what a set-up does, and what is wrong with it
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The pure parts of ``hg admin::wire-check``: settings in, values out.

Nothing here knows a repository, a file or a ui.
"""

from __future__ import annotations

import difflib
from typing import NamedTuple

from mercurial import util
from mercurial.i18n import _

from . import engines, negotiation, webproto, zstds

ERROR, WARNING, NOTE = b'error', b'warning', b'note'
SEVERITIES = (ERROR, WARNING, NOTE)

CLONE, STREAM = b'clone', b'stream clone'

# What a compressor takes at most. zlib, zlib-ng and isal: measured, 0.43 MB.
# bzip2: its manual, "Memory management". Stored zstd: measured, 1.1 MB.
ZLIBMEMORY = 512 << 10
BZ2MEMORY = 400 << 10
BZ2LEVELMEMORY = 800 << 10
STOREDMEMORY = 1280 << 10

# From here on a level costs more than it gives, see Choosing in the README.
ZSTDHIGH, ZSTDHUGE = 12, 19
ZLIBHIGH = 6
# 32-bit clients are known to fail at such a window.
WINDOWHIGH = 64 * engines.MB


class Finding(NamedTuple):
    """One thing to know about a set-up.

    ``severity`` (bytes): ERROR, with which ``hg serve`` does not start or a
    repository can't be served; WARNING, what has no effect or is dangerous;
    NOTE, advice. ``key`` (bytes): as section.key. ``source`` (bytes): file and
    line, or another origin. ``text`` and ``hint`` (bytes): what is wrong, and
    the next action.
    """

    severity: bytes
    key: bytes
    source: bytes
    text: bytes
    hint: bytes

    @classmethod
    def of(cls, problem):
        """Return the Finding that a reading.Problem is."""
        key, _colon, text = problem.text.partition(b': ')
        severity = ERROR if problem.fatal else WARNING
        return cls(severity, key, problem.source, text, problem.hint)


def ordered(findings):
    """Return ``findings`` once each, the worst first (tuple of Finding)."""
    findings = dict.fromkeys(findings)
    return tuple(sorted(findings, key=lambda f: SEVERITIES.index(f.severity)))


def failing(findings):
    """Return whether any of ``findings`` is more than advice (bool)."""
    return any(finding.severity != NOTE for finding in findings)


class Client(NamedTuple):
    """A typical client: its ``name`` (bytes), its X-HgProto headers, joined
    (bytes), and whether it asks for stream clones in a bundle (bool), as hg
    does since 4.6, not by the command ``stream_out``."""

    name: bytes
    proto: bytes
    bundled: bool


PROTO = b'0.1 0.2 comp=zstd,zlib,none,bzip2'
CLIENTS = (
    Client(b'legacy', b'', False),
    Client(b'4.1+', PROTO, False),
    Client(b'current', PROTO + b' partial-pull', True),
    Client(b'current, no X-HgProto', b'', True),
)


class Response(NamedTuple):
    """What a client is sent.

    ``client`` (bytes): the Client's name. ``answer``: CLONE or STREAM.
    ``encoding`` (negotiation.Encoding). ``memory`` (int or None): of its
    compressor at most, in bytes, None where that is not known.
    """

    client: bytes
    answer: bytes
    encoding: negotiation.Encoding
    memory: int | None


def responses(effective, streams):
    """Yield the Response of each clone of each of CLIENTS.

    Takes settings.Settings, and whether the repository serves stream clones
    (bool): where it does not, clients clone by changegroup.
    """
    for client in CLIENTS:
        offer = negotiation.Offer.parse(client.proto)
        clone = negotiation.choose(offer, effective, negotiation.Hint())
        yield Response(client.name, CLONE, clone, memory(clone))
        if not streams:
            reason = _(b'no stream clones here: %s') % clone.reason
            encoding = clone._replace(reason=reason)
        elif client.bundled:
            hint = negotiation.Hint(prefercompressed=False)
            encoding = negotiation.choose(offer, effective, hint)
        else:
            encoding = webproto.LEGACYSTREAM
        yield Response(client.name, STREAM, encoding, memory(encoding))


def memory(encoding):
    """Return the bytes that the compressor of a clone takes at most (int, or
    None for an engine of another extension), by its negotiation.Encoding."""
    engine, level = encoding.engine, encoding.level
    if engine is engines.ZSTD:
        return engine.memory(level, encoding.tuning)
    if engine is engines.ZLIB:
        return ZLIBMEMORY
    if engine is engines.BZ2:
        return BZ2MEMORY + BZ2LEVELMEMORY * level
    if engine is engines.STOREDZSTD:
        return STOREDMEMORY
    return 0 if engine is engines.NONE else None


def largest(found):
    """Return the most memory of one of ``found`` (Responses), in bytes (int).
    What is not known does not count."""
    return max((response.memory or 0 for response in found), default=0)


def atonce(clients, limits):
    """Return how many of ``clients`` (int) that come together are answered at
    once (int) under keys.Limits."""
    return min(clients, limits.maxclients or clients)


def advice(effective, sourceof):
    """Yield a Finding for each level that costs more than it gives.

    Takes settings.Settings, and a function from an engine (engines.Engine) to
    the source of its level (bytes).
    """
    if engines.ZSTD in effective.engines:
        yield from _zstdadvice(effective, sourceof)
    # Legacy clients get zlib whether it is listed or not.
    level = effective.level(engines.ZLIB)
    if level > ZLIBHIGH:
        yield Finding(
            NOTE,
            b'server.zliblevel',
            sourceof(engines.ZLIB),
            _(
                b'level %d: levels above %d cost up to four times the CPU '
                b'for 1 %%'
            )
            % (level, ZLIBHIGH),
            _(b'use -1, or measure with hg admin::wire-bench'),
        )


def _zstdadvice(effective, sourceof):
    level = effective.level(engines.ZSTD)
    if level > ZSTDHIGH:
        text = _(
            b'level %d: levels above %d cost many times the CPU for a few '
            b'percent'
        ) % (level, ZSTDHIGH)
        if level > ZSTDHUGE:
            text += _(b', those above %d much memory: %s for each answer') % (
                ZSTDHUGE,
                util.bytecount(engines.ZSTD.memory(level, effective.tuning)),
            )
        hint = _(b'use 7 to 9 for slow lines, or measure with %s')
        hint %= b'hg admin::wire-bench'
        source = sourceof(engines.ZSTD)
        yield Finding(NOTE, b'server.zstdlevel', source, text, hint)
    if window(effective) >= WINDOWHIGH:
        yield Finding(
            NOTE,
            b'wirecomp.zstd-window',
            sourceof(None),
            _(b'32-bit clients are known to fail at 64 MB and more'),
            _(b'use 32 MB, unless there are no such clients'),
        )


def window(effective):
    """Return the window of clones by zstd (int, bytes) under
    settings.Settings, which its client needs too."""
    parameters = zstds.parameters(
        engines.ZSTD.module(),
        effective.level(engines.ZSTD),
        effective.tuning,
    )
    return 1 << parameters.window_log


def nearest(word, names):
    """Return which of ``names`` (iterable of bytes) ``word`` (bytes) was meant
    to be, or None."""
    # difflib wants str; latin-1 maps every byte to one character.
    strs = {name.decode('latin-1'): name for name in names}
    found = difflib.get_close_matches(word.decode('latin-1').lower(), strs, 1)
    return strs[found[0]] if found else None
