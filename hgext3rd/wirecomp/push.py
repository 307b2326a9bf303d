# push.py - the compressed body of a push
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""A bundle2 and the same one compressed (``hg help internals.bundle2``)."""

from __future__ import annotations

import itertools
import struct
import tempfile

from . import engines, negotiation, stream

# What a bundle2 calls the engines, in its stream parameter ``Compression``;
# most wanted first.
NAMES = {engines.ZSTD: b'ZS', engines.ZLIB: b'GZ'}

MAGIC = b'HG20'
LENGTH = struct.Struct('>i')
# More than a header has that is one.
HEADERMAX = 64 << 10

# A push costs the client little CPU beside compressing, so that level 1 with
# zstd's own parameters is what pays; from the other level on, parameters that
# are measured on clones find what is far apart: an eighth fewer bytes, for
# twice the CPU.
ZSTDLEVEL = 1
LONGLEVEL = 3

# Read at once, and kept in memory, before there is a file (bytes).
PIECE = 32 << 10
KEPT = stream.SHORT


def engine(names):
    """Return the engines.Engine for a push to a server, or None.

    ``names`` (iterable of bytes) are those of its capability ``compression``.
    """
    for one in NAMES:
        if one.wirename in names and one.available():
            return one
    return None


def level(engine, wanted):
    """Return the level (int) for ``engine``, of NAMES, where ``wanted`` (int or
    None), a level of zstd, is set."""
    if wanted is None:
        return ZSTDLEVEL if engine is engines.ZSTD else engine.defaultlevel
    lowest, highest = engine.levels
    if engine is engines.ZLIB:
        # Its -1 is none of the fast ones, and 0 stores.
        lowest = 1
    return min(max(wanted, lowest), highest)


def firstheader(fp):
    """Return the begin of a bundle2 (bytes) in a file, as far as the end of its
    first part's header; no more is read.

    Not all of it: its server may make the last piece wait.
    """
    begin = fp.read(len(MAGIC))
    for _block in ('stream parameters', 'header of the part'):
        length = fp.read(LENGTH.size)
        begin += length
        if len(length) < LENGTH.size:
            break
        (size,) = LENGTH.unpack(length)
        if not 0 < size <= HEADERMAX:
            continue
        begin += fp.read(size)
    return begin


class Again:
    """A file to read from its begin, of which ``begin`` (bytes) was read.

    ``fp`` is the rest, None for nothing.
    """

    def __init__(self, begin, fp=None):
        self._begin = begin
        self._fp = fp

    def read(self, size):
        """As of a file."""
        data, self._begin = self._begin[:size], self._begin[size:]
        if len(data) < size and self._fp is not None:
            data += self._fp.read(size - len(data))
        return data


class Counted:
    """A file whose bytes are counted: ``size`` (int) of them were read."""

    def __init__(self, fp):
        self._fp = fp
        self.size = 0

    def read(self, size):
        """As of a file."""
        data = self._fp.read(size)
        self.size += len(data)
        return data


class Body:
    """What a push sends: a bundle2 as it is, and compressed.

    Takes a file with ``read(size)``, an ``engine`` (engines.Engine) of NAMES
    and its level (int). ``plain`` and ``packed`` are files; the latter is None
    where compressing does not pay, or the bundle is compressed already. To be
    used as a context. What reading the file raises passes through.
    """

    def __init__(self, fp, engine, level):
        self.engine = engine
        self.plain = tempfile.SpooledTemporaryFile(KEPT)
        self.packed = tempfile.SpooledTemporaryFile(KEPT)
        try:
            self._fill(fp, engine, level)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        """Give the files up."""
        self.plain.close()
        if self.packed is not None:
            self.packed.close()

    @property
    def sizes(self):
        """The lengths of ``packed``, or what it would be, and ``plain``."""
        return self._packedsize, self._plainsize

    def _fill(self, fp, engine, level):
        chunks = iter(lambda: fp.read(PIECE), b'')
        header, chunks = self._split(fp, chunks)
        if header is not None:
            self.packed.write(header + NAMES[engine])
            tuning = engines.Tuning(zstdlong=level >= LONGLEVEL)
            encoding = negotiation.Encoding(
                negotiation.MEDIATYPE1, engine, level, b'', tuning
            )
            try:
                for piece in stream.encode(self._kept(chunks), encoding):
                    self.packed.write(piece)
            except stream.Failed as inst:
                raise inst.__cause__ from None
        else:
            for _chunk in self._kept(chunks):
                pass
        self._packedsize, self._plainsize = (
            self.packed.tell(),
            self.plain.tell(),
        )
        if header is None or self._packedsize >= self._plainsize:
            self.packed.close()
            self.packed = None
        else:
            self.packed.seek(0)
        self.plain.seek(0)

    def _split(self, fp, chunks):
        """Keep the header of the bundle; return that of the compressed one,
        without the name of its engine, and the chunks to go on with."""
        start = fp.read(len(MAGIC) + LENGTH.size)
        if len(start) == len(MAGIC) + LENGTH.size and start.startswith(MAGIC):
            (length,) = LENGTH.unpack(start[len(MAGIC) :])
            if 0 <= length <= HEADERMAX:
                params = fp.read(length)
                if b'compression=' not in params.lower():
                    self.plain.write(start + params)
                    return self._header(params), chunks
                start += params
        return None, itertools.chain([start], chunks)

    @staticmethod
    def _header(params):
        params = b' '.join([params, b'Compression=']).lstrip()
        # The name of an engine has two letters.
        return MAGIC + LENGTH.pack(len(params) + 2) + params

    def _kept(self, chunks):
        for chunk in chunks:
            self.plain.write(chunk)
            yield chunk
