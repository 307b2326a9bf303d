"""Sums of JSON logs: as a naive computation has them, whatever lines hold."""

import gzip
import io
import ipaddress
import json
import math

import hypothesis
import pytest
import zstandard
from hypothesis import strategies as st

from hgext3rd.wirecomp import logfiles, report

ADDRESSES = st.one_of(
    st.none(),
    st.ip_addresses().map(str),
    st.integers(0, 9).map(lambda n: '192.0.%d.%d' % (n % 2, n)),
    st.integers(0, 9).map(lambda n: '2001:db8:%d::%d' % (n % 2, n)),
)
SECONDS = st.floats(0, 100)
ENTRIES = st.fixed_dictionaries(
    {
        'time': st.integers(1, 30).map(lambda n: '2026-11-%02dT14:00:00Z' % n),
        'command': st.sampled_from(['getbundle', 'batch', 'heads']),
        'address': ADDRESSES,
        'mediatype': st.sampled_from(
            ['application/mercurial-0.1', 'application/mercurial-0.2']
        ),
        'engine': st.sampled_from([None, 'zstd', 'zlib']),
        'reason': st.sampled_from([None, 'legacy', 'no common engine']),
        'source': st.integers(0, 10**12),
        'wire': st.integers(0, 10**12),
        'cpu': SECONDS,
        'wall': SECONDS,
        'outcome': st.sampled_from(['complete', 'hung-up', 'failed']),
        'error': st.sampled_from([None, 'OSError', 'Abort']),
    }
)


def entry(**values):
    """Return an entry of a log (dict) with these values."""
    whole = {
        'time': '2026-12-01T14:00:00.123Z',
        'repo': '/project',
        'command': 'getbundle',
        'address': '192.0.2.7',
        'mediatype': 'application/mercurial-0.2',
        'engine': 'zstd',
        'level': 3,
        'reason': None,
        'source': 100,
        'wire': 10,
        'cpu': 0.1,
        'wall': 0.3,
        'first': None,
        'outcome': 'complete',
    }
    return dict(whole, **values)


def line(**values):
    return json.dumps(entry(**values)).encode()


def summed(log, size=None):
    """Return the Report of a log (bytes) that comes in pieces."""
    found = report.Report()
    size = size or len(log) or 1
    found.read(log[at : at + size] for at in range(0, len(log), size))
    return found


def table(found, by, **kwargs):
    """Return {name: Sum}, in the order of the rows."""
    return {r.name: r.sum for r in found.rows(**kwargs) if r.by == by}


def fallback(item):
    return item['engine'] and item['mediatype'] == 'application/mercurial-0.1'


def keyof(by, item):
    """Return the names that an entry counts for (list)."""
    if by == 'all':
        return [None]
    if by == 'day':
        return [item['time'][:10]]
    if by == 'network':
        return [naivenetwork(item['address'])]
    if by == 'fallback':
        return [item['reason']] if fallback(item) else []
    if by == 'failure':
        return [item['error']] if item['outcome'] == 'failed' else []
    return [item[by]]


def naivenetwork(address):
    if address is None:
        return None
    found = ipaddress.ip_address(address)
    if found.version == 6 and found.ipv4_mapped:
        found = found.ipv4_mapped
    prefix = 24 if found.version == 4 else 48
    return str(ipaddress.ip_network((found, prefix), strict=False))


def nearest(times, percent):
    """Return the time of nearest rank in a list of them."""
    times = sorted(times)
    return times[math.ceil(len(times) * percent / 100) - 1]


def close(got, time):
    time = min(max(time, report.LOWEST), report.HIGHEST)
    return got == pytest.approx(time, rel=0.01)


@hypothesis.given(st.lists(ENTRIES, max_size=40), st.integers(1, 5000))
def test_sums_are_those_of_a_naive_computation(items, size):
    log = b''.join(json.dumps(item).encode() + b'\n' for item in items)
    found = summed(log, size)
    assert (found.lines, found.skipped) == (len(items), 0)
    for by in ('all', *report.LIMITS):
        expected = {None: []} if by == 'all' else {}
        for item in items:
            for name in keyof(by, item):
                expected.setdefault(name, []).append(item)
        got = table(found, by)
        assert set(got) == set(expected)
        for name, items_ in expected.items():
            check(got[name], items_)


def check(got, items):
    """Assert that a Sum is that of some entries."""
    outcomes = [item['outcome'] for item in items]
    assert got.answers == len(items)
    assert got.source == sum(item['source'] for item in items)
    assert got.wire == sum(item['wire'] for item in items)
    assert got.cpu == pytest.approx(math.fsum(item['cpu'] for item in items))
    assert got.fallbacks == len(list(filter(fallback, items)))
    assert got.hungup == outcomes.count('hung-up')
    assert got.failed == outcomes.count('failed')
    if not got.source:
        assert got.ratio is None
    else:
        assert got.ratio == got.wire / got.source
    times = [item['wall'] for item in items]
    for percent in (50, 95):
        if times:
            assert close(got.percentile(percent), nearest(times, percent))
        else:
            assert got.percentile(percent) is None


@hypothesis.given(
    st.lists(
        st.floats(-7, 6).map(lambda n: 10.0**n) | st.just(0.0), min_size=1
    ),
    st.integers(1, 100),
)
def test_percentiles_are_within_a_percent(times, percent):
    found = summed(b'\n'.join(line(wall=time) for time in times))
    got = table(found, 'all')[None].percentile(percent)
    assert close(got, nearest(times, percent))


@hypothesis.given(st.binary())
def test_any_bytes_are_lines(data):
    log = line() + b'\n' + data.replace(b'\n', b'') + b'\n' + line()
    assert table(summed(log), 'all')[None].answers >= 2
    summed(data, 7)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just(10**400),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@hypothesis.given(st.sampled_from(sorted(entry())), JSON)
def test_any_value_is_summed_or_skipped(key, value):
    found = summed(line(**{key: value}))
    total = table(found, 'all')[None]
    assert total.answers + found.skipped == 1
    assert 0 <= total.cpu < math.inf
    for row in found.rows():
        assert row.name is None or row.name.isprintable()


@pytest.mark.parametrize(
    'values',
    [
        {'time': None},
        {'time': '2026-13-01T14:00:00Z'},
        {'time': '٢٠٢٦-12-01T14:00:00Z'},
        {'time': '1026-12-01T14:00:00Z'},
        {'source': -1},
        {'source': True},
        {'wire': 1 << 61},
        {'wire': '10'},
        {'cpu': math.nan},
        {'wall': math.inf},
        {'wall': -1},
        {'engine': ['zstd']},
        {'command': 3},
    ],
)
def test_what_can_not_be_is_damage(values):
    found = summed(line() + b'\n' + line(**values) + b'\n' + line())
    assert found.skipped == 1
    assert table(found, 'all')[None].answers == 2


@pytest.mark.parametrize(
    'damage', [b'[' * 60000, b'[]', b'3', b'null', b'\xff', b'9' * 9999]
)
def test_what_is_no_object_is_damage(damage):
    found = summed(line() + b'\n' + damage)
    assert (found.lines, found.skipped) == (2, 1)


def test_empty_lines_are_nothing():
    assert summed(b'\n \r\n' + line() + b'\r\n\n').skipped == 0


@hypothesis.given(st.integers(1, len(line()) - 1))
def test_half_a_line_is_skipped(length):
    # At the end, and where the next process wrote on.
    whole, half = line(agent='{"time": "x"'), line()[:length]
    for log in (whole + b'\n' + half, half + whole, b'\0' * length + whole):
        found = summed(log)
        assert found.skipped == 1
        assert table(found, 'all')[None].answers == 1


@pytest.mark.parametrize('size', [777, 65536, 65537, 200000])
def test_a_line_without_an_end_is_not_kept(size):
    log = line() + b'\n' + b'x' * 400000 + b'\n' + line()
    pieces = list(
        logfiles.lines(log[n : n + size] for n in range(0, len(log), size))
    )
    assert len(pieces) == 3
    assert pieces[0] == pieces[2] == line()
    assert pieces[1] is None or len(pieces[1]) <= logfiles.LINEMAX + size


@pytest.mark.parametrize(
    'address, network',
    [
        ('192.0.2.7', '192.0.2.0/24'),
        ('::ffff:192.0.2.7', '192.0.2.0/24'),
        ('2001:db8:1:2::3', '2001:db8:1::/48'),
        ('fe80::1%eth0', 'fe80::/48'),
        ('localhost', None),
        ('', None),
        ('1' * 9999, None),
        (None, None),
        (7, None),
    ],
)
def test_networks(address, network):
    assert list(table(summed(line(address=address)), 'network')) == [network]


@pytest.mark.parametrize('by', sorted(report.LIMITS))
def test_names_are_bounded(by):
    limit = report.LIMITS[by]
    many = limit + 10
    values = {
        'engine': lambda n: {'engine': 'e%d' % n},
        'command': lambda n: {'command': 'c%d' % n},
        'day': lambda n: {
            'time': '%d-%02d-%02dT'
            % (2000 + n // 336, n // 28 % 12 + 1, n % 28 + 1)
        },
        'network': lambda n: {'address': '10.%d.%d.1' % divmod(n, 256)},
        'fallback': lambda n: {
            'reason': 'r%d' % n,
            'mediatype': 'application/mercurial-0.1',
        },
        'failure': lambda n: {'error': 'E%d' % n, 'outcome': 'failed'},
    }[by]
    found = summed(b'\n'.join(line(**values(n)) for n in range(many)))
    assert found.skipped == 0
    got = table(found, by)
    assert len(got) == limit + 1
    assert list(got)[-1] == 'other'
    assert got['other'].answers == 10
    assert sum(item.answers for item in got.values()) == many


@pytest.mark.parametrize('count', [0, 1, 2, 3, 4])
def test_the_largest_networks(count):
    log = b'\n'.join(
        line(address='10.0.%d.1' % n, wire=n, wall=n) for n in (1, 3, 2)
    )
    got = table(summed(log), 'network', networks=count)
    shown = ['10.0.3.0/24', '10.0.2.0/24', '10.0.1.0/24'][:count]
    assert list(got) == shown + (['other'] if count < 3 else [])
    assert sum(item.answers for item in got.values()) == 3
    assert sum(item.wire for item in got.values()) == 6
    if count == 1:
        assert close(got['other'].percentile(50), 1)
        assert close(got['other'].percentile(95), 2)


def test_names_are_harmless():
    engine = 'z\x1b[2J\r\n\u202e\ud800' + 'x' * 1000
    (name,) = table(summed(line(engine=engine)), 'engine')
    assert name.startswith('z\\x1b[2J\\r\\n\\u202e\\ud800xxx')
    assert len(name) < 200


def test_order():
    log = b'\n'.join(
        line(command=command, time=time)
        for command, time in (
            ('b', '2026-12-02T'),
            ('a', '2026-12-02T'),
            ('c', '2026-12-01T'),
            ('c', '2026-12-03T'),
            ('other', '2026-12-03T'),
            ('other', '2026-12-03T'),
        )
    )
    found = summed(log)
    assert list(table(found, 'command')) == ['c', 'a', 'b', 'other']
    assert sorted(table(found, 'day')) == list(table(found, 'day'))


LOG = b''.join(line(source=n) + b'\n' for n in range(3000))


def zst(*parts):
    return b''.join(zstandard.ZstdCompressor().compress(p) for p in parts)


@pytest.mark.parametrize(
    'data',
    [
        LOG,
        gzip.compress(LOG),
        gzip.compress(LOG[:1000]) + gzip.compress(LOG[1000:]),
        zst(LOG),
        zst(LOG[:1000], LOG[1000:]),
        b'\x50\x2a\x4d\x18\4\0\0\0skip' + zst(LOG),
        zst(LOG[:1000]) + b'\x5f\x2a\x4d\x18\0\0\0\0' + zst(b'', LOG[1000:]),
    ],
)
def test_files(data):
    chunks = list(logfiles.chunks(io.BytesIO(data), zstandard))
    assert b''.join(chunks) == LOG
    assert max(map(len, chunks)) <= logfiles.CHUNK


@pytest.mark.parametrize('data', [b'', b'x', b'xyz', b'\x1f', b'{"a"'])
def test_short_files(data):
    assert b''.join(logfiles.chunks(io.BytesIO(data))) == data


@pytest.mark.parametrize(
    'data',
    [
        gzip.compress(LOG)[:-500],
        gzip.compress(LOG[:400000]) + b'garbage',
        zst(LOG[:400000]) + b'garbage',
        zst(LOG[:400000]) + zst(LOG)[:100] + b'\xff' * 999,
    ],
)
def test_what_comes_before_damage_is_summed(data):
    found = report.Report()
    with pytest.raises(logfiles.Broken):
        found.read(logfiles.chunks(io.BytesIO(data), zstandard))
    assert table(found, 'all')[None].answers > 500


def test_a_cut_zstd_file():
    found = report.Report()
    found.read(logfiles.chunks(io.BytesIO(zst(LOG)[:-9]), zstandard))
    assert found.skipped <= 1


def test_zstd_without_its_library():
    with pytest.raises(logfiles.NoZstd):
        list(logfiles.chunks(io.BytesIO(zst(LOG)), None))


@hypothesis.given(
    st.sampled_from([b'\x1f\x8b', b'\x28\xb5\x2f\xfd']), st.binary()
)
def test_any_bytes_are_a_file(begin, data):
    found = report.Report()
    try:
        found.read(logfiles.chunks(io.BytesIO(begin + data), zstandard))
    except logfiles.Broken as inst:
        assert str(inst).isprintable()
