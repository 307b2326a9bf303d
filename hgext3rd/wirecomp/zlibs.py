# zlibs.py - who makes the zlib streams
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""zlib streams (RFC 1950) from the standard library or a faster one.

``server.zliblevel`` means the same bytes whoever makes them, to 1 %: LEVELS
says which level of which library stands for a level of zlib.
"""

from __future__ import annotations

import importlib
import zlib

# Module of each backend; all have the interface of the standard one.
MODULES = {
    b'zlib': 'zlib',
    b'zlib-ng': 'zlib_ng.zlib_ng',
    b'isal': 'isal.isal_zlib',
}

# The zlib level that copies its input into stored blocks.
STORED = 0
# What the level -1 of zlib stands for.
DEFAULT = 6

# What stands for each level of zlib, cheapest first: at most 1 % more bytes of
# the five repositories below together, for less CPU. Made by
# tests/testlib/leveltable.py with zlib 1.2.13, zlib-ng 1.1.0 and isal 1.9.1 on
# x86-64. Each entry is "level: MB made, CPU seconds".
#
# Scrapy, converted (11,600 changesets): 44.0 MB uncompressed
#   zlib 1: 16.04 0.46, 2: 15.64 0.48, 3: 15.39 0.54, 4: 14.67 0.65,
#      5: 14.34 0.76, 6: 14.19 0.99, 7: 14.14 1.19, 8: 14.08 1.97,
#      9: 14.07 2.90
#   zlib-ng 1: 18.17 0.15, 2: 15.52 0.27, 3: 14.89 0.32, 4: 14.51 0.36,
#      5: 14.23 0.39, 6: 14.19 0.48, 7: 14.09 0.66, 8: 14.06 1.22,
#      9: 14.13 1.19
#   isal 0: 17.94 0.08, 1: 15.94 0.08, 2: 15.73 0.09, 3: 15.34 0.16
# Flask, converted: 15.2 MB uncompressed
#   zlib 1: 6.08 0.17, 2: 5.95 0.17, 3: 5.87 0.19, 4: 5.62 0.24, 5: 5.51 0.28,
#      6: 5.47 0.37, 7: 5.45 0.43, 8: 5.44 0.65, 9: 5.43 0.96
#   zlib-ng 1: 6.90 0.05, 2: 5.85 0.09, 3: 5.66 0.11, 4: 5.54 0.13,
#      5: 5.46 0.14, 6: 5.45 0.17, 7: 5.41 0.22, 8: 5.40 0.39, 9: 5.47 0.41
#   isal 0: 6.87 0.03, 1: 6.01 0.03, 2: 5.93 0.03, 3: 5.82 0.06
# generated, source: 6.0 MB uncompressed
#   zlib 1: 2.32 0.06, 2: 2.25 0.07, 3: 2.21 0.08, 4: 2.11 0.09, 5: 2.06 0.11,
#      6: 2.04 0.15, 7: 2.03 0.18, 8: 2.02 0.34, 9: 2.01 0.60
#   zlib-ng 1: 2.62 0.02, 2: 2.23 0.04, 3: 2.13 0.05, 4: 2.08 0.05,
#      5: 2.03 0.06, 6: 2.02 0.07, 7: 2.02 0.11, 8: 2.01 0.24, 9: 2.02 0.22
#   isal 0: 2.50 0.01, 1: 2.29 0.01, 2: 2.25 0.01, 3: 2.23 0.02
# generated, machine: 47.2 MB uncompressed
#   zlib 1: 17.33 0.47, 2: 16.53 0.58, 3: 15.94 0.73, 4: 15.72 0.85,
#      5: 15.10 1.09, 6: 14.86 1.41, 7: 14.78 1.89, 8: 14.68 3.57,
#      9: 14.68 3.86
#   zlib-ng 1: 22.18 0.19, 2: 16.63 0.33, 3: 15.89 0.40, 4: 15.47 0.45,
#      5: 15.24 0.50, 6: 15.07 0.86, 7: 14.66 1.24, 8: 14.60 2.32,
#      9: 14.79 1.50
#   isal 0: 20.27 0.11, 1: 16.72 0.11, 2: 16.65 0.12, 3: 16.41 0.19
# generated, small: 21.5 MB uncompressed
#   zlib 1: 9.60 0.25, 2: 9.42 0.27, 3: 9.14 0.34, 4: 9.08 0.38, 5: 8.81 0.48,
#      6: 8.60 0.72, 7: 8.58 0.90, 8: 8.54 1.54, 9: 8.52 2.95
#   zlib-ng 1: 11.30 0.09, 2: 9.29 0.15, 3: 9.10 0.19, 4: 8.80 0.22,
#      5: 8.62 0.25, 6: 8.47 0.37, 7: 8.44 0.54, 8: 8.42 0.91, 9: 8.59 1.21
#   isal 0: 11.02 0.05, 1: 9.46 0.05, 2: 9.36 0.05, 3: 9.41 0.08
#
# Of files that a program wrote (machine), zlib-ng 5 makes 2.6 % more than zlib
# 6, of the others at most 0.4 %.
LEVELS = {
    1: ((b'isal', 1), (b'zlib-ng', 2)),
    2: ((b'isal', 2), (b'zlib-ng', 2)),
    3: ((b'zlib-ng', 3),),
    4: ((b'zlib-ng', 3),),
    5: ((b'zlib-ng', 5),),
    6: ((b'zlib-ng', 5),),
    7: ((b'zlib-ng', 6),),
    8: ((b'zlib-ng', 7),),
    9: ((b'zlib-ng', 7),),
}

# Backends that were asked for: name to module, or None where it is absent.
_loaded = {b'zlib': zlib}


def backend(name):
    """Return the module of a backend (bytes), None if it is not installed."""
    if name not in _loaded:
        try:
            module = importlib.import_module(MODULES[name])
            # Under a lazy importer only the use of an attribute imports.
            module.compressobj  # noqa: B018
        except Exception:
            # Absent, or broken in whatever way.
            module = None
        _loaded[name] = module
    return _loaded[name]


def choose(level, wanted):
    """Return (backend name, its level) for a level of zlib (-1 to 9).

    ``wanted`` is the backend (bytes), or ``auto`` for the cheapest that is
    installed. Where that has no level of the same size, zlib itself does it.
    """
    for name, its in LEVELS.get(level if level >= 0 else DEFAULT, ()):
        if wanted in (name, b'auto') and backend(name) is not None:
            return name, its
    return b'zlib', level


def compressobj(level, wanted):
    """Return a compression object as ``zlib.compressobj`` does.

    Raises ValueError for a level out of range.
    """
    if not -1 <= level <= 9:
        raise ValueError('zlib level out of range: %d' % level)
    name, level = choose(level, wanted)
    return backend(name).compressobj(level)
