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

# What a client with the extension says: it reads any answer in 0.2.
OWNCLIENT = b'wirecomp'

# Where a space belongs: a client that splits X-HgProto at a space loses it, as
# those on the way drop spaces at the ends of headers.
GLUED = re.compile(
    rb'(?<=0\.[12])(?=0\.[12]|comp=)|(?<=[a-z0-9])(?=partial-pull)'
)

# What a client that reads 0.2 and names no engine can read, by definition of
# the protocol.
IMPLIED = (b'zlib', b'none')


class Offer(NamedTuple):
    """What one client says it can read.

    ``reads2`` (bool): it reads application/mercurial-0.2.
    ``engines`` (tuple of bytes): wire names in the client's order; empty for
    a legacy client.
    """

    reads2: bool
    engines: tuple

    @classmethod
    def parse(cls, value):
        """Return the Offer in ``value``, the joined X-HgProto headers (bytes).

        Accepts any bytes, raises nothing, and takes time and memory linear in
        their length. The tokens are those of core's httppeer
        (``makev1commandrequest``); unknown ones are skipped.
        """
        reads2 = False
        names = None
        value = GLUED.sub(b' ', value)
        # Not split() without an argument: it would take other control
        # characters for separators.
        for token in value.replace(b'\t', b' ').split(b' '):
            if token == b'0.2':
                reads2 = True
            elif names is None and token.startswith(b'comp='):
                names = token[len(b'comp=') :].split(b',')
        if not reads2:
            return cls(False, ())
        if names is None:
            return cls(True, IMPLIED)
        return cls(True, tuple(name for name in names if name))


class Hint(NamedTuple):
    """What the command that made an answer knows about it.

    ``prefercompressed`` (bool): compressing it pays; false for stream clones,
    ready-made bundles and error bundles.
    ``inflated`` (bool): clients inflate a 0.1 answer to this command.
    """

    prefercompressed: bool = True
    inflated: bool = True


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
    encoding = _choose(offer, settings, hint)
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
