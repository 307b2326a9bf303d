# stream.py - the body of a stream answer
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""From the chunks of an answer to the bytes of its HTTP body, lazily."""

from __future__ import annotations

from . import engines


def encode(chunks, encoding):
    """Return the body of an answer as an iterator of non-empty bytes.

    Takes an iterable of bytes and a negotiation.Encoding. The compressor is
    built before this returns, so that its failure can still become an error
    answer; the chunks are read as the body is. What ``chunks`` raises goes
    through, and the stream is then left unfinished: it cannot pass for a
    whole one.
    """
    engine = encoding.engine
    if isinstance(engine, engines.Registered):
        body = engine.compressstream(chunks, encoding.level)
    else:
        body = _compress(chunks, engine.compressor(encoding.level))
    return _nonempty(encoding.header, body)


def _compress(chunks, compressor):
    for chunk in chunks:
        yield compressor.compress(chunk)
    yield compressor.finish()


def _nonempty(header, body):
    # The header goes out at once: with a slow source it is what tells the
    # client and the proxies that the answer has begun.
    if header:
        yield header
    for data in body:
        if data:
            yield data
