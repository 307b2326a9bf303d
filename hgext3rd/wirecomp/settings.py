# settings.py - every key: registered, documented, validated, with its source
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The configuration of one repository, and which repositories want it.

All keys are read from trusted configuration only, anew for each request, and
reading never raises: a value that can't be used becomes a Problem, beside the
default.
"""

from __future__ import annotations

import difflib
import os
from typing import NamedTuple

from mercurial import error, extensions, exthelper, pycompat
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import compat, engines, zlibs
from .keys import (
    DEFAULTLIMITS,
    DEFAULTTUNING,
    ENGINES,
    LIMITS,
    SERVER,
    TUNING,
    WIRECOMP,
    Limits,
    levelkey,
)

eh = exthelper.exthelper()

HERE = os.path.dirname(__file__)

for _key in TUNING + LIMITS:
    eh.configitem(_key.section, _key.name, default=None)
# Core reads this item without registering it, and must go on to find nothing
# where nothing is set.
if not compat.registered(SERVER, b'bz2level'):
    eh.configitem(SERVER, b'bz2level', default=None)

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


@eh.reposetup
def _markrepo(ui, repo):
    # Filtered views of the repository see the attribute too.
    repo._wirecomp = True


def enabled(repo):
    """Return whether ``repo`` enables the extension (bool).

    The patches are process-wide: every wrapper asks this first, so that a
    repository beside it in the same process is answered by plain Mercurial.
    """
    return getattr(repo, '_wirecomp', False)


def enabledas(ui):
    """Return the names under which the configuration of ``ui`` enables the
    extension (list of bytes)."""
    return [
        name
        for name, module in extensions.extensions(ui)
        if os.path.dirname(getattr(module, '__file__', '')) == HERE
    ]


class Problem(NamedTuple):
    """A value that has no effect, and the way out.

    ``source`` (bytes): file and line, or another origin. ``text`` and ``hint``
    (bytes): what is wrong, beginning with the key, and the next action.
    ``fatal`` (bool): a mistake in trusted configuration, with which a server
    does not start.
    """

    source: bytes
    text: bytes
    hint: bytes
    fatal: bool

    @property
    def line(self):
        """The problem in one line for the log (bytes, no line end)."""
        if self.fatal:
            form = b'config error at %s: %s, using the default (%s)'
        else:
            form = b'warning: %s: %s (%s)'
        return form % (self.source, self.text, self.hint)


def unpatched(inst):
    """Return the Problem of a server that lacks what is patched, by the Abort
    that says so."""
    return Problem(b'hg serve', inst.message, inst.hint, False)


class Settings(NamedTuple):
    """What is in effect for one repository.

    ``engines`` (tuple of engines.Engine): what may be negotiated, most wanted
    first, never empty. ``levels`` (dict of engine name to int): the levels
    that are set. ``problems`` (tuple of Problem). ``tuning``
    (engines.Tuning). ``limits`` (Limits).
    """

    engines: tuple = engines.DEFAULT
    levels: dict = {}
    problems: tuple = ()
    tuning: NamedTuple = DEFAULTTUNING
    limits: NamedTuple = DEFAULTLIMITS

    def level(self, engine):
        """Return the level for ``engine`` (int, or None where it has none)."""
        return self.levels.get(engine.name, engine.defaultlevel)


def read(ui):
    """Return the Settings in the trusted configuration of ``ui``."""
    problems = []
    known = engines.OWN + compat.registeredengines()
    chosen = _readengines(ui, known, problems)
    keys = {engine.name: levelkey(engine) for engine in _levelled(known)}
    levels = {}
    for name, key in keys.items():
        level = _readkey(ui, key, problems)
        if level is not None:
            levels[name] = level
    tuning = engines.Tuning(*(_readkey(ui, key, problems) for key in TUNING))
    tuning = _installed(ui, tuning, problems)
    limits = Limits(*(_readkey(ui, key, problems) for key in LIMITS))
    every = (*keys.values(), *TUNING, *LIMITS)
    names = [(key.section, key.name) for key in every]
    problems.extend(_ignored(ui, [(SERVER, ENGINES), *names]))
    return Settings(chosen, levels, tuple(problems), tuning, limits)


def refuse(ui):
    """Raise ConfigError for the mistakes in the configuration of ``ui``.

    All of them are printed; the last one is the error itself.
    """
    fatal = [problem for problem in read(ui).problems if problem.fatal]
    for problem in fatal[:-1]:
        ui.error(_configerror(problem).format())
    if fatal:
        raise _configerror(fatal[-1])


def _configerror(problem):
    return error.ConfigError(
        problem.text, location=problem.source, hint=problem.hint
    )


def _source(ui, section, name, untrusted=False):
    source = ui.configsource(section, name, untrusted=untrusted)
    return source or b'default'


def _levelled(known):
    """Return the engines that have a level: one of another extension may."""
    return [
        engine
        for engine in known
        if engine.levels or isinstance(engine, engines.Registered)
    ]


def _readkey(ui, key, problems):
    """Return the value of ``key``, or its default."""
    # Asking for an item that nobody registered is a warning for developers:
    # only whoever sets one gets it.
    if not ui.hasconfig(key.section, key.name):
        return key.default
    value = ui.config(key.section, key.name)
    try:
        return key.parse(value)
    except ValueError:
        text = _(b"%s.%s: bad value '%s'")
        text %= (
            key.section,
            key.name,
            stringutil.escapestr(pycompat.bytestr(value)),
        )
        source = _source(ui, key.section, key.name)
        hint = _(b'use %s') % key.allowed
        problems.append(Problem(source, text, hint, True))
        return key.default


def _installed(ui, tuning, problems):
    """Return ``tuning`` without a zlib backend that is not installed."""
    name = tuning.zlibbackend
    if name == b'auto' or zlibs.backend(name) is not None:
        return tuning
    text = _(b'%s.zlib-backend: %s is not installed, zlib is used')
    hint = _(b'install the package %s for the python that runs the server')
    source = _source(ui, WIRECOMP, b'zlib-backend')
    problems.append(
        Problem(source, text % (WIRECOMP, name), hint % name, False)
    )
    return tuning._replace(zlibbackend=b'zlib')


def _readengines(ui, known, problems):
    """Return the engines that may be negotiated, as a tuple, never empty."""
    chosen = []
    byname = {}
    for engine in known:
        byname[engine.wirename.lower()] = byname[engine.name.lower()] = engine
    for word in ui.configlist(SERVER, ENGINES):
        engine = byname.get(word.lower())
        if engine is None:
            problems.append(_unknown(ui, word, known))
            chosen = []
            break
        if engine not in chosen:
            chosen.append(engine)
    return _usable(ui, chosen or engines.DEFAULT, problems)


def _usable(ui, chosen, problems):
    """Return ``chosen`` without the engines that this host can't run."""
    usable = []
    for engine in chosen:
        if engine.available():
            usable.append(engine)
            continue
        text = _(b'%s.%s: engine %s dropped, its library is absent')
        text %= (SERVER, ENGINES, engine.name)
        hint = _(b'install the library for the python that runs the server')
        problems.append(
            Problem(_source(ui, SERVER, ENGINES), text, hint, False)
        )
    return tuple(usable) or (engines.ZLIB,)


def _unknown(ui, word, known):
    """Return the Problem of ``word``, which names no engine."""
    usable = [engine for engine in known if engine.available()]
    names = [engine.name for engine in usable]
    text = _(b"%s.%s: unknown engine '%s'") % (
        SERVER,
        ENGINES,
        stringutil.escapestr(word),
    )
    hint = _(b'usable engines: %s') % b', '.join(names)
    nearest = _nearest(word.lower(), usable)
    if nearest:
        hint = _(b'use %s; %s') % (nearest, hint)
    return Problem(_source(ui, SERVER, ENGINES), text, hint, True)


def _nearest(word, usable):
    """Return the name of the engine meant by ``word``, or None (bytes)."""
    names = {engine.wirename: engine.name for engine in usable}
    names.update((engine.name, engine.name) for engine in usable)
    if ALIASES.get(word) in names:
        return ALIASES[word]
    # difflib wants str; latin-1 maps every byte to one character.
    strs = {key.decode('latin-1'): name for key, name in names.items()}
    found = difflib.get_close_matches(word.decode('latin-1'), strs, 1)
    return strs[found[0]] if found else None


def _ignored(ui, names):
    """Yield a Problem for each key that an untrusted file sets in vain.

    ``names`` are pairs of a section and a name.
    """
    # A repository's own hgrc must not choose the engine or raise the level:
    # whoever can write it could make the server burn CPU for everyone.
    for section, name in names:
        if not ui.hasconfig(section, name, untrusted=True):
            continue
        source = _source(ui, section, name, untrusted=True)
        if source != _source(ui, section, name):
            text = _(b'%s.%s: ignored, not in a trusted file')
            text %= (section, name)
            hint = _(
                b"set it in the server's own configuration, or trust the "
                b"owner of the repository's hgrc in trusted.users"
            )
            yield Problem(source, text, hint, False)
