"""Streams of every kind, read by this Mercurial's own reader of answers."""

import io
import itertools

import pytest

from hgext3rd.wirecomp import bench, engines, stream, zlibs
from hgext3rd.wirecomp.negotiation import MEDIATYPE2, Encoding

MB = engines.MB
# Longer than what is compressed knowing its length, with matches far apart.
FAR = b''.join(b'%d %x\n' % (n, n * n) for n in range(60000))
TEXT = FAR + bytes(range(256)) * 512 + FAR
SHORT = TEXT[:5000]


def read(encoding, data):
    body = io.BytesIO(b''.join(stream.encode([data], encoding)))
    name = body.read(ord(body.read(1)))
    reader = bench.readerof(name, body)
    return b''.join(iter(lambda: reader.read(32768), b''))


@pytest.mark.parametrize('data', (TEXT, SHORT), ids=('long', 'short'))
@pytest.mark.parametrize('level', range(-1, 10))
@pytest.mark.parametrize('backend', zlibs.MODULES)
def test_zlib(backend, level, data):
    tuning = engines.Tuning(zlibbackend=backend)
    encoding = Encoding(MEDIATYPE2, engines.ZLIB, level, b'', tuning)
    assert read(encoding, data) == data


@pytest.mark.parametrize('level', (-7, 0, 1, 3, 9, 22))
@pytest.mark.parametrize('window', (1, 32, 128))
def test_zstd(window, level):
    for long, checksum, data in itertools.product(
        (False, True), (False, True), (TEXT, SHORT)
    ):
        tuning = engines.Tuning(
            zstdwindow=window * MB, zstdlong=long, zstdchecksum=checksum
        )
        encoding = Encoding(MEDIATYPE2, engines.ZSTD, level, b'', tuning)
        assert read(encoding, data) == data


@pytest.mark.parametrize('level', (1, 9))
def test_bz2(level):
    assert read(Encoding(MEDIATYPE2, engines.BZ2, level, b''), TEXT) == TEXT
