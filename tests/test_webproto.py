"""The HTTP seam, by itself."""

import contextlib
import gc
import json
import os
import random
import weakref
import zlib

import pytest
from mercurial import ui as uimod, wireprotoserver, wireprotov1server
from mercurial.hgweb import request

from hgext3rd.wirecomp import stream, webproto


class Object:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


OFFER = b'0.2 comp=none'


def answer(source, callhttp=None, config=(), cmd=b'getbundle', offer=OFFER):
    """Return the response to ``cmd`` whose chunks are ``source``, or that
    core's ``callhttp`` makes; ``config`` is a dict of (section, name) and
    value, ``offer`` the X-HgProto of the client."""

    def streamed(repo, req, res, proto, cmd):
        mediatype, engine, opts = webproto._httpresponsetype(
            None, repo.ui, proto, False
        )
        res.headers[b'Content-Type'] = mediatype
        res.setbodygen(engine.compressstream(source, opts))

    req = Object(
        headers={b'X-HgProto-1': offer},
        rawenv={},
        method=b'GET',
        bodyfh=None,
        apppath=b'',
        remotehost=None,
        remoteuser=None,
    )
    res = request.wsgiresponse(req, lambda status, headers: None)
    res.status = b'200 Script output follows'
    ui = uimod.ui()
    repo = Object(ui=ui, baseui=ui, _wirecomp=True)
    repo.ui.setconfig(b'server', b'compressionengines', b'none')
    for key in config:
        repo.ui.setconfig(*key, config[key])
    proto = wireprotoserver.httpv1protocolhandler(
        req, repo.ui, lambda permission: None
    )
    webproto._callhttp(callhttp or streamed, repo, req, res, proto, cmd)
    return res


def test_the_body_is_ours():
    res = answer(iter([b'HG20', b'rest']))
    assert res.headers[b'Content-Type'] == b'application/mercurial-0.2'
    assert b''.join(res.sendresponse()) == b'\x04noneHG20rest'


def test_a_stream_of_any_command_is_ours(monkeypatch):
    # Other extensions bring commands.
    monkeypatch.setitem(
        wireprotov1server.commands,
        b'other',
        wireprotov1server.commands[b'getbundle'],
    )
    res = answer(iter([b'text']), cmd=b'other')
    assert b''.join(res.sendresponse()) == b'\x04nonetext'


def test_a_hang_up_closes_the_source_at_once():
    closed = []

    def source():
        try:
            while True:
                yield b'text'
        finally:
            closed.append(True)

    gc.disable()
    try:
        res = answer(source())
        gone = weakref.ref(res)
        sent = res.sendresponse()
        next(sent)
        next(sent)
        assert not closed
        # The server lets go of what it was sending.
        del res, sent
        assert gone() is None
        assert closed
    finally:
        gc.enable()


def failing(made):
    """Yield ``made`` (list of bytes), then fail as a source does."""
    yield from made
    raise OSError('disk')


def test_a_failure_before_the_first_byte_is_told():
    res = answer(failing([b'HG20']))
    assert res.headers[b'Content-Type'] == b'application/hg-error'
    assert b''.join(res.sendresponse()) == b'disk\n'


def test_a_failure_midway_breaks_the_answer_off():
    made = []
    with pytest.raises(stream.Failed) as inst:
        for piece in answer(failing([b'x' * stream.WRITE] * 2)).sendresponse():
            made.append(piece)
    assert str(inst.value.__cause__) == 'disk'
    assert b''.join(made) == b'\x04none' + b'x' * stream.WRITE * 2


def test_an_empty_answer_has_no_empty_piece():
    def callhttp(repo, req, res, proto, cmd):
        res.headers[b'Content-Type'] = b'application/mercurial-0.1'
        res.setbodygen(iter(()))

    assert list(answer((), callhttp).sendresponse()) == []


def limited(limit, timeout):
    config = {b'max-clients': limit, b'queue-timeout': timeout}
    return {(b'wirecomp', name): value for name, value in config.items()}


@pytest.mark.parametrize('end', ('read', 'closed', 'failed', 'dropped'))
def test_a_place_is_given_back_however_an_answer_ends(end):
    many = [b'x' * stream.WRITE] * 3
    source = failing(many) if end == 'failed' else iter(many)
    sent = answer(source, config=limited(b'1', b'0')).sendresponse()
    next(sent)
    busy = answer(iter([b'other']), config=limited(b'1', b'0'))
    assert busy.status == b'503 Service Unavailable'
    assert int(busy.headers[b'Retry-After']) >= 1
    if end == 'closed':
        sent.close()
    elif end == 'dropped':
        del sent
    else:
        with contextlib.suppress(stream.Failed):
            list(sent)
    free = answer(iter([b'other']), config=limited(b'1', b'0'))
    assert free.status.startswith(b'200')
    assert b''.join(free.sendresponse()) == b'\x04noneother'


def test_a_failure_before_the_first_byte_gives_the_place_back():
    config = limited(b'1', b'0')
    answer(failing([]), config=config)
    assert answer(iter([b'other']), config=config).status.startswith(b'200')


TOKEN = b'0.1 0.2 comp=zlib wirecomp'
ZLIB = {(b'server', b'compressionengines'): b'zlib'}
HGTYPE = b'application/mercurial-0.1'


def replied(body, cmd=b'heads', offer=TOKEN, status=b'200 Script output', **kw):
    """Return the response to a command that core answers by ``body``: bytes,
    or an iterator of them."""

    def callhttp(repo, req, res, proto, cmd):
        res.status = status
        res.headers[b'Content-Type'] = kw.get('mediatype', HGTYPE)
        if isinstance(body, bytes):
            res.setbodybytes(body)
        else:
            res.setbodygen(body)

    return answer((), callhttp, kw.get('config', ZLIB), cmd, offer)


def content(res):
    """Return (the bytes that a response stands for, whether compressed)."""
    sent = b''.join(res.sendresponse())
    length = res.headers.get(b'Content-Length')
    assert length is None or int(length) == len(sent)
    if res.headers[b'Content-Type'] == b'application/mercurial-0.2':
        assert sent[:5] == b'\x04zlib'
        return zlib.decompress(sent[5:]), True
    return sent, False


TEXT = b'0123456789' * 200


def test_a_byte_reply_is_compressed():
    res = replied(TEXT)
    assert b'Content-Length' in res.headers
    assert content(res) == (TEXT, True)


@pytest.mark.parametrize(
    'how',
    [
        {'offer': b'0.1 0.2 comp=zlib'},
        {'offer': b'0.1 comp=zlib wirecomp'},
        {'offer': b''},
        {'body': TEXT[:1023]},
        {'body': b''},
        {'mediatype': b'application/hg-error'},
        {'status': b'404 Not Found'},
        {'status': b'2000 Odd'},
        {'cmd': b'lookup', 'offer': b'0.1 0.2 comp=zlib'},
        {'cmd': b'unbundle', 'offer': b'0.1 0.2 comp=zlib'},
    ],
)
def test_other_byte_replies_stay(how):
    how.setdefault('body', TEXT)
    res = replied(**how)
    mediatype = how.get('mediatype', HGTYPE)
    assert res.headers[b'Content-Type'] == mediatype
    assert int(res.headers[b'Content-Length']) == len(how['body'])
    assert content(res) == (how['body'], False)


def test_a_batch_is_compressed_for_all():
    offer = b'0.1 0.2 comp=zlib'
    assert content(replied(TEXT, b'batch', offer)) == (TEXT, True)
    assert content(replied(TEXT, b'batch', b'0.1')) == (TEXT, False)


@pytest.mark.parametrize(
    'size, compressed',
    [(0, False), (1023, False), (1024, True), (1000000, True)],
)
@pytest.mark.parametrize('offer', (b'0.1 0.2 comp=zlib', b'0.1'))
def test_a_short_reply_of_unbundle_has_a_length(size, compressed, offer):
    chunks = [b'x' * (size // 2), b'', b'x' * (size - size // 2)]
    res = replied(iter(chunks), b'unbundle', offer)
    assert b'Content-Length' in res.headers
    assert b'X-Accel-Buffering' not in res.headers
    compressed = compressed and offer != b'0.1'
    assert content(res) == (b'x' * size, compressed)


@pytest.mark.parametrize('offer', (b'0.1 0.2 comp=zlib', b'0.1'))
def test_a_long_reply_of_unbundle_is_lazy(offer):
    made = []

    def source():
        for _ in range(100):
            made.append(b'x' * 100000)
            yield made[-1]

    res = replied(source(), b'unbundle', offer)
    assert b'Content-Length' not in res.headers
    assert res.headers[b'X-Accel-Buffering'] == b'no'
    if offer == b'0.1':
        assert len(made) < 20
    got, compressed = content(res)
    assert got == b''.join(made)
    assert compressed == (offer != b'0.1')


def test_other_streams_of_core_stay():
    res = replied(iter([TEXT]), b'stream_out', TOKEN)
    assert content(res) == (TEXT, False)
    assert b'Content-Length' not in res.headers


@pytest.mark.parametrize('made', ([], [TEXT], [b'x' * 500000] * 2))
def test_a_short_reply_of_unbundle_that_fails_is_told(made):
    res = replied(failing(made), b'unbundle', TOKEN)
    assert res.headers[b'Content-Type'] == b'application/hg-error'
    assert content(res) == (b'disk\n', False)


@pytest.mark.parametrize('offer', (TOKEN, b'0.1'))
def test_a_long_reply_of_unbundle_that_fails_is_broken_off(offer):
    def source():
        noise = random.Random(0)
        for _ in range(20):
            yield noise.randbytes(100000)
        raise OSError('disk')

    sent = []
    with pytest.raises(stream.Failed):
        for piece in replied(source(), b'unbundle', offer).sendresponse():
            sent.append(piece)
    sent = b''.join(sent)
    if offer == TOKEN:
        inflater = zlib.decompressobj()
        assert len(inflater.decompress(sent[5:])) == 2000000
        assert not inflater.eof
    else:
        assert len(sent) == 2000000


def test_a_hang_up_closes_the_reply_of_unbundle():
    closed = []

    def source():
        try:
            while True:
                yield b'x' * 100000
        finally:
            closed.append(True)

    gc.disable()
    try:
        sent = replied(source(), b'unbundle', b'0.1').sendresponse()
        next(sent)
        assert not closed
        del sent
        assert closed
    finally:
        gc.enable()


def test_an_engine_that_fails_is_told(monkeypatch):
    def compressor(self, level, tuning, size=None):
        raise MemoryError('no memory')

    monkeypatch.setattr(type(webproto.engines.ZLIB), 'compressor', compressor)
    res = replied(TEXT)
    assert res.headers[b'Content-Type'] == b'application/hg-error'
    assert content(res)[0].startswith(b'internal error: MemoryError')


def test_nothing_of_ours_stays_on_the_response():
    res = replied(TEXT)
    assert 'setbodybytes' not in vars(res)
    assert 'setbodygen' not in vars(res)


def test_a_reply_is_logged(tmp_path):
    def logged(**how):
        log = tmp_path / 'log'
        config = {**ZLIB, (b'wirecomp', b'log'): os.fsencode(log)}
        sent = b''.join(replied(config=config, **how).sendresponse())
        record = json.loads(log.read_bytes().splitlines()[-1])
        assert record['wire'] == len(sent)
        names = ('mediatype', 'engine', 'level', 'source', 'reason')
        return tuple(record[name] for name in names)

    two, one = 'application/mercurial-0.2', 'application/mercurial-0.1'
    why = 'first cheap engine of the server that the client reads'
    assert logged(body=TEXT) == (two, 'zlib', 1, 2000, why)
    assert logged(body=TEXT, offer=b'0.2') == (one, None, None, 2000, None)
    assert logged(body=b'x') == (one, None, None, 1, None)
    short = logged(body=iter([b'x']), cmd=b'unbundle')
    assert short == (one, 'none', None, 1, 'short')
    pushed = logged(body=iter([TEXT]), cmd=b'unbundle')
    assert pushed == (two, 'zlib', 1, 2000, why)
    long = logged(body=iter([TEXT] * 1000), cmd=b'unbundle')
    assert long == (two, 'zlib', 1, 2000000, why)
