"""zlib streams by whichever library: the same meaning of each level."""

import zlib

import pytest

from hgext3rd.wirecomp import engines, stream, zlibs
from hgext3rd.wirecomp.negotiation import MEDIATYPE1, Encoding

NAMES = ('zlib', 'zlib-ng', 'isal')
TEXT = b''.join(b'%d %x, %d\n' % (n, n * n, n % 97) for n in range(60000))


@pytest.fixture(autouse=True)
def asinstalled(monkeypatch):
    monkeypatch.setattr(zlibs, '_loaded', {b'zlib': zlib})


@pytest.mark.parametrize('level', range(-1, 10))
@pytest.mark.parametrize('wanted', ('auto', *NAMES))
def test_zlib_itself_decodes_all(wanted, level):
    tuning = engines.Tuning(zlibbackend=wanted.encode())
    encoding = Encoding(MEDIATYPE1, engines.ZLIB, level, b'', tuning)
    chunks = [TEXT[n : n + 32768] for n in range(0, len(TEXT), 32768)]
    body = b''.join(stream.encode(chunks, encoding))
    inflater = zlib.decompressobj()
    assert inflater.decompress(body) == TEXT
    assert inflater.eof and not inflater.unused_data


def test_the_table_knows_each_level_and_library():
    assert set(zlibs.LEVELS) == set(range(1, 10))
    for standins in zlibs.LEVELS.values():
        names = [name for name, _level in standins]
        assert set(names) <= set(zlibs.MODULES) - {b'zlib'}
        assert len(set(names)) == len(names)


def test_stored_is_stored_by_zlib():
    assert zlibs.choose(zlibs.STORED, b'auto') == (b'zlib', 0)


def test_the_default_is_level_6():
    assert zlibs.choose(-1, b'auto') == zlibs.choose(6, b'auto')
    assert zlibs.choose(-1, b'zlib') == (b'zlib', -1)


def test_what_is_wanted_is_used_where_it_has_the_level():
    for name in NAMES[1:]:
        if zlibs.backend(name.encode()) is None:
            pytest.skip('%s is not installed' % name)
        used = {
            zlibs.choose(level, name.encode())[0].decode()
            for level in range(1, 10)
        }
        assert name in used <= {name, 'zlib'}


def test_absent_libraries_leave_zlib(monkeypatch):
    loaded = {b'zlib': zlib, b'zlib-ng': None, b'isal': None}
    monkeypatch.setattr(zlibs, '_loaded', loaded)
    for level in range(-1, 10):
        for wanted in (b'auto', b'zlib-ng', b'isal'):
            assert zlibs.choose(level, wanted) == (b'zlib', level)


def test_a_broken_library_is_absent(monkeypatch):
    def broken(name):
        raise OSError('not for this processor')

    monkeypatch.setattr(zlibs.importlib, 'import_module', broken)
    assert zlibs.backend(b'isal') is None


def test_the_engine_uses_what_is_wanted(monkeypatch):
    asked = []

    class Recording:
        @staticmethod
        def compressobj(level):
            asked.append(level)
            return zlib.compressobj(level)

    monkeypatch.setitem(zlibs._loaded, b'isal', Recording)
    engines.ZLIB.compressor(1, engines.Tuning(zlibbackend=b'isal'))
    engines.ZLIB.compressor(1, engines.Tuning(zlibbackend=b'zlib'))
    assert asked == [1]
