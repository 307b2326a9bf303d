"""Features of our own for the .t files, read by run-tests.py."""

import os

from hghave import check

BUILD = os.environ.get('WIRECOMPBUILD', '')


@check('legacyhg', 'Mercurial 3.6 and 4.0, which need Python 2.7')
def haslegacyhg():
    return all(
        os.path.exists(os.path.join(BUILD, 'hg-' + version, '.complete'))
        for version in ('3.6.3', '4.0.2')
    )


@check('oldesthg', 'the oldest Mercurial that is supported')
def hasoldesthg():
    return os.path.exists(os.path.join(BUILD, 'hg-6.1.4', '.complete'))


@check('newesthg', 'the newest Mercurial that is supported')
def hasnewesthg():
    return os.path.exists(os.path.join(BUILD, 'hg-7.2.4', '.complete'))


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
