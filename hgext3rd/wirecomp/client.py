# client.py - the client's half (httppeer, exchange)
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Pushes that are compressed, small answers that may be, and what was
negotiated.

The patches of core's httppeer, and of the connections below it, go in when a
process makes its first peer: no other command is to load them.
"""

from __future__ import annotations

import threading

from mercurial import bundle2, error, exchange, exthelper, extensions, util
from mercurial.i18n import _

from . import compat, engines, negotiation, push, received, settings
from .keys import CLIENTENGINES, PUSH
from .reading import readengines, readkey

eh = exthelper.exthelper()

urlerr = util.urlerr

COMPRESSION = b'compression'
PROTO = 'X-HgProto-%d'
# The longest header that is sent where none was split (bytes), and what of it
# is not value (core's ``encodevalueinheaders``).
HEADER = 1024
FRAME = len(PROTO % 100 + ': \r\n')

# By these statuses a server, or something before it, may refuse a push because
# it is compressed: it knows nothing of that, or fails on it. Others are about
# the push itself.
REFUSED = frozenset([400, 415, 500, 501])
UNSUPPORTED = b'error:unsupportedcontent'

_lock = threading.Lock()


@eh.uisetup
def _wrappeers(ui):
    module, name = compat.remoteui()
    extensions.wrapfunction(module, name, _remoteui)
    exchange.b2partsgenerator(b'wirecomp')(_compression)


def _remoteui(orig, src, *args, **kwargs):
    dst = orig(src, *args, **kwargs)
    ui = getattr(src, 'ui', src)
    names = settings.enabledas(ui)
    # Core drops what a repository configures, and then takes back what concerns
    # its peers. It may be that it does without the extension.
    items = [(b'extensions', name) for name in names or settings.enabledas(dst)]
    for section, name in items and [*items, CLIENTENGINES]:
        value = ui.config(section, name)
        if value is not None:
            source = ui.configsource(section, name)
            dst.setconfig(section, name, value, source)
    if names:
        _patch()
    return dst


def _patch():
    """Put the patches in, once per process. Raises Abort if core's httppeer
    lacks what is patched."""
    httppeer, keepalive = compat.httppeer()
    with _lock:
        if getattr(httppeer, '_wirecomp', False):
            return
        httppeer._wirecomp = True
        for name, wrapper in (
            ('makev1commandrequest', _makev1commandrequest),
            ('sendrequest', _sendrequest),
            ('parsev1commandresponse', _parsev1commandresponse),
        ):
            extensions.wrapfunction(httppeer, name, wrapper)
        peer = httppeer.httppeer
        extensions.wrapfunction(peer, '_calltwowaystream', _calltwowaystream)
        extensions.wrapfunction(peer, 'close', _close)
        handler = keepalive.KeepAliveHandler
        extensions.wrapfunction(handler, '_start_transaction', _begin)


# What the client says of itself


def _makev1commandrequest(orig, ui, requestbuilder, *args, **kwargs):
    if not settings.enabledas(ui):
        return orig(ui, requestbuilder, *args, **kwargs)
    names = _engines(ui)

    def build(url, data, headers):
        return requestbuilder(url, data, _offer(headers, names))

    return orig(ui, build, *args, **kwargs)


def _engines(ui):
    """Return the wire names (list of bytes) of the engines that the client is
    to offer, or None for all. Raises ConfigError for unknown ones."""
    problems = []
    # Core's readers read.
    able = {
        engine.wireprotosupport().name
        for engine in util.compengines.supportedwireengines(util.CLIENTROLE)
    }
    known = engines.OWN + compat.registeredengines()
    known = [engine for engine in known if engine.wirename in able]
    chosen = readengines(ui, CLIENTENGINES, known, problems)
    for problem in problems:
        if problem.fatal:
            raise settings.configerror(problem)
    return [engine.wirename for engine in chosen] or None


def _offer(headers, names):
    """Return ``headers`` (dict of str) of a request with X-HgProto as this
    client has it: the engines ``names``, and that it reads small answers that
    are compressed."""
    count = 0
    value = ''
    while PROTO % (count + 1) in headers:
        count += 1
        value += headers[PROTO % count]
    tokens = value.split(' ')
    if '0.2' not in tokens:
        return headers
    # Core, which leaves room for the numbers, filled the first of several.
    size = len(headers[PROTO % 1]) if count > 1 else HEADER - FRAME
    headers = {
        name: value
        for name, value in headers.items()
        if not name.startswith('X-HgProto-')
    }
    if names is not None:
        offer = 'comp=' + b','.join(names).decode('ascii')
        tokens = [offer if t.startswith('comp=') else t for t in tokens]
    tokens.append(negotiation.TOKEN.decode('ascii'))
    value = ' '.join(tokens)
    for number, start in enumerate(range(0, len(value), size), 1):
        headers[PROTO % number] = value[start : start + size]
    varying = (name for name in headers if name.lower().startswith('x-hg'))
    headers['Vary'] = ','.join(sorted(varying))
    return headers


# What it is answered


def _session(ui, opener):
    """Return the received.Session of an opener (of core's url), None where the
    extension is not enabled."""
    session = getattr(opener, '_wirecomp', None)
    if session is None and settings.enabledas(ui):
        session = opener._wirecomp = received.Session()
    return session


def _sendrequest(orig, ui, opener, req):
    session = _session(ui, opener)
    if session is None:
        return orig(ui, opener, req)
    command = req.get_full_url().rpartition('cmd=')[2].partition('&')[0]
    answer = received.Answer(command.encode('utf-8', 'replace'))
    req._wirecomp = True
    with received.explained(answer.command):
        response = orig(ui, opener, req)
    session.begin(ui, answer)
    response._wirecomp = answer
    return response


def _begin(orig, self, h, req):
    # It may have been sent in part to a kept connection that the server had
    # closed: core then asks again on another, but does not rewind the body.
    if hasattr(req, '_wirecomp') and hasattr(req.data, 'seek'):
        req.data.seek(0)
    return orig(self, h, req)


def _parsev1commandresponse(orig, ui, baseurl, requrl, qs, resp, compressible):
    answer = getattr(resp, '_wirecomp', None)
    if answer is None:
        return orig(ui, baseurl, requrl, qs, resp, compressible)
    source = received.Source(resp, answer)
    try:
        with received.hinted(answer.command):
            url, mediatype, reader = orig(
                ui, baseurl, requrl, qs, source, compressible
            )
    except KeyError as inst:
        # Core looks the engine up, and does not expect to miss it.
        raise received.unknown(answer, source.begun()[1:]) from inst
    answer.mediatype = mediatype
    begin = source.begun()
    answer.header = len(begin)
    if reader is not source:
        answer.engine = begin[1:] or engines.ZLIB.wirename
        reader = received.Reader(reader, source, answer)
    else:
        source.plain = True
    return url, mediatype, reader


def _close(orig, self):
    orig(self)
    session = getattr(self._urlopener, '_wirecomp', None)
    if session is not None:
        session.note(self.ui)


# What it pushes


def _compression(pushop, bundler):
    """One of core's ``b2partsgenerator``: adds no part, but says to the peer
    how the bundle is to be sent."""
    repo, remote = pushop.repo, pushop.remote
    vars(remote).pop('_wirecomppush', None)
    http = hasattr(remote, '_urlopener')
    plain = getattr(remote, '_wirecompplain', False)
    if not settings.enabled(repo) or not http or plain:
        return
    problems = []
    compress, level = (readkey(repo.ui, key, problems) for key in PUSH)
    if problems:
        raise settings.configerror(problems[0])
    names = remote.capable(COMPRESSION)
    if compress and isinstance(names, bytes):
        engine = push.engine(names.split(b','))
        if engine is not None:
            remote._wirecomppush = engine, push.level(engine, level)


def _calltwowaystream(orig, self, cmd, fp, **args):
    # Of this push alone.
    engine, level = self.__dict__.pop('_wirecomppush', (None, None))
    if cmd != b'unbundle' or _session(self.ui, self._urlopener) is None:
        return orig(self, cmd, fp, **args)
    if engine is None:
        return _plain(orig, self, cmd, fp, args)
    with push.Body(fp, engine, level) as body:
        if body.packed is not None:
            reply = _packed(orig, self, cmd, body, args)
            if reply is not None:
                return reply
        return _plain(orig, self, cmd, body.plain, args)


def _plain(orig, self, cmd, fp, args):
    """Return the reply to a push of what ``fp`` (file) has."""
    counted = push.Counted(fp)
    try:
        return orig(self, cmd, counted, **args)
    finally:
        _tell(self, None, counted.size, counted.size)


def _packed(orig, self, cmd, body, args):
    """Return the reply to a compressed push, None if it is refused as such;
    what else goes wrong is raised."""
    _tell(self, body.engine, *body.sizes)
    try:
        reply = orig(self, cmd, body.packed, **args)
    except urlerr.httperror as inst:
        if inst.code not in REFUSED:
            raise
    else:
        reply, refused = _peek(self.ui, reply)
        if not refused:
            return reply
    _disconnect(self._urlopener)
    self._wirecompplain = True
    self.ui.status(
        _(b'(the server refuses the compressed push, sending it plain)\n')
    )
    self.ui.note(_(b'(wirecomp.compress-push = no avoids the attempt)\n'))
    return None


def _disconnect(opener):
    """Close the connections of an opener (of core's url).

    Nobody read all of the answer that was a refusal, nor need the server have
    read all of the request. Core would take the rest for the next answer, and
    send that request, which may have had its effect, a second time.
    """
    for handler in opener.handlers:
        if hasattr(handler, 'close_all'):
            handler.close_all()


def _tell(peer, engine, wire, whole):
    """Note what is pushed, by an engine or None."""
    name = engine and engine.wirename
    peer.ui.debug(
        b'wirecomp: unbundle: sending engine %s, %d bytes for %d\n'
        % (name or b'none', wire, whole)
    )
    _session(peer.ui, peer._urlopener).sent = name, wire, whole


def _peek(ui, reply):
    """Return the ``reply`` (file) to a push, as from its begin, and whether it
    is that the compression is unknown (bool)."""
    begin = push.firstheader(reply)
    whole = push.Again(begin, reply)
    if UNSUPPORTED not in begin.lower():
        return whole, False
    try:
        unbundler = bundle2.getunbundler(ui, push.Again(begin))
        part = next(unbundler.iterparts())
        params = part.params.get(b'params', b'').lower().split(b'\0')
    except (error.Abort, StopIteration):
        return whole, False
    return whole, part.type == UNSUPPORTED and COMPRESSION in params
