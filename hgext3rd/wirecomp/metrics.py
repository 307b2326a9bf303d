# metrics.py - counters for Prometheus
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Sums of what the journal tells, in the text format of Prometheus.

The file is for the textfile collector of a node exporter. It is also where
several processes add up: each reads it, adds its own, and puts it back, under
a lock, so that what is in it survives them all.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import os
import tempfile
import threading
import time

# Seconds between two writes of a process.
INTERVAL = 1.0
# The most series of each metric: more is under the command ``other``.
SERIESMAX = 1000
# Upper bounds (seconds) of the histogram.
BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 600.0, float('inf'))

LABELS = ('engine', 'command', 'outcome')
# Name and meaning of each counter, in the order of ``Series.sums``.
COUNTERS = (
    ('wirecomp_responses', 'Responses of the wire protocol.'),
    ('wirecomp_source_bytes', 'Bytes before encoding.'),
    ('wirecomp_wire_bytes', 'Bytes of the bodies of responses.'),
    ('wirecomp_cpu_seconds', 'CPU seconds of making responses.'),
)
WALL = 'wirecomp_wall_seconds'


class Series:
    """What is summed up for one value of LABELS.

    ``sums``: a number for each of COUNTERS; ``wall`` (seconds); ``buckets``: a
    number for each of BUCKETS, not cumulated.
    """

    def __init__(self):
        self.sums = [0.0] * len(COUNTERS)
        self.wall = 0.0
        self.buckets = [0] * len(BUCKETS)

    def add(self, other):
        """Add another Series."""
        self.sums = list(map(sum, zip(self.sums, other.sums)))
        self.wall += other.wall
        self.buckets = list(map(sum, zip(self.buckets, other.buckets)))


def library():
    """Return the module prometheus_client, or None where it is absent."""
    try:
        import prometheus_client.core
        import prometheus_client.parser

        return prometheus_client
    except ImportError:
        return None


def parse(text):
    """Return {labels: Series} in a file of ours (str).

    Raises ValueError for what is none.
    """
    found = collections.defaultdict(Series)
    names = [name for name, _help in COUNTERS]
    families = library().parser.text_string_to_metric_families(text)
    for family in families:
        for sample in family.samples:
            labels = tuple(sample.labels.get(name, '') for name in LABELS)
            if family.name in names:
                index = names.index(family.name)
                found[labels].sums[index] = sample.value
            elif sample.name == WALL + '_sum':
                found[labels].wall = sample.value
            elif sample.name == WALL + '_bucket':
                index = BUCKETS.index(float(sample.labels['le']))
                found[labels].buckets[index] = int(sample.value)
    for series in found.values():
        cumulated = series.buckets
        series.buckets = [
            count - before
            for count, before in zip(cumulated, [0, *cumulated[:-1]])
        ]
    return dict(found)


class _Collector:
    """The interface of the library for metrics made elsewhere."""

    def __init__(self, sums):
        self._sums = sums

    def collect(self):
        core = library().core
        for index, (name, text) in enumerate(COUNTERS):
            family = core.CounterMetricFamily(name, text, labels=LABELS)
            for labels, series in self._sums.items():
                family.add_metric(labels, series.sums[index])
            yield family
        family = core.HistogramMetricFamily(
            WALL, 'Seconds from request to end of response.', labels=LABELS
        )
        for labels, series in self._sums.items():
            total, buckets = 0, []
            for bound, count in zip(BUCKETS, series.buckets):
                total += count
                bound = '+Inf' if bound == float('inf') else str(bound)
                buckets.append((bound, total))
            family.add_metric(labels, buckets, series.wall)
        yield family


def render(sums):
    """Return {labels: Series} in the text format of Prometheus (bytes)."""
    client = library()
    registry = client.CollectorRegistry(auto_describe=False)
    registry.register(_Collector(sums))
    return client.generate_latest(registry)


class Metrics:
    """What a process has yet to add to the file at ``path`` (bytes).

    ``failure`` is the exception for which it could not the last time, or None.
    """

    def __init__(self, path):
        self.path = path
        self.failure = None
        self._lock = threading.Lock()
        self._sums = {}
        self._timer = None
        atexit.register(self.flush)

    def add(self, record):
        """Add a record of the journal (dict); the file follows within
        INTERVAL."""
        series = Series()
        series.sums = [1, record['source'], record['wire'], record['cpu']]
        series.wall = record['wall']
        index = next(n for n, top in enumerate(BUCKETS) if series.wall <= top)
        series.buckets[index] = 1
        labels = (
            record['engine'] or '',
            record['command'],
            record['outcome'],
        )
        with self._lock:
            self._insert(self._sums, labels, series)
            if self._timer is None:
                self._timer = threading.Timer(INTERVAL, self._timed)
                self._timer.daemon = True
                self._timer.start()

    def _insert(self, sums, labels, series):
        if labels not in sums and len(sums) >= SERIESMAX:
            labels = (labels[0], 'other', labels[2])
        sums.setdefault(labels, Series()).add(series)

    def _timed(self):
        with self._lock:
            self._timer = None
        # What can't be written now is added the next time.
        try:
            self.flush()
            self.failure = None
        except Exception as inst:
            self.failure = inst

    def flush(self):
        """Add to the file what there is to add; raises OSError."""
        with self._lock:
            mine, self._sums = self._sums, {}
        if not mine:
            return
        try:
            with _locked(self.path + b'.lock'):
                sums = _read(self.path)
                for labels, series in mine.items():
                    self._insert(sums, labels, series)
                _replace(self.path, render(sums))
        except BaseException:
            with self._lock:
                for labels, series in mine.items():
                    self._insert(self._sums, labels, series)
            raise


# Of this process, by path: as many as its configurations name.
_counting = {}
_countinglock = threading.Lock()


def count(path, record):
    """Add a ``record`` of the journal (dict) to the file at ``path`` (bytes),
    soon; nothing where the library is absent. Return the exception for which
    it could not be written the last time, or None."""
    if library() is None:
        return None
    with _countinglock:
        if path not in _counting:
            _counting[path] = Metrics(path)
    counting = _counting[path]
    counting.add(record)
    return counting.failure


@contextlib.contextmanager
def _locked(path):
    """Hold the lock ``path`` (bytes) against other processes."""
    import fcntl

    with open(path, 'ab') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _read(path):
    """Return the sums in the file; none if there is none, or another's."""
    try:
        with open(path, encoding='utf-8') as source:
            return parse(source.read())
    except FileNotFoundError:
        return {}
    except ValueError:
        # Damaged by a full disk, or never ours: kept, beside it.
        os.replace(path, path + b'.bad-%d' % time.time())
        return {}


def _replace(path, data):
    """Put ``data`` (bytes) into the file, which is never seen half written."""
    folder = os.path.dirname(path) or b'.'
    fd, temporary = tempfile.mkstemp(b'.tmp', b'.wirecomp-', folder)
    try:
        with open(fd, 'wb') as out:
            out.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
