"""The body of an answer: whole, lazy, and never whole after a failure."""

import bz2
import os
import zlib

import hypothesis
import pytest
import zstandard
from hypothesis import strategies as st

from hgext3rd.wirecomp import engines, negotiation, stream

MIB = 1 << 20
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


def failing(chunks, raised):
    """Yield ``chunks``, then raise."""
    yield from chunks
    raise raised


@pytest.mark.parametrize(
    'raised', (OSError('disk'), BrokenPipeError(), ValueError(), MemoryError())
)
def test_what_the_source_raises_is_a_failure_of_the_source(raised):
    body = stream.encode(failing([b'text'], raised), raw())
    with pytest.raises(stream.Failed) as inst:
        list(body)
    assert inst.value.__cause__ is raised


@pytest.mark.parametrize('encoding', ENCODINGS[::7], ids=named)
@pytest.mark.parametrize('count', range(9))
def test_it_may_fail_at_any_chunk(encoding, count):
    # Up to the third nothing has gone out, up to the fifth it may be short.
    chunks = [os.urandom(300_000) for _ in range(count)]
    made = []
    with pytest.raises(stream.Failed):
        for piece in stream.encode(failing(chunks, OSError()), encoding):
            made.append(piece)
    if not made:
        return
    skip = 0
    if encoding.mediatype == negotiation.MEDIATYPE2:
        skip = 1 + len(encoding.engine.wirename)
    decoded, whole = decode(encoding.engine.name, b''.join(made)[skip:])
    assert decoded == b''.join(chunks)
    # What ends bzip2 is what no decoder reads as a part of it.
    if encoding.engine not in (engines.NONE, engines.BZ2):
        assert not whole


@pytest.mark.parametrize('engine', engines.OWN, ids=lambda e: e.name)
@pytest.mark.parametrize('length', (0, 4, 100_000, 3_000_000))
def test_what_came_before_a_failure_can_be_decoded(engine, length):
    came = os.urandom(3_000_000)
    last = os.urandom(length)
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE1, engine, engine.defaultlevel, b''
    )
    made = []
    with pytest.raises(stream.Failed):
        for data in stream.encode(failing([came, last], OSError()), encoding):
            made.append(data)
    assert decode(engine.name, b''.join(made))[0] == came + last


@pytest.mark.parametrize('engine', engines.OWN, ids=lambda e: e.name)
def test_a_failure_before_the_first_byte_sends_none(engine):
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE2, engine, engine.defaultlevel, b''
    )
    body = stream.encode(failing([b'a', b'little'], OSError()), encoding)
    with pytest.raises(stream.Failed):
        assert not next(body)


def test_an_engine_of_an_extension_fails_as_ours_do():
    class Engine:
        def name(self):
            return b'own'

        def wireprotosupport(self):
            return self

        def compressstream(self, chunks, opts):
            return (b'<%s>' % chunk for chunk in chunks)

    Engine.name = type('Name', (bytes,), {'__call__': lambda self: self})(b'o')
    many = [b'x' * stream.WRITE] * 2
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE2, engines.Registered(Engine()), None, b''
    )
    made = []
    with pytest.raises(stream.Failed) as inst:
        for piece in stream.encode(failing(many, OSError('disk')), encoding):
            made.append(piece)
    assert str(inst.value.__cause__) == 'disk'
    assert b''.join(made) == b'\x01o' + b''.join(b'<%s>' % m for m in many)


@pytest.mark.parametrize('short', (True, False))
def test_stored_zstd_leaves_the_data_as_it_is(short):
    data = b'a text, the same over and over ' * (100 if short else 100_000)
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE2, engines.STOREDZSTD, None, b''
    )
    body = b''.join(stream.encode([data], encoding))
    assert body.startswith(b'\x04zstd')
    frame = body[5:]
    assert zstandard.get_frame_parameters(frame).has_checksum
    assert decode(b'zstd', frame) == (data, True)
    assert len(data) < len(frame) < len(data) * 1.001 + 20
    # Damage of the content is noticed, though no block is compressed.
    for place in range(len(frame) // 2, len(frame), len(frame) // 9):
        bad = bytearray(frame)
        bad[place] ^= 4
        with pytest.raises(zstandard.ZstdError):
            decode(b'zstd', bytes(bad))


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
        encoding = raw(engine, level, zlibbackend=b'zlib')
        return len(b''.join(stream.encode([data], encoding)))

    lowest = 1 if engine is engines.ZLIB else engine.levels[0]
    assert size(engine.levels[1]) < size(engine.defaultlevel) < size(lowest)


def raw(engine=engines.NONE, level=None, **tuning):
    return negotiation.Encoding(
        negotiation.MEDIATYPE2, engine, level, b'', engines.Tuning(**tuning)
    )


class Clock:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize('engine', engines.OWN, ids=lambda e: e.name.decode())
def test_writes_are_neither_small_nor_huge(engine):
    chunks = [os.urandom(4 if n % 2 else 32768) for n in range(128)]
    chunks.append(os.urandom(MIB))
    level = engine.levels and engine.levels[0]
    sizes = list(map(len, stream.encode(iter(chunks), raw(engine, level))))
    assert max(sizes) <= stream.LARGEST
    # The last one has what is left.
    assert min(sizes[:-1]) >= stream.LARGEST // 2
    assert sum(sizes) >= 3 * MIB


def test_the_header_goes_with_the_first_data():
    body = list(stream.encode(iter([b'HG20', b'', b'rest']), raw()))
    assert body == [b'\x04noneHG20rest']


@pytest.mark.parametrize(
    'engine', (engines.NONE, engines.ZLIB, engines.ZSTD), ids=lambda e: e.name
)
def test_after_silence_all_that_came_can_be_decoded(engine):
    clock = Clock()
    came = []

    def source():
        for n in range(40):
            # From the third on it is slow.
            clock.now += 6 if n > 2 else 0
            came.append(os.urandom(1000))
            yield came[-1]

    body = stream.encode(source(), raw(engine, engine.defaultlevel), clock)
    got = b''
    for _ in range(5):
        got += next(body)
        header = 1 + len(engine.wirename)
        assert decode(engine.name, got[header:])[0] == b''.join(came)
    assert len(came) < 20


def test_silence_is_nothing_where_the_interval_is_0():
    clock = Clock()

    def source():
        for _ in range(3):
            clock.now += 1000
            yield b'text'

    encoding = raw(flushinterval=0.0)
    assert len(list(stream.encode(source(), encoding, clock))) == 1


@pytest.mark.parametrize('level', [1, 3, 19, 22])
def test_a_short_answer_needs_little_memory(level):
    # A pull of ten changesets, at any level and with the largest window.
    tuning = engines.Tuning(zstdwindow=128 * MIB)
    assert engines.ZSTD.memory(level, tuning, size=20000) < 2 * MIB
    assert engines.ZSTD.memory(level, tuning) > 16 * MIB
    sizes = []

    class Spy(type(engines.ZSTD)):
        def compressor(self, level, tuning, size=None):
            sizes.append(size)
            return super().compressor(level, tuning, size)

    for total in (20000, stream.SHORT, stream.SHORT + 1):
        chunks = [b'x' * (total // 2), b'x' * (total - total // 2)]
        b''.join(stream.encode(iter(chunks), raw(Spy(), level)))
    assert sizes == [20000, stream.SHORT, None]


@pytest.mark.parametrize('window', [MIB, 3 * MIB, 32 * MIB, 128 * MIB])
@pytest.mark.parametrize('long', [False, True])
@pytest.mark.parametrize('checksum', [False, True])
@pytest.mark.parametrize('level', [-7, 3, 19])
def test_zstd_frames_say_what_they_need(level, window, long, checksum):
    encoding = raw(
        engines.ZSTD,
        level,
        zstdlong=long,
        zstdwindow=window,
        zstdchecksum=checksum,
    )
    data = os.urandom(stream.SHORT + 1)
    frame = b''.join(stream.encode(iter([data]), encoding))[5:]
    parameters = zstandard.get_frame_parameters(frame)
    assert parameters.window_size <= window
    assert parameters.has_checksum is checksum
    assert decode(b'zstd', frame) == (data, True)


def test_a_checksum_notices_damage():
    frame = bytearray(
        b''.join(stream.encode([b'text' * 100], raw(engines.ZSTD, 3)))[5:]
    )
    frame[-1] ^= 1
    with pytest.raises(zstandard.ZstdError, match='(?i)checksum'):
        decode(b'zstd', bytes(frame))
