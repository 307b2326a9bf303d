# compat.py - the only file that knows Mercurial versions
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""What wirecomp needs of Mercurial, and where its versions differ.

Differences are probed for, never read off the version number. Each probe names
the last version that needs it.
"""

from __future__ import annotations

import inspect

from mercurial import (
    bundle2,
    configitems,
    error,
    exchange,
    pycompat,
    util,
    wireprotoserver,
    wireprotov1server,
)
from mercurial.hgweb import request
from mercurial.i18n import _
from mercurial.utils import compression

from . import engines, metadata

# What is patched: where, the attribute, the parameters it begins with.
SEAMS = (
    (wireprotoserver, '_callhttp', 'repo req res proto cmd'),
    (wireprotoserver, '_httpresponsetype', 'ui proto prefer_uncompressed'),
    (wireprotoserver, 'decodevaluefromheaders', 'req headerprefix'),
    (wireprotov1server, '_capabilities', 'repo proto'),
    (
        wireprotov1server,
        'find_pullbundle',
        'repo proto opts clheads heads common',
    ),
    (exchange, 'getbundlechunks', 'repo source'),
    (bundle2.bundle20, '__init__', 'self ui'),
    (bundle2.bundle20, 'addpart', 'self part'),
)

# What is read or replaced on objects: where it is named, and the name.
ATTRIBUTES = (
    (request, 'wsgiresponse', '_bodygen'),
    (wireprotoserver, 'httpv1protocolhandler', '_req'),
)


def checkseams():
    """Raise Abort, with the way out as its hint, if a seam is missing.

    To be called while the extension is imported: an error there is one that
    Mercurial reports together with its hint, and it then runs without the
    extension.
    """
    # Mercurial itself says which version is needed.
    if util.versiontuple(n=2) < _minimum():
        return
    for container, name, parameters in SEAMS:
        if _parameters(container, name)[: len(parameters.split())] != (
            parameters.split()
        ):
            _refuse(
                '%s(%s)'
                % (_dotted(container, name), parameters.replace(' ', ', '))
            )
    for module, name, attribute in ATTRIBUTES:
        if not _mentions(getattr(module, name, None), attribute):
            _refuse('%s.%s' % (_dotted(module, name), attribute))
    getbundle = commandentry(b'getbundle')
    if getbundle is None or not callable(getattr(getbundle, 'func', None)):
        _refuse("wireprotov1server.commands[b'getbundle'].func")


def _minimum():
    return tuple(int(n) for n in metadata.minimumhgversion.split(b'.'))


def _dotted(container, name):
    return '%s.%s' % (container.__name__.replace('mercurial.', ''), name)


def _parameters(container, name):
    """Return the names of the parameters of a function, [] if it is gone."""
    function = getattr(container, name, None)
    # Other extensions may have wrapped it already.
    while hasattr(function, '_origfunc'):
        function = function._origfunc
    if not callable(function):
        return []
    return list(inspect.signature(function).parameters)


def _mentions(cls, attribute):
    """Return whether the constructor of ``cls`` sets ``attribute`` (bool)."""
    init = getattr(cls, '__init__', None)
    return attribute in getattr(getattr(init, '__code__', None), 'co_names', ())


def _refuse(seam):
    text = _(b'wirecomp does not know this Mercurial: %s has no %s')
    text %= (util.version(), pycompat.sysbytes(seam))
    hint = _(b'upgrade hg-wirecomp, or disable it: extensions.wirecomp = !')
    raise error.Abort(text, hint=hint)


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
        errors.write(pycompat.sysstr(line) + '\n')
    except TypeError:
        if hasattr(errors, 'handler'):
            errors.write(line)
        else:
            errors.write(line + b'\n')
    errors.flush()
