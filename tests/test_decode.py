"""Streams of every kind, read by this Mercurial's own reader of answers."""

import io
import itertools

import hypothesis
import pytest
from hypothesis import strategies as st

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


@hypothesis.given(st.data())
@hypothesis.settings(max_examples=150, deadline=None)
@pytest.mark.parametrize(
    'engine', (*engines.OWN, engines.STOREDZSTD), ids=lambda e: e.name
)
def test_a_cut_never_makes_another_answer(engine, data):
    source = [b'%d\n' % n * 50 for n in range(400)]
    encoding = Encoding(MEDIATYPE2, engine, engine.defaultlevel, b'')
    whole = b''.join(stream.encode(source, encoding))
    cut = data.draw(st.integers(0, len(whole) - 1))
    body = io.BytesIO(whole[:cut])
    got = []
    try:
        name = body.read(ord(body.read(1)))
        reader = bench.readerof(name, body)
        got.extend(iter(lambda: reader.read(4096), b''))
    except Exception:
        return
    got, source = b''.join(got), b''.join(source)
    # Where only the end of the stream is lost, nothing of the answer is.
    assert source.startswith(got)
    assert got != source or cut > len(whole) - 16
