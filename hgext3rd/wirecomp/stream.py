# stream.py - the body of a stream answer
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""From the chunks of an answer to the bytes of its HTTP body, lazily."""

from __future__ import annotations

import itertools
import time

from . import engines

# The body goes out in writes of this many bytes: each is a system call, a
# packet or more, and, under hg serve, a chunk of HTTP. Larger ones gain
# nothing.
WRITE = 192 << 10
LARGEST = 256 << 10
# What the allocator is to keep: several writes.
KEPT = 2 << 20
# An input up to this many bytes is compressed knowing its length, so that a
# small answer needs little memory, whatever the level.
SHORT = 1 << 20


class Failed(Exception):
    """The source of an answer failed; ``__cause__`` is what it raised.

    A BrokenPipeError of the source thus never passes for one of the peer.
    """


def encode(chunks, encoding, clock=time.monotonic):
    """Return the body of an answer as an iterator of non-empty bytes.

    Takes an iterable of bytes, a negotiation.Encoding, and a clock (seconds).
    A level out of range raises ValueError before this returns; the chunks are
    read as the body is. What they raise becomes Failed. If nothing went out
    before, nothing does; else all that came goes out, readable by clients, and
    the stream is broken off: it cannot pass for a whole one.

    At most SHORT bytes of input, WRITE bytes of output and what the compressor
    takes are held. After ``flushinterval`` seconds (of the Tuning) in which
    nothing went out, the next chunk takes with it all that is held back.
    """
    engine, header = encoding.engine, encoding.header
    engine.check(encoding.level)
    chunks = _watched(chunks)
    if isinstance(engine, engines.Registered):
        # It compresses by itself; what is left to do is that of ``none``.
        chunks = _watched(engine.compressstream(chunks, encoding.level))
        encoding = encoding._replace(engine=engines.NONE)
    return _encode(chunks, encoding, header, clock)


def _watched(chunks):
    """Yield ``chunks``; what they raise becomes Failed."""
    try:
        yield from chunks
    except Failed:
        raise
    except Exception as inst:
        raise Failed from inst


def _encode(chunks, encoding, header, clock):
    """Yield the pieces of the body, ``header`` first."""
    interval = encoding.tuning.flushinterval or float('inf')
    last = clock()
    compressor, chunks = _open(iter(chunks), encoding, last + interval, clock)
    compress = compressor.compress
    held = [header]
    size = len(header)
    begun = False
    try:
        for chunk in chunks:
            data = compress(chunk)
            if data:
                held.append(data)
                size += len(data)
            if size < WRITE:
                if clock() - last < interval:
                    continue
                held.append(compressor.flush())
            if not begun:
                # Once a large block was freed, glibc's malloc keeps blocks of
                # its size instead of giving each back to the kernel and having
                # it zeroed anew.
                begun = bool(bytes(KEPT))
            yield from _pieces(held)
            held = []
            size = 0
            last = clock()
    except Failed:
        if begun:
            # The last that came may be what tells of the failure.
            held.append(compressor.breakoff())
            yield from _pieces(held)
        raise
    held.append(compressor.finish())
    yield from _pieces(held)


def _open(chunks, encoding, deadline, clock):
    """Return (compressor, chunks), having looked whether the input is short."""
    engine, size = encoding.engine, None
    if engine.sized:
        begin, total = [], 0
        try:
            for chunk in chunks:
                begin.append(chunk)
                total += len(chunk)
                if total > SHORT or clock() >= deadline:
                    break
            else:
                size = total
        except Failed as inst:
            chunks = _raising(inst)
        # As one, so that a flush finds all that has come.
        chunks = itertools.chain([b''.join(begin)], chunks)
    compressor = engine.compressor(encoding.level, encoding.tuning, size)
    return compressor, chunks


def _raising(inst):
    """Yield nothing and raise ``inst``."""
    raise inst
    yield


def _pieces(held):
    """Yield the bytes in ``held``, joined, in equal pieces up to LARGEST."""
    data = held[0] if len(held) == 1 else b''.join(held)
    if not data:
        return
    if len(data) <= LARGEST:
        yield data
        return
    count = -(-len(data) // LARGEST)
    length = -(-len(data) // count)
    for start in range(0, len(data), length):
        yield data[start : start + length]
