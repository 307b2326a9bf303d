# engines.py - the compression engines of the wire
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""One small class per engine: names, levels, and who makes its stream.

An engine is stateless and shared by all requests of a process; what it makes,
a compressor, belongs to one answer.
"""

from __future__ import annotations

import bz2
import zlib

# The zlib level that copies its input into stored blocks.
STORED = 0


class Engine:
    """The facts about one engine.

    ``name`` and ``wirename`` (bytes): as in ``server.compressionengines`` and
    on the wire. ``levels`` ((lowest, highest) or None): the range of its level
    key. ``defaultlevel`` (int or None). ``compresses`` (bool).
    """

    name = b''
    wirename = b''
    levels = None
    defaultlevel = None
    compresses = True

    def available(self):
        """Return whether this host can run the engine (bool)."""
        return True

    def compressor(self, level):
        """Return a compressor for one answer at ``level`` (int or None).

        It has ``compress(bytes) -> bytes`` and ``finish() -> bytes``, the end
        of the stream. Raises ValueError for a level out of range.
        """
        raise NotImplementedError


class _None(Engine):
    """The identity: sends what it is given."""

    name = wirename = b'none'
    compresses = False

    def compressor(self, level):
        return _Identity()


class _Identity:
    def compress(self, data):
        return data

    def finish(self):
        return b''


class _Standard:
    """A compressor of the standard library behind our two methods."""

    def __init__(self, compressor):
        self.compress = compressor.compress
        self.finish = compressor.flush


class _Zlib(Engine):
    """zlib streams (RFC 1950), read by every client."""

    name = wirename = b'zlib'
    levels = (-1, 9)
    defaultlevel = -1

    def compressor(self, level):
        if not self.levels[0] <= level <= self.levels[1]:
            raise ValueError('zlib level out of range: %d' % level)
        return _Standard(zlib.compressobj(level))


class _Bz2(Engine):
    """bzip2 streams: small, slow on both sides."""

    name = b'bz2'
    wirename = b'bzip2'
    levels = (1, 9)
    defaultlevel = 9

    def compressor(self, level):
        return _Standard(bz2.BZ2Compressor(level))


class _Zstd(Engine):
    """zstd frames (RFC 8878) through the package ``zstandard``."""

    name = wirename = b'zstd'
    levels = (-7, 22)
    defaultlevel = 3

    def __init__(self):
        # Where the package is missing: a function that gives another module
        # with its interface, or None.
        self.fallback = None

    def module(self):
        """Return the module that compresses, or None where there is none."""
        try:
            import zstandard

            # Under a lazy importer only the use of an attribute imports.
            zstandard.ZstdCompressor
            return zstandard
        except Exception:
            # Absent, or broken in whatever way: never the server's end.
            return self.fallback() if self.fallback is not None else None

    def available(self):
        return self.module() is not None

    def compressor(self, level):
        if not self.levels[0] <= level <= self.levels[1]:
            raise ValueError('zstd level out of range: %d' % level)
        module = self.module()
        return _Standard(module.ZstdCompressor(level=level).compressobj())


class Registered(Engine):
    """An engine that another extension registered with Mercurial.

    ``engine`` is the registered object, of core's ``compressionengine``
    interface; ``name`` and ``wirename`` are its own. Its stream comes from
    ``compressstream``, since it has no compressor object to drive.
    """

    def __init__(self, engine):
        self.name = engine.name()
        self.wirename = engine.wireprotosupport().name
        self._engine = engine

    def available(self):
        try:
            return bool(self._engine.available())
        except Exception:
            return False

    def compressstream(self, chunks, level):
        """Return the stream of ``chunks`` (iterables of bytes) at ``level``
        (int, or None for the engine's own default)."""
        opts = {} if level is None else {b'level': level}
        return self._engine.compressstream(chunks, opts)


NONE = _None()
ZLIB = _Zlib()
BZ2 = _Bz2()
ZSTD = _Zstd()

# In the order of preference, most wanted first.
OWN = (ZSTD, ZLIB, BZ2, NONE)
DEFAULT = (ZSTD, ZLIB)
