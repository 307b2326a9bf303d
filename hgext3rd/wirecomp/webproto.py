# webproto.py - from an HTTP request to its answer (wireprotoserver)
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The HTTP side: takes the client's offer, chooses, encodes the answer."""

from __future__ import annotations

import contextlib

from mercurial import error, exthelper, wireprotoserver, wireprotov1server

from . import compat, journal, negotiation, settings, stream

eh = exthelper.exthelper()
serving = exthelper.exthelper()

HTTP = b'http-v1'

# Clients read the answers to these commands without inflating them in 0.1
# (core's httppeer, ``_callstream``), though servers deflate them.
UNINFLATED = frozenset([b'get_cached_bundle_inline'])


class _Answer:
    """What is known of the answer being made: core's ``compressionengine`` of
    one request.

    Core asks ``_httpresponsetype`` for an engine and gives it the chunks. This
    one only keeps them, and the body is put in where core sets it, so that
    all of it, payload header included, comes from one place.
    """

    def __init__(self, repo, proto, cmd, effective):
        self.repo = repo
        self.cmd = cmd
        self.offer = negotiation.Offer.parse(
            wireprotoserver.decodevaluefromheaders(proto._req, b'X-HgProto')
        )
        self.settings = effective
        self.encoding = None
        self.chunks = None

    def choose(self, prefercompressed):
        """Return the negotiation.Encoding for an answer of this command."""
        hint = negotiation.Hint(prefercompressed, self.cmd not in UNINFLATED)
        return negotiation.choose(self.offer, self.settings, hint)

    def compressstream(self, chunks, opts=None):
        self.chunks = chunks
        return chunks

    def wireprotosupport(self):
        return self

    @property
    def name(self):
        return self.encoding.engine.wirename

    def body(self, gen):
        """Return the body to send where core would send ``gen``."""
        if self.chunks is None:
            return gen
        journal.chosen(self.repo.ui, self.cmd, self.encoding)
        # ``gen`` is a generator of core's from the same chunks, not started.
        return stream.encode(self.chunks, self.encoding)


@eh.wrapfunction(wireprotoserver, '_callhttp')
def _callhttp(orig, repo, req, res, proto, cmd):
    if not settings.enabled(repo):
        return orig(repo, req, res, proto, cmd)
    compat.nodelay(req.rawenv)
    effective = settings.read(repo.ui)
    journal.complain(repo.ui, req.rawenv, effective.problems)
    answer = proto._wirecomp = _Answer(repo, proto, cmd, effective)
    setbodygen = res.setbodygen
    res.setbodygen = lambda gen: setbodygen(answer.body(gen))
    try:
        return orig(repo, req, res, proto, cmd)
    finally:
        # Else the response would hold itself, and after a hang-up its source
        # would stay open until the garbage collector comes.
        del res.setbodygen


@eh.wrapfunction(wireprotoserver, '_httpresponsetype')
def _httpresponsetype(orig, ui, proto, prefer_uncompressed):
    answer = getattr(proto, '_wirecomp', None)
    if answer is None:
        return orig(ui, proto, prefer_uncompressed)
    answer.encoding = answer.choose(not prefer_uncompressed)
    return answer.encoding.mediatype, answer, {}


def compresses(proto):
    """Return whether an answer of this request will be compressed (bool),
    unless it turns out to be best left raw."""
    answer = getattr(proto, '_wirecomp', None)
    return answer is not None and answer.choose(True).compresses


@eh.wrapfunction(wireprotov1server, '_capabilities')
def _capabilities(orig, repo, proto):
    if proto.name != HTTP or not settings.enabled(repo):
        return orig(repo, proto)
    # Core raises for what it doesn't know, and then no client gets in.
    unset = {(settings.SERVER, settings.ENGINES): b''}
    with repo.ui.configoverride(unset, b'wirecomp'):
        caps = orig(repo, proto)
    return _withengines(caps, settings.read(repo.ui).engines)


def _withengines(caps, engines):
    """Return ``caps`` (list of bytes) with just ``engines`` on offer."""
    prefixes = (b'compression=', b'httpmediatype=')
    caps = [cap for cap in caps if not cap.startswith(prefixes)]
    caps.append(b'httpmediatype=0.1rx,0.1tx,0.2tx')
    names = b','.join(engine.wirename for engine in engines)
    caps.append(b'compression=%s' % names)
    return caps


@eh.uisetup
def _wrapserve(ui):
    # A WSGI process need not have loaded the commands (hg72): it has no start.
    with contextlib.suppress(error.UnknownCommand):
        serving.finaluisetup(ui)


@serving.wrapcommand(b'serve')
def _serve(orig, ui, repo, **opts):
    served = _servedui(ui, repo, opts)
    if served is not None:
        settings.refuse(served)
    return orig(ui, repo, **opts)


def _servedui(ui, repo, opts):
    """Return the ui whose configuration ``hg serve`` is about to serve over
    HTTP with the extension, or None."""
    if opts.get('stdio') or opts.get('cmdserver'):
        return None
    webconf = opts.get('web_conf') or opts.get('webdir_conf')
    if not webconf:
        # Without a repository, hg serve itself says what is wrong.
        return repo.ui if repo is not None and settings.enabled(repo) else None
    # As core does, from the configuration without any repository's own.
    ui = ui.copy() if repo is None else repo.baseui.copy()
    # The repositories have settings of their own, which are read when they
    # are asked for: one bad hgrc must not keep the others from being served.
    ui.readconfig(webconf, trust=True, remap={b'paths': b'hgweb-paths'})
    return ui if settings.enabledas(ui) else None
