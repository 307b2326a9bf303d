"""The body of an answer: whole, lazy, and never whole after a failure."""

import bz2
import os
import zlib

import hypothesis
import pytest
import zstandard
from hypothesis import strategies as st

from hgext3rd.wirecomp import engines, negotiation, stream

CHUNKS = st.lists(
    st.one_of(
        st.binary(max_size=200),
        st.tuples(st.binary(min_size=1, max_size=9), st.integers(1, 9999)).map(
            lambda pair: pair[0] * pair[1]
        ),
    ),
    max_size=20,
)
ENCODINGS = [
    negotiation.Encoding(mediatype, engine, level, b'')
    for engine in engines.OWN
    for level in (
        range(engine.levels[0], engine.levels[1] + 1)
        if engine.levels
        else [None]
    )
    for mediatype in (negotiation.MEDIATYPE1, negotiation.MEDIATYPE2)
]


def named(encoding):
    return '%s %s %s' % (
        encoding.mediatype[-3:].decode(),
        encoding.engine.name.decode(),
        encoding.level,
    )


def decode(name, data):
    """Return (decoded bytes, whether the stream has come to its end)."""
    if name == b'none':
        return data, True
    decoder = {
        b'zlib': zlib.decompressobj,
        b'bz2': bz2.BZ2Decompressor,
        b'zstd': lambda: zstandard.ZstdDecompressor().decompressobj(),
    }[name]()
    return decoder.decompress(data), decoder.eof


@pytest.mark.parametrize('encoding', ENCODINGS, ids=named)
@hypothesis.given(CHUNKS)
@hypothesis.settings(max_examples=5, deadline=None)
def test_round_trip(encoding, chunks):
    pieces = list(stream.encode(iter(chunks), encoding))
    body = b''.join(pieces)
    assert b'' not in pieces
    if encoding.mediatype == negotiation.MEDIATYPE2:
        name = encoding.engine.wirename
        assert body[0] == len(name)
        assert body[1 : 1 + len(name)] == name
        body = body[1 + len(name) :]
    assert decode(encoding.engine.name, body) == (b''.join(chunks), True)


@pytest.mark.parametrize('encoding', ENCODINGS[::7], ids=named)
def test_nothing_is_read_before_it_is_wanted(encoding):
    taken = []

    def source():
        for n in range(100):
            taken.append(n)
            yield os.urandom(100000)

    body = stream.encode(source(), encoding)
    assert taken == []
    for _ in range(2):
        next(body, None)
    assert len(taken) < 50


@pytest.mark.parametrize('engine', engines.OWN[:3], ids=lambda e: e.name)
def test_a_failed_source_leaves_the_stream_unfinished(engine):
    def source():
        yield b'text' * 100000
        raise OSError('disk')

    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE1, engine, engine.defaultlevel, b''
    )
    body = stream.encode(source(), encoding)
    made = []
    with pytest.raises(OSError, match='disk'):
        for data in body:
            made.append(data)
    assert decode(engine.name, b''.join(made))[1] is False


@pytest.mark.parametrize(
    'engine, level',
    [
        (engines.ZLIB, 10),
        (engines.ZLIB, -2),
        (engines.BZ2, 0),
        (engines.BZ2, 10),
        (engines.ZSTD, 23),
        (engines.ZSTD, -8),
    ],
)
def test_a_bad_level_fails_before_the_first_byte(engine, level):
    encoding = negotiation.Encoding(negotiation.MEDIATYPE1, engine, level, b'')
    with pytest.raises(ValueError):
        stream.encode(iter([b'text']), encoding)


def test_the_source_is_closed_when_the_peer_hangs_up():
    closed = []

    def source():
        try:
            while True:
                yield b'text' * 100000
        finally:
            closed.append(True)

    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE2, engines.NONE, None, b''
    )
    body = stream.encode(source(), encoding)
    for _ in range(3):
        next(body)
    body.close()
    del body
    assert closed == [True]


def test_stored_blocks_add_less_than_a_thousandth():
    data = b'0123456789abcdef' * 65536
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE1, engines.ZLIB, engines.STORED, b''
    )
    chunks = [data[n : n + 32768] for n in range(0, len(data), 32768)]
    body = b''.join(stream.encode(chunks, encoding))
    assert len(data) < len(body) < len(data) * 1.001


@pytest.mark.parametrize('engine', engines.OWN[:2], ids=lambda e: e.name)
def test_a_higher_level_gives_fewer_bytes(engine):
    data = b''.join(b'%d %x\n' % (n * n, n * 7919) for n in range(20000))

    def size(level):
        encoding = negotiation.Encoding(
            negotiation.MEDIATYPE1, engine, level, b''
        )
        return len(b''.join(stream.encode([data], encoding)))

    lowest = 1 if engine is engines.ZLIB else engine.levels[0]
    assert size(engine.levels[1]) < size(engine.defaultlevel) < size(lowest)
