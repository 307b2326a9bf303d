# settings.py - every key: registered, documented, validated, with its source
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The configuration of one repository, and which repositories want it.

All keys are read from trusted configuration only. Reading never raises: a value
that can't be used becomes a Problem, beside the default.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from mercurial import error, extensions, exthelper
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import compat, engines, metrics, policy
from .keys import (
    AUTO,
    DEFAULTLIMITS,
    DEFAULTTUNING,
    ENGINES,
    HTTPPOSTARGS,
    IGNORE,
    LIMITS,
    PATHS,
    POLICY,
    POSTARGUMENTS,
    PROXIES,
    PUSH,
    REPOCONFIG,
    SERVER,
    TUNING,
    WIRECOMP,
    YES,
    Limits,
    levelkey,
)
from .reading import (
    Paths,
    Problem,
    ignored,
    overruled,
    readengines,
    readkey,
    readnetworks,
    readtuning,
    source,
    usable,
)
from .readpolicy import policyplaces, readpolicies

eh = exthelper.exthelper()

HERE = os.path.dirname(__file__)

for _key in (*TUNING, *LIMITS, *PATHS, *PUSH, POSTARGUMENTS, REPOCONFIG):
    eh.configitem(_key.section, _key.name, default=None)
eh.configitem(WIRECOMP, PROXIES, default=None)
eh.configitem(POLICY, b'.*', default=None, generic=True)
# Core reads this item without registering it, and must go on to find nothing
# where nothing is set.
if not compat.registered(SERVER, b'bz2level'):
    eh.configitem(SERVER, b'bz2level', default=None)


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


def unpatched(inst):
    """Return the Problem of a server that lacks what is patched, by the Abort
    that says so."""
    return Problem(b'hg serve', inst.message, inst.hint, False)


class Settings(NamedTuple):
    """What is in effect for one repository, or for one request to it.

    ``engines`` (tuple of engines.Engine): what may be negotiated, most wanted
    first, never empty. ``levels`` (dict of engine name to int): the levels
    that are set. ``problems`` (tuple of Problem). ``tuning``
    (engines.Tuning). ``limits`` (Limits). ``paths`` (Paths). ``policy`` (bytes
    or None): the name of the network policy that is part of it. ``client``
    (bytes or None): the address of the client, where it matters.
    ``postarguments`` (bytes): keys.AUTO, YES or NO.
    """

    engines: tuple = engines.DEFAULT
    levels: dict = {}
    problems: tuple = ()
    tuning: NamedTuple = DEFAULTTUNING
    limits: NamedTuple = DEFAULTLIMITS
    paths: NamedTuple = Paths()
    policy: bytes | None = None
    client: bytes | None = None
    postarguments: bytes = AUTO

    def level(self, engine):
        """Return the level for ``engine`` (int, or None where it has none)."""
        return self.levels.get(engine.name, engine.defaultlevel)


def inforce(ui, baseui, problems):
    """Return the one of two ui that counts: ``ui`` of a repository, or
    ``baseui`` of the server alone, by ``wirecomp.repo-config``."""
    if readkey(baseui, REPOCONFIG, problems) == IGNORE:
        return baseui
    return ui


class _Configured(NamedTuple):
    """What a configuration says: the ``settings`` of a client for whom no
    policy holds, the ``policies`` (list of policy.Policy), and the networks of
    the ``proxies`` that are believed."""

    settings: Settings
    policies: list
    proxies: tuple

    def of(self, environ):
        """Return the Settings for a request; ``environ`` as in ``read``."""
        got = self.settings
        client = self._client(environ)
        if client is not None:
            got = got._replace(client=str(client).encode('ascii'))
            got = _withpolicy(got, policy.choose(self.policies, client))
        return got

    def _client(self, environ):
        """Return the address of the client of a request (of ``ipaddress``), or
        None where it is not known, or is nothing but that of the connection."""
        if environ is None or not (self.policies or self.proxies):
            return None
        # Not REMOTE_HOST: it can be a name, and then the client's DNS decides.
        peer = environ.get(b'REMOTE_ADDR') or b''
        forwarded = b''
        if self.proxies:
            forwarded = compat.headervalue(environ, b'X-Forwarded-For')
        return policy.client(peer, forwarded, self.proxies)


def ofrepo(repo, environ=None):
    """Return the Settings of ``repo``; ``environ`` is as in ``read``.

    What the configuration says is kept with the repository for as long as no
    value in it is another one.
    """
    values = _values(repo)
    known = getattr(repo, '_wirecompread', (None, None))
    if known[0] != values:
        known = values, _configured(repo.ui, repo.baseui)
        # Filtered views of the repository see the attribute too.
        repo._wirecompread = known
    return known[1].of(environ)


def _values(repo):
    """Return all that is read of a repository's configuration, and of the
    server's (list)."""
    uis = (repo.ui, repo.baseui)
    sections = (SERVER, WIRECOMP, POLICY)
    values = [ui.configitems(section) for ui in uis for section in sections]
    return values + [ui.config(*HTTPPOSTARGS[:2]) for ui in uis]


def read(ui, environ=None, baseui=None):
    """Return the Settings in the trusted configuration of ``ui``.

    ``environ`` is the WSGI environment of a request, with bytes keys: the
    network policy of its client is part of the Settings. ``baseui`` is the
    configuration of the server alone, where ``ui`` has that of a repository
    too: ``wirecomp.repo-config`` is read there.
    """
    return _configured(ui, baseui).of(environ)


def _configured(ui, baseui):
    """Return the _Configured of a ui and a baseui, as in ``read``."""
    problems = []
    server = ui if baseui is None else baseui
    effective = inforce(ui, server, problems)
    ignore = effective is not ui
    known = engines.OWN + compat.registeredengines()
    levelkeys = {engine.name: levelkey(engine) for engine in _levelled(known)}
    got = _readplain(effective, known, levelkeys, problems)
    policies = readpolicies(effective, known, levelkeys, problems)
    proxies = readnetworks(effective, (WIRECOMP, PROXIES), problems)
    every = (*levelkeys.values(), *TUNING, *LIMITS, *PATHS)
    every += (POSTARGUMENTS, HTTPPOSTARGS)
    places = [(SERVER, ENGINES), *(key[:2] for key in every)]
    places.append((WIRECOMP, PROXIES))
    problems.extend(ignored(effective, places + policyplaces(effective)))
    problems.extend(ignored(server, [REPOCONFIG[:2]]))
    if server is not ui:
        places = places + policyplaces(ui) if ignore else ()
        problems.extend(overruled(ui, server, places))
    got = got._replace(problems=tuple(problems))
    return _Configured(got, policies, proxies)


def _readplain(ui, known, levelkeys, problems):
    """Return the Settings without policies."""
    place = (SERVER, ENGINES)
    chosen = readengines(ui, place, known, problems)
    if not chosen:
        chosen = usable(ui, place, engines.DEFAULT, problems)
    levels = {}
    for name, key in levelkeys.items():
        level = readkey(ui, key, problems)
        if level is not None:
            levels[name] = level
    tuning = engines.Tuning(*(readtuning(ui, k, problems) for k in TUNING))
    limits = Limits(*(readkey(ui, key, problems) for key in LIMITS))
    problems.extend(_uncounted(ui))
    got = Settings(chosen, levels, (), tuning, limits, _readpaths(ui))
    return got._replace(postarguments=_readpostarguments(ui, problems))


def _readpostarguments(ui, problems):
    """Return whether arguments may go in bodies (keys.AUTO, YES or NO)."""
    core = readkey(ui, HTTPPOSTARGS, problems)
    wanted = readkey(ui, POSTARGUMENTS, problems)
    return YES if wanted == AUTO and core else wanted


def _readpaths(ui):
    """Return the Paths."""
    # Asked for each request, and seldom set.
    if not any(ui.hasconfig(*key[:2]) for key in PATHS):
        return Paths()
    log, metered = (
        # Not a name that is no file; relative to the file that names it.
        ui.configpath(*key[:2]) if ui.config(*key[:2]) else None
        for key in PATHS
    )
    return Paths(log, metered, tuple(source(ui, key[:2]) for key in PATHS))


def _uncounted(ui):
    """Yield the Problem of metrics without the library that writes them."""
    place = (WIRECOMP, b'metrics')
    if ui.hasconfig(*place) and metrics.library() is None:
        text = _(b'%s.metrics: prometheus_client is not installed, no metrics')
        hint = _(
            b'install the package prometheus-client for the python that runs '
            b'the server'
        )
        yield Problem(source(ui, place), text % WIRECOMP, hint, False)


def warn(ui):
    """Print, at the start of a server, what would not be seen by what is not
    there: the Problem of metrics without their library."""
    for problem in _uncounted(ui):
        ui.warn(problem.line + b'\n')


def refuse(ui, baseui=None):
    """Raise ConfigError for the mistakes in the configuration of ``ui``.

    ``baseui`` is as in ``read``. All of them are printed; the last one is the
    error itself.
    """
    problems = read(ui, baseui=baseui).problems
    fatal = [problem for problem in problems if problem.fatal]
    for problem in fatal[:-1]:
        ui.error(configerror(problem).format())
    if fatal:
        raise configerror(fatal[-1])


def configerror(problem):
    """Return the ConfigError of a Problem."""
    return error.ConfigError(
        problem.text, location=problem.source, hint=problem.hint
    )


def _levelled(known):
    """Return the engines that have a level: one of another extension may."""
    return [
        engine
        for engine in known
        if engine.levels or isinstance(engine, engines.Registered)
    ]


def levelled():
    """Return the engines that have a level key (list of engines.Engine)."""
    return _levelled(engines.OWN + compat.registeredengines())


def _withpolicy(settings, chosen):
    """Return ``settings`` with those of a policy.Policy, or of None."""
    if chosen is None:
        return settings
    return settings._replace(
        engines=chosen.engines or settings.engines,
        levels={**settings.levels, **chosen.levels},
        tuning=settings.tuning._replace(**chosen.tuning),
        policy=stringutil.escapestr(chosen.name),
    )
