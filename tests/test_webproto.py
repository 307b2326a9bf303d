"""The HTTP seam, by itself."""

import contextlib
import gc
import weakref

import pytest
from mercurial import ui as uimod, wireprotoserver, wireprotov1server
from mercurial.hgweb import request

from hgext3rd.wirecomp import stream, webproto


class Object:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def answer(source, callhttp=None, config=(), cmd=b'getbundle'):
    """Return the response to ``cmd`` whose chunks are ``source``, or that
    core's ``callhttp`` makes; ``config`` is a dict of (section, name) and
    value."""

    def streamed(repo, req, res, proto, cmd):
        mediatype, engine, opts = webproto._httpresponsetype(
            None, repo.ui, proto, False
        )
        res.headers[b'Content-Type'] = mediatype
        res.setbodygen(engine.compressstream(source, opts))

    req = Object(
        headers={b'X-HgProto-1': b'0.2 comp=none'},
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
    webproto._callhttp(
        callhttp or streamed, repo, req, res, proto, b'getbundle'
    )
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
