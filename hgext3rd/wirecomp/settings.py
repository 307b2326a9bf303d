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

import os
from typing import NamedTuple

from mercurial import error, extensions, exthelper
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import compat, engines, metrics, policy
from .keys import (
    AUTO,
    BACKEND,
    DEFAULTLIMITS,
    DEFAULTTUNING,
    ENGINES,
    HTTPPOSTARGS,
    IGNORE,
    LIMITS,
    NETWORKS,
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
    mistake,
    nearest,
    overruled,
    readbackend,
    readengines,
    readkey,
    readnetworks,
    source,
    usable,
)

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


def ofrepo(repo, environ=None):
    """Return the Settings of ``repo``; ``environ`` is as in ``read``."""
    return read(repo.ui, environ, repo.baseui)


def read(ui, environ=None, baseui=None):
    """Return the Settings in the trusted configuration of ``ui``.

    ``environ`` is the WSGI environment of a request, with bytes keys: the
    network policy of its client is part of the Settings. ``baseui`` is the
    configuration of the server alone, where ``ui`` has that of a repository
    too: ``wirecomp.repo-config`` is read there.
    """
    problems = []
    server = ui if baseui is None else baseui
    effective = inforce(ui, server, problems)
    ignore = effective is not ui
    known = engines.OWN + compat.registeredengines()
    levelkeys = {engine.name: levelkey(engine) for engine in _levelled(known)}
    got = _readplain(effective, known, levelkeys, problems)
    policies = _readpolicies(effective, known, levelkeys, problems)
    client = _client(effective, environ, policies, problems)
    if client is not None:
        got = got._replace(client=str(client).encode('ascii'))
        got = _withpolicy(got, policy.choose(policies, client))
    every = (*levelkeys.values(), *TUNING, *LIMITS, *PATHS)
    every += (POSTARGUMENTS, HTTPPOSTARGS)
    places = [(SERVER, ENGINES), *(key[:2] for key in every)]
    places.append((WIRECOMP, PROXIES))
    problems.extend(ignored(effective, places + _policyplaces(effective)))
    problems.extend(ignored(server, [REPOCONFIG[:2]]))
    if server is not ui:
        places = places + _policyplaces(ui) if ignore else ()
        problems.extend(overruled(ui, server, places))
    return got._replace(problems=tuple(problems))


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
    tuning = engines.Tuning(*(_readtuning(ui, k, problems) for k in TUNING))
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


def _readtuning(ui, key, problems):
    """Return the value of ``key``, one of keys.TUNING or of the same name."""
    name = key.name.rpartition(b'.')[2]
    read = readbackend if name == BACKEND else readkey
    return read(ui, key, problems)


def _policyplaces(ui):
    """Return all places of policies, trusted or not (list)."""
    return [(POLICY, item) for item, _v in ui.configitems(POLICY, True)]


def _readpolicies(ui, known, levelkeys, problems):
    """Return the network policies (list of policy.Policy)."""
    names = {}
    for item, _value in ui.configitems(POLICY):
        name, _dot, key = item.rpartition(b'.')
        if name:
            names.setdefault(name, []).append(key)
        else:
            what = _(b'it names no policy')
            hint = _(b'use a name of your own: %s.NAME.%s')
            hint %= (POLICY, stringutil.escapestr(key))
            problems.append(mistake(ui, (POLICY, item), what, hint))
    found = [
        _readpolicy(ui, name, given, known, levelkeys, problems)
        for name, given in names.items()
    ]
    problems.extend(_contested(ui, found))
    return found


def _contested(ui, policies):
    """Yield a Problem for each network that is in two of ``policies``."""
    owners = {}
    for one in policies:
        for network in one.networks:
            owner = owners.setdefault(network, one.name)
            if owner == one.name:
                continue
            owner = stringutil.escapestr(owner)
            place = (POLICY, b'%s.%s' % (one.name, NETWORKS))
            what = _(b'%s is a network of policy %s too')
            what %= (str(network).encode('ascii'), owner)
            hint = _(b'keep it in one of them')
            yield mistake(ui, place, what, hint, _(b'using %s') % owner)


def _readpolicy(ui, name, given, known, levelkeys, problems):
    """Return the policy.Policy ``name``, of which the keys ``given`` (list of
    bytes) are set."""

    def under(key):
        full = b'%s.%s' % (name, key.name)
        return key._replace(section=POLICY, name=full, default=None)

    def values(keys):
        """Return what is given of ``keys`` (dict of anything to Key)."""
        read = (
            (field, _readtuning(ui, under(key), problems))
            for field, key in keys.items()
            if key.name in given
        )
        return {field: value for field, value in read if value is not None}

    tuningkeys = dict(zip(engines.Tuning._fields, TUNING))
    every = (*levelkeys.values(), *tuningkeys.values())
    allowed = [NETWORKS, ENGINES, *(key.name for key in every)]
    for key in given:
        if key not in allowed:
            problems.append(_unknownkey(ui, name, key, allowed))
    place = (POLICY, b'%s.%s' % (name, NETWORKS))
    networks = readnetworks(ui, place, problems)
    if not networks and not ui.configlist(*place):
        problems.append(_nonetworks(ui, name, given))
    place = (POLICY, b'%s.%s' % (name, ENGINES))
    return policy.Policy(
        name,
        networks,
        readengines(ui, place, known, problems),
        values(levelkeys),
        values(tuningkeys),
    )


def _unknownkey(ui, name, key, allowed):
    """Return the Problem of a ``key`` (bytes) that no policy has."""
    hint = _(b'keys of a policy: %s') % b', '.join(allowed)
    meant = nearest(key, allowed)
    if meant:
        hint = _(b'use %s; %s') % (meant, hint)
    place = (POLICY, b'%s.%s' % (name, key))
    return mistake(ui, place, _(b'unknown key of a policy'), hint)


def _nonetworks(ui, name, given):
    """Return the Problem of policy ``name``, which is nobody's."""
    key = NETWORKS if NETWORKS in given else given[0]
    what = _(b'policy %s has no networks') % stringutil.escapestr(name)
    hint = _(b'set %s.%s.%s') % (POLICY, stringutil.escapestr(name), NETWORKS)
    instead = _(b'ignoring this policy')
    return mistake(ui, (POLICY, b'%s.%s' % (name, key)), what, hint, instead)


def _client(ui, environ, policies, problems):
    """Return the address of the client of a request (of ``ipaddress``), or
    None where it is not known, or is nothing but that of the connection."""
    proxies = readnetworks(ui, (WIRECOMP, PROXIES), problems)
    if environ is None or not (policies or proxies):
        return None
    # Not REMOTE_HOST: it can be a name, and then the client's DNS decides.
    peer = environ.get(b'REMOTE_ADDR') or b''
    forwarded = b''
    if proxies:
        forwarded = compat.headervalue(environ, b'X-Forwarded-For')
    return policy.client(peer, forwarded, proxies)


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
