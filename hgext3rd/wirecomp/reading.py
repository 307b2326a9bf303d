# reading.py - values of a configuration, and what is wrong with them
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Read one key at a time, and never raise: what can't be used becomes a
Problem.

A place is the pair (section, name) of bytes at which a key stands. Lists
called ``problems`` are appended to.
"""

from __future__ import annotations

import difflib
from typing import NamedTuple

from mercurial import pycompat
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import engines, policy, zlibs
from .keys import BACKEND, PATHS, POLICY, REPOCONFIG, WIRECOMP

# What people write for an engine, beside its names.
ALIASES = {
    b'deflate': b'zlib',
    b'gz': b'zlib',
    b'gzip': b'zlib',
    b'zst': b'zstd',
    b'zstandard': b'zstd',
    b'bz': b'bz2',
    b'identity': b'none',
    b'raw': b'none',
    b'uncompressed': b'none',
}


class Problem(NamedTuple):
    """A value that has no effect, and the way out.

    ``source`` (bytes): file and line, or another origin. ``text`` and ``hint``
    (bytes): what is wrong, beginning with the key, and the next action.
    ``fatal`` (bool): a mistake in trusted configuration, with which a server
    does not start. ``instead`` (bytes): what one does that runs already.
    """

    source: bytes
    text: bytes
    hint: bytes
    fatal: bool
    instead: bytes = b'using the default'

    @property
    def line(self):
        """The problem in one line for the log (bytes, no line end)."""
        if self.fatal:
            form = b'config error at %s: %s, %s (%s)'
            return form % (self.source, self.text, self.instead, self.hint)
        return b'warning: %s: %s (%s)' % (self.source, self.text, self.hint)


class Paths(NamedTuple):
    """Files that are written (bytes, or None): the ``log`` and the
    ``metrics``; ``sources`` (two bytes) is where each is named."""

    log: bytes | None = None
    metrics: bytes | None = None
    sources: tuple = (b'default', b'default')

    def unwritable(self, name, inst):
        """Return the Problem that the file ``name`` (str, of a field) can't be
        written, by the exception that says why."""
        index = self._fields.index(name)
        text = _(b'%s.%s: cannot write %s: %s') % (
            WIRECOMP,
            PATHS[index].name,
            stringutil.escapestr(self[index]),
            stringutil.forcebytestr(getattr(inst, 'strerror', None) or inst),
        )
        hint = _(b'let the user who runs the server write there')
        return Problem(self.sources[index], text, hint, False)


def source(ui, place, untrusted=False):
    """Return where the value at ``place`` comes from (bytes)."""
    return ui.configsource(*place, untrusted=untrusted) or b'default'


def _named(place):
    """Return the key at ``place`` as it stands in a Problem (bytes)."""
    # The names of policies are anybody's who can write an hgrc.
    return stringutil.escapestr(b'%s.%s' % place)


def mistake(ui, place, what, hint, instead=None):
    """Return the fatal Problem that ``what`` (bytes) is at ``place``."""
    if instead is None:
        if place[0] == POLICY:
            instead = _(b'ignoring this key')
        else:
            instead = Problem._field_defaults['instead']
    text = b'%s: %s' % (_named(place), what)
    return Problem(source(ui, place), text, hint, True, instead)


def _warning(ui, place, what, hint):
    text = b'%s: %s' % (_named(place), what)
    return Problem(source(ui, place), text, hint, False)


def readkey(ui, key, problems):
    """Return the value of ``key`` (keys.Key), or its default."""
    # Asking for an item that nobody registered is a warning for developers:
    # only whoever sets one gets it.
    if not ui.hasconfig(key.section, key.name):
        return key.default
    value = ui.config(key.section, key.name)
    try:
        return key.parse(value)
    except ValueError:
        value = stringutil.escapestr(pycompat.bytestr(value))
        what = _(b"bad value '%s'") % value
        hint = _(b'use %s') % key.allowed
        problems.append(mistake(ui, key[:2], what, hint))
        return key.default


def readbackend(ui, key, problems):
    """Return the value of ``key``, that of the zlib backend: one that is
    installed."""
    name = readkey(ui, key, problems)
    if name in (None, b'auto') or zlibs.backend(name) is not None:
        return name
    what = _(b'%s is not installed, zlib is used') % name
    hint = _(b'install the package %s for the python that runs the server')
    problems.append(_warning(ui, key[:2], what, hint % name))
    return b'zlib'


def readtuning(ui, key, problems):
    """Return the value of ``key``, one of keys.TUNING or of the same name."""
    name = key.name.rpartition(b'.')[2]
    read = readbackend if name == BACKEND else readkey
    return read(ui, key, problems)


def readengines(ui, place, known, problems):
    """Return the engines that may be negotiated, as a tuple.

    Empty if none are given, or not all are among ``known``; else without those
    that this host can't run.
    """
    chosen = []
    byname = {}
    for engine in known:
        byname[engine.wirename.lower()] = byname[engine.name.lower()] = engine
    for word in ui.configlist(*place):
        engine = byname.get(word.lower())
        if engine is None:
            problems.append(_unknown(ui, place, word, known))
            return ()
        if engine not in chosen:
            chosen.append(engine)
    return usable(ui, place, chosen, problems)


def usable(ui, place, chosen, problems):
    """Return ``chosen`` without the engines that this host can't run (tuple),
    zlib if that is all of them."""
    able = []
    for engine in chosen:
        if engine.available():
            able.append(engine)
            continue
        what = _(b'engine %s dropped, its library is absent') % engine.name
        hint = _(b'install the library for the python that runs the server')
        problems.append(_warning(ui, place, what, hint))
    if chosen and not able:
        return (engines.ZLIB,)
    return tuple(able)


def _unknown(ui, place, word, known):
    """Return the Problem of ``word``, which names no engine."""
    able = [engine for engine in known if engine.available()]
    what = _(b"unknown engine '%s'") % stringutil.escapestr(word)
    hint = _(b'usable engines: %s') % b', '.join(e.name for e in able)
    nearest = _nearest(word.lower(), able)
    if nearest:
        hint = _(b'use %s; %s') % (nearest, hint)
    return mistake(ui, place, what, hint)


def _nearest(word, able):
    """Return the name of the engine meant by ``word``, or None (bytes)."""
    names = {engine.wirename: engine.name for engine in able}
    names.update((engine.name, engine.name) for engine in able)
    return names.get(ALIASES.get(word)) or names.get(nearest(word, names))


def nearest(word, names):
    """Return the one of ``names`` that is spelled most like ``word``, or None
    (bytes)."""
    # difflib wants str; latin-1 maps every byte to one character.
    strs = {name.decode('latin-1'): name for name in names}
    found = difflib.get_close_matches(word.decode('latin-1'), strs, 1)
    return strs[found[0]] if found else None


def readnetworks(ui, place, problems):
    """Return the networks at ``place``, as a tuple of policy.network's."""
    found = []
    for word in ui.configlist(*place):
        try:
            found.append(policy.network(word))
        except policy.BadNetwork as inst:
            what = _(b"bad network '%s'") % stringutil.escapestr(word)
            instead = _(b'ignoring it')
            problems.append(mistake(ui, place, what, inst.hint, instead))
    return tuple(found)


def ignored(ui, places):
    """Yield a Problem for each of ``places`` that an untrusted file sets in
    vain; of those of the policies for the first one only."""
    # A repository's own hgrc must not choose the engine or raise the level:
    # whoever can write it could make the server burn CPU for everyone.
    what = _(b'ignored, not in a trusted file')
    hint = _(
        b"set it in the server's own configuration, or trust the owner of the "
        b"repository's hgrc in trusted.users"
    )
    return _vain(ui, ui, False, places, what, hint)


def overruled(ui, server, places):
    """Yield a Problem for each of ``places`` at which ``ui`` has something
    beyond ``server`` (ui), which alone counts; of those of the policies for
    the first one only."""
    hint = _(b"set it in the server's own configuration")
    what = _(b'ignored, %s.%s is ignore') % REPOCONFIG[:2]
    yield from _vain(ui, server, True, places, what, hint)
    what = _(b'ignored, it has no effect in a repository')
    yield from _vain(ui, server, True, [REPOCONFIG[:2]], what, hint)


def _vain(ui, other, untrusted, places, what, hint):
    """Yield a Problem for those of ``places`` where ``ui``, with what is not
    trusted, has another value than ``other``, with that if ``untrusted``."""
    known = set()
    for place in places:
        # Whoever can write an hgrc can fill it, and the log, with policies.
        if place[0] in known or not ui.hasconfig(*place, untrusted=True):
            continue
        origin = source(ui, place, untrusted=True)
        if origin != source(other, place, untrusted=untrusted):
            if place[0] == POLICY:
                known.add(POLICY)
            text = b'%s: %s' % (_named(place), what)
            yield Problem(origin, text, hint, False)
