"""Where the arguments of requests go."""

import types

import hypothesis
import pytest
from hypothesis import strategies as st
from mercurial import ui as uimod

from hgext3rd.wirecomp import (
    checkconf,
    faults,
    fronts,
    keys,
    postargs,
    settings,
    webproto,
)

WIRECOMP = keys.POSTARGUMENTS[:2]
CORE = keys.HTTPPOSTARGS[:2]
HEADERLEN = (b'server', b'maxhttpheaderlen')


def configured(*items):
    ui = uimod.ui()
    for line, (place, value) in enumerate(items, 1):
        ui.setconfig(*place, value, b'hgrc:%d' % line)
    return ui


class Repo:
    """A repository with so many heads, that counts how often it is asked."""

    def __init__(self, heads, *items):
        self.ui = self.baseui = configured(*items)
        self._wirecomp = True
        self.changelog = self
        self.count = heads
        self.asked = 0

    def headrevs(self):
        self.asked += 1
        return list(range(self.count))


@pytest.mark.parametrize(
    'given, core, wanted',
    [
        (None, None, keys.AUTO),
        (b'auto', None, keys.AUTO),
        (b'AUTO', b'no', keys.AUTO),
        (b'Yes', None, keys.YES),
        (b'no', None, keys.NO),
        (b'off', None, keys.NO),
        (None, b'yes', keys.YES),
        (b'auto', b'yes', keys.YES),
        # Ours wins.
        (b'no', b'yes', keys.NO),
        (b'yes', b'no', keys.YES),
    ],
)
def test_the_setting(given, core, wanted):
    items = [(WIRECOMP, given), (CORE, core)]
    ui = configured(*(item for item in items if item[1] is not None))
    got = settings.read(ui)
    assert got.postarguments == wanted
    assert got.problems == ()


@pytest.mark.parametrize('place', [WIRECOMP, CORE])
@pytest.mark.parametrize('value', [b'', b'maybe', b'1 or 2', b'auto,yes'])
def test_a_bad_value_is_a_mistake(place, value):
    got = settings.read(configured((place, value)))
    assert got.postarguments == keys.AUTO
    (problem,) = got.problems
    assert problem.fatal
    assert problem.source == b'hgrc:1'
    assert problem.text.startswith(b'%s.%s: bad value' % place)
    assert problem.hint.endswith(b'yes or no')


@pytest.mark.parametrize('place', [WIRECOMP, CORE])
def test_it_is_of_the_server_where_repositories_are_ignored(place):
    ignore = (keys.REPOCONFIG[:2], b'ignore')
    ui = configured(ignore, (place, b'yes'))
    got = settings.read(ui, baseui=configured(ignore))
    assert got.postarguments == keys.AUTO
    (problem,) = got.problems
    assert problem.text.startswith(b'%s.%s: ignored' % place)


@pytest.mark.parametrize(
    'items, source',
    [
        ([], b'default'),
        ([(WIRECOMP, b'auto')], b'hgrc:1'),
        ([(WIRECOMP, b'no'), (CORE, b'yes')], b'hgrc:1'),
        ([(WIRECOMP, b'yes'), (CORE, b'yes')], b'hgrc:1'),
        ([(WIRECOMP, b'auto'), (CORE, b'yes')], b'hgrc:2'),
        ([(WIRECOMP, b'maybe')], b'default'),
        ([(WIRECOMP, b'maybe'), (CORE, b'yes')], b'hgrc:2'),
    ],
)
def test_its_source_is_what_decides(items, source):
    ui = configured(*items)
    shown = {
        one.key: one.source for one in checkconf.inforce(ui, settings.read(ui))
    }
    assert shown[b'wirecomp.post-arguments'] == source


@pytest.mark.parametrize(
    'setting, heads, advertised',
    [
        (keys.AUTO, 1, False),
        # More than haproxy takes, 15360 bytes of headers.
        (keys.AUTO, 173, False),
        # nginx: 32768 bytes.
        (keys.AUTO, 381, False),
        (keys.AUTO, 382, True),
        (keys.AUTO, 20000, True),
        (keys.YES, 1, True),
        (keys.YES, 20000, True),
        (keys.NO, 1, False),
        (keys.NO, 20000, False),
    ],
)
def test_the_decision(setting, heads, advertised):
    decision = postargs.decide(setting, Repo(heads))
    assert decision.advertised is advertised
    decision = postargs.byheads(setting, heads, 1024)
    assert decision.advertised is advertised
    assert decision.heads == heads
    assert bool(decision.refusing) is (heads > 172)


def test_the_length_of_headers_counts():
    assert not postargs.decide(keys.AUTO, Repo(120)).advertised
    # One header of more bytes than nginx and Apache take.
    repo = Repo(120, (HEADERLEN, b'9000'))
    assert postargs.decide(keys.AUTO, repo).advertised
    # Many headers: more than any takes.
    repo = Repo(120, (HEADERLEN, b'64'))
    assert postargs.decide(keys.AUTO, repo).advertised
    # Core says what is wrong.
    postargs.decide(keys.AUTO, Repo(120, (HEADERLEN, b'lots')))


@hypothesis.given(st.integers(0, 10**6), st.integers(-5, 1 << 17))
def test_auto_has_headers_just_where_all_but_haproxy_take_them(
    heads, headerlen
):
    decision = postargs.byheads(keys.AUTO, heads, headerlen)
    refusing = fronts.head(heads, headerlen).refusing
    others = [name for name in refusing if not name.startswith(b'haproxy')]
    assert decision == (bool(others), heads, refusing)


def test_the_heads_are_counted_once_and_only_if_they_decide():
    for setting, times in ((keys.AUTO, 1), (keys.YES, 0), (keys.NO, 0)):
        repo = Repo(3)
        postargs.decide(setting, repo)
        assert repo.asked == times


@pytest.mark.parametrize('core', [b'yes', b'no', b'maybe', None])
@pytest.mark.parametrize('given', [b'auto', b'yes', b'no', None])
@pytest.mark.parametrize('heads', [3, 1500])
def test_the_capability(given, core, heads):
    items = [(WIRECOMP, given), (CORE, core)]
    repo = Repo(heads, *(item for item in items if item[1] is not None))

    def ofcore(repo, proto):
        caps = [b'known', b'compression=zlib']
        # As core does; a bad value raises.
        if repo.ui.configbool(*CORE):
            caps.append(b'httppostargs')
        return caps

    req = types.SimpleNamespace(rawenv={})
    proto = types.SimpleNamespace(name=webproto.HTTP, _req=req)
    caps = webproto._capabilities(ofcore, repo, proto)
    if given == b'no':
        wanted = 0
    else:
        wanted = int(given == b'yes' or core == b'yes' or heads == 1500)
    assert caps.count(b'httppostargs') == wanted
    assert b'known' in caps


def test_whatever_another_extension_did_with_the_capability():
    caps = [b'httppostargs', b'known', b'httppostargs']
    assert postargs.withcapability(caps, False) == [b'known']
    assert postargs.withcapability(caps, True) == [b'known', b'httppostargs']


def test_a_body_is_read_unless_it_is_off():
    assert postargs.accepted(keys.AUTO)
    assert postargs.accepted(keys.YES)
    assert not postargs.accepted(keys.NO)


@pytest.mark.parametrize(
    'heads, refusing',
    [
        (1500, ()),
        (12700, ()),
        (12900, (b'nginx',)),
        (204000, (b'nginx',)),
        (205000, (b'nginx', b'wirecomp')),
    ],
)
def test_who_refuses_large_bodies(heads, refusing):
    body = fronts.body(heads)
    names = tuple(name.split(b' ')[0] for name in body.refusing)
    assert names == refusing
    assert (b'wirecomp' in names) is (body.size > faults.ARGSMAX)
