# webproto.py - from an HTTP request to its answer (wireprotoserver)
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The HTTP side: takes the client's offer, chooses, encodes the answer."""

from __future__ import annotations

import contextlib
import itertools

from mercurial import error, exthelper, wireprotoserver, wireprotov1server
from mercurial.hgweb import common as hgwebcommon

from . import (
    cutting,
    engines,
    faults,
    journal,
    loading,
    negotiation,
    places,
    postargs,
    serve,
    settings,
    small,
    stream,
)

eh = exthelper.exthelper()
serving = exthelper.exthelper()

HTTP = b'http-v1'

# Clients read the answers to these commands without inflating them in 0.1
# (core's httppeer, ``_callstream``), though servers deflate them.
UNINFLATED = frozenset([b'get_cached_bundle_inline'])

# Core's commands that are answered by a stream, and need a place for it.
STREAMS = frozenset(
    [
        b'getbundle',
        b'changegroup',
        b'changegroupsubset',
        b'stream_out',
        b'get_cached_bundle_inline',
    ]
)

# Of these, those that core never compresses (``streamreslegacy``).
PLAINSTREAMS = frozenset([b'stream_out'])

# How the streams go out that core never compresses (``streamreslegacy``).
LEGACYSTREAM = negotiation.Encoding(
    negotiation.MEDIATYPE1, engines.NONE, None, b'never compressed'
)


class _Answer:
    """What is known of the answer being made: core's ``compressionengine`` of
    one request.

    Core asks ``_httpresponsetype`` for an engine and gives it the chunks. This
    one only keeps them, and the body is put in where core sets it, so that
    all of it, payload header included, comes from one place.
    """

    def __init__(self, repo, req, cmd, effective):
        self.repo = repo
        self.req = req
        self.cmd = cmd
        self.offer = negotiation.Offer.parse(
            wireprotoserver.decodevaluefromheaders(req, b'X-HgProto')
        )
        self.settings = effective
        self.entry = journal.Entry(repo.ui, req, cmd, effective)
        self.encoding = None
        self.chunks = None
        self.args = None
        self.placed = False

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
        """Return the body to send where core would send ``gen``.

        Its first piece is made already. What its source raises before that is
        raised here, while the client can still be told.
        """
        chunks, chosen = self.chunks, self.encoding
        if chunks is None:
            chunks, chosen = gen, LEGACYSTREAM
        # ``gen`` is a generator of core's from the same chunks, not started.
        entry = self.entry
        entry.encoding = chosen
        body = self._send(stream.encode(entry.counted(chunks), chosen))
        next(body)
        return body

    def shortened(self, gen):
        """Return the bytes of all that ``gen`` yields, if it may go out as a
        reply and is short; else None, and ``body`` sends it."""
        if self.cmd not in small.STREAMED or self.chunks is not None:
            return None
        begin, whole = small.begin(gen, self.settings.tuning.flushinterval)
        if whole:
            return begin
        self.chunks = itertools.chain([begin], gen)
        self.encoding = self._small(begin, True)
        return None

    def reply(self, body, streamed):
        """Return (media type, body to send) of a byte reply, or of a stream
        that was ``shortened``."""
        made, chosen = small.compress(body, self._small(body, streamed))
        if streamed or chosen.compresses:
            self.entry.encoding = chosen
            self.entry.source = len(body)
        return chosen.mediatype, made

    def _small(self, body, streamed):
        return small.choose(
            self.cmd, len(body), self.offer, self.settings, streamed
        )

    def _send(self, pieces):
        """Yield None when the first of ``pieces`` is made, then all of them.

        However it ends, the place is given back.
        """
        try:
            try:
                first = next(pieces, b'')
            except stream.Failed as inst:
                raise inst.__cause__ from None
            yield None
            try:
                # A piece of no bytes would end a body of chunks.
                if first:
                    yield first
                yield from pieces
            except Exception as inst:
                self.failed(inst.__cause__ or inst)
                cutting.spoil()
                raise
        finally:
            self.release()

    def failed(self, inst):
        """Tell the operator that the answer failed with ``inst``."""
        self.entry.error = type(inst).__name__
        faults.tell(self.repo.ui, self.req.rawenv, self.cmd, inst)

    def takeplace(self):
        """Wait for a place and return whether there is one (bool)."""
        limits = self.settings.limits
        self.placed = places.PLACES.take(limits.maxclients, limits.queuetimeout)
        return self.placed

    def release(self):
        """Give the place back, if there is one."""
        if self.placed:
            self.placed = False
            places.PLACES.release()


@eh.wrapfunction(wireprotoserver, '_callhttp')
def _callhttp(orig, repo, req, res, proto, cmd):
    if not settings.enabled(repo):
        return orig(repo, req, res, proto, cmd)
    effective = settings.ofrepo(repo, req.rawenv)
    problems = effective.problems
    try:
        serve.watch(req.rawenv, effective.limits)
    except error.Abort as inst:
        problems += (settings.unpatched(inst),)
    journal.complain(repo.ui, req.rawenv, problems)
    # Answers vary by request headers that no cache keys on.
    res.headers[b'Cache-Control'] = b'no-store'
    answer = proto._wirecomp = _Answer(repo, req, cmd, effective)
    try:
        _respond(orig, answer, res, proto)
    except faults.Refused as inst:
        answer.failed(inst)
        faults.refuse(req.rawenv, res, inst.message)
    except hgwebcommon.ErrorResponse as inst:
        # Core answers it: the client may not.
        answer.entry.error = type(inst).__name__
        raise
    except Exception as inst:
        answer.failed(inst)
        faults.answer(res, inst)
    finally:
        answer.entry.follow(res)


def _respond(call, answer, res, proto):
    """Answer by core's ``call``, if this is what the request is to get."""
    repo, req, cmd = answer.repo, answer.req, answer.cmd
    if not wireprotov1server.commands.commandavailable(cmd, proto):
        call(repo, req, res, proto, cmd)
        return
    with _permitted(proto, wireprotov1server.commands[cmd].permission):
        if req.method == b'HEAD':
            _headersonly(answer, res)
            return
        inbody = postargs.accepted(answer.settings.postarguments)
        answer.args = faults.readargs(req, inbody)
        if cmd in STREAMS and not _place(answer):
            limits = answer.settings.limits
            answer.failed(faults.noplace(limits))
            faults.busy(res, limits)
        else:
            _make(call, answer, res, proto)


@contextlib.contextmanager
def _permitted(proto, permission):
    """Check a permission (bytes) before the block: nobody without it is to
    wait, or to learn anything. Core, which asks in the block, is told so: what
    the operator hooks in is asked once."""
    check = proto.checkperm
    check(permission)
    proto.checkperm = lambda wanted: wanted == permission or check(wanted)
    try:
        yield
    finally:
        # It would hold itself.
        del proto.checkperm


def _place(answer):
    """Wait for a place for a stream and return whether there is one (bool)."""
    # Who does not send what it promised is to hold none.
    with serve.receiving(answer.req.rawenv):
        faults.drain(answer.req)
    return answer.takeplace()


def _make(call, answer, res, proto):
    """Answer by core's ``call``; the body is the answer's own."""
    sending = False
    setbodygen, setbodybytes = res.setbodygen, res.setbodybytes

    def setstream(gen):
        nonlocal sending
        whole = answer.shortened(gen)
        if whole is not None:
            setreply(whole, True)
            return
        body = answer.body(gen)
        res.headers[b'Content-Type'] = answer.entry.encoding.mediatype
        res.headers[b'X-Accel-Buffering'] = b'no'
        setbodygen(body)
        sending = True

    def setreply(body, streamed=False):
        # Not errors: every client is to print them.
        if res.headers[b'Content-Type'] == negotiation.MEDIATYPE1 and (
            res.status.startswith(b'200 ')
        ):
            mediatype, body = answer.reply(body, streamed)
            res.headers[b'Content-Type'] = mediatype
        setbodybytes(body)

    res.setbodygen, res.setbodybytes = setstream, setreply
    try:
        call(answer.repo, answer.req, res, proto, answer.cmd)
    finally:
        # Else the response would hold itself, and after a hang-up its source
        # would stay open until the garbage collector comes.
        del res.setbodygen, res.setbodybytes
        if not sending:
            answer.release()


def _headersonly(answer, res):
    """Answer HEAD: the command is not run, a stream can't be known before."""
    res.status = b'200 Script output follows'
    mediatype = negotiation.MEDIATYPE1
    if answer.cmd in STREAMS - PLAINSTREAMS:
        mediatype = answer.choose(True).mediatype
    res.headers[b'Content-Type'] = mediatype
    res.setbodygen(iter(()))


@eh.wrapfunction(wireprotoserver.httpv1protocolhandler, '_args')
def _args(orig, self):
    answer = getattr(self, '_wirecomp', None)
    if answer is None:
        return orig(self)
    args = self._req.qsparams.asdictoflists()
    args.update(faults.parseargs(answer.args))
    return args


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
    unset = {
        (settings.SERVER, settings.ENGINES): b'',
        settings.HTTPPOSTARGS[:2]: False,
    }
    with repo.ui.configoverride(unset, b'wirecomp'):
        caps = orig(repo, proto)
    answer = getattr(proto, '_wirecomp', None)
    if answer is not None:
        effective = answer.settings
    else:
        effective = settings.ofrepo(repo, proto._req.rawenv)
    caps = _withengines(caps, effective.engines)
    decision = postargs.decide(effective.postarguments, repo)
    return postargs.withcapability(caps, decision.advertised)


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
    served = _served(ui, repo, opts)
    if served is not None:
        settings.refuse(*served)
        # With --daemon there are two processes that come here.
        if not opts.get('daemon_postexec'):
            settings.warn(served[0])
        serve.patch()
        loading.loadlazy()
    return orig(ui, repo, **opts)


def _served(ui, repo, opts):
    """Return whose configuration ``hg serve`` is about to serve over HTTP with
    the extension: the arguments of settings.refuse, or None."""
    if opts.get('stdio') or opts.get('cmdserver'):
        return None
    webconf = opts.get('web_conf') or opts.get('webdir_conf')
    if not webconf:
        # Without a repository, hg serve itself says what is wrong.
        if repo is None or not settings.enabled(repo):
            return None
        return repo.ui, repo.baseui
    # As core does, from the configuration without any repository's own.
    ui = ui.copy() if repo is None else repo.baseui.copy()
    # The repositories have settings of their own, which are read when they
    # are asked for: one bad hgrc must not keep the others from being served.
    ui.readconfig(webconf, trust=True, remap={b'paths': b'hgweb-paths'})
    return (ui, None) if settings.enabledas(ui) else None
