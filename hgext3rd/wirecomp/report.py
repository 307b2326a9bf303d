# report.py - what a server answered, summed from its JSON logs
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Sums of JSON logs, in memory that does not depend on their length.

A log has one JSON object a line, UTF-8. Whatever its lines hold, reading them
raises nothing, and no name that is given back has a character that a terminal
might obey.
"""

from __future__ import annotations

import array
import contextlib
import datetime
import functools
import ipaddress
import json
import math
import re
from typing import NamedTuple

from . import logfiles

# Wall times are counted in buckets, each 2 % wider than the one before; the
# middle of a bucket is at most 1 % from all that is in it.
LOWEST = 1e-6
HIGHEST = 86400.0
WIDTH = math.log(1.02)
BUCKETS = int(math.log(HIGHEST / LOWEST) / WIDTH) + 1

# What is summed apart, and how many names of each at most: a damaged or
# hostile log may have any number. Those beyond come under OTHER.
NAMES = 64
LIMITS = {
    'engine': NAMES,
    'command': NAMES,
    'day': 4096,
    'network': 4096,
    'fallback': NAMES,
    'failure': NAMES,
}
OTHER = 'other'
# Characters of a name, and of an address with its zone.
NAMEMAX = 80
ADDRESSMAX = 64

# Larger figures are damage.
BYTESMAX = 1 << 60
SECONDSMAX = 1e9

LEGACY = 'application/mercurial-0.1'
# How the object in a line begins.
BEGIN = b'{"time"'
# Days that plots can show.
DAY = re.compile(r'2[0-9]{3}-[0-9]{2}-[0-9]{2}(?=T)')


class Answer(NamedTuple):
    """One line of a log.

    ``day`` (str, as 2026-12-01). ``network``, ``command``, ``engine`` (str;
    None: unknown, or no stream). ``source`` and ``wire`` (int): bytes before
    and after encoding. ``cpu`` and ``wall`` (float): seconds. ``fallback``
    (bool): a stream of 0.1, for ``reason`` (str or None). ``outcome`` (str),
    and the name of the ``error`` of one that failed (str or None).
    """

    day: str
    network: str | None
    command: str | None
    engine: str | None
    source: int
    wire: int
    cpu: float
    wall: float
    fallback: bool
    reason: str | None
    outcome: str
    error: str | None


def parse(line):
    """Return the Answer in a line (bytes). Raises ValueError if it has none."""
    try:
        entry = json.loads(line.decode('utf-8'))
    except RecursionError:
        raise ValueError('nested too deep') from None
    if type(entry) is not dict:
        raise ValueError('no object')
    get = entry.get
    engine = _name(get('engine'))
    return Answer(
        _day(get('time')),
        _network(get('address')),
        _name(get('command')),
        engine,
        _bytes(get('source')),
        _bytes(get('wire')),
        _seconds(get('cpu')),
        _seconds(get('wall')),
        engine is not None and get('mediatype') == LEGACY,
        _name(get('reason')),
        _name(get('outcome')),
        _name(get('error')),
    )


def _name(value):
    """Return a name that a terminal can show (str or None)."""
    if value is None:
        return None
    if type(value) is not str:
        raise ValueError('no name')
    if len(value) > NAMEMAX:
        value = value[:NAMEMAX] + '...'
    return value if value.isprintable() else _escaped(value)


def _escaped(text):
    return ''.join(
        char
        if char.isprintable()
        else char.encode('unicode_escape').decode('ascii')
        for char in text
    )


def _bytes(value):
    if type(value) is int and 0 <= value <= BYTESMAX:
        return value
    raise ValueError('no number of bytes')


def _seconds(value):
    if type(value) in (float, int) and 0 <= value <= SECONDSMAX:
        return value
    raise ValueError('no number of seconds')


def _day(time):
    if type(time) is str:
        found = DAY.match(time)
        if found:
            return _valid(found[0])
    raise ValueError('no time')


@functools.lru_cache(maxsize=LIMITS['day'])
def _valid(day):
    datetime.date.fromisoformat(day)
    return day


def _network(address):
    if type(address) is str and len(address) <= ADDRESSMAX:
        return network(address)
    return None


@functools.lru_cache(maxsize=LIMITS['network'])
def network(address):
    """Return the network of an address (str): IPv4 /24, IPv6 /48; None for
    what is no address. An IPv4 address in IPv6 (RFC 4291, 2.5.5.2) is one of
    IPv4."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return None
    found = getattr(found, 'ipv4_mapped', None) or found
    host, prefix = (8, 24) if found.version == 4 else (80, 48)
    start = type(found)(int(found) >> host << host)
    return '%s/%d' % (start, prefix)


def bucket(seconds):
    """Return the bucket (int) of a wall time in seconds (float)."""
    seconds = min(max(seconds, LOWEST), HIGHEST)
    return int(math.log(seconds / LOWEST) / WIDTH)


class Sum:
    """The sum of some answers.

    ``answers``, ``fallbacks``, ``hungup``, ``failed`` (int): how many.
    ``source``, ``wire`` (int): bytes. ``cpu`` (float): seconds.
    """

    __slots__ = (
        'answers',
        'source',
        'wire',
        'cpu',
        'fallbacks',
        'hungup',
        'failed',
        '_times',
    )

    def __init__(self):
        self.answers = self.source = self.wire = 0
        self.fallbacks = self.hungup = self.failed = 0
        self.cpu = 0.0
        self._times = array.array('Q', bytes(8 * BUCKETS))

    def add(self, answer, at):
        """Add an Answer whose wall time is in bucket ``at`` (int)."""
        self.answers += 1
        self.source += answer.source
        self.wire += answer.wire
        self.cpu += answer.cpu
        self.fallbacks += answer.fallback
        self.hungup += answer.outcome == 'hung-up'
        self.failed += answer.outcome == 'failed'
        self._times[at] += 1

    def merge(self, other):
        """Add another Sum."""
        self._times = array.array(
            'Q', (a + b for a, b in zip(self._times, other._times))
        )
        for name in self.__slots__[:-1]:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def ratio(self):
        """Bytes sent for each of the source (float), None without any."""
        return self.wire / self.source if self.source else None

    def percentile(self, percent):
        """Return the wall time in seconds (float) that so many percent (int)
        of the answers did not exceed, None without any.

        It is that of one of the answers (nearest rank), give or take 1 %;
        what is below a microsecond or above a day counts as that.
        """
        rank = -(-self.answers * percent // 100)
        for at, count in enumerate(self._times):
            rank -= count
            if count and rank <= 0:
                return LOWEST * math.exp((at + 0.5) * WIDTH)
        return None


class Row(NamedTuple):
    """A Sum, of what: ``by`` ("all" or a key of LIMITS) and ``name`` (str or
    None)."""

    by: str
    name: str | None
    sum: Sum


class Report:
    """The sums of some logs, in all and by the keys of LIMITS.

    ``lines``, ``skipped`` (int): of the log that was read last, how many lines
    there were, and how many of them were damaged.
    """

    def __init__(self):
        self._all = Sum()
        self._tables = {by: {} for by in LIMITS}
        self.lines = self.skipped = 0

    def read(self, chunks):
        """Add the lines of a log, in ``chunks`` (iterables of bytes).

        A whole line after half a one, without a line end between them, is a
        damaged line, but is added. Whatever ``chunks`` raises comes through;
        all before it is added.
        """
        self.lines = self.skipped = 0
        for line in logfiles.lines(chunks):
            self.lines += 1
            self.skipped += line is None or not self._feed(line)

    def _feed(self, line):
        """Add a line (bytes); return whether there was no damage (bool)."""
        try:
            self._add(parse(line))
            return True
        except ValueError:
            if not line.strip():
                return True
        # Inside of a string the quotation mark would be escaped.
        at = line.rfind(BEGIN)
        if at > 0:
            with contextlib.suppress(ValueError):
                self._add(parse(line[at:]))
        return False

    def _add(self, answer):
        at = bucket(answer.wall)
        self._all.add(answer, at)
        self._sum('engine', answer.engine).add(answer, at)
        self._sum('command', answer.command).add(answer, at)
        self._sum('day', answer.day).add(answer, at)
        self._sum('network', answer.network).add(answer, at)
        if answer.fallback:
            self._sum('fallback', answer.reason).add(answer, at)
        if answer.outcome == 'failed':
            self._sum('failure', answer.error).add(answer, at)

    def _sum(self, by, name):
        table = self._tables[by]
        found = table.get(name)
        if found is None:
            if len(table) >= LIMITS[by] and name != OTHER:
                return self._sum(by, OTHER)
            found = table[name] = Sum()
        return found

    def rows(self, networks=LIMITS['network']):
        """Yield each Row: first all, then those of each kind.

        Days come in their order, networks by bytes sent, at most so many
        (int), everything else by the number of answers.
        """
        yield Row('all', None, self._all)
        for by, table in self._tables.items():
            rows = sorted((Row(by, *item) for item in table.items()), key=_rank)
            if by == 'network':
                rows = _shortened(rows, networks)
            yield from rows


def _rank(row):
    last = row.name == OTHER
    if row.by == 'day':
        return last, row.name
    most = row.sum.wire if row.by == 'network' else row.sum.answers
    return last, -most, row.name or ''


def _shortened(rows, count):
    """Return rows, those from the ``count``-th on summed up as OTHER."""
    if len(rows) <= count:
        return rows
    rest = Sum()
    for row in rows[count:]:
        rest.merge(row.sum)
    return [*rows[:count], Row(rows[0].by, OTHER, rest)]
