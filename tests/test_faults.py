"""What peers and operators are told; arguments of any bytes."""

import io

import hypothesis
import pytest
from hypothesis import strategies as st
from mercurial import error, ui as uimod, util
from mercurial.hgweb import request

from hgext3rd.wirecomp import faults

urlreq = util.urlreq


def raised(inst):
    """Return ``inst`` with a traceback."""
    try:
        raise inst
    except type(inst) as caught:
        return caught


@pytest.mark.parametrize(
    'inst, said',
    [
        (error.Abort(b'no', hint=b'do'), b'no\n(do)'),
        (OSError(5, 'disk'), b'[Errno 5] disk'),
        (ValueError('odd'), b'odd'),
        (MemoryError(), b'MemoryError'),
        (faults.Refused(b'too long'), b'too long'),
        (error.RevlogError('RevlogError'), b'unknown revision'),
        (
            error.LookupError(b'\xff' * 20, b'00changelog', b'no node'),
            b'unknown revision ' + b'ff' * 20,
        ),
        (
            error.LookupError(b'\x1b[2J', b'00changelog', b'no node'),
            b'unknown revision \\x1b[2J',
        ),
        (
            error.LookupError(b'\x11' * 20, b'data/a', b'no match found'),
            b'data/a@' + b'11' * 20 + b': no match found',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_failure_is_described(inst, said):
    assert faults.describe(raised(inst)) == said


@pytest.mark.parametrize(
    'inst, said',
    [
        (error.Abort(b'no', hint=b'do'), b'no\n(do)'),
        (OSError(2, 'no such file', '/srv/secret'), b'no such file'),
        (
            ValueError('/srv/secret'),
            b'internal error: ValueError (see the log of the server)',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_peers_are_told_no_paths(inst, said):
    assert faults.public(raised(inst)) == said


class Errors:
    """What hg serve has as wsgi.errors."""

    handler = None

    def __init__(self):
        self.lines = []

    def write(self, data):
        if not isinstance(data, bytes):
            raise TypeError('a bytes-like object is required')
        self.lines.append(data)

    def flush(self):
        pass


def told(inst, config=(), cmd=b'getbundle'):
    errors = Errors()
    ui = uimod.ui()
    for key in config:
        ui.setconfig(*key)
    faults.tell(ui, {b'wsgi.errors': errors}, cmd, raised(inst))
    return b'\n'.join(errors.lines)


def test_a_failure_is_one_line():
    assert told(error.Abort(b'a\nb', hint=b'c')) == (
        b'getbundle failed: Abort: a b (c)'
    )
    assert told(OSError(5, 'disk'), cmd=b'\x1b[2J') == (
        b'\\x1b[2J failed: OSError: [Errno 5] disk'
    )


def test_a_surprise_says_where():
    line = told(ZeroDivisionError('by zero'))
    assert line.startswith(b'getbundle failed: ZeroDivisionError: by zero (')
    assert b'test_faults.py:' in line
    assert b'\n' not in line


def test_tracebacks_are_for_who_wants_them():
    said = told(OSError(5, 'disk'), [(b'ui', b'traceback', b'yes')])
    first, second = said.splitlines()[:2]
    assert first == b'getbundle failed: OSError: [Errno 5] disk'
    assert second.startswith(b'Traceback')


PAIRS = st.lists(st.tuples(st.binary(min_size=1, max_size=9), st.binary()))


@hypothesis.given(PAIRS)
def test_arguments_are_any_bytes(pairs):
    data = b'&'.join(
        urlreq.quote(name, safe=b'') + b'=' + urlreq.quote(value, safe=b'')
        for name, value in pairs
    )
    args = faults.parseargs(data)
    wanted = {}
    for name, value in pairs:
        wanted.setdefault(name, []).append(value)
    assert args == wanted


@hypothesis.given(st.binary())
def test_any_arguments_are_parsed(data):
    assert all(isinstance(name, bytes) for name in faults.parseargs(data))


@hypothesis.given(st.text(alphabet='abc019=&%+ -', max_size=40).map(str.encode))
def test_arguments_of_ascii_are_parsed_as_by_core(data):
    try:
        wanted = urlreq.parseqs(data, keep_blank_values=True)
    except UnicodeError:
        hypothesis.reject()
    assert faults.parseargs(data) == wanted


def test_too_many_arguments_are_refused():
    with pytest.raises(faults.Refused):
        faults.parseargs(b'&' * (faults.ARGSCOUNT + 1))


def posted(size, body=b'a=b&c=d', allowed=True, length=None):
    """Return (arguments, the rest of the body)."""
    length = len(body) if length is None else length
    environ = {
        'REQUEST_METHOD': 'POST',
        'SERVER_NAME': 'localhost',
        'SERVER_PORT': '80',
        'wsgi.url_scheme': 'http',
        'wsgi.input': io.BytesIO(body),
        'CONTENT_LENGTH': str(length),
        'HTTP_X_HGARGS_POST': size,
    }
    environ = {name.encode(): value for name, value in environ.items()}
    environ = {
        name: value.encode() if isinstance(value, str) else value
        for name, value in environ.items()
    }
    req = request.parserequestfromenv(environ)
    return faults.readargs(req, allowed), req.bodyfh.read(100)


def test_arguments_in_the_body():
    assert posted('3') == (b'a=b', b'&c=d')
    assert posted('0') == (b'', b'a=b&c=d')


@pytest.mark.parametrize(
    'size', ('-1', '+3', ' ', '3.0', 'x', '', '8', '9' * 18, '9' * 5000, '٣')
)
def test_a_bad_length_of_arguments_is_refused(size):
    with pytest.raises(faults.Refused):
        posted(size)


def test_arguments_in_the_body_are_refused_where_they_are_off():
    with pytest.raises(faults.Refused):
        posted('3', allowed=False)


def test_a_body_that_is_cut_short_is_refused():
    with pytest.raises(faults.Refused):
        posted('20', length=20)


def test_more_arguments_than_can_be_are_not_read():
    many = str(faults.ARGSMAX + 1)
    with pytest.raises(faults.Refused):
        posted(many, length=int(many))
