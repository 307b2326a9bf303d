"""Sums for Prometheus: read back as written, by many processes."""

import subprocess
import sys
import threading
import time

import pytest
from prometheus_client import parser

from hgext3rd.wirecomp import metrics

RECORD = {
    'engine': 'zstd',
    'command': 'getbundle',
    'outcome': 'complete',
    'source': 1000,
    'wire': 100,
    'cpu': 0.25,
    'wall': 0.3,
}


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / 'wirecomp.prom').encode()


def samples(path):
    """Return {(name, labels): value} as the library reads the file."""
    with open(path) as source:
        families = parser.text_string_to_metric_families(source.read())
        return {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in families
            for sample in family.samples
        }


def test_records_add_up(path):
    one = metrics.Metrics(path)
    for wall in (0.001, 0.3, 700):
        one.add({**RECORD, 'wall': wall})
    one.add({**RECORD, 'engine': None, 'command': 'heads'})
    one.flush()
    got = samples(path)
    key = ('complete', 'getbundle', 'zstd')
    assert got[('wirecomp_responses_total', *key)] == 3
    assert got[('wirecomp_source_bytes_total', *key)] == 3000
    assert got[('wirecomp_wire_bytes_total', *key)] == 300
    assert got[('wirecomp_cpu_seconds_total', *key)] == 0.75
    assert got[('wirecomp_wall_seconds_sum', *key)] == pytest.approx(700.301)
    assert got[('wirecomp_wall_seconds_count', *key)] == 3
    assert got[('wirecomp_wall_seconds_bucket', '0.005', *key)] == 1
    assert got[('wirecomp_wall_seconds_bucket', '0.5', *key)] == 2
    assert got[('wirecomp_wall_seconds_bucket', '600.0', *key)] == 2
    assert got[('wirecomp_wall_seconds_bucket', '+Inf', *key)] == 3
    assert got['wirecomp_responses_total', '', 'complete', 'heads'] == 1


def test_what_is_written_is_read_back(path):
    one = metrics.Metrics(path)
    one.add(RECORD)
    one.flush()
    before = samples(path)
    one.flush()
    assert samples(path) == before
    two = metrics.Metrics(path)
    two.add(RECORD)
    two.flush()
    assert samples(path) == {key: 2 * value for key, value in before.items()}


def test_threads_lose_nothing(path):
    one = metrics.Metrics(path)

    def many():
        for number in range(200):
            one.add(RECORD)
            if number % 50 == 0:
                one.flush()

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one.flush()
    key = ('complete', 'getbundle', 'zstd')
    assert samples(path)[('wirecomp_responses_total', *key)] == 1600


def test_processes_lose_nothing(path):
    code = (
        'import sys; from hgext3rd.wirecomp import metrics\n'
        'one = metrics.Metrics(sys.argv[1].encode())\n'
        'for n in range(100):\n'
        '    one.add(%r)\n'
        '    n %% 10 or one.flush()\n'
    )
    processes = [
        subprocess.Popen([sys.executable, '-c', code % RECORD, path])
        for _ in range(3)
    ]
    # The last of each is written as it ends.
    assert [process.wait() for process in processes] == [0, 0, 0]
    key = ('complete', 'getbundle', 'zstd')
    assert samples(path)[('wirecomp_responses_total', *key)] == 300


def test_it_is_bounded(path):
    one = metrics.Metrics(path)
    for number in range(metrics.SERIESMAX + 50):
        one.add({**RECORD, 'command': 'command%d' % number})
    one.flush()
    got = samples(path)
    names = [key for key in got if key[0] == 'wirecomp_responses_total']
    assert len(names) <= metrics.SERIESMAX + 1
    other = got['wirecomp_responses_total', 'complete', 'other', 'zstd']
    assert other == 50


def test_what_is_not_ours_is_kept(path, tmp_path):
    with open(path, 'w') as out:
        out.write('something {else')
    one = metrics.Metrics(path)
    one.add(RECORD)
    one.flush()
    assert len(samples(path)) > 5
    (bad,) = tmp_path.glob('*.bad-*')
    assert bad.read_text() == 'something {else'


def test_what_cannot_be_written_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(metrics, 'INTERVAL', 0.01)
    path = str(tmp_path / 'no' / 'folder.prom').encode()
    assert metrics.count(path, RECORD) is None
    while metrics.count(path, RECORD) is None:
        time.sleep(0.01)
    assert isinstance(metrics.count(path, RECORD), FileNotFoundError)
    # Or it would be tried again at the end.
    (tmp_path / 'no').mkdir()


def test_what_cannot_be_written_is_added_later(tmp_path):
    path = tmp_path / 'later' / 'wirecomp.prom'
    one = metrics.Metrics(str(path).encode())
    one.add(RECORD)
    with pytest.raises(OSError):
        one.flush()
    path.parent.mkdir()
    one.flush()
    key = ('complete', 'getbundle', 'zstd')
    assert samples(path)[('wirecomp_responses_total', *key)] == 1
