# negotiation.py - what a client can read, and what it is sent
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The offer of a client and the choice of a server, as pure functions.

Nothing here knows a repository, a request or a ui: bytes in, values out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from . import engines

MEDIATYPE1 = b'application/mercurial-0.1'
MEDIATYPE2 = b'application/mercurial-0.2'

# Where a space belongs: a client that splits X-HgProto at a space loses it, as
# those on the way drop spaces at the ends of headers.
GLUED = re.compile(
    rb'(?<=0\.[12])(?=0\.[12]|comp=)'
    rb'|(?<=[a-z0-9])(?=partial-pull|wirecomp)'
)

# By this token a client says that it inflates byte replies: those that run
# wirecomp. Other servers skip it.
TOKEN = b'wirecomp'

# Byte replies below this many bytes go out as they are: with the headers of
# HTTP they fit into a packet or two anyway.
FLOOR = 1024
# The highest level of zstd, and the level of zlib, for byte replies. They are
# hashes in hexadecimal for the most part: higher levels, which look longer for
# matches, find none, and make more bytes of them. (10,000 bookmarks, 652 kB:
# zstd 1: 277 kB 1.7 ms, 3: 283 kB 3.0 ms; zlib 1: 292 kB 1.5 ms, 6: 291 kB 8.4
# ms. 20,000 drafts, 860 kB: zstd 1: 408 kB 2.3 ms, 3: 443 kB 4.5 ms; zlib 1:
# 447 kB 2.1 ms, 6: 453 kB 11.7 ms.)
ZSTDMOST = 1
ZLIBLEVEL = 1

# What a client that reads 0.2 and names no engine can read, by definition of
# the protocol.
IMPLIED = (b'zlib', b'none')


class Offer(NamedTuple):
    """What one client says it can read.

    ``reads2`` (bool): it reads application/mercurial-0.2.
    ``engines`` (tuple of bytes): wire names in the client's order; empty for
    a legacy client.
    ``inflates`` (bool): it reads 0.2 in reply to every command.
    """

    reads2: bool
    engines: tuple
    inflates: bool = False

    @classmethod
    def parse(cls, value):
        """Return the Offer in ``value``, the joined X-HgProto headers (bytes).

        Accepts any bytes, raises nothing, and takes time and memory linear in
        their length. The tokens are those of core's httppeer
        (``makev1commandrequest``); unknown ones are skipped.
        """
        reads2 = inflates = False
        names = None
        value = GLUED.sub(b' ', value)
        # Not split() without an argument: it would take other control
        # characters for separators.
        for token in value.replace(b'\t', b' ').split(b' '):
            if token == b'0.2':
                reads2 = True
            elif token == TOKEN:
                inflates = True
            elif names is None and token.startswith(b'comp='):
                names = token[len(b'comp=') :].split(b',')
        if not reads2:
            return cls(False, ())
        if names is None:
            return cls(True, IMPLIED, inflates)
        return cls(True, tuple(name for name in names if name), inflates)


class Hint(NamedTuple):
    """What the command that made an answer knows about it.

    ``prefercompressed`` (bool): compressing it pays; false for stream clones,
    ready-made bundles and error bundles.
    ``inflated`` (bool): clients inflate a 0.1 answer to this command.
    """

    prefercompressed: bool = True
    inflated: bool = True


class Reply(NamedTuple):
    """What is known of a byte reply, or of a stream that is to be one.

    ``size`` (int): its bytes, or, of a stream, at least so many.
    ``inflated`` (bool): every client that reads 0.2 inflates it.
    ``untouched`` (bool): it belongs to a command that is left alone.
    """

    size: int
    inflated: bool = False
    untouched: bool = False


class Encoding(NamedTuple):
    """How one answer is sent, and why.

    ``mediatype`` (bytes): the Content-Type.
    ``engine`` (engines.Engine): who makes the stream.
    ``level`` (int or None): the engine's level, None where it has none.
    ``reason`` (bytes): the cause of the choice, in words. ``tuning``
    (engines.Tuning): how the stream is made.
    """

    mediatype: bytes
    engine: engines.Engine
    level: int | None
    reason: bytes
    tuning: engines.Tuning = engines.Tuning()

    @property
    def compresses(self):
        """Whether the stream is smaller than what goes in (bool)."""
        return self.engine.compresses and (
            self.engine is not engines.ZLIB or self.level != engines.STORED
        )

    @property
    def header(self):
        """The bytes before the stream: in 0.2 the length of the engine's wire
        name (one byte) and the name, in 0.1 nothing."""
        if self.mediatype == MEDIATYPE1:
            return b''
        name = self.engine.wirename
        return bytes((len(name),)) + name


def choose(offer, settings, hint):
    """Return the Encoding of an answer.

    Takes an Offer, the effective settings.Settings and a Hint. A pure
    function: equal arguments, equal results. Every result can be read by a
    client that made this offer.
    """
    return _explained(_choose(offer, settings, hint), settings)


def choosereply(offer, settings, reply):
    """Return the Encoding of a byte reply: one that ``compresses``, or the
    reply as it is, in 0.1.

    Takes an Offer, the effective settings.Settings and a Reply. A pure
    function, as ``choose`` is.
    """
    return _explained(_choosereply(offer, settings, reply), settings)


def plainreply(reason):
    """Return the Encoding of a byte reply as it is; ``reason`` in bytes."""
    return Encoding(MEDIATYPE1, engines.NONE, None, reason)


def _explained(encoding, settings):
    reason = encoding.reason
    if settings.policy is not None:
        reason += b', policy %s' % settings.policy
    return encoding._replace(reason=reason, tuning=settings.tuning)


def _choose(offer, settings, hint):
    if not offer.reads2:
        return _version1(settings, hint, b'legacy client')
    if not hint.prefercompressed:
        # Every reader of 0.2 reads ``none``, whether it lists it or not.
        return _raw(offer, settings, b'the answer is best left raw')
    for engine in settings.engines:
        if engine.wirename in offer.engines:
            reason = b'first engine of the server that the client reads'
            if engine is engines.NONE:
                return _raw(offer, settings, reason)
            level = settings.level(engine)
            return Encoding(MEDIATYPE2, engine, level, reason)
    return _version1(settings, hint, b'no common engine')


def _choosereply(offer, settings, reply):
    if not offer.reads2:
        return plainreply(b'legacy client')
    if reply.untouched:
        return plainreply(b'left alone')
    if not (reply.inflated or offer.inflates):
        return plainreply(b'the client does not inflate this reply')
    if reply.size < FLOOR:
        return plainreply(b'short')
    for engine in settings.engines:
        if engine.wirename not in offer.engines:
            continue
        if engine is engines.NONE:
            return plainreply(b'the server prefers none')
        level = _replylevel(engine, settings)
        if level is not None:
            reason = b'first cheap engine of the server that the client reads'
            return Encoding(MEDIATYPE2, engine, level, reason)
    return plainreply(b'no cheap engine in common')


def _replylevel(engine, settings):
    """Return the level at which an engine makes byte replies (int), or None
    where it makes none."""
    if engine is engines.ZSTD:
        # 0 is the library's default.
        return min(settings.level(engine) or ZSTDMOST, ZSTDMOST)
    if engine is engines.ZLIB and settings.level(engine) != engines.STORED:
        return ZLIBLEVEL
    return None


def _raw(offer, settings, reason):
    """Return the Encoding in 0.2 that leaves an answer as it is."""
    engine = engines.NONE
    if (
        settings.tuning.streamchecksum
        and engines.ZSTD in settings.engines
        and engines.ZSTD.wirename in offer.engines
    ):
        engine = engines.STOREDZSTD
        reason += b', stored with a checksum'
    return Encoding(MEDIATYPE2, engine, None, reason)


def _version1(settings, hint, reason):
    """Return the Encoding in 0.1, which every client reads."""
    engine, level = engines.ZLIB, settings.level(engines.ZLIB)
    if not hint.inflated:
        engine, level = engines.NONE, None
        reason += b', never inflated'
    elif not hint.prefercompressed:
        # The client inflates whatever comes: a zlib stream of stored blocks
        # is the nearest thing to sending the answer raw.
        level = engines.STORED
        reason += b', stored blocks: the answer is best left raw'
    return Encoding(MEDIATYPE1, engine, level, reason)
