# compat.py - the only file that knows Mercurial versions
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""What wirecomp needs of Mercurial, and where its versions differ.

Differences are probed for, never read off the version number. Each probe names
the last version that needs it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
from typing import NamedTuple

from mercurial import (
    configitems,
    encoding,
    error,
    pycompat,
    scmutil,
    util,
    wireprotoserver,
    wireprotov1server,
)
from mercurial.i18n import _
from mercurial.utils import compression

from . import engines, metadata
from .seams import CLIENTSEAMS, REMOTEUI, SEAMS, SERVESEAMS, TABLES

# Where hgweb's application is made (up to hg71, since hg72).
HGWEB = ('hgweb_mod', 'hgweb_mod_inner')


def checkseams():
    """Raise Abort, with the way out as its hint, if a seam is missing.

    To be called while the extension is imported, before anything that needs
    the seams: an Abort there is one that Mercurial reports, with its hint, and
    it then runs without the extension.
    """
    # Mercurial itself says which version is needed.
    if util.versiontuple(n=2) < _minimum():
        return
    for module, name, wanted in SEAMS:
        if not _fits(_parameters(_resolve(module, name)), wanted.split()):
            seam = '%s.%s(%s)' % (module, name, wanted.replace(' ', ', '))
            raise unknown(seam)
    for module, name in TABLES:
        if _resolve(module, name) is None:
            raise unknown('%s.%s' % (module, name))
    getbundle = commandentry(b'getbundle')
    if not callable(getattr(getbundle, 'func', None)):
        raise unknown("wireprotov1server.commands[b'getbundle'].func")


@contextlib.contextmanager
def refusing():
    """Turn what a changed core raises in the block into a clear Abort.

    Mercurial imports lazily, and takes an AttributeError meanwhile for an
    extension without anything in it: it would do nothing, silently.
    """
    try:
        yield
    except (AttributeError, ImportError) as inst:
        raise unknown(str(inst)) from inst


def unknown(what):
    """Return the Abort for a Mercurial without ``what`` (str)."""
    text = _(b'wirecomp does not know this Mercurial: %s lacks %s')
    text %= (util.version(), pycompat.sysbytes(what))
    hint = _(b'upgrade hg-wirecomp, or disable it: extensions.wirecomp = !')
    return error.Abort(text, hint=hint)


def _minimum():
    return tuple(int(n) for n in metadata.minimumhgversion.split(b'.'))


def _resolve(module, name):
    """Return the object with a dotted name in a module of core, or None."""
    try:
        found = importlib.import_module('mercurial.' + module)
        for part in name.split('.'):
            found = getattr(found, part)
        return found
    except (AttributeError, ImportError):
        return None


def _parameters(function):
    """Return the names of a callable's parameters (list), [] for None."""
    # Other extensions may have wrapped it already.
    while hasattr(function, '_origfunc'):
        function = function._origfunc
    if isinstance(function, type) and hasattr(function.__init__, '_origfunc'):
        return _parameters(function.__init__)[1:]
    if not callable(function):
        return []
    return list(inspect.signature(function).parameters)


def _fits(parameters, wanted):
    if '...' in wanted:
        at = wanted.index('...')
        begin, among = wanted[:at], wanted[at + 1 :]
    else:
        begin, among = wanted, []
    return parameters[: len(begin)] == begin and set(among) <= set(parameters)


def claim():
    """Return whether the patches are still to be put in (bool), once only.

    The extension may be enabled under two names: then it is two modules in
    one process, whose patches would pile up.
    """
    claimed = getattr(wireprotoserver, '_wirecomp', False)
    wireprotoserver._wirecomp = True
    return not claimed


def commandentry(name):
    """Return the table entry of a wire protocol command (bytes), or None.

    ``get_cached_bundle_inline`` is absent up to hg63.
    """
    return wireprotov1server.commands.get(name)


def registered(section, name):
    """Return whether a configuration item (two bytes) is registered (bool).

    Registering it again would be a warning for developers. No version to hg72
    registers all of ours.
    """
    return name in configitems.coreitems.get(section, {})


def itemsof(section):
    """Return the names that core and the extensions which were loaded
    registered in a section of the configuration (frozenset of bytes)."""
    return frozenset(configitems.coreitems.get(section, ()))


def repository(ui, path):
    """Return the repository at ``path`` (bytes); what it raises is core's.

    The function is ``hg.repository`` up to hg71.
    """
    module = 'repo.factory'
    if _resolve(module, 'repository') is None:
        module = 'hg'
    return _resolve(module, 'repository')(ui, path)


class Served(NamedTuple):
    """A repository, or what should be one, of a web.conf.

    ``name``: its path as served, ``path``: of its directory, ``source``: file
    and line, all bytes. ``failure``: the exception of core that says why it
    can't be served, or None. Without a path there is no repository at all.
    """

    name: bytes
    path: bytes | None
    source: bytes
    failure: Exception | None = None


def webrepositories(ui):
    """Yield a Served for each repository in the configuration of ``ui``, which
    has read a web.conf as core's hgwebdir does: its [paths] as
    ``hgweb-paths``."""
    findrepos = _resolve('hgweb.hgwebdir_mod', 'findrepos')
    for key, _value in ui.configitems(b'hgweb-paths'):
        source = ui.configsource(b'hgweb-paths', key)
        for root in ui.configlist(b'hgweb-paths', key):
            try:
                found = list(findrepos([(key, root)]))
            # hg72 asks whether there is such a repository.
            except (error.Error, OSError) as inst:
                yield Served(key, root, source, inst)
                continue
            for name, path in found:
                yield Served(name, path, source)
            if not found:
                yield Served(key, None, source)
    for prefix, root in ui.configitems(b'collections'):
        source = ui.configsource(b'collections', prefix)
        try:
            found = list(scmutil.walkrepos(root, followsym=True))
        except OSError as inst:
            yield Served(prefix, root, source, inst)
            continue
        for path in map(os.path.normpath, found):
            name = util.pconvert(path)
            if name.startswith(util.pconvert(prefix)):
                name = name[len(prefix) :]
            yield Served(name, path, source)


def registeredengines():
    """Return the wire engines that extensions registered with Mercurial, as a
    tuple of engines.Registered in the order of their priority."""
    own = {engine.name for engine in engines.OWN}
    return tuple(
        engines.Registered(engine)
        for engine in compression.compengines.supportedwireengines(
            compression.SERVERROLE, onlyavailable=False
        )
        if engine.name() not in own
    )


def vendoredzstd():
    """Return Mercurial's own copy of the zstd bindings, or None.

    It is a module with the interface of ``zstandard``; pure builds have none.
    """
    engine = compression.compengines[b'zstd']
    return getattr(engine, '_module', None) or None


# Somebody whose hg brings zstd, but whose Python has no zstandard, must not
# lose the engine by installing wirecomp.
engines.ZSTD.fallback = vendoredzstd


def writeerror(environ, line):
    """Write ``line`` (bytes) to the error log of the WSGI server.

    ``environ`` is the request's, with bytes keys. PEP 3333 says that
    ``wsgi.errors`` takes str; those of ``hg serve`` and of hg's CGI runner
    take bytes, and the former ends the line itself (all versions to hg72).
    """
    errors = environ[b'wsgi.errors']
    try:
        charset = pycompat.sysstr(encoding.encoding)
        text = line.decode(charset, 'backslashreplace') + '\n'
        try:
            errors.write(text)
        except UnicodeError:
            errors.write(text.encode('ascii', 'backslashreplace').decode())
    except TypeError:
        if hasattr(errors, 'handler'):
            errors.write(line)
        else:
            errors.write(line + b'\n')
    errors.flush()


def servehandler():
    """Return the class of core that handles the requests of ``hg serve``.

    Raises the Abort of ``unknown`` if it lacks what is patched. It is looked
    for when it is needed: no other command is to load it.
    """
    _checkall(SERVESEAMS)
    return _resolve('hgweb.server', '_httprequesthandler')


def httppeer():
    """Return core's modules of HTTP peers, and of the connections that these
    keep.

    Raises the Abort of ``unknown`` if they lack what is patched. They are
    looked for when they are needed: no other command is to load them.
    """
    _checkall(CLIENTSEAMS)
    return (
        importlib.import_module('mercurial.httppeer'),
        importlib.import_module('mercurial.keepalive'),
    )


def _checkall(seams):
    with refusing():
        for module, name, wanted in seams:
            if not _fits(_parameters(_resolve(module, name)), wanted.split()):
                raise unknown('%s.%s' % (module, name))


def remoteui():
    """Return the module, and the name in it (str), of the function that makes
    the ui of a peer from a ui or repository and options."""
    for name, function in REMOTEUI:
        found = _resolve(name, function)
        if found is not None and _parameters(found)[:2] == ['src', 'opts']:
            return importlib.import_module('mercurial.' + name), function
    raise unknown('hg.remoteui')


def addhead(handler):
    """Let ``handler``, of ``servehandler``, take HEAD (up to hg63)."""
    if not hasattr(handler, 'do_HEAD'):
        handler.do_HEAD = handler.do_GET


def moreheaders(count):
    """Let Python's HTTP servers accept requests of so many headers (int).

    Their limit, 100, has no setting (Python 3.14).
    """
    # Much else comes with it: not for commands that neither serve nor ask.
    import http.client

    http.client._MAXHEADERS = max(http.client._MAXHEADERS, count)


def handlerof(environ):
    """Return the request handler of ``hg serve``, or None in other servers.

    ``environ`` is the WSGI environment of a request, with bytes keys (all
    versions to hg72).
    """
    errors = environ.get(b'wsgi.errors')
    if type(errors).__module__ != 'mercurial.hgweb.server':
        return None
    return errors.handler


def headervalue(environ, name):
    """Return the value of a header (bytes) of a request, b'' without it.

    Of several with this name the values are joined by commas, in their order
    (RFC 9110, 5.3), as WSGI servers do; ``hg serve`` takes one of them, and
    takes underscores in their names for hyphens (all versions to hg72).
    ``environ`` is the WSGI environment, with bytes keys.
    """
    handler = handlerof(environ)
    if handler is None:
        key = b'HTTP_' + name.upper().replace(b'-', b'_')
        return environ.get(key, b'')
    values = handler.headers.get_all(name.decode('ascii'), [])
    return ','.join(values).encode('latin-1', 'replace')


def servedbywsgi():
    """Return whether hgweb's application is being made in this process, by
    something else than ``hg serve`` (bool): extensions are loaded in it.

    Not by CGI, where a process has but one request.
    """
    if 'GATEWAY_INTERFACE' in os.environ:
        return False
    lazy = importlib.util._LazyModule
    found = (sys.modules.get('mercurial.hgweb.' + name) for name in HGWEB)
    return any(
        module and not issubclass(type(module), lazy) for module in found
    )
