# small.py - replies of known length
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Byte replies, and streams that turn out to be short: their bodies."""

from __future__ import annotations

import time

from . import negotiation, stream

# Every client that reads 0.2 inflates the replies to these (core's httppeer).
# Its reader lacks what it calls for the others: it crashes.
INFLATED = frozenset([b'batch', b'unbundle'])

# Of the commands whose answer is a stream that core never compresses
# (``streamreslegacy``), those with a reply that can be one of these.
STREAMED = frozenset([b'unbundle'])

# The commands of core's extension largefiles are left alone.
UNTOUCHED = frozenset([b'putlfile', b'getlfile', b'statlfile', b'lheads'])


def choose(cmd, size, offer, settings, streamed=False):
    """Return the negotiation.Encoding of a reply.

    Takes the command (bytes), the bytes of the reply (int; of a stream, that
    there are at least), the negotiation.Offer and settings.Settings, and
    whether it is a stream (bool). The reply to a bundle1 by ``unbundle`` is
    none, and read as other byte replies are.
    """
    inflated = cmd in INFLATED and (streamed or cmd not in STREAMED)
    reply = negotiation.Reply(size, inflated, cmd in UNTOUCHED)
    return negotiation.choosereply(offer, settings, reply)


def compress(body, encoding):
    """Return (body to send, its negotiation.Encoding) of a reply.

    Takes its bytes and the Encoding that was chosen. What would not be
    smaller is as it was. What the engine raises is raised.
    """
    if not encoding.compresses:
        return body, encoding
    compressor = encoding.engine.compressor(
        encoding.level, encoding.tuning, len(body)
    )
    pieces = [encoding.header, compressor.compress(body), compressor.finish()]
    made = b''.join(pieces)
    if len(made) < len(body):
        return made, encoding
    return body, negotiation.plainreply(encoding.reason + b', not smaller')


def begin(chunks, interval, clock=time.monotonic):
    """Return (begin, whole): what comes first of a stream.

    Takes an iterator of bytes, the longest that it may take (seconds, 0 for
    any time) and a clock. ``begin`` (bytes) is all of a stream of up to
    stream.SHORT bytes, of others the chunks up to that one that made it
    longer, or that came when the time was over. ``whole`` (bool): there is no
    more. What the iterator raises is raised.
    """
    deadline = clock() + (interval or float('inf'))
    got, total = [], 0
    for chunk in chunks:
        got.append(chunk)
        total += len(chunk)
        if total > stream.SHORT or clock() >= deadline:
            return b''.join(got), False
    return b''.join(got), True
