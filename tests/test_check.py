"""What hg admin::wire-check computes: pure functions of settings and sizes."""

import errno
import os

import hypothesis
import pytest
from hypothesis import strategies as st
from mercurial import configitems, ui as uimod

import hgext3rd.wirecomp as wirecomp
from hgext3rd.wirecomp import (
    check,
    checkconf,
    checkrepo,
    engines,
    fronts,
    negotiation,
    settings,
)


@pytest.fixture(autouse=True)
def loaded(monkeypatch):
    """The extension's keys are registered, as where it is loaded."""
    for section, items in wirecomp.configtable.items():
        known = configitems.itemregister()
        blank = configitems.itemregister()
        known.update(configitems.coreitems.get(section, blank))
        known.update(items)
        monkeypatch.setitem(configitems.coreitems, section, known)


def configured(**values):
    ui = uimod.ui()
    for name, value in values.items():
        section, _dot, name = name.replace('_', '-').partition('--')
        ui.setconfig(section.encode(), name.encode(), value, b'hgrc:1')
    return ui


def found(severity, text=b'text'):
    return check.Finding(severity, b'a.b', b'hgrc:1', text, b'hint')


def test_findings_of_problems():
    problem = settings.Problem(b'hgrc:2', b'a.b: bad: c', b'do', True)
    assert check.Finding.of(problem) == check.Finding(
        check.ERROR, b'a.b', b'hgrc:2', b'bad: c', b'do'
    )
    kind = check.Finding.of(problem._replace(fatal=False))
    assert kind.severity == check.WARNING


def test_the_worst_comes_first_and_each_once():
    note, warning, error = map(found, (check.NOTE, check.WARNING, check.ERROR))
    other = found(check.WARNING, b'other')
    ordered = check.ordered([note, warning, error, other, warning])
    assert ordered == (error, warning, other, note)


@pytest.mark.parametrize(
    'severities, failing',
    [
        ((), False),
        ((check.NOTE,), False),
        ((check.NOTE, check.WARNING), True),
        ((check.ERROR,), True),
    ],
)
def test_advice_is_no_failure(severities, failing):
    assert check.failing(map(found, severities)) is failing


def responses(effective, streams=True):
    return {
        (row.client, row.answer): row
        for row in check.responses(effective, streams)
    }


def test_responses_of_the_default():
    rows = responses(settings.Settings())
    assert len(rows) == 2 * len(check.CLIENTS) == 8

    def sent(client, answer):
        encoding = rows[client, answer].encoding
        return encoding.mediatype[-3:], encoding.engine, encoding.level

    assert sent(b'legacy', check.CLONE) == (b'0.1', engines.ZLIB, -1)
    assert sent(b'legacy', check.STREAM) == (b'0.1', engines.NONE, None)
    assert sent(b'4.1+', check.CLONE) == (b'0.2', engines.ZSTD, 3)
    assert sent(b'4.1+', check.STREAM) == (b'0.1', engines.NONE, None)
    assert sent(b'current', check.CLONE) == (b'0.2', engines.ZSTD, 3)
    assert sent(b'current', check.STREAM) == (b'0.2', engines.NONE, None)
    stripped = b'current, no X-HgProto'
    assert sent(stripped, check.CLONE) == (b'0.1', engines.ZLIB, -1)
    assert sent(stripped, check.STREAM) == (b'0.1', engines.ZLIB, 0)


def test_without_stream_clones_clients_are_sent_changegroups():
    rows = responses(settings.Settings(), streams=False)
    for client in check.CLIENTS:
        clone = rows[client.name, check.CLONE].encoding
        stream = rows[client.name, check.STREAM].encoding
        assert stream.engine is clone.engine
        assert stream.reason == b'no stream clones here: ' + clone.reason


def encoding(engine, level, **tuning):
    tuning = engines.Tuning(**tuning)
    return negotiation.Encoding(b'', engine, level, b'', tuning)


def test_memory():
    memory = check.memory
    assert memory(encoding(engines.NONE, None)) == 0
    assert memory(encoding(engines.ZLIB, 9)) < engines.MB
    assert memory(encoding(engines.STOREDZSTD, None)) < 2 * engines.MB
    # The figures of the bzip2 manual.
    assert memory(encoding(engines.BZ2, 9)) == 7600 << 10
    assert memory(encoding(engines.BZ2, 1)) == 1200 << 10
    low = memory(encoding(engines.ZSTD, 9, zstdwindow=8 * engines.MB))
    high = memory(encoding(engines.ZSTD, 9, zstdwindow=128 * engines.MB))
    assert low > 8 * engines.MB
    assert high - low >= 120 * engines.MB

    class Other(engines.Engine):
        pass

    assert memory(encoding(Other(), None)) is None
    unknown = check.Response(b'', b'', encoding(Other(), None), None)
    assert check.largest([unknown]) == check.largest([]) == 0
    assert check.largest([unknown, unknown._replace(memory=5)]) == 5


@pytest.mark.parametrize(
    'clients, most, streams', [(8, 0, 8), (8, 3, 3), (2, 3, 2)]
)
def test_no_more_at_once_than_places(clients, most, streams):
    limits = settings.Settings().limits._replace(maxclients=most)
    assert check.atonce(clients, limits) == streams


def advice(chosen=engines.DEFAULT, window=32, **levels):
    tuning = engines.Tuning(zstdwindow=window * engines.MB)
    names = {name.encode(): level for name, level in levels.items()}
    effective = settings.Settings(chosen, names, (), tuning)
    rows = list(check.advice(effective, lambda engine: b'hgrc:1'))
    assert all(row.severity == check.NOTE and row.hint for row in rows)
    return {row.key: row.text for row in rows}


def test_advice_on_levels():
    assert advice() == advice(zstd=12, zlib=6) == {}
    assert b'level 13' in advice(zstd=13)[b'server.zstdlevel']
    assert b'memory' not in advice(zstd=19)[b'server.zstdlevel']
    assert b'memory' in advice(zstd=20)[b'server.zstdlevel']
    # Nobody is sent zstd; legacy clients are sent zlib all the same.
    got = advice((engines.BZ2,), zstd=22, zlib=7)
    assert list(got) == [b'server.zliblevel']
    assert b'level 7' in got[b'server.zliblevel']


def test_advice_on_the_window():
    key = b'wirecomp.zstd-window'
    assert key in advice(window=64, zstd=5)
    assert key not in advice(window=63, zstd=5)
    # Level 3 does not use it.
    assert key not in advice(window=128)


def test_heads_that_all_accept():
    assert fronts.head(1, 1024).refusing == ()
    assert fronts.head(150, 1024).refusing == ()


@pytest.mark.parametrize(
    'heads, headerlen, refusing',
    [
        (200, 1024, {b'haproxy'}),
        (400, 1024, {b'haproxy', b'nginx'}),
        # 90 headers of 1009 bytes hold 1107 heads, twice.
        (1107, 1024, {b'haproxy', b'nginx'}),
        (1108, 1024, {b'haproxy', b'nginx', b'plain', b'Apache', b'gunicorn'}),
        (1108, 8000, {b'haproxy', b'nginx'}),
        # Each header is longer than a buffer.
        (150, 9000, {b'nginx', b'Apache', b'gunicorn'}),
        # In the query.
        (150, 0, {b'nginx', b'Apache', b'gunicorn'}),
    ],
)
def test_who_refuses_many_heads(heads, headerlen, refusing):
    names = fronts.head(heads, headerlen).refusing
    assert {name.split(b' ')[0] for name in names} == refusing


def test_wirecomp_has_a_limit_too():
    assert b'hg serve with wirecomp' not in fronts.head(10000, 1024).refusing
    assert b'hg serve with wirecomp' in fronts.head(13000, 1024).refusing


@hypothesis.given(st.integers(0, 10**6), st.integers(-5, 1 << 17))
def test_more_heads_are_never_accepted_where_fewer_are_not(heads, headerlen):
    few = fronts.head(heads, headerlen)
    many = fronts.head(heads + 1000, headerlen)
    assert set(few.refusing) <= set(many.refusing)
    assert few.headers <= many.headers
    assert few.size < many.size


def test_nearest():
    names = [b'zstd-window', b'zstd-long', b'log']
    assert check.nearest(b'zstd-windw', names) == b'zstd-window'
    assert check.nearest(b'ZSTD_LONG', names) == b'zstd-long'
    assert check.nearest(b'\xff', names) is None


@pytest.mark.parametrize(
    'name, hint',
    [
        ('wirecomp--zstd-windw', b'use wirecomp.zstd-window'),
        ('wirecomp--zstdlevel', b'use server.zstdlevel'),
        ('server--zlib-level', b'use server.zliblevel'),
        ('server--compression-engines', b'use server.compressionengines'),
        ('wirecomp--xyzzy', checkconf.LISTED),
    ],
)
def test_keys_that_nobody_reads(name, hint):
    (finding,) = checkconf._misspelt(configured(**{name: b'1'}))
    assert finding.severity == check.WARNING
    assert finding.key == name.replace('--', '.').encode()
    assert (finding.source, finding.hint) == (b'hgrc:1', hint)


def test_keys_that_somebody_reads():
    # What looks like none of ours is not ours to judge.
    names = ('server--maxhttpheaderlen', 'server--xyzzy', 'wirecomp--log')
    ui = configured(**dict.fromkeys(names, b'1'))
    assert list(checkconf._misspelt(ui)) == []


def test_logs_that_can_be_written(tmp_path):
    path = os.fsencode(tmp_path / 'log')
    assert checkconf._unwritable(path) is None
    assert not os.path.exists(path)
    (tmp_path / 'log').write_bytes(b'')
    assert checkconf._unwritable(path) is None


def test_logs_that_cannot_be_written(tmp_path, monkeypatch):
    path = os.fsencode(tmp_path / 'log')
    assert checkconf._unwritable(os.fsencode(tmp_path)) == errno.EISDIR
    assert checkconf._unwritable(path + b'/log') == errno.ENOENT
    (tmp_path / 'log').write_bytes(b'')
    assert checkconf._unwritable(path + b'/log') == errno.ENOTDIR
    monkeypatch.setattr(os, 'access', lambda *args: False)
    assert checkconf._unwritable(path) == errno.EACCES
    (tmp_path / 'log').unlink()
    assert checkconf._unwritable(path) == errno.EACCES


def test_settings_in_force():
    ui = configured(
        server__zstdlevel=b'99',
        server__zliblevel=b'1',
        wirecomp__zstd_long=b'no',
        wirecomp__zstd_window=b'8 MB',
    )
    effective = settings.read(ui)
    rows = {row.key: row for row in checkconf.inforce(ui, effective)}
    assert rows[b'server.zliblevel'][1:] == (1, b'hgrc:1')
    # A value that is not used is no source.
    assert rows[b'server.zstdlevel'][1:] == (3, b'default')
    assert rows[b'server.compressionengines'].words == b'zstd, zlib'
    assert rows[b'wirecomp.zstd-long'].words == b'no'
    assert rows[b'wirecomp.zstd-window'].words == b'8.00 MB'
    assert rows[b'wirecomp.log'].words == b'none'
    assert rows[b'wirecomp.flush-interval'].words == b'5'


def test_what_cannot_be_opened_is_a_finding(tmp_path):
    path = os.fsencode(tmp_path / 'none')
    result = checkrepo.repository(uimod.ui(), path, b'/none', b'web.conf:3')
    (finding,) = result.findings
    assert finding.severity == check.ERROR
    assert (finding.key, finding.source) == (b'paths.none', b'web.conf:3')
    assert path in finding.text
