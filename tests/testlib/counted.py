#!/usr/bin/env python3
"""Ask a server for many things at once, and compare its log with what came.

    counted.py PORT LOG [--requests N] [--threads N]

LOG is the file of ``wirecomp.log``. Each request has an agent of its own, so
that its line can be found: there must be one, with the bytes of the body that
was received, and with those that it decodes to. Prints one line; exits 1 if
anything differs.
"""

import argparse
import bz2
import concurrent.futures
import http.client
import json
import sys
import zlib

import zstandard

NULL = '0' * 40
DECODERS = {
    b'zstd': lambda data: (
        zstandard.ZstdDecompressor().decompressobj().decompress(data)
    ),
    b'zlib': zlib.decompress,
    b'bzip2': bz2.decompress,
    b'none': bytes,
}
BUNDLE = 'bundlecaps=HG20%2Cbundle2%3DHG20%250Achangegroup%253D01%252C02'
# Query, X-HgProto, and whether a 0.1 answer is deflated.
REQUESTS = (
    ('cmd=capabilities', '', False),
    ('cmd=heads', '', False),
    ('cmd=branchmap', '', False),
    ('cmd=lookup&key=tip', '', False),
    ('cmd=lookup', '', False),
    ('cmd=known&nodes=' + NULL, '', False),
    ('cmd=listkeys&namespace=phases', '', False),
    ('cmd=batch&cmds=heads+%3Bknown+nodes%3D', '', False),
    ('cmd=between&pairs=%s-%s' % (NULL, NULL), '', False),
    ('cmd=clonebundles', '', False),
    ('cmd=stream_out', '', False),
    ('cmd=getbundle&%s' % BUNDLE, '0.2 comp=zstd', True),
    ('cmd=getbundle&%s' % BUNDLE, '0.2 comp=zlib', True),
    ('cmd=getbundle&%s' % BUNDLE, '0.2 comp=bzip2', True),
    ('cmd=getbundle&%s&stream=1&cg=0' % BUNDLE, '0.2 comp=zstd', True),
    ('cmd=getbundle', '', True),
    ('cmd=getbundle&heads=' + '1' * 40, '0.2 comp=zstd', False),
)


def ask(port, number):
    """Return (agent, bytes of the body, bytes that it decodes to)."""
    query, proto, deflated = REQUESTS[number % len(REQUESTS)]
    agent = 'counted/%d' % number
    headers = {'User-Agent': agent}
    if proto:
        headers['X-HgProto-1'] = proto
    conn = http.client.HTTPConnection('127.0.0.1', port, timeout=120)
    conn.request('GET', '/?' + query, headers=headers)
    answer = conn.getresponse()
    mediatype, body = answer.getheader('Content-Type'), answer.read()
    conn.close()
    decoded = body
    if mediatype == 'application/mercurial-0.2':
        length = body[0]
        decoded = DECODERS[body[1 : 1 + length]](body[1 + length :])
    elif deflated and mediatype == 'application/mercurial-0.1':
        decoded = zlib.decompress(body)
    return agent, len(body), len(decoded)


def compare(log, counted):
    """Yield in words what differs."""
    lines = {}
    with open(log) as source:
        for line in source:
            record = json.loads(line)
            lines.setdefault(record['agent'], []).append(record)
    for agent, wire, decoded in counted:
        found = lines.get(agent, [])
        got = [(record['wire'], record['source']) for record in found]
        if got != [(wire, decoded)]:
            yield '%s: %r, in the log %r' % (agent, (wire, decoded), found)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('log')
    parser.add_argument('--requests', type=int, default=200)
    parser.add_argument('--threads', type=int, default=8)
    opts = parser.parse_args(argv)
    with concurrent.futures.ThreadPoolExecutor(opts.threads) as pool:
        counted = list(
            pool.map(lambda n: ask(opts.port, n), range(opts.requests))
        )
    different = list(compare(opts.log, counted))
    print('\n'.join(different[:5]))
    print('%d requests, %d differ' % (len(counted), len(different)))
    return bool(different)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
