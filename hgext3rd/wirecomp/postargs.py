# postargs.py - where the arguments of requests go
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Arguments in the body of POST requests, where headers have no room for them.

Clients put the arguments of a command in headers ``X-HgArg-<N>``. Those from
3.8 on put them at the begin of the body, its length in ``X-HgArgs-Post``, if
the server has core's capability ``httppostargs``; then each request that has
arguments is a POST.
"""

from __future__ import annotations

from typing import NamedTuple

from mercurial import error

from . import fronts, keys

CAPABILITY = b'httppostargs'


class Decision(NamedTuple):
    """Whether a repository has the capability.

    ``advertised`` (bool). ``heads`` (int): how many a client sees, None where
    they were not counted. ``refusing`` (tuple of bytes): who refuses by default
    what they need of headers, as in fronts.Head.
    """

    advertised: bool
    heads: int | None = None
    refusing: tuple = ()


def decide(setting, repo):
    """Return the Decision for ``repo``, as clients see it, by keys.AUTO, YES
    or NO. The heads are counted for AUTO only."""
    if setting != keys.AUTO:
        return Decision(setting == keys.YES)
    # Of 20,000 heads this takes 0.03 ms, ``repo.heads`` 4 ms.
    heads = len(repo.changelog.headrevs())
    return byheads(setting, heads, headerlen(repo.ui))


def byheads(setting, heads, size):
    """Return the Decision by keys.AUTO, YES or NO for so many ``heads`` (int),
    with ``size`` (int), the ``server.maxhttpheaderlen``.

    For AUTO the strictest of the common limits counts, since nobody knows who
    is in front, but for that of haproxy, half of the next: to push by POST has
    drawbacks of its own (README, Many heads).
    """
    refusing = fronts.head(heads, size).refusing
    wanted = setting == keys.YES
    if setting == keys.AUTO:
        wanted = any(name != fronts.HAPROXY for name in refusing)
    return Decision(wanted, heads, refusing)


def headerlen(ui):
    """Return how long a header of arguments may be (int, bytes); where that is
    no number, Mercurial itself says so to each client, and it is 0."""
    try:
        return ui.configint(b'server', b'maxhttpheaderlen')
    except error.ConfigError:
        return 0


def accepted(setting):
    """Return whether arguments in a body are read (bool), by keys.AUTO, YES
    or NO.

    For AUTO whatever the heads are now: a client may have read the
    capabilities while there were more.
    """
    return setting != keys.NO


def withcapability(caps, advertised):
    """Return ``caps`` (list of bytes) with the capability, if it is to be
    ``advertised`` (bool), and without it otherwise."""
    caps = [cap for cap in caps if cap != CAPABILITY]
    return caps + [CAPABILITY] * advertised
