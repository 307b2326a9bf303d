#!/usr/bin/env python3
"""Measure what stands for each level of zlib and zstd.

    leveltable.py BUNDLE BUNDLE BUNDLE...

Takes uncompressed bundles (``hg bundle --all -t none-v2``) of at least three
different repositories, compresses each with every library at every level, and
prints the figures in the comments of zlibs.py and zstds.py, and the table
LEVELS of zlibs.py: for each level of zlib what costs less CPU and makes at
most 1 % more bytes of all of them together, cheapest first.
"""

import os
import statistics
import sys
import time
import zlib

import zstandard
from isal import isal_zlib
from zlib_ng import zlib_ng

from hgext3rd.wirecomp import engines

CHUNK = 32768
ROUNDS = 5
LIMIT = 1.01


def zstd(level):
    """Return a compressor with the library's own parameters."""
    return zstandard.ZstdCompressor(level, write_checksum=True).compressobj()


def wirecomp(level):
    return engines.ZSTD.compressor(level, engines.Tuning())


ZLIBS = (
    ('zlib', zlib.compressobj, range(1, 10)),
    ('zlib-ng', zlib_ng.compressobj, range(1, 10)),
    ('isal', isal_zlib.compressobj, range(0, 4)),
)
ZSTDS = (
    ('zstd', zstd, (*range(1, 8), 9, 12)),
    ('wirecomp', wirecomp, (*range(1, 8), 9, 12)),
)


def measure(make, level, chunks):
    """Return (bytes, CPU seconds) of one compression."""
    start = time.process_time()
    compressor = make(level)
    size = sum(len(compressor.compress(chunk)) for chunk in chunks)
    end = getattr(compressor, 'finish', compressor.flush)
    size += len(end())
    return size, time.process_time() - start


def measureall(path):
    """Return {(library, level): (bytes, median CPU seconds)}."""
    with open(path, 'rb') as fp:
        chunks = list(iter(lambda: fp.read(CHUNK), b''))
    times = {}
    sizes = {}
    for _ in range(ROUNDS):
        for name, make, levels in ZLIBS + ZSTDS:
            for level in levels:
                key = name, level
                sizes[key], spent = measure(make, level, chunks)
                times.setdefault(key, []).append(spent)
    return {key: (sizes[key], statistics.median(times[key])) for key in sizes}


def main(paths):
    if len(paths) < 3:
        sys.exit(__doc__)
    found = [measureall(path) for path in paths]
    for libraries in ZLIBS, ZSTDS:
        for path, figures in zip(paths, found):
            size = os.path.getsize(path)
            print('# %s: %.1f MB' % (os.path.basename(path), size / 1e6))
            for name, _make, levels in libraries:
                print('#   %s %s' % (name, row(figures, name, levels)))
    print('LEVELS = {')
    for level in range(1, 10):
        print('    %d: (%s),' % (level, ' '.join(standins(level, found))))
    print('}')


def row(figures, name, levels):
    """Return the figures of one library, as text."""
    pairs = [(level, figures[name, level]) for level in levels]
    return ', '.join(
        '%d: %.2f %.2f' % (level, size / 1e6, spent)
        for level, (size, spent) in pairs
    )


def standins(level, found):
    """Yield what stands for a level of zlib, cheapest first, as code."""
    ratios = {}
    for key in found[0]:
        if key[0] not in ('zlib-ng', 'isal'):
            continue
        pairs = [(f[key], f['zlib', level]) for f in found]
        size, standard = (sum(p[n][0] for p in pairs) for n in (0, 1))
        if size <= LIMIT * standard:
            ratios[key] = statistics.geometric_mean(
                one[1] / other[1] for one, other in pairs
            )
    seen = set()
    for key in sorted(ratios, key=ratios.get):
        if ratios[key] < 1 and key[0] not in seen:
            seen.add(key[0])
            yield "(b'%s', %d)," % key


if __name__ == '__main__':
    main(sys.argv[1:])
