"""Who a client is, and which policy holds for him."""

import ipaddress

import hypothesis
import pytest
from hypothesis import strategies as st
from mercurial import ui as uimod

from hgext3rd.wirecomp import engines, keys, negotiation, policy, settings
from hgext3rd.wirecomp.settings import Settings

# In office a farm, in that one machine; two proxies, one in the office.
NETWORKS = {
    b'office': b'10.0.0.0/8 fd00::/8',
    b'farm': b'10.1.0.0/16 fd00:1::/32',
    b'machine': b'10.1.2.3',
    b'mapped': b'::ffff:172.16.0.0/108',
    b'link': b'fe80::/10',
    b'proxy': b'192.0.2.0/24',
}
PROXIES = b'192.0.2.1 10.9.0.0/16 2001:db8::1'


def networks(words):
    return tuple(policy.network(word) for word in words.split())


POLICIES = [
    policy.Policy(name, networks(words), (), {}, {})
    for name, words in NETWORKS.items()
]


def configured(values=(), proxies=None, **others):
    """Return a ui with ``values`` (dict) in [wirecomp-policy]; ``others`` are
    of [wirecomp] if their names have an underscore, else of [server]."""
    ui = uimod.ui()
    for name, value in dict(values).items():
        ui.setconfig(b'wirecomp-policy', name, value, b'hgrc:1')
    if proxies is not None:
        ui.setconfig(b'wirecomp', b'trusted-proxies', proxies, b'hgrc:1')
    for name, value in others.items():
        name = name.encode().replace(b'_', b'-')
        section = b'wirecomp' if b'-' in name else b'server'
        ui.setconfig(section, name, value, b'hgrc:1')
    return ui


def environ(peer, forwarded=None):
    env = {b'REMOTE_ADDR': peer, b'REMOTE_HOST': b'10.1.2.3'}
    if forwarded is not None:
        env[b'HTTP_X_FORWARDED_FOR'] = forwarded
    return env


@pytest.mark.parametrize(
    'peer, forwarded, expected',
    [
        # The connection's address, the most specific network.
        (b'10.2.3.4', None, b'office'),
        (b'10.1.3.4', None, b'farm'),
        (b'10.1.2.3', None, b'machine'),
        (b'11.0.0.1', None, None),
        (b'fd00:2::1', None, b'office'),
        (b'fd00:1::1', None, b'farm'),
        (b'2001:db8::7', None, None),
        (b'fe80::1%eth0', None, b'link'),
        # IPv4 in IPv6 form is IPv4, wherever it stands.
        (b'::ffff:10.1.2.3', None, b'machine'),
        (b'::ffff:a01:203', None, b'machine'),
        (b'172.16.9.9', None, b'mapped'),
        (b'::ffff:172.16.9.9', None, b'mapped'),
        # What is no address is nobody: never REMOTE_HOST.
        (b'', None, None),
        (b'localhost', None, None),
        (b'10.1.2', None, None),
        (b'10.1.2.3\xe9', None, None),
        # Headers of those who are no trusted proxy.
        (b'203.0.113.9', b'10.1.2.3', None),
        (b'10.2.3.4', b'10.1.2.3', b'office'),
        (b'192.0.2.2', b'10.1.2.3', b'proxy'),
        (b'', b'10.1.2.3', None),
        # A trusted proxy names the client: the last address counts.
        (b'192.0.2.1', b'10.1.2.3', b'machine'),
        (b'::ffff:192.0.2.1', b'10.1.2.3', b'machine'),
        (b'2001:db8::1', b' 10.1.2.3 ', b'machine'),
        (b'192.0.2.1', b'10.1.2.3, 10.2.2.2', b'office'),
        (b'192.0.2.1', b'10.1.2.3,203.0.113.9', None),
        (b'192.0.2.1', b'nonsense, 10.1.2.3', b'machine'),
        # Proxies behind it.
        (b'192.0.2.1', b'10.1.2.3, 10.9.1.1', b'machine'),
        (b'192.0.2.1', b'10.1.2.3, 203.0.113.9, 10.9.1.1', None),
        (b'10.9.1.1', b'10.1.2.3, 192.0.2.1, 10.9.1.1', b'machine'),
        # None but proxies: the first of them is the client.
        (b'192.0.2.1', b'10.9.1.1', b'office'),
        (b'10.9.1.1', b'192.0.2.1, 10.9.1.1', b'proxy'),
        # A proxy that names nobody, or what is no address, is the client.
        (b'192.0.2.1', None, b'proxy'),
        (b'192.0.2.1', b'', b'proxy'),
        (b'192.0.2.1', b' , ,', b'proxy'),
        (b'192.0.2.1', b'unknown', b'proxy'),
        (b'192.0.2.1', b'10.1.2.3, unknown', b'proxy'),
        (b'192.0.2.1', b'10.1.2.3, unknown, 10.9.1.1', b'office'),
        (b'192.0.2.1', b'10.1.2.3;', b'proxy'),
        (b'192.0.2.1', b'"10.1.2.3"', b'proxy'),
        # As some proxies write them.
        (b'192.0.2.1', b'10.1.2.3:4711', b'machine'),
        (b'192.0.2.1', b'[fd00:1::1]', b'farm'),
        (b'192.0.2.1', b'[fd00:1::1]:4711', b'farm'),
        (b'192.0.2.1', b'[::ffff:10.1.2.3]:4711', b'machine'),
        (b'192.0.2.1', b'[10.1.2.3', b'proxy'),
        (b'192.0.2.1', b'10.1.2.3:', b'proxy'),
    ],
)
def test_the_policy_of_a_request(peer, forwarded, expected):
    values = {name + b'.networks': NETWORKS[name] for name in NETWORKS}
    got = settings.read(configured(values, PROXIES), environ(peer, forwarded))
    assert got.policy == expected
    assert not got.problems


# What anybody could send before his proxy adds to it.
FORGED = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.sampled_from(
            [b'10.1.2.3', b'192.0.2.1', b'10.9.0.1', b'', b'unknown']
        ),
        st.ip_addresses().map(lambda found: str(found).encode()),
    ),
    max_size=8,
).map(b','.join)
ADDRESSES = st.ip_addresses().filter(
    lambda found: (
        not policy.holds(networks(PROXIES), policy.address(str(found).encode()))
    )
)


@hypothesis.given(ADDRESSES, FORGED)
@hypothesis.settings(max_examples=500, deadline=None)
def test_a_forged_header_changes_nothing(found, forged):
    asks = str(found).encode()
    meant = policy.address(asks)
    proxies = networks(PROXIES)
    assert policy.client(asks, forged, proxies) == meant
    for chain in (b'%s', b'%s, 10.9.3.3', b'%s ,192.0.2.1,10.9.3.3'):
        header = forged + b', ' + chain % asks
        assert policy.client(b'192.0.2.1', header, proxies) == meant


@hypothesis.given(st.binary(max_size=60), st.binary(max_size=200))
@hypothesis.settings(max_examples=500, deadline=None)
def test_any_bytes_are_somebody_or_nobody(peer, forwarded):
    proxies = networks(b'0.0.0.0/0 ::/0')
    found = policy.client(peer, forwarded, proxies)
    assert (found is None) == (policy.address(peer) is None)
    if found is not None:
        policy.choose(POLICIES, found)


@hypothesis.given(
    st.lists(
        st.tuples(st.ip_addresses(), st.integers(0, 128)), max_size=12
    ),
    st.ip_addresses(),
)  # fmt: skip
@hypothesis.settings(max_examples=500, deadline=None)
def test_the_most_specific_network_wins_in_any_order(made, found):
    nets = [
        ipaddress.ip_network((int(a), min(n, a.max_prefixlen)), strict=False)
        if a.version == 4
        else ipaddress.ip_network('%s/%d' % (a, n), strict=False)
        for a, n in made
    ]
    policies = [
        policy.Policy(b'%d' % n, (net,), (), {}, {})
        for n, net in enumerate(nets)
    ]
    holding = [net for net in nets if found in net]
    for order in (policies, policies[::-1]):
        chosen = policy.choose(order, found)
        if not holding:
            assert chosen is None
        else:
            longest = max(net.prefixlen for net in holding)
            assert found in chosen.networks[0]
            assert chosen.networks[0].prefixlen == longest


@pytest.mark.parametrize(
    'word, hint',
    [
        (b'10.1.2.3/8', b'use 10.0.0.0/8 for the network, 10.1.2.3 for the'),
        (b'fd00::1/64', b'use fd00::/64 for the network, fd00::1 for the'),
        (b'10.0.0.1/255.0.0.0', b'use 10.0.0.0/8 for the network'),
        (b'10.0.0.0/33', b'use networks such as'),
        (b'10.0.0', b'use networks such as'),
        (b'10.*', b'use networks such as'),
        (b'localhost', b'use networks such as'),
        (b'10.0.0.0-10.0.0.9', b'use networks such as'),
        (b'', b'use networks such as'),
        (b'\xff', b'use networks such as'),
        (b'1234', b'use networks such as'),
    ],
)
def test_what_is_no_network(word, hint):
    with pytest.raises(policy.BadNetwork) as caught:
        policy.network(word)
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    'word, meant',
    [
        (b'10.0.0.0/8', '10.0.0.0/8'),
        (b'10.1.2.3', '10.1.2.3/32'),
        (b'10.0.0.0/255.0.0.0', '10.0.0.0/8'),
        (b'0.0.0.0/0', '0.0.0.0/0'),
        (b'::1', '::1/128'),
        (b'::ffff:0:0/96', '0.0.0.0/0'),
        (b'::ffff:10.0.0.0/104', '10.0.0.0/8'),
        (b'::/0', '::/0'),
    ],
)
def test_what_is_a_network(word, meant):
    assert str(policy.network(word)) == meant


OFFICE = {
    b'office.networks': b'10.0.0.0/8',
    b'office.compressionengines': b'none, ZSTD',
    b'office.zstdlevel': b'1',
    b'office.zlib-backend': b'ZLIB',
    b'office.zstd-long': b'no',
    b'office.zstd-window': b'2 MB',
    b'office.zstd-checksum': b'off',
    b'office.flush-interval': b'0',
    b'office.stream-checksum': b'yes',
}


def test_a_policy_sets_what_it_gives_and_nothing_else():
    ui = configured(OFFICE, zstdlevel=b'9', zliblevel=b'2', max_clients=b'3')
    plain = settings.read(ui, environ(b'192.0.2.7'))
    assert plain == settings.read(ui)._replace(client=b'192.0.2.7')
    assert (plain.policy, plain.engines) == (None, engines.DEFAULT)
    assert plain.level(engines.ZSTD) == 9
    assert plain.tuning == engines.Tuning()
    got = settings.read(ui, environ(b'10.0.0.1'))
    assert (got.policy, got.problems) == (b'office', ())
    assert got.engines == (engines.NONE, engines.ZSTD)
    assert got.level(engines.ZSTD) == 1
    assert got.level(engines.ZLIB) == 2
    assert got.limits.maxclients == 3
    assert got.tuning == engines.Tuning(b'zlib', False, 2 << 20, False, 0, True)


def test_a_policy_may_give_no_more_than_its_name():
    ui = configured({b'a.b.networks': b'10.0.0.0/8'}, zstdlevel=b'9')
    got = settings.read(ui, environ(b'10.0.0.1'))
    policy = {'policy': b'a.b', 'client': b'10.0.0.1'}
    assert got == settings.read(ui)._replace(**policy)


class Foreign:
    """An engine that another extension registered with Mercurial."""

    class wireprotosupport:
        name = b'foreign'

    def name(self):
        return b'foreign'

    def available(self):
        return True


def test_the_level_of_another_extensions_engine(monkeypatch):
    foreign = engines.Registered(Foreign())
    monkeypatch.setattr(
        settings.compat, 'registeredengines', lambda: (foreign,)
    )
    values = {
        b'a.networks': b'10.0.0.0/8',
        b'a.compressionengines': b'foreign',
        b'a.foreignlevel': b'77',
    }
    got = settings.read(configured(values), environ(b'10.0.0.1'))
    assert got.problems == ()
    assert got.engines == (foreign,)
    assert got.level(foreign) == 77


@pytest.mark.parametrize(
    'item, value, text, hint',
    [
        (b'zstdlevel', b'99', b"bad value '99'", b'use a whole number from -7'),
        (b'zliblevel', b'', b"bad value ''", b'use a whole number from -1'),
        (b'bz2level', 0, b"bad value '0'", b'use a whole number from 1 to 9'),
        (b'zstd-long', b'x', b"bad value 'x'", b'use yes or no'),
        (b'zstd-window', b'1', b"bad value '1'", b'use a size from'),
        (b'flush-interval', b'-1', b"bad value '-1'", b'use seconds'),
        (
            b'compressionengines', b'zstd gzip',
            b"unknown engine 'gzip'", b'use zlib; usable engines: ',
        ),
        (
            b'networks', b'10.0.0.0/8 10.1.0.1/16',
            b"bad network '10.1.0.1/16'",
            b'use 10.1.0.0/16 for the network, 10.1.0.1 for the one address',
        ),
        (b'zstdlvl', b'1', b'unknown key', b'use zstdlevel; keys of '),
        (b'qqq', b'1', b'unknown key', b'keys of a policy: networks, '),
        # What many peers together may take is no matter of one network.
        (b'max-clients', b'1', b'unknown key', b'keys of a policy: networks, '),
    ],
)  # fmt: skip
def test_mistakes_in_a_policy(item, value, text, hint):
    values = {b'office.networks': b'10.0.0.0/8', b'office.' + item: value}
    ui = configured(values, zstdlevel=b'5', compressionengines=b'bz2')
    got = settings.read(ui, environ(b'10.0.0.1'))
    (problem,) = got.problems
    assert problem.fatal
    assert problem.source == b'hgrc:1'
    prefix = b'wirecomp-policy.office.%s: ' % item
    assert problem.text.startswith(prefix + text)
    assert problem.hint.startswith(hint)
    assert b', ignoring ' in problem.line
    # It is as if that word was not there.
    assert got.policy == b'office'
    assert got.level(engines.ZSTD) == 5
    assert got.engines == (engines.BZ2,)
    assert got.tuning == engines.Tuning()


@pytest.mark.parametrize(
    'values, text, hint',
    [
        (
            {b'a.zstdlevel': b'1'},
            b'wirecomp-policy.a.zstdlevel: policy a has no networks',
            b'set wirecomp-policy.a.networks',
        ),
        (
            {b'a.networks': b''},
            b'wirecomp-policy.a.networks: policy a has no networks',
            b'set wirecomp-policy.a.networks',
        ),
        (
            {b'networks': b'10.0.0.0/8'},
            b'wirecomp-policy.networks: it names no policy',
            b'use a name of your own: wirecomp-policy.NAME.networks',
        ),
        (
            {b'.networks': b'10.0.0.0/8'},
            b'wirecomp-policy..networks: it names no policy',
            b'use a name of your own: wirecomp-policy.NAME.networks',
        ),
        (
            {b'a.networks': b'10.0.0.0/8', b'b.networks': b'10.0.0.0/8'},
            b'wirecomp-policy.b.networks: 10.0.0.0/8 is a network of policy a',
            b'keep it in one of them',
        ),
        (
            {b'a.networks': b'10.0.0.1', b'b.networks': b'::ffff:10.0.0.1'},
            b'wirecomp-policy.b.networks: 10.0.0.1/32 is a network of policy a',
            b'keep it in one of them',
        ),
    ],
)
def test_policies_that_are_nobodys_or_two_peoples(values, text, hint):
    (problem,) = settings.read(configured(values)).problems
    assert problem.fatal
    assert problem.text.startswith(text)
    assert problem.hint == hint
    got = settings.read(configured(values), environ(b'10.0.0.1'))
    both = b'a.networks' in values and b'b.networks' in values
    assert got.policy == (b'a' if both else None)


def test_a_bad_proxy_is_no_proxy():
    ui = configured(
        {b'a.networks': b'10.0.0.0/8'}, b'192.0.2.9/24, 192.0.2.1, proxy'
    )
    first, second = settings.read(ui).problems
    assert first.text.startswith(b"wirecomp.trusted-proxies: bad network '192.")
    assert first.hint.startswith(b'use 192.0.2.0/24 for the network, 192.0.2.9')
    assert second.text.endswith(b"bad network 'proxy'")
    for peer, expected in ((b'192.0.2.1', b'a'), (b'192.0.2.9', None)):
        got = settings.read(ui, environ(peer, b'10.0.0.1'))
        assert got.policy == expected


@hypothesis.given(
    st.dictionaries(
        st.one_of(
            st.binary(max_size=12),
            st.sampled_from(sorted(OFFICE)),
            st.sampled_from([b'b.networks', b'b.zlib-backend', b'b.bz2level']),
        ),
        st.one_of(
            st.binary(max_size=20),
            st.sampled_from(
                [b'10.0.0.0/8', b'::/0', b'zstd', b'9', b'yes', b'isal', b'"']
            ),
        ),
        max_size=6,
    ),
    st.sampled_from([b'10.0.0.1', b'::1', b'', b'\xff']),
)
@hypothesis.settings(max_examples=500, deadline=None)
def test_reading_never_fails_and_gives_what_can_be_served(values, peer):
    got = settings.read(configured(values), environ(peer))
    assert got.engines
    for engine in got.engines:
        engine.compressor(got.level(engine), got.tuning)
    assert got.tuning.zlibbackend in keys.BACKENDS
    for problem in got.problems:
        assert problem.text.startswith(b'wirecomp-policy.')
        assert problem.line.isascii()
        assert b'\n' not in problem.line and b'\x1b' not in problem.line
    assert got.policy is None or b'\n' not in got.policy


def test_without_a_policy_nobody_looks_at_addresses(monkeypatch):
    def fail(*args):
        raise AssertionError

    for name in ('client', 'choose', 'network'):
        monkeypatch.setattr(policy, name, fail)
    ui = configured()
    assert settings.read(ui, environ(b'10.0.0.1')) == settings.read(ui)


@pytest.mark.parametrize(
    'value, prefercompressed, reason',
    [
        (
            b'0.2 comp=zstd', True,
            b'first engine of the server that the client reads, policy a',
        ),
        (b'0.1', True, b'legacy client, policy a'),
        (b'0.2 comp=bzip2', True, b'no common engine, policy a'),
        (b'0.2', False, b'the answer is best left raw, policy a'),
    ],
)  # fmt: skip
def test_the_reason_names_the_policy(value, prefercompressed, reason):
    offer = negotiation.Offer.parse(value)
    hint = negotiation.Hint(prefercompressed)
    chosen = negotiation.choose(offer, Settings(policy=b'a'), hint)
    assert chosen.reason == reason


def test_a_policy_chooses_within_the_offer():
    ui = configured(OFFICE)
    got = settings.read(ui, environ(b'10.0.0.1'))
    for value, mediatype, engine in (
        (b'0.2 comp=zstd', negotiation.MEDIATYPE2, engines.ZSTD),
        (b'0.2 comp=zlib', negotiation.MEDIATYPE1, engines.ZLIB),
        (b'0.1', negotiation.MEDIATYPE1, engines.ZLIB),
    ):
        offer = negotiation.Offer.parse(value)
        chosen = negotiation.choose(offer, got, negotiation.Hint())
        assert (chosen.mediatype, chosen.engine) == (mediatype, engine)


# Whose configuration counts.


def twofold(server, repository):
    """Return (ui of a repository, that of the server): dicts of (section,
    name) to value."""
    base = uimod.ui()
    for (section, name), value in server.items():
        base.setconfig(section, name, value, b'server:1')
    ui = base.copy()
    for (section, name), value in repository.items():
        ui.setconfig(section, name, value, b'hgrc:1')
    return ui, base


ZSTD = (b'server', b'zstdlevel')
REPOCONFIG = keys.REPOCONFIG[:2]
HGRC = {
    ZSTD: b'19',
    (b'server', b'compressionengines'): b'gzip',
    (b'wirecomp', b'zstd-long'): b'no',
    (b'wirecomp', b'max-clients'): b'1',
    (b'wirecomp', b'trusted-proxies'): b'0.0.0.0/0',
    (b'wirecomp-policy', b'a.networks'): b'0.0.0.0/0',
    (b'wirecomp-policy', b'a.zstdlevel'): b'22',
}


@pytest.mark.parametrize('value', (b'ignore', b'Ignore'))
def test_what_a_repository_sets_is_ignored(value):
    ui, base = twofold({ZSTD: b'2', REPOCONFIG: value}, HGRC)
    got = settings.read(ui, environ(b'10.0.0.1'), base)
    expected = settings.read(base, environ(b'10.0.0.1'))
    assert got._replace(problems=()) == expected
    assert got.level(engines.ZSTD) == 2
    said = [problem.text for problem in got.problems]
    for place in list(HGRC)[:6]:
        text = b'%s.%s: ignored, wirecomp.repo-config is ignore' % place
        assert text in said
    # Of the policies one is enough.
    assert len(said) == 6
    assert not any(problem.fatal for problem in got.problems)
    settings.refuse(ui, base)


def test_what_a_repository_sets_counts_otherwise():
    for server in ({}, {REPOCONFIG: b'allow'}):
        ui, base = twofold({ZSTD: b'2', **server}, {ZSTD: b'19'})
        got = settings.read(ui, None, base)
        assert got.level(engines.ZSTD) == 19
        assert not got.problems


@pytest.mark.parametrize(
    'server, wins', [({}, 19), ({REPOCONFIG: b'ignore'}, 3)]
)
@pytest.mark.parametrize('own', (b'ignore', b'allow', b'nonsense'))
def test_a_repository_has_no_say_in_that(server, wins, own):
    ui, base = twofold(server, {ZSTD: b'19', REPOCONFIG: own})
    got = settings.read(ui, None, base)
    assert got.level(engines.ZSTD) == wins
    said = [
        problem for problem in got.problems if b'repo-config:' in problem.text
    ]
    assert [problem.text for problem in said] == [
        b'wirecomp.repo-config: ignored, it has no effect in a repository'
    ]
    assert said[0].source == b'hgrc:1'
    assert not said[0].fatal


def test_a_mistake_in_it_stops_the_server():
    ui, base = twofold({REPOCONFIG: b'ignroe'}, {})
    (problem,) = settings.read(ui, None, base).problems
    assert problem.fatal
    assert problem.text == b"wirecomp.repo-config: bad value 'ignroe'"
    assert problem.hint == b'use allow or ignore'
