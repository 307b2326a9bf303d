#!/usr/bin/env python3
"""Ask a Mercurial HTTP server as no client would, and say what came back.

    wireget.py [options] PORT [CMD]

Knows the protocol by itself: it uses neither Mercurial nor wirecomp, so that
it can tell what either sends.
"""

import argparse
import bz2
import http.client
import os
import struct
import sys
import urllib.parse
import zlib

import zstandard

CAPS = 'HG20\nchangegroup=01,02,03\nstream=v2\nerror=abort'
CAPS4 = 'HG20\nchangegroup=04\ndelta-compression=none,zlib,zstd\nerror=abort'
NULL = '0' * 40


def parseargs(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('cmd', nargs='?', default='getbundle')
    parser.add_argument('--path', default='/')
    parser.add_argument('--proto', action='append', default=[])
    parser.add_argument('--header', action='append', default=[])
    parser.add_argument('--arg', action='append', default=[])
    parser.add_argument('--stream', action='store_true')
    parser.add_argument('--bundle1', action='store_true')
    parser.add_argument('--cg4', action='store_true')
    parser.add_argument('--heads', default='')
    parser.add_argument('--save', help='write the raw body to this file')
    parser.add_argument('--from', dest='source', help='ask from this address')
    parser.add_argument('--all', action='store_true', help='all headers, body')
    return parser.parse_args(argv)


def request(port, path, headers, source=None):
    """Return (status, list of header pairs, body) of one GET.

    ``source`` (str) is the address of the client, by default any.
    """
    conn = http.client.HTTPConnection(
        '127.0.0.1', port, timeout=60, source_address=source and (source, 0)
    )
    conn.putrequest('GET', path, skip_accept_encoding=True)
    for name, value in headers:
        conn.putheader(name, os.fsencode(value))
    conn.endheaders()
    response = conn.getresponse()
    return response.status, response.getheaders(), response.read()


def arguments(opts):
    args = dict(arg.split('=', 1) for arg in opts.arg)
    if opts.cmd != 'getbundle':
        return args
    args.setdefault('common', NULL)
    args.setdefault('heads', opts.heads or allheads(opts))
    if not opts.bundle1:
        args.setdefault('cg', '0' if opts.stream else '1')
        caps = urllib.parse.quote(CAPS4 if opts.cg4 else CAPS, safe='')
        args.setdefault('bundlecaps', 'HG20,bundle2=' + caps)
        if opts.stream:
            args.setdefault('stream', '1')
    return args


def allheads(opts):
    return request(opts.port, opts.path + '?cmd=heads', ())[2].decode().strip()


def decode(mediatype, body):
    """Return (what the encoding is, decoded bytes)."""
    if mediatype == 'application/mercurial-0.2':
        name = body[1 : 1 + body[0]].decode('ascii')
        data = body[1 + body[0] :]
        if name == 'zstd':
            inflater = zstandard.ZstdDecompressor().decompressobj()
            return name, inflater.decompress(data)
        if name == 'bzip2':
            return name, bz2.decompress(data)
        if name == 'zlib':
            return name, inflate(data)
        return name, data
    try:
        # RFC 1951: after the first bit of a block come two with its type.
        stored = not body[2] & 6
        return 'zlib, stored' if stored else 'zlib', inflate(body)
    except (zlib.error, IndexError):
        return 'as it is', body


def inflate(data):
    inflater = zlib.decompressobj()
    inflated = inflater.decompress(data) + inflater.flush()
    if not inflater.eof:
        raise SystemExit('the zlib stream has no end')
    return inflated


def describe(data):
    """Return what a decoded answer holds, in words."""
    if data[:4] != b'HG20':
        return 'data' if len(data) > 80 else repr(data)[1:]
    pos = 8 + struct.unpack_from('>i', data, 4)[0]
    if b'Compression' in data[8:pos]:
        return 'HG20, compressed itself'
    parts = []
    while True:
        (size,) = struct.unpack_from('>i', data, pos)
        pos += 4
        if not size:
            break
        length = data[pos]
        parts.append(data[pos + 1 : pos + 1 + length].decode().lower())
        pos += size
        while True:
            (size,) = struct.unpack_from('>i', data, pos)
            pos += 4
            if not size:
                break
            pos += size
    if pos != len(data):
        parts.append('garbage')
    return 'HG20 ' + ' '.join(parts)


def target(opts):
    """Return (path, list of header pairs) of the request."""
    query = [('cmd', opts.cmd)]
    headers = [('X-HgArg-1', urllib.parse.urlencode(arguments(opts)))]
    headers += [
        ('X-HgProto-%d' % n, value) for n, value in enumerate(opts.proto, 1)
    ]
    headers += [tuple(header.split('=', 1)) for header in opts.header]
    return opts.path + '?' + urllib.parse.urlencode(query), headers


def main(argv):
    opts = parseargs(argv)
    path, headers = target(opts)
    status, answered, body = request(opts.port, path, headers, opts.source)
    # Some proxies write the names in another case.
    lowered = {name.lower(): value for name, value in answered}
    mediatype = lowered.get('content-type')
    if opts.save:
        with open(opts.save, 'wb') as out:
            out.write(body)
    if opts.all:
        print(status)
        for name, value in answered:
            if name != 'Date':
                print('%s: %s' % (name, value))
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        return
    print(status, mediatype)
    if not body or (mediatype or '').startswith('text/'):
        return
    encoded, data = decode(mediatype, body)
    if encoded == 'zlib, stored':
        if len(body) > len(data) * 1.001 + 64:
            encoded += ', too large'
    print('%s: %s' % (encoded, describe(data)))


if __name__ == '__main__':
    main(sys.argv[1:])
