# readpolicy.py - network policies in a configuration
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The section ``wirecomp-policy``, read as ``reading`` reads single keys."""

from __future__ import annotations

from mercurial.i18n import _
from mercurial.utils import stringutil

from . import engines, policy
from .keys import ENGINES, NETWORKS, POLICY, TUNING
from .reading import (
    mistake,
    nearest,
    readengines,
    readnetworks,
    readtuning,
)


def policyplaces(ui):
    """Return all places of policies, trusted or not (list)."""
    return [(POLICY, item) for item, _v in ui.configitems(POLICY, True)]


def readpolicies(ui, known, levelkeys, problems):
    """Return the network policies in the configuration of ``ui`` (list of
    policy.Policy).

    ``known`` are the engines.Engine that there are, ``levelkeys`` (dict of
    engine name to keys.Key) those with a level.
    """
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
            (field, readtuning(ui, under(key), problems))
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
