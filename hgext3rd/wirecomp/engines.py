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
from typing import NamedTuple

from . import zlibs, zstds

STORED = zlibs.STORED

MB = 1 << 20
# Decoders refuse a larger window (2^27 bytes) unless told otherwise.
WINDOWS = (MB, 128 * MB)

# Clients read compressed answers in pieces of this many bytes, and lose the
# last one where it is shorter and the connection is cut.
READ = 64 << 10
# What may follow a block that was flushed, any number of times: an empty one
# (RFC 1951, 3.2.4; RFC 8878, 3.1.1.2).
EMPTYZLIB = b'\0\0\0\xff\xff'
EMPTYZSTD = b'\0\0\0'


class Tuning(NamedTuple):
    """How streams are made, whichever engine makes them.

    ``zlibbackend`` (bytes): a key of zlibs.MODULES, or ``auto``. ``zstdlong``
    (bool): matches far apart. ``zstdwindow`` (int): the largest window, in
    bytes. ``zstdchecksum`` (bool): a checksum of the content in each frame.
    ``flushinterval`` (float): seconds of silence before what is held back goes
    out, 0 for never. ``streamchecksum`` (bool): what is best left raw goes out
    in stored zstd blocks, for the checksum.
    """

    zlibbackend: bytes = b'auto'
    zstdlong: bool = True
    zstdwindow: int = 32 * MB
    zstdchecksum: bool = True
    flushinterval: float = 5.0
    streamchecksum: bool = False


class Engine:
    """The facts about one engine.

    ``name`` and ``wirename`` (bytes): as in ``server.compressionengines`` and
    on the wire. ``levels`` ((lowest, highest) or None): the range of its level
    key. ``defaultlevel`` (int or None). ``compresses`` (bool). ``sized``
    (bool): it does better if it knows beforehand how long its input is.
    """

    name = b''
    wirename = b''
    levels = None
    defaultlevel = None
    compresses = True
    sized = False

    def available(self):
        """Return whether this host can run the engine (bool)."""
        return True

    def check(self, level):
        """Raise ValueError for a level out of range."""
        if self.levels and not self.levels[0] <= level <= self.levels[1]:
            name = self.name.decode('ascii')
            raise ValueError('%s level out of range: %d' % (name, level))

    def compressor(self, level, tuning, size=None):
        """Return a compressor for one answer.

        Takes its level (int or None), the Tuning, and the length of the input
        in bytes where it is known. The compressor has ``compress(bytes)``,
        ``flush()``, which ends a block so that all before it can be decoded,
        ``finish()``, the end of the stream, and, instead of that,
        ``breakoff()``, after which clients have read all that came before and
        miss the end; each returns bytes.
        """
        raise NotImplementedError


class _None(Engine):
    """The identity: sends what it is given."""

    name = wirename = b'none'
    compresses = False

    def compressor(self, level, tuning, size=None):
        return _Identity()


class _Identity:
    def compress(self, data):
        return data

    def flush(self):
        return b''

    finish = breakoff = flush


class _Standard:
    """An object with the methods of ``zlib.compressobj`` behind ours.

    ``block`` is the argument of its ``flush`` that ends a block, ``empty`` an
    empty block (bytes).
    """

    def __init__(self, compressor, block, empty):
        self.compress = compressor.compress
        self.finish = compressor.flush
        self._block = block
        self._empty = empty

    def flush(self):
        return self.finish(self._block)

    def breakoff(self):
        return self.flush() + self._empty * (READ // len(self._empty) + 1)


class _Zlib(Engine):
    """zlib streams (RFC 1950), read by every client."""

    name = wirename = b'zlib'
    levels = (-1, 9)
    defaultlevel = -1

    def compressor(self, level, tuning, size=None):
        compressor = zlibs.compressobj(level, tuning.zlibbackend)
        return _Standard(compressor, zlib.Z_SYNC_FLUSH, EMPTYZLIB)


class _Bz2(Engine):
    """bzip2 streams: small, slow on both sides."""

    name = b'bz2'
    wirename = b'bzip2'
    levels = (1, 9)
    defaultlevel = 9

    def compressor(self, level, tuning, size=None):
        return _Bzip(level)


class _Bzip:
    def __init__(self, level):
        compressor = bz2.BZ2Compressor(level)
        self.compress = compressor.compress
        self.finish = compressor.flush

    def flush(self):
        # The library can't end a block before it is full.
        return b''

    def breakoff(self):
        # All can be read only if the stream ends. What it holds has no end.
        return self.finish() + bytes(READ)


class _Zstd(Engine):
    """zstd frames (RFC 8878) through the package ``zstandard``."""

    name = wirename = b'zstd'
    levels = (-7, 22)
    defaultlevel = 3
    sized = True

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

    def compressor(self, level, tuning, size=None):
        module = self.module()
        compressor = module.ZstdCompressor(
            compression_params=zstds.parameters(module, level, tuning, size)
        )
        return _Standard(
            compressor.compressobj(size=-1 if size is None else size),
            module.COMPRESSOBJ_FLUSH_BLOCK,
            EMPTYZSTD,
        )

    def memory(self, level, tuning, size=None):
        """Return the bytes that a compressor takes at most (int)."""
        return zstds.memory(self.module(), level, tuning, size)


class _Stored(Engine):
    """zstd frames of stored blocks: a checksum, and next to no compressing.

    For what is best left raw, to clients that read zstd.
    """

    name = wirename = b'zstd'
    compresses = False

    def compressor(self, level, tuning, size=None):
        module = ZSTD.module()
        compressor = module.ZstdCompressor(
            compression_params=zstds.storing(module)
        )
        return _Standard(
            compressor.compressobj(), module.COMPRESSOBJ_FLUSH_BLOCK, EMPTYZSTD
        )


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
# Never listed: it stands in for NONE.
STOREDZSTD = _Stored()

# In the order of preference, most wanted first.
OWN = (ZSTD, ZLIB, BZ2, NONE)
DEFAULT = (ZSTD, ZLIB)
