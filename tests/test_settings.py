"""Reading the configuration: whatever stands there, there are settings."""

import hypothesis
import pytest
from hypothesis import strategies as st
from mercurial import error, ui as uimod

from hgext3rd.wirecomp import engines, keys, settings, webproto


def configured(**values):
    ui = uimod.ui()
    for name, value in values.items():
        ui.setconfig(b'server', name.encode(), value, b'hgrc:1')
    return ui


@hypothesis.given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.one_of(
                st.binary(max_size=30),
                st.integers(-30, 30).map(lambda n: b' %d ' % n),
                st.sampled_from([b'zstd, zlib', b'none', b'"', b'zstd "']),
            )
            for name in (
                'compressionengines', 'zliblevel', 'zstdlevel', 'bz2level',
            )
        },
    )
)  # fmt: skip
@hypothesis.settings(max_examples=500, deadline=None)
def test_reading_never_fails_and_gives_what_can_be_served(values):
    got = settings.read(configured(**values))
    assert got.engines
    for engine in got.engines:
        level = got.level(engine)
        if engine.levels:
            assert engine.levels[0] <= level <= engine.levels[1]
            engine.compressor(level, got.tuning)
    for problem in got.problems:
        assert problem.text.startswith((b'server.', b'wirecomp.'))
        assert b'\n' not in problem.line
        assert problem.source == b'hgrc:1'


@pytest.mark.parametrize(
    'word, nearest',
    [
        (b'gzip', b'zlib'),
        (b'GZ', b'zlib'),
        (b'zst', b'zstd'),
        (b'zstdd', b'zstd'),
        (b'bzip', b'bz2'),
        (b'bzip3', b'bz2'),
        (b'uncompressed', b'none'),
        (b'zib', b'zlib'),
        (b'nonne', b'none'),
    ],
)
def test_the_nearest_name_is_the_hint(word, nearest):
    (problem,) = settings.read(configured(compressionengines=word)).problems
    assert problem.hint.startswith(b'use %s; usable engines: ' % nearest)


@pytest.mark.parametrize(
    'listed, names',
    [
        (b'', [b'zstd', b'zlib']),
        (b'bz2', [b'bz2']),
        (b'BZip2, ZSTD', [b'bz2', b'zstd']),
        (b'zlib zlib bzip2 bz2', [b'zlib', b'bz2']),
        (b'none zstd gzip', [b'zstd', b'zlib']),
    ],
)
def test_engines(listed, names):
    got = settings.read(configured(compressionengines=listed))
    assert [engine.name for engine in got.engines] == names


def test_refusing_names_all():
    ui = configured(zliblevel=b'10', zstdlevel=b'x', bz2level=b'9')
    with pytest.raises(error.ConfigError) as caught:
        ui.pushbuffer(error=True)
        try:
            settings.refuse(ui)
        finally:
            printed = ui.popbuffer()
    said = printed + caught.value.format()
    assert said.count(b'config error at hgrc:1: server.') == 2
    assert b"server.zliblevel: bad value '10'" in said
    assert b'(use a whole number from -7 to 22)' in said


def test_what_is_right_is_not_refused():
    settings.refuse(configured(zliblevel=b'9', compressionengines=b'none'))
    assert settings.read(configured()).engines == engines.DEFAULT


def test_a_value_that_an_extension_sets_may_be_no_bytes():
    assert settings.read(configured(zstdlevel=5)).level(engines.ZSTD) == 5
    (problem,) = settings.read(configured(zstdlevel=99)).problems
    assert b"'99'" in problem.text


def test_only_what_enables_the_extension_is_refused():
    class Repo:
        ui = baseui = configured(zstdlevel=b'99')

    # As in a process that has loaded the extension for another repository.
    repo = Repo()
    assert webproto._served(uimod.ui(), repo, {}) is None
    repo._wirecomp = True
    assert webproto._served(uimod.ui(), repo, {}) == (repo.ui, repo.baseui)
    assert webproto._served(uimod.ui(), repo, {'stdio': True}) is None


@hypothesis.given(
    st.sampled_from(keys.TUNING + keys.LIMITS),
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from(
            [b'auto', b'ISAL', b'yes', b'off', b'1e9', b'nan', b'inf MB']
        ),
        st.integers(-5, 300).map(lambda n: b'%d MB' % n),
    ),
)
@hypothesis.settings(max_examples=500, deadline=None)
def test_tuning_is_always_usable(key, value):
    ui = uimod.ui()
    ui.setconfig(key.section, key.name, value, b'hgrc:1')
    got = settings.read(ui)
    tuning = got.tuning
    assert tuning.zlibbackend in keys.BACKENDS
    assert engines.WINDOWS[0] <= tuning.zstdwindow <= engines.WINDOWS[1]
    assert tuning.flushinterval >= 0
    assert got.limits.sendtimeout >= 0
    assert isinstance(got.limits.maxclients, int)
    assert 0 <= got.limits.queuetimeout <= keys.SECONDSMAX
    for engine in engines.OWN:
        engine.compressor(engine.defaultlevel, tuning)
    for problem in got.problems:
        assert problem.text.startswith(b'wirecomp.%s: ' % key.name)
        assert tuning == engines.Tuning() or not problem.fatal
