"""Byte replies: the choice, as a pure function, and their bodies."""

import bz2
import random
import zlib

import hypothesis
import pytest
import zstandard
from hypothesis import strategies as st

from hgext3rd.wirecomp import engines, negotiation, small, stream
from hgext3rd.wirecomp.negotiation import Offer, Reply, choosereply
from hgext3rd.wirecomp.settings import Settings

FLOOR = negotiation.FLOOR
STOCK = b'0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull'
TOKEN = STOCK + b' wirecomp'
PLAIN = Settings()
ALL = Settings(engines=engines.OWN)
BATCH = Reply(FLOOR, inflated=True)
OTHER = Reply(FLOOR)

LEVELS = st.fixed_dictionaries(
    {},
    optional={
        b'zstd': st.integers(*engines.ZSTD.levels),
        b'zlib': st.integers(*engines.ZLIB.levels),
    },
)
SETTINGS = st.builds(
    lambda order, count, levels, policy: Settings(
        engines=tuple(order[:count]), levels=levels, policy=policy
    ),
    st.permutations(engines.OWN),
    st.integers(1, len(engines.OWN)),
    LEVELS,
    st.sampled_from([None, b'office']),
)
OFFERS = st.builds(
    Offer,
    st.booleans(),
    st.lists(st.sampled_from([b'zstd', b'zlib', b'bzip2', b'none', b'x'])).map(
        tuple
    ),
    st.booleans(),
)
REPLIES = st.builds(
    Reply, st.integers(FLOOR - 2, FLOOR + 2), st.booleans(), st.booleans()
)


def decode(mediatype, body):
    """Return the bytes that a client gets of a reply."""
    if mediatype == negotiation.MEDIATYPE1:
        return body
    assert mediatype == negotiation.MEDIATYPE2
    name, data = body[1 : 1 + body[0]], body[1 + body[0] :]
    if name == b'zstd':
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return {b'zlib': zlib, b'bzip2': bz2}[name].decompress(data)


@hypothesis.given(OFFERS, SETTINGS, REPLIES)
@hypothesis.settings(max_examples=2000, deadline=None)
def test_who_gets_what(offer, settings, reply):
    chosen = choosereply(offer, settings, reply)
    assert chosen.reason
    assert chosen == choosereply(offer, settings, reply)
    if not chosen.compresses:
        assert chosen.mediatype == negotiation.MEDIATYPE1
        assert chosen.engine is engines.NONE
        assert chosen.header == b''
        return
    assert offer.reads2 and (offer.inflates or reply.inflated)
    assert reply.size >= FLOOR and not reply.untouched
    assert chosen.mediatype == negotiation.MEDIATYPE2
    assert chosen.engine in (engines.ZSTD, engines.ZLIB)
    assert chosen.engine in settings.engines
    assert chosen.engine.wirename in offer.engines
    before = settings.engines[: settings.engines.index(chosen.engine)]
    common = [e for e in before if e.wirename in offer.engines]
    stores = settings.level(engines.ZLIB) == 0
    assert set(common) <= {engines.BZ2, *([engines.ZLIB] if stores else ())}
    assert chosen.level <= 1


@hypothesis.given(SETTINGS)
def test_a_common_cheap_engine_is_used(settings):
    chosen = choosereply(Offer.parse(TOKEN), settings, OTHER)
    for engine in settings.engines:
        if engine is engines.NONE:
            assert not chosen.compresses
            return
        if engine is engines.ZSTD or (
            engine is engines.ZLIB and settings.level(engine) != 0
        ):
            assert chosen.engine is engine
            return
    assert not chosen.compresses


@pytest.mark.parametrize(
    'value, inflates, engine',
    [
        (TOKEN, True, b'zstd'),
        (STOCK, False, b'zstd'),
        # The token alone, or without 0.2, says nothing.
        (b'wirecomp', False, None),
        (b'0.1 wirecomp', False, None),
        (b'0.1 comp=zstd wirecomp', False, None),
        (b'wirecomp 0.2', True, b'zlib'),
        (b'0.2 wirecomp', True, b'zlib'),
        (b'0.2 comp=none wirecomp', True, None),
        (b'0.2 comp= wirecomp', True, None),
        (b'0.2 comp=bzip2 wirecomp', True, None),
        # A space is lost where X-HgProto is split beside it.
        (b'0.2wirecomp', True, b'zlib'),
        (b'0.2 comp=zlib,zstdwirecomp', True, b'zstd'),
        (b'0.2 comp=zlib,bzip2wirecomp', True, b'zlib'),
        (b'0.2 comp=zstdpartial-pullwirecomp', True, b'zstd'),
        (b'0.2 comp=zstd partial-pullwirecomp', True, b'zstd'),
        (b'0.10.2comp=zstdpartial-pullwirecomp', True, b'zstd'),
        # Others.
        (b'0.2 comp=zstd WIRECOMP', False, b'zstd'),
        (b'0.2 comp=zstd wirecomp2', False, b'zstd'),
        (b'0.2 comp=zstd wirecomp=1', False, b'zstd'),
        (b'0.2 comp=zstd,wirecomp', False, b'zstd'),
        (b'0.2 comp=wirecomp', False, None),
        (b'0.2\x0bwirecomp', False, None),
    ],
)
def test_the_token(value, inflates, engine):
    offer = Offer.parse(value)
    assert offer.inflates == inflates
    batch = choosereply(offer, PLAIN, BATCH)
    other = choosereply(offer, PLAIN, OTHER)
    assert (batch.engine.wirename if batch.compresses else None) == engine
    assert other == (batch if inflates else other)
    assert other.compresses == (inflates and engine is not None)


@pytest.mark.parametrize('reply', (OTHER, BATCH))
def test_the_floor(reply):
    offer = Offer.parse(TOKEN)
    assert choosereply(offer, PLAIN, reply).compresses
    short = reply._replace(size=FLOOR - 1)
    assert choosereply(offer, PLAIN, short).reason == b'short'


@pytest.mark.parametrize(
    'names, expected',
    [
        ('ZSTD ZLIB', 'ZSTD'),
        ('ZLIB ZSTD', 'ZLIB'),
        ('NONE ZSTD', None),
        ('BZ2 ZSTD', 'ZSTD'),
        ('BZ2 NONE ZLIB', None),
        ('BZ2', None),
        ('ZLIB NONE', 'ZLIB'),
    ],
)
def test_the_order_of_the_server(names, expected):
    settings = Settings(
        engines=tuple(getattr(engines, name) for name in names.split())
    )
    chosen = choosereply(Offer.parse(TOKEN), settings, OTHER)
    wanted = getattr(engines, expected) if expected else engines.NONE
    assert chosen.engine is wanted


def test_none_that_the_client_does_not_name_is_passed_over():
    settings = Settings(engines=(engines.NONE, engines.ZSTD))
    offer = Offer.parse(b'0.2 comp=zstd wirecomp')
    assert choosereply(offer, settings, OTHER).engine is engines.ZSTD


def test_registered_engines_are_passed_over():
    registered = object.__new__(engines.Registered)
    registered.name = registered.wirename = b'other'
    settings = Settings(engines=(registered, engines.ZLIB))
    offer = Offer.parse(b'0.2 comp=other,zlib wirecomp')
    assert choosereply(offer, settings, OTHER).engine is engines.ZLIB


@pytest.mark.parametrize(
    'level, expected',
    [(-7, -7), (-1, -1), (0, 1), (1, 1), (2, 1), (3, 1), (22, 1)],
)
def test_levels_of_zstd(level, expected):
    settings = Settings(levels={b'zstd': level})
    chosen = choosereply(Offer.parse(TOKEN), settings, OTHER)
    assert (chosen.engine, chosen.level) == (engines.ZSTD, expected)


@pytest.mark.parametrize('level', (-1, 1, 6, 9))
def test_levels_of_zlib(level):
    settings = Settings(engines=(engines.ZLIB,), levels={b'zlib': level})
    chosen = choosereply(Offer.parse(TOKEN), settings, OTHER)
    assert (chosen.engine, chosen.level) == (engines.ZLIB, 1)


def test_zlib_that_only_stores_makes_nothing():
    settings = Settings(engines=(engines.ZLIB,), levels={b'zlib': 0})
    assert not choosereply(Offer.parse(TOKEN), settings, OTHER).compresses


def test_the_policy_is_named():
    settings = Settings(policy=b'office')
    chosen = choosereply(Offer.parse(TOKEN), settings, OTHER)
    assert chosen.reason.endswith(b', policy office')


@pytest.mark.parametrize(
    'cmd, streamed, value, compressed',
    [
        (b'batch', False, STOCK, True),
        (b'unbundle', True, STOCK, True),
        # That of a bundle1 is read as other byte replies are.
        (b'unbundle', False, STOCK, False),
        (b'unbundle', False, TOKEN, True),
        (b'heads', False, STOCK, False),
        (b'capabilities', False, STOCK, False),
        (b'capabilities', False, TOKEN, True),
        (b'of-another-extension', False, TOKEN, True),
        (b'putlfile', False, TOKEN, False),
        (b'statlfile', False, TOKEN, False),
        (b'lheads', False, TOKEN, False),
        (b'batch', False, b'0.1', False),
    ],
)
def test_commands(cmd, streamed, value, compressed):
    offer = Offer.parse(value)
    chosen = small.choose(cmd, FLOOR, offer, PLAIN, streamed)
    assert chosen.compresses == compressed


@hypothesis.given(
    st.binary(max_size=4000),
    st.integers(1, 40),
    st.sampled_from(
        [
            (engines.ZSTD, -7), (engines.ZSTD, 0), (engines.ZSTD, 1),
            (engines.ZLIB, 1),
        ]
    ),
    st.sampled_from([b'auto', b'zlib']),
    st.booleans(),
)  # fmt: skip
@hypothesis.settings(max_examples=300, deadline=None)
def test_a_body_comes_back(data, times, how, backend, checksum):
    body = data * times
    tuning = engines.Tuning(zlibbackend=backend, zstdchecksum=checksum)
    encoding = negotiation.Encoding(negotiation.MEDIATYPE2, *how, b'', tuning)
    made, got = small.compress(body, encoding)
    assert decode(got.mediatype, made) == body
    if got.compresses:
        assert len(made) < len(body)
    else:
        assert made is body


def test_what_does_not_shrink_stays():
    body = bytes(range(256)) * 4
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE2, engines.ZLIB, 1, b'why'
    )
    noise = random.Random(0).randbytes(5000)
    assert small.compress(noise, encoding)[0] is noise
    assert small.compress(noise, encoding)[1].reason == b'why, not smaller'
    assert small.compress(body, encoding)[1] is encoding


@pytest.mark.parametrize('checksum', (True, False))
def test_the_checksum_is_that_of_streams(checksum):
    tuning = engines.Tuning(zstdchecksum=checksum)
    encoding = negotiation.Encoding(
        negotiation.MEDIATYPE2, engines.ZSTD, 1, b'', tuning
    )
    made, _chosen = small.compress(b'text' * 1000, encoding)
    frame = zstandard.get_frame_parameters(made[len(encoding.header) :])
    assert frame.has_checksum == checksum


def ticking(times):
    """Return a clock that shows ``times``, one after the other."""
    times = iter(times)
    return lambda: next(times)


@pytest.mark.parametrize(
    'sizes, begin, whole',
    [
        ([], 0, True),
        ([5, 0, 7], 12, True),
        ([stream.SHORT], stream.SHORT, True),
        ([stream.SHORT, 0], stream.SHORT, True),
        ([stream.SHORT + 1], stream.SHORT + 1, False),
        ([stream.SHORT, 1, 9], stream.SHORT + 1, False),
    ],
)
def test_begin(sizes, begin, whole):
    chunks = iter([b'x' * size for size in sizes])
    got, ended = small.begin(chunks, 0)
    assert (len(got), ended) == (begin, whole)
    rest = sum(map(len, chunks))
    assert len(got) + rest == sum(sizes)
    # No more is read than it takes.
    assert rest == (9 if sizes[-1:] == [9] else 0)


def test_begin_does_not_wait():
    clock = ticking([0, 1, 4, 5, 9])
    chunks = iter([b'a', b'b', b'c', b'd'])
    assert small.begin(chunks, 5, clock) == (b'abc', False)
    assert list(chunks) == [b'd']
