"""The offer and the choice, as pure functions."""

import os
import re
import subprocess
import sys
import time

import hypothesis
import pytest
from hypothesis import strategies as st

from hgext3rd.wirecomp import engines, negotiation
from hgext3rd.wirecomp.negotiation import Hint, Offer, choose
from hgext3rd.wirecomp.settings import Settings

RAW = Hint(prefercompressed=False)
UNINFLATED = Hint(prefercompressed=False, inflated=False)
ALL = Settings(engines=engines.OWN)
PLAIN = Settings()

# Headers made of what clients send, of what nearly is that, and of anything.
WORDS = st.sampled_from(
    [
        b'0.1', b'0.2', b'0.20', b'0.3', b'comp=', b'comp=zstd', b'COMP=zstd',
        b'comp=zlib,none', b'comp=none', b'comp=,,bzip2,', b'comp=zstd,zlib',
        b'comp=aa', b'partial-pull', b'zstd', b',', b'comp', b'', b'\x0b0.2',
        b'comp=zstd;q=1', b'cbor',
    ]
)  # fmt: skip
GAPS = st.sampled_from([b' ', b'\t', b'  ', b' \t ', b'', b'\n', b'\xa0'])
HEADERS = st.one_of(
    st.binary(max_size=300),
    st.lists(st.tuples(WORDS, GAPS), max_size=12).map(
        lambda pairs: b''.join(word + gap for word, gap in pairs)
    ),
)
HINTS = st.sampled_from(
    [Hint(), RAW, UNINFLATED, Hint(prefercompressed=True, inflated=False)]
)
SETTINGS = st.permutations(engines.OWN).flatmap(
    lambda order: st.integers(1, len(order)).map(
        lambda count: Settings(engines=tuple(order[:count]))
    )
)


def readable(value):
    """Return (reads 0.2, engines) as SPEC-minded people would read it."""
    for name in (b'comp=', b'0.1', b'0.2'):
        value = value.replace(b'0.1' + name, b'0.1 ' + name)
        value = value.replace(b'0.2' + name, b'0.2 ' + name)
    value = re.sub(rb'(?<=[a-z0-9])partial-pull', b' partial-pull', value)
    tokens = [token for token in re.split(rb'[ \t]+', value) if token]
    comps = [token[5:] for token in tokens if token.startswith(b'comp=')]
    names = comps[0].split(b',') if comps else [b'zlib', b'none']
    return b'0.2' in tokens, set(names)


@hypothesis.given(HEADERS, HINTS, SETTINGS)
@hypothesis.settings(max_examples=2000, deadline=None)
def test_any_header_gets_a_readable_answer(value, hint, settings):
    encoding = choose(Offer.parse(value), settings, hint)
    reads2, names = readable(value)
    name = encoding.engine.wirename
    if encoding.mediatype == negotiation.MEDIATYPE2:
        assert reads2
        if hint.prefercompressed:
            assert name in names
            assert encoding.engine in settings.engines
        else:
            assert name == b'none'
        assert encoding.header == bytes([len(name)]) + name
    else:
        assert encoding.mediatype == negotiation.MEDIATYPE1
        assert encoding.header == b''
        assert name == (b'zlib' if hint.inflated else b'none')
        # Nobody who reads 0.2 and shares an engine is sent 0.1.
        if reads2:
            assert hint.prefercompressed
            offered = [engine.wirename for engine in settings.engines]
            assert not names.intersection(offered)
    assert encoding.reason


@hypothesis.given(SETTINGS, st.permutations([b'zstd', b'zlib', b'bzip2']))
def test_the_order_of_the_server_decides(settings, names):
    offer = Offer(True, tuple(names))
    wanted = [e for e in settings.engines if e.wirename in names]
    chosen = choose(offer, settings, Hint())
    if wanted:
        assert chosen.engine is wanted[0]
    else:
        assert chosen.mediatype == negotiation.MEDIATYPE1


@pytest.mark.parametrize(
    'value, reads2, names',
    [
        (b'', False, ()),
        (b'0.1', False, ()),
        (b'comp=zstd', False, ()),
        (b'0.1 comp=zstd', False, ()),
        (b'0.1 0.2', True, (b'zlib', b'none')),
        (b'0.1 0.2 comp=', True, ()),
        (b'0.1 0.2 comp=a,,b,', True, (b'a', b'b')),
        (b'0.2 comp=zlib comp=zstd', True, (b'zlib',)),
        (b'0.2 comp= comp=zstd', True, ()),
        (b'comp=zstd\t\t0.2', True, (b'zstd',)),
        # A space is lost where X-HgProto is split beside it.
        (b'0.2comp=zstd', True, (b'zstd',)),
        (b'0.10.2 comp=zstd', True, (b'zstd',)),
        (b'0.2 comp=zlib,zstdpartial-pull', True, (b'zlib', b'zstd')),
        (b'0.25 comp=zstd', False, ()),
        (b'0.2\x0bcomp=zstd', False, ()),
        (b'0.2 comp=ZSTD', True, (b'ZSTD',)),
    ],
)
def test_offer(value, reads2, names):
    assert Offer.parse(value) == (reads2, names, False)


@pytest.mark.parametrize(
    'value, hint, expected',
    [
        (b'0.2 comp=zlib,zstd', Hint(), (b'0.2', b'zstd', 3)),
        (b'0.2 comp=bzip2', Hint(), (b'0.1', b'zlib', -1)),
        (b'0.2 comp=zstd', RAW, (b'0.2', b'none', None)),
        (b'0.1', Hint(), (b'0.1', b'zlib', -1)),
        (b'0.1', RAW, (b'0.1', b'zlib', 0)),
        (b'0.1', UNINFLATED, (b'0.1', b'none', None)),
        (b'0.2', UNINFLATED, (b'0.2', b'none', None)),
    ],
)
def test_choice(value, hint, expected):
    chosen = choose(Offer.parse(value), PLAIN, hint)
    got = (chosen.mediatype[-3:], chosen.engine.wirename, chosen.level)
    assert got == expected


def test_levels_of_the_settings():
    settings = Settings(levels={b'zstd': 19, b'zlib': 2})
    assert choose(Offer(True, (b'zstd',)), settings, Hint()).level == 19
    assert choose(Offer(False, ()), settings, Hint()).level == 2
    # What is best left raw does not become work by a level.
    assert choose(Offer(False, ()), settings, RAW).level == 0


def test_the_same_in_processes_with_other_hash_seeds():
    script = (
        'from hgext3rd.wirecomp.negotiation import *\n'
        'from hgext3rd.wirecomp.settings import Settings\n'
        'for value in (b"0.2 comp=zlib comp=zstd", b"0.2 comp=zstd comp=zlib",'
        ' b"comp=a,b,zlib,c 0.1 0.2 x y", b"0.2 comp=c,zstd,b,zlib,a"):\n'
        '    offer = Offer.parse(value)\n'
        '    chosen = choose(offer, Settings(), Hint())\n'
        '    print(offer, chosen.mediatype, chosen.engine.name, chosen[2:])\n'
    )
    said = {
        subprocess.check_output(
            [sys.executable, '-c', script],
            env=dict(os.environ, PYTHONHASHSEED=str(seed)),
        )
        for seed in range(8)
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    'value',
    [
        b'0.2 comp=' + b'a,' * 30000,
        b'0.2 ' * 15000,
        b'comp=a ' * 9000,
        b' \t' * 30000 + b'0.2',
        b'0.2 comp=' + b'a' * 60000,
    ],
)
def test_a_header_of_60_kb_costs_linear_time(value):
    # Quadratic work would be 10^9 steps: no noise of a machine hides that.
    start = time.process_time()
    choose(Offer.parse(value), ALL, Hint())
    assert time.process_time() - start < 1
