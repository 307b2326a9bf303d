"""extension: take the features out of the core that runs

Every answer is 0.1 with zlib; nothing prefers to be left uncompressed, neither
the bundler nor the info of ``getbundlechunks`` nor a response; the
capabilities name no media type and no engine. So was Mercurial in 2016.
Extensions enabled after this one see such a core.
"""

from mercurial import (
    bundle2,
    exchange,
    extensions,
    util,
    wireprotoserver,
    wireprotov1server,
)


class deaf:
    """A bundler for core to write on: it never learns prefercompressed."""

    def __init__(self, bundler):
        object.__setattr__(self, '_bundler', bundler)

    def __getattr__(self, name):
        return getattr(self._bundler, name)

    def __setattr__(self, name, value):
        if name != 'prefercompressed':
            setattr(self._bundler, name, value)


def responsetype(orig, ui, proto, prefer_uncompressed):
    opts = {b'level': ui.configint(b'server', b'zliblevel')}
    return wireprotoserver.HGTYPE, util.compengines[b'zlib'], opts


def bundlerinit(orig, self, *args, **kwargs):
    orig(self, *args, **kwargs)
    del self.prefercompressed


def addstream(orig, bundler, *args, **kwargs):
    return orig(deaf(bundler), *args, **kwargs)


def getbundlechunks(orig, *args, **kwargs):
    info, chunks = orig(*args, **kwargs)
    info.pop(b'prefercompressed', None)
    return info, chunks


def command(orig, *args, **kwargs):
    rsp = orig(*args, **kwargs)
    if hasattr(rsp, 'prefer_uncompressed'):
        rsp.prefer_uncompressed = False
    return rsp


def capabilities(orig, repo, proto):
    gone = (b'compression=', b'httpmediatype=')
    return [cap for cap in orig(repo, proto) if not cap.startswith(gone)]


def uisetup(ui):
    wrap = extensions.wrapfunction
    # Core's own getbundlechunks still asks for it.
    bundle2.bundle20.prefercompressed = True
    wrap(bundle2.bundle20, '__init__', bundlerinit)
    wrap(bundle2, 'addpartbundlestream2', addstream)
    wrap(exchange, 'getbundlechunks', getbundlechunks)
    wrap(wireprotoserver, '_httpresponsetype', responsetype)
    wrap(wireprotov1server, '_capabilities', capabilities)
    for name in (b'getbundle', b'get_cached_bundle_inline'):
        if name in wireprotov1server.commands:
            wrap(wireprotov1server.commands[name], 'func', command)
