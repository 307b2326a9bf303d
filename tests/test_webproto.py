"""The HTTP seam, by itself."""

import gc
import weakref

from mercurial import ui as uimod, wireprotoserver
from mercurial.hgweb import request

from hgext3rd.wirecomp import webproto


class Object:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def answer(source):
    """Return the response to a getbundle whose chunks are ``source``."""

    def callhttp(repo, req, res, proto, cmd):
        mediatype, engine, opts = webproto._httpresponsetype(
            None, repo.ui, proto, False
        )
        res.headers[b'Content-Type'] = mediatype
        res.setbodygen(engine.compressstream(source, opts))

    req = Object(
        headers={b'X-HgProto-1': b'0.2 comp=none'}, rawenv={}, method=b'GET'
    )
    res = request.wsgiresponse(req, lambda status, headers: None)
    res.status = b'200 Script output follows'
    repo = Object(ui=uimod.ui(), _wirecomp=True)
    repo.ui.setconfig(b'server', b'compressionengines', b'none')
    proto = wireprotoserver.httpv1protocolhandler(req, repo.ui, None)
    webproto._callhttp(callhttp, repo, req, res, proto, b'getbundle')
    return res


def test_the_body_is_ours():
    res = answer(iter([b'HG20', b'rest']))
    assert res.headers[b'Content-Type'] == b'application/mercurial-0.2'
    assert b''.join(res.sendresponse()) == b'\x04noneHG20rest'


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
