# logfiles.py - files of lines, also compressed or damaged
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The lines of a file, in memory that does not depend on its length."""

from __future__ import annotations

import gzip
import re
import zlib

# Bytes that are read at once, and the longest start of a line that is kept
# until the next ones are there.
CHUNK = 1 << 16
LINEMAX = 1 << 16

# How files begin: RFC 1952, 2.3.1; RFC 8878, 3.1.1 and 3.1.2.
GZIP = re.compile(rb'\x1f\x8b')
ZSTD = re.compile(rb'\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18')


class Broken(Exception):
    """A file that can't be read on, with the reason (str)."""


class NoZstd(Exception):
    """A file that only zstd can read, where there is none."""


def lines(chunks):
    """Yield the lines of ``chunks`` (iterables of bytes), None for each that
    is too long to be kept."""
    rest, lost = b'', False
    for chunk in chunks:
        first, *others = chunk.split(b'\n')
        rest += first
        if others:
            yield None if lost else rest
            lost = False
            rest = others.pop()
            yield from others
        if len(rest) > LINEMAX:
            rest, lost = b'', True
    if rest or lost:
        yield None if lost else rest


class _Begun:
    """A file object whose begin (bytes) was read already."""

    def __init__(self, begin, fp):
        self._begin = begin
        self._fp = fp

    def read(self, size):
        begin, self._begin = self._begin[:size], self._begin[size:]
        return begin or self._fp.read(size)


def chunks(fp, zstd=None):
    """Yield what is in a file object, in pieces (bytes), decompressed.

    gzip and zstd are told by how the file begins. ``zstd`` is a module with
    the interface of ``zstandard``, or None. Raises Broken where the file can't
    be read on, and NoZstd.
    """
    damage = (OSError, EOFError, zlib.error)
    if zstd is not None:
        damage += (zstd.ZstdError,)
    try:
        read = _reader(fp, zstd)
        while True:
            chunk = read(CHUNK)
            if not chunk:
                return
            yield chunk
    except damage as inst:
        raise Broken(str(inst)) from inst


def _reader(fp, zstd):
    """Return what reads a file object's content: a function like ``read``."""
    begin = fp.read(4)
    fp = _Begun(begin, fp)
    # read1 gives what there is before damage raises.
    if GZIP.match(begin):
        return gzip.GzipFile(fileobj=fp, mode='rb').read1
    if ZSTD.match(begin):
        if zstd is None:
            raise NoZstd
        decompressor = zstd.ZstdDecompressor()
        return decompressor.stream_reader(fp, read_across_frames=True).read1
    return fp.read
