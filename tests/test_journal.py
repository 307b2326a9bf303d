"""One event for each response, whatever becomes of it."""

import json
import os
import threading

import pytest
from mercurial import ui as uimod, util
from mercurial.hgweb import request

from hgext3rd.wirecomp import engines, journal, negotiation, reading, settings

ENCODING = negotiation.Encoding(
    negotiation.MEDIATYPE2, engines.ZSTD, 3, b'why', engines.Tuning()
)
ENVIRON = {
    b'REQUEST_METHOD': b'GET',
    b'SERVER_NAME': b'localhost',
    b'SERVER_PORT': b'80',
    b'SCRIPT_NAME': b'/project',
    b'PATH_INFO': b'',
    b'QUERY_STRING': b'cmd=getbundle&heads=secret',
    b'REMOTE_HOST': b'192.0.2.7',
    b'REMOTE_USER': b'alice',
    b'HTTP_USER_AGENT': b'mercurial/proto-1.0 \xff',
    b'HTTP_AUTHORIZATION': b'Basic secret',
    b'HTTP_X_HGARG_1': b'heads=secret',
    b'wsgi.url_scheme': b'http',
    b'wsgi.input': None,
}


class Errors:
    def __init__(self):
        self.said = []

    def write(self, text):
        self.said.append(text)

    def flush(self):
        pass


class Response:
    """One response whose body is ``pieces``, logged in ``path``."""

    def __init__(self, path, pieces, encoding=None):
        ui = uimod.ui()
        paths = reading.Paths(os.fsencode(path))
        self.errors = Errors()
        environ = {**ENVIRON, b'wsgi.errors': self.errors}
        req = request.parserequestfromenv(environ)
        res = request.wsgiresponse(req, lambda status, headers: None)
        res.status = b'200 Script output follows'
        res.headers[b'Content-Type'] = b'application/mercurial-0.2'
        self.entry = journal.Entry(
            ui, req, b'getbundle', settings.Settings(paths=paths)
        )
        self.entry.encoding = encoding
        res.setbodygen(pieces)
        self.entry.follow(res)
        self.sent = res.sendresponse()


def records(path):
    return [json.loads(line) for line in open(path)]


def test_a_response_is_a_line(tmp_path):
    log = tmp_path / 'log'
    response = Response(log, iter([b'ab', b'cde']), ENCODING)
    list(response.entry.counted([b'source']))
    assert b''.join(response.sent) == b'abcde'
    (record,) = records(log)
    assert record['time'].endswith('Z')
    assert 0 <= record['first'] <= record['wall'] < 60
    assert 0 <= record['cpu'] < 60
    del record['time'], record['first'], record['wall'], record['cpu']
    assert record == {
        'repo': '/project',
        'command': 'getbundle',
        'address': '192.0.2.7',
        'user': 'alice',
        'agent': 'mercurial/proto-1.0 \\xff',
        'status': 200,
        'mediatype': 'application/mercurial-0.2',
        'engine': 'zstd',
        'level': 3,
        'reason': 'why',
        'source': 6,
        'wire': 5,
        'outcome': 'complete',
    }


def test_no_secrets(tmp_path):
    log = tmp_path / 'log'
    list(Response(log, iter([b'secret'])).sent)
    assert 'secret' not in log.read_text()


def test_a_hang_up_is_told(tmp_path):
    log = tmp_path / 'log'
    response = Response(log, iter([b'ab', b'cde']))
    next(response.sent)
    assert not log.exists()
    response.sent.close()
    (record,) = records(log)
    assert (record['outcome'], record['wire']) == ('hung-up', 2)


def test_a_failure_is_told(tmp_path):
    def failing():
        yield b'ab'
        raise OSError('disk')

    log = tmp_path / 'log'
    with pytest.raises(OSError):
        list(Response(log, failing()).sent)
    (record,) = records(log)
    assert (record['outcome'], record['error']) == ('failed', 'OSError')


def test_what_failed_before_is_told_by_its_name(tmp_path):
    log = tmp_path / 'log'
    response = Response(log, iter([b'what went wrong']))
    response.entry.error = 'KeyError'
    list(response.sent)
    (record,) = records(log)
    assert (record['outcome'], record['error']) == ('failed', 'KeyError')


def test_a_file_that_was_moved_away_is_made_anew(tmp_path):
    log = tmp_path / 'log'
    list(Response(log, iter([b'a'])).sent)
    log.rename(tmp_path / 'log.1')
    list(Response(log, iter([b'a'])).sent)
    assert len(records(log)) == len(records(tmp_path / 'log.1')) == 1


@pytest.mark.parametrize('path', ('/dev/full', 'a/folder/that/is/not'))
def test_what_cannot_be_written_is_told_once(tmp_path, path, monkeypatch):
    monkeypatch.setattr(journal, '_told', util.lrucachedict(10))
    said = []
    for _ in range(3):
        response = Response(tmp_path / path, iter([b'ab']))
        assert b''.join(response.sent) == b'ab'
        said += response.errors.said
    (line,) = said
    assert 'wirecomp.log: cannot write' in line


def test_lines_of_many_threads_stay_whole(tmp_path):
    log = tmp_path / 'log'

    def many():
        for _ in range(50):
            list(Response(log, iter([b'a'])).sent)

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(records(log)) == 400
