# policy.py - which network a client belongs to
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Addresses and networks: who asks, and what holds for him.

Nothing here knows a repository, a request or a ui: bytes in, values out. IPv4
addresses in IPv6 form (``::ffff:10.0.0.1``; RFC 4291, 2.5.5.2) are IPv4
addresses: that is what a server gets to see that listens for both.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from typing import NamedTuple

# An address as proxies write it: bare, with a port, or in brackets.
WRITTEN = re.compile(
    rb'\[(?P<six>[^\]]*)\](?::[0-9]+)?|(?P<four>[0-9.]+):[0-9]+'
)
# The prefix of the IPv4 addresses in IPv6 form.
MAPPED = 96
# How many networks a process remembers: they are asked for with each request.
KNOWNMAX = 1024


class BadNetwork(ValueError):
    """A word that is no network. Its argument (bytes) says what to write."""

    @property
    def hint(self):
        return self.args[0]


class Policy(NamedTuple):
    """What holds for some networks.

    ``name`` (bytes). ``networks``: a tuple of what ``network`` gives.
    ``engines`` (tuple of engines.Engine), ``levels`` (dict of engine name to
    int), ``tuning`` (dict of field name of engines.Tuning to value): as in
    settings.Settings, but only what the policy gives.
    """

    name: bytes
    networks: tuple
    engines: tuple
    levels: dict
    tuning: dict


def address(value):
    """Return the address (of ``ipaddress``) in ``value`` (bytes), or None.

    A port after it is dropped.
    """
    value = value.strip()
    written = WRITTEN.fullmatch(value)
    if written:
        value = written['six'] or written['four'] or b''
    try:
        found = ipaddress.ip_address(value.decode('ascii'))
    except ValueError:
        return None
    return getattr(found, 'ipv4_mapped', None) or found


@functools.lru_cache(KNOWNMAX)
def network(word):
    """Return the network (of ``ipaddress``) that ``word`` (bytes) names.

    An address alone is a network of one. Raises BadNetwork, also where the
    address goes on behind the prefix: of two networks it is unclear which is
    meant.
    """
    try:
        text = word.decode('ascii')
        meant = ipaddress.ip_network(text, strict=False)
    except ValueError as inst:
        hint = b'use networks such as 10.0.0.0/8 and fd00::/8'
        raise BadNetwork(hint) from inst
    try:
        return _plain(ipaddress.ip_network(text))
    except ValueError as inst:
        hint = 'use %s for the network, %s for the one address'
        hint %= meant, text.partition('/')[0]
        raise BadNetwork(hint.encode('ascii')) from inst


def _plain(found):
    """Return ``found``, a network, as IPv4 if it is IPv4 in IPv6 form."""
    mapped = getattr(found.network_address, 'ipv4_mapped', None)
    if mapped is None or found.prefixlen < MAPPED:
        return found
    return ipaddress.ip_network((int(mapped), found.prefixlen - MAPPED))


def client(peer, forwarded, proxies):
    """Return the address (of ``ipaddress``) of a client, or None.

    ``peer`` (bytes) is that of the connection, ``forwarded`` (bytes) the value
    of ``X-Forwarded-For``, to which each proxy adds at the end whom it got the
    request from; ``proxies`` the networks of proxies that are believed.

    From the connection on, each proxy that is believed names the one before
    it. The first that is no such proxy is the client: what it says of others
    anybody could say. If one names nobody, or what is no address, the walk ends
    at that proxy itself. Takes any bytes, in time linear in their length.
    """
    found = address(peer)
    named = forwarded.split(b',')
    while found is not None and named and holds(proxies, found):
        before = address(named.pop())
        if before is None:
            break
        found = before
    return found


def holds(networks, found):
    """Return whether one of ``networks`` holds an address (bool)."""
    return any(found in one for one in networks)


def choose(policies, found):
    """Return the Policy whose network is the most specific one that holds the
    address ``found``, or None; of equal ones the first."""
    longest, best = -1, None
    for policy in policies:
        for one in policy.networks:
            if one.prefixlen > longest and found in one:
                longest, best = one.prefixlen, policy
    return best
