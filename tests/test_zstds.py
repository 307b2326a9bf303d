"""The parameters of zstd frames: what memory they take, what they find."""

import os

import pytest

from hgext3rd.wirecomp import engines, zstds

MB = engines.MB
LEVELS = range(-7, 23)
zstandard = pytest.importorskip('zstandard')


def parameters(level, size=None, **tuning):
    return zstds.parameters(zstandard, level, engines.Tuning(**tuning), size)


@pytest.mark.parametrize('megabytes', (1, 5, 32, 128))
@pytest.mark.parametrize('long', (True, False))
def test_the_window_is_never_larger_than_allowed(megabytes, long):
    for level in LEVELS:
        for size in (None, 1000, MB):
            its = parameters(
                level, size, zstdwindow=megabytes * MB, zstdlong=long
            )
            assert 1 << its.window_log <= megabytes * MB


@pytest.mark.parametrize('long', (True, False))
@pytest.mark.parametrize('megabytes', (1, 32))
def test_the_memory_told_is_enough(megabytes, long):
    tuning = engines.Tuning(zstdwindow=megabytes * MB, zstdlong=long)
    for level in (-7, 0, 1, 3, 4, 5, 9, 15, 19):
        for size in (None, 3000, MB):
            compressor = zstandard.ZstdCompressor(
                compression_params=zstds.parameters(
                    zstandard, level, tuning, size
                )
            )
            taking = compressor.compressobj(size=-1 if size is None else size)
            taking.compress(bytes(3000))
            told = zstds.memory(zstandard, level, tuning, size)
            assert compressor.memory_size() <= told
            assert told < compressor.memory_size() * 1.1 + MB


def test_without_long_matches_the_parameters_are_the_library_s():
    for level in LEVELS:
        own = zstandard.ZstdCompressionParameters.from_level(level)
        its = parameters(level, zstdlong=False, zstdwindow=128 * MB)
        for name in ('window_log', 'chain_log', 'hash_log', 'strategy'):
            assert getattr(its, name) == getattr(own, name)
        assert not its.enable_ldm


def test_a_short_input_and_negative_levels_keep_the_library_s():
    own = zstandard.ZstdCompressionParameters.from_level(3, source_size=9000)
    assert parameters(3, 9000).hash_log == own.hash_log
    own = zstandard.ZstdCompressionParameters.from_level(-5)
    assert parameters(-5).window_log == own.window_log


def test_level_0_is_the_default_one():
    assert parameters(0).hash_log == parameters(3).hash_log


@pytest.mark.parametrize('level', (1, 2, 3, 4, 5, 9, 12))
def test_what_is_far_apart_is_found(level):
    # Farther than the library's own window of these levels, 8 MB at most.
    text = os.urandom(100_000)
    chunks = [text, os.urandom(10 * MB), text]
    sizes = []
    for long in (True, False):
        tuning = engines.Tuning(zstdlong=long)
        compressor = engines.ZSTD.compressor(level, tuning)
        made = [compressor.compress(chunk) for chunk in chunks]
        sizes.append(len(b''.join(made) + compressor.finish()))
    assert sizes[0] < sizes[1] - 50_000
