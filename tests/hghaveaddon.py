"""Features of our own for the .t files, read by run-tests.py."""

import importlib
import importlib.util
import os
import sys

from hghave import check, checkvers

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('WIRECOMPBUILD', '')


@check('legacyhg', 'Mercurial 3.6 and 4.0, which need Python 2.7')
def haslegacyhg():
    return all(
        os.path.exists(os.path.join(BUILD, 'hg-' + version, '.complete'))
        for version in ('3.6.3', '4.0.2')
    )


@check('hg49', 'Mercurial 4.9, which needs Python 2.7')
def hashg49():
    return os.path.exists(os.path.join(BUILD, 'hg-4.9.1', '.complete'))


@check('oldesthg', 'the oldest Mercurial that is supported')
def hasoldesthg():
    return os.path.exists(os.path.join(BUILD, 'hg-6.1.4', '.complete'))


@check('newesthg', 'the newest Mercurial that is supported')
def hasnewesthg():
    return os.path.exists(os.path.join(BUILD, 'hg-7.2.4', '.complete'))


# Those whose servers others push to.
SERVING = ('6.1.4', '6.9.5', '7.0.3', '7.2.4')


@checkvers('serving', 'an installed Mercurial %s', SERVING)
def hasserving(version):
    return os.path.exists(os.path.join(BUILD, 'hg-' + version, '.complete'))


@checkvers('gunicorn', 'gunicorn beside Mercurial %s', SERVING)
def hasgunicornof(version):
    path = os.path.join(BUILD, 'hg-' + version, 'bin', 'gunicorn')
    return os.path.exists(path)


@check('wiredeltas', 'changegroup 4 with compressed deltas (7.2)')
def haswiredeltas():
    from mercurial.utils import compression

    return hasattr(compression.compengines, 'supported_wire_delta_compression')


@check('matplotlib', 'the library that draws the plots')
def hasmatplotlib():
    try:
        import matplotlib

        return bool(matplotlib.__version__)
    except ImportError:
        return False


@check('inlinebundles', 'clone bundles sent inline (6.5)')
def hasinlinebundles():
    from mercurial import wireprotov1server

    return b'get_cached_bundle_inline' in wireprotov1server.commands


def testlib(name):
    """Return a module of testlib."""
    sys.path.insert(0, os.path.join(HERE, 'testlib'))
    try:
        return importlib.import_module(name)
    finally:
        del sys.path[0]


def hasprogram(name):
    """Return whether testlib/parts.py finds a program (bool)."""
    return testlib('parts').find(name, BUILD) is not None


@check('nginx', 'the proxy nginx')
def hasnginx():
    return hasprogram('nginx')


@check('haproxy', 'the proxy HAProxy')
def hashaproxy():
    return hasprogram('haproxy')


@check('varnish', 'the cache Varnish')
def hasvarnish():
    return hasprogram('varnishd')


@check('apache', 'the server Apache')
def hasapache():
    return hasprogram('apache2')


def hasmodule(name):
    """Return whether a Python module can be imported here (bool)."""
    return importlib.util.find_spec(name) is not None


@check('gunicorn', 'the WSGI server gunicorn')
def hasgunicorn():
    return hasmodule('gunicorn')


@check('gunicorn-threads', 'the WSGI server gunicorn, with threads')
def hasgunicornthreads():
    return hasmodule('gunicorn')


@check('waitress', 'the WSGI server waitress')
def haswaitress():
    return hasmodule('waitress')


@check('uwsgi', 'the WSGI server uWSGI (pyuwsgi)')
def hasuwsgi():
    return hasmodule('pyuwsgi')


@check('modwsgi', 'Apache with mod_wsgi for this Python')
def hasmodwsgi():
    return testlib('appserver').apacheruns()
