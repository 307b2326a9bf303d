# keys.py - where the keys stand, and what they take
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Each key of the configuration: its place, its default, its values."""

from __future__ import annotations

import sys
from typing import NamedTuple

from mercurial import error, util
from mercurial.utils import stringutil

from . import engines, zlibs

SERVER = b'server'
ENGINES = b'compressionengines'
WIRECOMP = b'wirecomp'
# Of the section of network policies the items are NAME.KEY.
POLICY = b'wirecomp-policy'
NETWORKS = b'networks'
PROXIES = b'trusted-proxies'
BACKEND = b'zlib-backend'

# Those who wait count milliseconds in 31 bits (poll(2)).
SECONDSMAX = (1 << 31) // 1000


class Key(NamedTuple):
    """One key: where it stands, what it is without a value, what it takes.

    ``parse`` makes its value from bytes, or raises ValueError. ``allowed``
    (bytes) says what it takes.
    """

    section: bytes
    name: bytes
    default: object
    parse: object
    allowed: bytes


def levelkey(engine):
    """Return the Key of the level of ``engine`` (engines.Engine)."""
    lowest, highest = engine.levels or (-sys.maxsize, sys.maxsize)

    def parse(value):
        return _within(int(value), lowest, highest)

    allowed = b'a whole number'
    if engine.levels:
        allowed += b' from %d to %d' % engine.levels
    name = b'%slevel' % engine.name
    return Key(SERVER, name, engine.defaultlevel, parse, allowed)


def _within(value, lowest, highest):
    if not lowest <= value <= highest:
        raise ValueError('out of range')
    return value


def _backend(value):
    if value.lower() not in BACKENDS:
        raise ValueError('unknown backend')
    return value.lower()


def _boolean(value):
    parsed = stringutil.parsebool(value)
    if parsed is None:
        raise ValueError('not a boolean')
    return parsed


def _window(value):
    try:
        return _within(util.sizetoint(value), *engines.WINDOWS)
    except (error.ParseError, OverflowError) as inst:
        raise ValueError('not a size') from inst


def _seconds(value):
    return _within(float(value), 0, SECONDSMAX)


def _count(value):
    return _within(int(value), 0, sys.maxsize)


def _pushlevel(value):
    return _within(int(value), *PUSHLEVELS)


def _repoconfig(value):
    if value.lower() not in (ALLOW, IGNORE):
        raise ValueError('neither of them')
    return value.lower()


def _postarguments(value):
    if value.lower() == AUTO:
        return AUTO
    return YES if _boolean(value) else NO


class Limits(NamedTuple):
    """What peers may take of the server.

    ``sendtimeout`` (float): seconds in which a peer must take a piece of an
    answer (stream.LARGEST bytes at most), 0 for any number. ``maxclients``
    (int): streams that are sent at once, 0 for any number. ``queuetimeout``
    (float): seconds that one more waits for a place.
    """

    sendtimeout: float = 600.0
    maxclients: int = 0
    queuetimeout: float = 30.0


ALLOW = b'allow'
IGNORE = b'ignore'

# Whether a repository's own configuration counts; only outside of it.
REPOCONFIG = Key(
    WIRECOMP, b'repo-config', ALLOW, _repoconfig, b'allow or ignore'
)

AUTO, YES, NO = b'auto', b'yes', b'no'

# Whether clients are told to put arguments in the body of POST requests, and
# core's key for that.
POSTARGUMENTS = Key(
    WIRECOMP, b'post-arguments', AUTO, _postarguments, b'auto, yes or no'
)
HTTPPOSTARGS = Key(
    b'experimental', b'httppostargs', False, _boolean, b'yes or no'
)

BACKENDS = (AUTO,) + tuple(zlibs.MODULES)

PUSHLEVELS = engines.ZSTD.levels

DEFAULTTUNING = engines.Tuning()
DEFAULTLIMITS = Limits()


def _keys(defaults, *rows):
    """Return a Key for each of ``rows``: (name, parser, what it takes)."""
    return tuple(
        Key(WIRECOMP, name, default, parse, allowed)
        for (name, parse, allowed), default in zip(rows, defaults)
    )


# How streams are made: a field of engines.Tuning each, in their order.
TUNING = _keys(
    DEFAULTTUNING,
    (BACKEND, _backend, b', '.join(BACKENDS)),
    (b'zstd-long', _boolean, b'yes or no'),
    (b'zstd-window', _window, b'a size from 1 MB to 128 MB'),
    (b'zstd-checksum', _boolean, b'yes or no'),
    (b'flush-interval', _seconds, b'seconds, 0 for never'),
    (b'stream-checksum', _boolean, b'yes or no'),
)

# What one peer, and many of them, may take: a field of Limits each, in their
# order.
LIMITS = _keys(
    DEFAULTLIMITS,
    (b'send-timeout', _seconds, b'seconds, 0 for never'),
    (b'max-clients', _count, b'a whole number, 0 for no limit'),
    (b'queue-timeout', _seconds, b'seconds'),
)

# Of a client: how it pushes.
PUSH = _keys(
    (True, None),
    (b'compress-push', _boolean, b'yes or no'),
    (b'push-level', _pushlevel, b'a whole number from %d to %d' % PUSHLEVELS),
)

# Core's, of a client: what it offers.
CLIENTENGINES = (b'experimental', b'clientcompressionengines')

# Files that are written.
PATHS = _keys(
    (None, None), (b'log', bytes, b'a path'), (b'metrics', bytes, b'a path')
)
