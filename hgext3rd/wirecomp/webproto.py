# webproto.py - from an HTTP request to its answer (wireprotoserver)
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The HTTP side: takes the client's offer, chooses, encodes the answer."""

from __future__ import annotations

from mercurial import exthelper, wireprotoserver, wireprotov1server

from . import journal, negotiation, settings, stream

eh = exthelper.exthelper()

HTTP = b'http-v1'

# Clients read the answers to these commands without inflating them in 0.1
# (core's httppeer, ``_callstream``), though servers deflate them.
UNINFLATED = frozenset([b'get_cached_bundle_inline'])


class _Answer:
    """What is known of the answer being made: core's ``compressionengine`` of
    one request.

    Core asks ``_httpresponsetype`` for an engine and gives it the chunks. This
    one only keeps them, so that the whole body, payload header included, comes
    from one place.
    """

    def __init__(self, cmd, effective):
        self.cmd = cmd
        self.settings = effective
        self.encoding = None
        self.chunks = None

    def choose(self, proto, prefercompressed):
        """Decide the encoding; return core's (media type, engine, options)."""
        offer = negotiation.Offer.parse(
            wireprotoserver.decodevaluefromheaders(proto._req, b'X-HgProto')
        )
        hint = negotiation.Hint(prefercompressed, self.cmd not in UNINFLATED)
        self.encoding = negotiation.choose(offer, self.settings, hint)
        return self.encoding.mediatype, self, {}

    def compressstream(self, chunks, opts=None):
        self.chunks = chunks
        return chunks

    def wireprotosupport(self):
        return self

    @property
    def name(self):
        return self.encoding.engine.wirename


@eh.wrapfunction(wireprotoserver, '_callhttp')
def _callhttp(orig, repo, req, res, proto, cmd):
    if not settings.enabled(repo):
        return orig(repo, req, res, proto, cmd)
    effective = settings.read(repo.ui)
    journal.complain(repo.ui, req.rawenv, effective.problems)
    answer = proto._wirecomp = _Answer(cmd, effective)
    result = orig(repo, req, res, proto, cmd)
    if answer.chunks is not None:
        journal.chosen(repo.ui, cmd, answer.encoding)
        # Core made a generator of its own from the same chunks, and has not
        # started it.
        res._bodygen = stream.encode(answer.chunks, answer.encoding)
    return result


@eh.wrapfunction(wireprotoserver, '_httpresponsetype')
def _httpresponsetype(orig, ui, proto, prefer_uncompressed):
    answer = getattr(proto, '_wirecomp', None)
    if answer is None:
        return orig(ui, proto, prefer_uncompressed)
    return answer.choose(proto, not prefer_uncompressed)


@eh.wrapfunction(wireprotov1server, '_capabilities')
def _capabilities(orig, repo, proto):
    if proto.name != HTTP or not settings.enabled(repo):
        return orig(repo, proto)
    # Core raises for what it doesn't know, and then no client gets in.
    unset = {(settings.SECTION, settings.ENGINES): b''}
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


@eh.wrapcommand(b'serve')
def _serve(orig, ui, repo, **opts):
    if not opts.get('stdio') and not opts.get('cmdserver'):
        settings.refuse(_servedui(ui, repo, opts))
    return orig(ui, repo, **opts)


def _servedui(ui, repo, opts):
    """Return the ui whose configuration ``hg serve`` is about to serve."""
    webconf = opts.get('web_conf') or opts.get('webdir_conf')
    if not webconf:
        return ui if repo is None else repo.ui
    ui = ui.copy()
    # The repositories have settings of their own, which are read when they
    # are asked for: one bad hgrc must not keep the others from being served.
    ui.readconfig(webconf, trust=True)
    return ui
