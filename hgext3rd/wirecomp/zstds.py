# zstds.py - the parameters of zstd frames
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""How zstd frames (RFC 8878) are made from bundles, level by level.

The library's own parameters suit text of any kind. Bundles hold many long
repetitions far apart, and between them what hardly repeats: they gain more
from a larger table of longer matches than from a slower search.
"""

from __future__ import annotations

from typing import NamedTuple

# What zstd holds of a stream's input and output, beside the window.
BLOCKS = 320 << 10
# The level that the library takes level 0 for.
DEFAULT = 3
# Long-distance matching notes one position in 2^10 bytes. With more of them
# the frames are hardly smaller, and cost more.
LDMRATE = 10


class Parameters(NamedTuple):
    """What stands for a level: the ``base`` level of the library, with its
    strategy; ``window``, ``chain`` and ``hash`` as powers of two; ``minmatch``
    in bytes; ``long`` (bool): with long-distance matching."""

    base: int
    window: int
    chain: int
    hash: int
    minmatch: int
    long: bool


# In place of the library's, for answers too long to be known beforehand: fewer
# bytes for about the same CPU. The next levels, which search longer, gain from
# long-distance matching in the whole window.
#
# Made by tests/testlib/leveltable.py with zstandard 0.25.0 on x86-64, beside
# the library's own parameters. Each entry is "level: MB made, CPU seconds".
#
# Scrapy, converted (11,600 changesets): 44.0 MB uncompressed
#   zstd 1: 13.90 0.09, 2: 12.47 0.11, 3: 11.80 0.15, 4: 11.77 0.18, 5: 11.27
#      0.29, 6: 11.04 0.37, 7: 10.91 0.44, 9: 10.56 0.62, 12: 10.42 1.30
#   wirecomp 1: 11.11 0.14, 2: 11.11 0.13, 3: 10.67 0.16, 4: 10.62 0.21,
#      5: 10.21 0.32, 6: 9.99 0.38, 7: 9.77 0.49, 9: 9.26 0.62, 12: 8.77 1.43
# Flask, converted: 15.2 MB uncompressed
#   zstd 1: 5.38 0.03, 2: 5.13 0.04, 3: 4.97 0.06, 4: 4.95 0.07, 5: 4.82 0.11,
#      6: 4.73 0.14, 7: 4.68 0.17, 9: 4.49 0.24, 12: 4.44 0.55
#   wirecomp 1: 4.86 0.05, 2: 4.86 0.05, 3: 4.84 0.06, 4: 4.82 0.07, 5: 4.78
#      0.12, 6: 4.70 0.15, 7: 4.49 0.19, 9: 4.36 0.28, 12: 4.31 0.53
# generated, source: 6.0 MB uncompressed
#   zstd 1: 2.12 0.02, 2: 1.99 0.02, 3: 1.85 0.03, 4: 1.79 0.03, 5: 1.75 0.05,
#      6: 1.71 0.06, 7: 1.67 0.07, 9: 1.61 0.11, 12: 1.59 0.26
#   wirecomp 1: 1.82 0.02, 2: 1.82 0.02, 3: 1.82 0.02, 4: 1.81 0.03, 5: 1.75
#      0.05, 6: 1.70 0.07, 7: 1.63 0.09, 9: 1.61 0.12, 12: 1.59 0.24
# generated, machine: 47.2 MB uncompressed
#   zstd 1: 14.65 0.12, 2: 13.48 0.14, 3: 13.29 0.20, 4: 12.97 0.24, 5: 12.32
#      0.40, 6: 11.94 0.52, 7: 11.71 0.75, 9: 11.61 1.20, 12: 11.49 2.84
#   wirecomp 1: 12.25 0.18, 2: 12.25 0.18, 3: 12.24 0.22, 4: 12.09 0.26,
#      5: 12.32 0.41, 6: 11.93 0.59, 7: 11.70 0.83, 9: 11.60 1.39, 12: 11.50
#      4.16
# generated, small: 21.5 MB uncompressed
#   zstd 1: 8.40 0.06, 2: 7.42 0.07, 3: 6.91 0.09, 4: 6.81 0.11, 5: 6.78 0.17,
#      6: 6.46 0.22, 7: 6.30 0.28, 9: 6.10 0.44, 12: 5.84 0.96
#   wirecomp 1: 6.82 0.08, 2: 6.82 0.08, 3: 6.81 0.09, 4: 6.66 0.11, 5: 6.77
#      0.20, 6: 6.45 0.24, 7: 6.25 0.29, 9: 6.03 0.42, 12: 5.74 0.94
#
# The tables are kept small enough for a processor's own cache: larger ones look
# good alone, and are slow in a server that does other things between.
LEVELS = {
    1: Parameters(1, 24, 13, 18, 7, False),
    2: Parameters(1, 24, 13, 18, 7, False),
    3: Parameters(1, 24, 13, 18, 7, True),
    4: Parameters(3, 24, 17, 18, 7, True),
}


def parameters(module, level, tuning, size=None):
    """Return the ZstdCompressionParameters of an answer.

    Takes a module with the interface of ``zstandard``, the level (-7 to 22),
    an engines.Tuning, and the length of the input in bytes where it is known:
    then the parameters are the library's own, which makes tables and window to
    measure.
    """
    level, options = _options(module, level, tuning, size)
    return module.ZstdCompressionParameters.from_level(
        level, write_checksum=tuning.zstdchecksum, **options
    )


def _options(module, level, tuning, size):
    """Return (level of the library, what differs from its parameters)."""
    make = module.ZstdCompressionParameters.from_level
    own = make(level, source_size=size or 0)
    # The window is memory on both sides: never more than allowed.
    largest = tuning.zstdwindow.bit_length() - 1
    options = {
        'source_size': size or 0,
        'window_log': min(own.window_log, largest),
    }
    # The point of the negative levels is to spend as little as can be.
    if size is None and tuning.zstdlong and level >= 0:
        its = LEVELS.get(level or DEFAULT)
        if its is not None:
            level = its.base
            largest = min(its.window, largest)
            options.update(
                chain_log=its.chain, hash_log=its.hash, min_match=its.minmatch
            )
        options['window_log'] = largest
        if its is None or its.long:
            options.update(
                enable_ldm=True,
                ldm_hash_rate_log=LDMRATE,
                ldm_hash_log=largest - LDMRATE,
            )
    return level, options


def memory(module, level, tuning, size=None):
    """Return the bytes that a compressor takes at most (int).

    Takes what ``parameters`` takes.
    """
    level, options = _options(module, level, tuning, size)
    total = (1 << options['window_log']) + BLOCKS
    # The library's own estimate knows neither the buffers of a stream nor
    # long-distance matching, which it stumbles over.
    if options.pop('enable_ldm', False):
        del options['ldm_hash_rate_log']
        total += 8 << options.pop('ldm_hash_log')
    plain = module.ZstdCompressionParameters.from_level(level, **options)
    return total + plain.estimated_compression_context_size()


def storing(module):
    """Return the ZstdCompressionParameters of frames of stored blocks, with a
    checksum: those of the lowest level that the library has, -131072, in a
    window of one block."""
    return module.ZstdCompressionParameters(
        strategy=module.STRATEGY_FAST,
        window_log=17,
        hash_log=6,
        target_length=1 << 17,
        write_checksum=True,
    )
