# wireproto.py - the getbundle path (wireprotov1server, exchange, bundle2)
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""``prefercompressed``: from the parts of a bundle to the answer.

The bundler carries the attribute, ``exchange.getbundlechunks`` hands it on in
its info, the ``getbundle`` command gives it to the response. Core does the
same; this is a chain of its own, which does not depend on core's.
"""

from __future__ import annotations

import binascii
import contextvars

from mercurial import (
    bundle2,
    bundlecaches,
    error,
    exchange,
    exthelper,
    extensions,
    util,
    wireprototypes,
    wireprotov1server,
)
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import compat, faults, journal, reading, settings, webproto

eh = exthelper.exthelper()
urlreq = util.urlreq

BUNDLE2CAP = b'bundle2='

# Parts whose bundle is best left raw: stream clones hold compressed revlogs,
# and an error is to be readable on the wire.
RAWPARTS = frozenset([b'stream2', b'stream3', b'stream3-exp', b'error:abort'])


class _Making:
    """What is seen while one getbundle command runs.

    ``environ`` is the WSGI environment of its request, ``compresses`` (bool)
    what webproto.compresses says of it.
    """

    def __init__(self, environ, compresses):
        self.environ = environ
        self.bundler = None
        self.prefercompressed = True
        self.compresses = compresses


# Set while a getbundle command of a repository that enables the extension runs
# in this thread; the patches below do nothing at any other time.
_making = contextvars.ContextVar('wirecomp-making', default=None)


def _getbundle(orig, repo, proto, *args):
    if proto.name != webproto.HTTP or not settings.enabled(repo):
        return orig(repo, proto, *args)
    making = _Making(proto._req.rawenv, webproto.compresses(proto))
    token = _making.set(making)
    try:
        rsp = orig(repo, proto, *args)
    finally:
        _making.reset(token)
    return rsp if making.prefercompressed else _raw(rsp)


def _readymade(orig, repo, proto, *args):
    rsp = orig(repo, proto, *args)
    return _raw(rsp) if settings.enabled(repo) else rsp


def _raw(rsp):
    """Return ``rsp``, marked as best left raw if it is a stream."""
    if isinstance(rsp, wireprototypes.streamres):
        rsp.prefer_uncompressed = True
    return rsp


@eh.uisetup
def _wrapcommands(ui):
    # The functions of the module stand in the table already.
    for name, wrapper in (
        (b'getbundle', _getbundle),
        (b'get_cached_bundle_inline', _readymade),
    ):
        entry = compat.commandentry(name)
        if entry is not None:
            extensions.wrapfunction(entry, 'func', wrapper)


@eh.wrapfunction(wireprotov1server, 'find_pullbundle')
def _find_pullbundle(orig, *args, **kwargs):
    bundle = orig(*args, **kwargs)
    making = _making.get()
    if making is not None and bundle is not None:
        making.prefercompressed = False
    return bundle


@eh.wrapfunction(bundlecaches, 'parseclonebundlesmanifest')
def _parseclonebundlesmanifest(orig, repo, s):
    making = _making.get()
    if making is None:
        return orig(repo, s)
    entries, problems = readmanifest(repo, s, orig)
    journal.complain(repo.ui, making.environ, problems)
    return entries


def readmanifest(repo, text, parse=bundlecaches.parseclonebundlesmanifest):
    """Return the entries of ``pullbundles.manifest`` (list of dict), and what
    is wrong with its other lines (list of settings.Problem).

    ``text`` (bytes) is what it holds; ``parse`` is core's function for it.
    """
    # Line by line: a bad one is no reason to go without the others.
    entries = []
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found = parse(repo, line)
            for entry in found:
                _checknodes(repo, entry)
            entries += found
        except (ValueError, error.Error) as inst:
            problems.append(_badline(number, inst))
    return entries, problems


def _checknodes(repo, entry):
    """Raise for nodes in an ``entry`` (dict) of a manifest that the repository
    does not have (LookupError), or that are none (ValueError)."""
    changelog = repo.unfiltered().changelog
    for key in (b'heads', b'bases'):
        if key in entry:
            for node in entry[key].split(b';'):
                changelog.rev(binascii.unhexlify(node))


def _badline(number, inst):
    reason = stringutil.escapestr(faults.describe(inst))
    return reading.Problem(
        b'pullbundles.manifest:%d' % number,
        _(b'bad line is skipped: %s') % reason,
        _(b'see hg help -e clonebundles for its form'),
        False,
    )


@eh.wrapfunction(exchange, 'getbundlechunks')
def _getbundlechunks(orig, repo, *args, **kwargs):
    making = _making.get()
    if making is None:
        return orig(repo, *args, **kwargs)
    if making.compresses and kwargs.get('bundlecaps'):
        kwargs['bundlecaps'] = _plaindeltas(kwargs['bundlecaps'])
    making.bundler = None
    info, chunks = orig(repo, *args, **kwargs)
    if making.bundler is not None:
        if not making.bundler.prefercompressed:
            info[b'prefercompressed'] = False
        info.setdefault(b'prefercompressed', True)
    making.prefercompressed = info.get(b'prefercompressed', True)
    return info, chunks


def _plaindeltas(bundlecaps):
    """Return ``bundlecaps`` (set of bytes) without the wish for deltas that
    are compressed already: compressing those again saves less than it loses.
    """
    kept = set()
    for cap in bundlecaps:
        if cap.startswith(BUNDLE2CAP):
            blob = urlreq.unquote(cap[len(BUNDLE2CAP) :])
            caps = bundle2.decodecaps(blob)
            caps.pop(b'delta-compression', None)
            cap = BUNDLE2CAP + urlreq.quote(bundle2.encodecaps(caps))
        kept.add(cap)
    return kept


@eh.wrapfunction(bundle2.bundle20, '__init__')
def _bundle20init(orig, self, *args, **kwargs):
    orig(self, *args, **kwargs)
    making = _making.get()
    if making is not None:
        self.prefercompressed = True
        # Core's getbundlechunks makes the one that is sent before the part
        # generators, which may make others.
        if making.bundler is None:
            making.bundler = self


@eh.wrapfunction(bundle2.bundle20, 'addpart')
def _bundle20addpart(orig, self, part):
    making = _making.get()
    if making is not None and part.type in RAWPARTS:
        self.prefercompressed = False
        # An error bundle replaces whatever was begun before it.
        if part.type == b'error:abort':
            making.prefercompressed = False
    return orig(self, part)
