"""The body of a push, and the reader of answers."""

import http.client
import io
import socket
import struct
import urllib.error
import urllib.request
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from mercurial import error, util

from hgext3rd.wirecomp import client, engines, push, received

PARTS = b'a part of text, and again ' * 1000


def bundle(params=b'', parts=PARTS):
    return b'HG20' + struct.pack('>i', len(params)) + params + parts


def body(data, engine=engines.ZSTD, level=3):
    return push.Body(io.BytesIO(data), engine, level)


def taken(packed):
    """Return the stream parameters and the rest of a bundle2 file."""
    data = packed.read()
    assert data[:4] == b'HG20'
    (length,) = struct.unpack('>i', data[4:8])
    return data[8 : 8 + length], data[8 + length :]


def test_zstd_body():
    with body(bundle()) as sent:
        params, stream = taken(sent.packed)
        assert params == b'Compression=ZS'
        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(stream))
        assert reader.read() == PARTS
        assert sent.plain.read() == bundle()
        assert sent.sizes == (8 + len(params) + len(stream), len(bundle()))


def test_zlib_body():
    with body(bundle(), engines.ZLIB, 9) as sent:
        params, stream = taken(sent.packed)
        assert params == b'Compression=GZ'
        assert zlib.decompress(stream) == PARTS


def test_other_parameters_stay():
    with body(bundle(b'evolution=1 else')) as sent:
        params, _stream = taken(sent.packed)
        assert params == b'evolution=1 else Compression=ZS'


@pytest.mark.parametrize(
    'data',
    [
        b'',
        b'HG',
        b'HG20',
        b'HG10UN' + PARTS,
        b'HG20\xff\xff\xff\xff' + PARTS,
        b'HG20\x7f\xff\xff\xff' + PARTS,
        bundle(b'Compression=GZ'),
        bundle(b'compression=BZ'),
        bundle(parts=b'\0\0\0\0'),
        bundle(parts=bytes(range(256))),
    ],
)
def test_goes_as_it_is(data):
    with body(data) as sent:
        assert sent.packed is None
        assert sent.plain.read() == data


@given(st.binary(max_size=2000), st.sampled_from(list(push.NAMES)))
def test_plain_is_what_came(data, engine):
    with body(data, engine, 1) as sent:
        assert sent.plain.read() == data


def test_what_the_source_raises_passes():
    def chunks():
        yield bundle()
        raise error.Abort(b'no more')

    with pytest.raises(error.Abort, match='no more'):
        push.Body(util.chunkbuffer(chunks()), engines.ZSTD, 3)


@given(st.binary(max_size=40), st.lists(st.integers(0, 30), max_size=9))
def test_a_begin_is_read_again(rest, sizes):
    header = b'\7a part '
    for params in (b'', b'one two=3'):
        data = bundle(params, struct.pack('>i', len(header)) + header)
        fp = io.BytesIO(data + rest)
        begin = push.firstheader(fp)
        assert begin == data
        again, whole = push.Again(begin, fp), io.BytesIO(data + rest)
        for size in (*sizes, len(data) + len(rest), 5):
            assert again.read(size) == whole.read(size)


@pytest.mark.parametrize(
    'data',
    [b'', b'HG', b'HG20', b'HG20\0\0', bundle(parts=b'\0\0\0\0'), b'1\n' * 9],
)
def test_no_first_part(data):
    fp = io.BytesIO(data)
    assert push.Again(push.firstheader(fp), fp).read(99) == data


@pytest.mark.parametrize(
    'engine, wanted, level',
    [
        (engines.ZSTD, None, 1),
        (engines.ZSTD, -7, -7),
        (engines.ZSTD, 22, 22),
        (engines.ZLIB, None, -1),
        (engines.ZLIB, -7, 1),
        (engines.ZLIB, 0, 1),
        (engines.ZLIB, 4, 4),
        (engines.ZLIB, 22, 9),
    ],
)
def test_level(engine, wanted, level):
    assert push.level(engine, wanted) == level


def test_engine_of_a_server():
    assert push.engine([b'zlib', b'zstd']) is engines.ZSTD
    assert push.engine([b'bzip2', b'zlib']) is engines.ZLIB
    assert push.engine([b'none', b'bzip2']) is None
    assert push.engine([]) is None


def source(data, command, length=0):
    response = io.BytesIO(data)
    if length:
        response = Response(data)
        response.length = length
    got = received.Source(response, received.Answer(command))
    got.plain = True
    got._answer.mediatype = b'application/mercurial-0.1'
    return got


class Response(io.BytesIO):
    """As http.client has it: ``length`` is what is missing."""


def test_a_plain_answer_is_cut():
    for args in ((b'getbundle',), (b'heads', 7)):
        got = source(b'x' * 50, *args)
        with pytest.raises(error.RemoteError, match='ends too early') as raised:
            got.read(100)
        assert raised.value.hint


def test_a_plain_answer_is_shorter_than_asked_for():
    assert source(b'x' * 50, b'heads').read(100) == b'x' * 50
    # By the reader of a bundle that is compressed by itself.
    assert source(b'x' * 50, b'getbundle').read(65536) == b'x' * 50
    whole = source(b'x' * 50, b'getbundle')
    assert whole.read(50) + whole.read(10) == b'x' * 50


def test_a_short_reply_under_another_type():
    got = source(b'\4zstd' + STREAMS[b'zstd'], b'listkeys')
    with pytest.raises(error.RemoteError, match='not of its media type'):
        got.read()
    assert source(b'a\n\4zstd', b'listkeys').read() == b'a\n\4zstd'


class Ui:
    def __init__(self):
        self.notes = []
        self.debugs = []
        self.note, self.debug = self.notes.append, self.debugs.append


def reader(data, engine=b'zstd', command=b'listkeys'):
    answer = received.Answer(command)
    answer.engine = engine
    source = received.Source(io.BytesIO(data), answer)
    core = util.compengines.forwiretype(engine).decompressorreader(source)
    return received.Reader(core, source, answer), answer


TEXT = b'one\ntwo\nthree' * 10000
STREAMS = {
    b'zlib': zlib.compress(TEXT),
    b'zstd': zstandard.ZstdCompressor(write_checksum=True).compress(TEXT),
}


def able(engine):
    return util.compengines[engine].available()


@pytest.fixture(params=[name for name in STREAMS if able(name)])
def engine(request):
    return request.param


def test_reads_all(engine):
    for size in ((), (-1,), (None,)):
        got, answer = reader(STREAMS[engine], engine)
        assert got.read(*size) == TEXT
        assert got.read() == got.read(3) == b''
        assert answer.decoded == len(TEXT)
        assert answer.wire == len(STREAMS[engine])


def test_reads_some(engine):
    got, _answer = reader(STREAMS[engine], engine)
    assert got.read(5) == TEXT[:5]
    assert got.readline() == TEXT[5:8]
    assert got.read() == TEXT[8:]
    assert got.readline() == b''


def test_an_end_too_early(engine):
    for size in (1, len(STREAMS[engine]) - 1):
        got, _answer = reader(STREAMS[engine][:size], engine)
        with pytest.raises(error.RemoteError, match='ends too early') as raised:
            got.read()
        assert raised.value.hint


def test_damage(engine):
    stream = bytearray(STREAMS[engine])
    stream[len(stream) // 2] ^= 4
    got, _answer = reader(bytes(stream), engine)
    with pytest.raises(error.RemoteError, match='cannot be decoded') as raised:
        got.read()
    assert raised.value.hint


@pytest.mark.parametrize(
    'inst, said',
    [
        (socket.timeout(), 'no answer to known in time'),
        (urllib.error.URLError(socket.timeout()), 'no answer to known in time'),
        (ConnectionResetError(104, 'reset'), 'answer to known was cut: reset'),
    ],
)
def test_the_network(inst, said):
    with pytest.raises(error.RemoteError, match=said) as raised:
        with received.explained(b'known'):
            raise inst
    assert raised.value.hint


@pytest.mark.parametrize(
    'inst',
    [
        urllib.error.HTTPError('', 500, 'no', {}, None),
        urllib.error.URLError('refused'),
        error.Abort(b'else'),
        http.client.BadStatusLine('x'),
    ],
)
def test_what_is_not_the_network(inst):
    with pytest.raises(type(inst)) as raised:
        with received.explained(b'known'):
            raise inst
    assert raised.value is inst


@pytest.mark.parametrize(
    'command, hint', [(b'capabilities', b'URL'), (b'heads', b'try again')]
)
def test_a_hint_of_what_is_no_repository(command, hint):
    with pytest.raises(error.RepoError) as raised:
        with received.hinted(command):
            raise error.RepoError(b'no repository')
    assert hint in raised.value.hint


def test_what_has_a_hint_keeps_it():
    with pytest.raises(error.Abort) as raised:
        with received.hinted(b'capabilities'):
            raise error.Abort(b'no', hint=b'its own')
    assert raised.value.hint == b'its own'


def test_a_plain_answer_in_lines():
    got = source(b'one\ntwo', b'heads')
    assert list(got) == [b'one\n', b'two']
    assert got._answer.wire == 7


def test_a_body_is_sent_from_its_begin_again():
    sent = []

    def send(handler, connection, request):
        sent.append(request.data.read())

    request = urllib.request.Request('http://host/', io.BytesIO(b'body'))
    request._wirecomp = True
    for _connection in range(2):
        client._begin(send, None, None, request)
    assert sent == [b'body', b'body']


def test_notes():
    ui, session = Ui(), received.Session()
    session.note(ui)
    assert not ui.notes
    for engine, wire, decoded in ((None, 100, 0), (b'zstd', 300, 900)):
        answer = received.Answer(b'heads')
        session.begin(ui, answer)
        answer.engine, answer.wire, answer.decoded = engine, wire, decoded
    session.note(ui)
    assert ui.notes == [
        b'(received 400 bytes for 1000, engine zstd, ratio 0.40)\n'
    ]
    assert len(ui.debugs) == 2
    session.note(ui)
    assert len(ui.notes) == 1
    session.sent = b'zlib', 10, 40
    session.note(ui)
    assert ui.notes[1:] == [
        b'(sent 10 bytes for 40, engine zlib, ratio 0.25)\n'
    ]


def test_offer():
    headers = {
        'X-HgProto-1': '0.1 0.2 comp=zstd,zlib,none,bz',
        'X-HgProto-2': 'ip2 partial-pull',
        'X-HgArg-1': 'key=x',
        'Vary': '',
    }
    got = client._offer(headers, None)
    value = got['X-HgProto-1'] + got['X-HgProto-2']
    assert value == '0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull wirecomp'
    limit = len('X-HgProto-1' + headers['X-HgProto-1'])
    assert all(len(k + v) <= limit for k, v in got.items() if 'Proto' in k)
    assert set(got['Vary'].split(',')) == set(got) - {'Vary'}
    got = client._offer(headers, [b'zlib'])
    assert ' comp=zlib ' in got['X-HgProto-1']


@pytest.mark.parametrize('size', [1, 2, 7])
def test_offer_in_tiny_headers(size):
    value = '0.1 0.2 comp=zstd partial-pull'
    headers = {
        'X-HgProto-%d' % number: value[start : start + size]
        for number, start in enumerate(range(0, len(value), size), 1)
    }
    got = client._offer(headers, None)
    pieces = [got['X-HgProto-%d' % n] for n in range(1, len(got))]
    assert ''.join(pieces) == value + ' wirecomp'
    assert max(map(len, pieces)) == size


def test_offer_to_an_old_server():
    headers = {'X-HgProto-1': '0.1 partial-pull'}
    assert client._offer(headers, [b'zlib']) == headers
    assert client._offer({}, None) == {}
