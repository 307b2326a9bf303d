#!/usr/bin/env python3
"""Ask a server for replies, and print how they differ from those as they are.

    replies.py [options] PORT WHAT...

WHAT is the name of a command, with arguments as NAME=VALUE behind it, joined by
``&``; ``unbundle`` pushes a bundle2 that sets each bookmark that there is to
what it is. Each is asked for without X-HgProto, and then with that of --proto,
and printed are media type and engine of the latter, whether it stands for the
same bytes, and what is wrong with its Content-Length. Uses neither Mercurial
nor wirecomp.
"""

import argparse
import http.client
import struct
import sys

import wireget

POSTED = ('unbundle', 'pushkey', 'putlfile')
# Some servers take no longer header.
PIECE = 4000
FORCE = b'force'.hex()


def frame(data):
    return struct.pack('>i', len(data)) + data


def part(number, kind, params, payload=b''):
    """Return a part of a bundle2 whose parameters are mandatory."""
    pairs = [(k.encode(), v.encode()) for k, v in params]
    header = bytes([len(kind)]) + kind + struct.pack('>i', number)
    header += bytes([len(pairs), 0])
    header += b''.join(bytes([len(k), len(v)]) for k, v in pairs)
    header += b''.join(k + v for k, v in pairs)
    return frame(header) + (frame(payload) if payload else b'') + frame(b'')


def push(bookmarks):
    """Return a bundle2 that sets bookmarks (dict of name to node)."""
    made = b'HG20' + frame(b'')
    made += part(0, b'replycaps', (), b'pushkey\nerror=abort')
    for number, (key, value) in enumerate(sorted(bookmarks.items()), 1):
        params = ('namespace', 'bookmarks'), ('key', key)
        params += ('old', value), ('new', value)
        made += part(number, b'PUSHKEY', params)
    return made + frame(b'')


class Asking:
    """Asks one server, at a path, with more headers."""

    def __init__(self, port, path, headers):
        self.port = port
        self.path = path
        self.headers = headers

    def ask(self, what, protos=()):
        """Return (status, dict of headers, body)."""
        cmd, _and, args = what.partition('&')
        headers = dict(self.headers)
        for number, value in enumerate(protos, 1):
            headers['X-HgProto-%d' % number] = value
        body = None
        if cmd in POSTED:
            body = b''
            headers['Content-Type'] = 'application/mercurial-0.1'
        if cmd == 'unbundle' and not args:
            marks = self.ask('listkeys&namespace=bookmarks')[2].decode()
            lines = (line.split('\t') for line in marks.splitlines())
            body, args = push(dict(lines)), 'heads=' + FORCE
        if args:
            for at in range(0, len(args), PIECE):
                name = 'X-HgArg-%d' % (at // PIECE + 1)
                headers[name] = args[at : at + PIECE]
        conn = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        method = 'GET' if body is None else 'POST'
        url = '%s?cmd=%s' % (self.path, cmd)
        conn.request(method, url, body=body, headers=headers)
        answer = conn.getresponse()
        lowered = {k.lower(): v for k, v in answer.getheaders()}
        data = answer.read()
        conn.close()
        return answer.status, lowered, data

    def compare(self, what, protos):
        """Return in words how the reply differs."""
        status, headers, plain = self.ask(what)
        base = '%s %s' % (status, headers.get('content-type'))
        status, headers, body = self.ask(what, protos)
        mediatype = headers.get('content-type')
        said = '%s %s' % (status, mediatype)
        if said == base and body == plain:
            said = said.replace('application/', '') + ', as it is'
        elif mediatype == 'application/mercurial-0.2':
            engine, data = wireget.decode(mediatype, body)
            same = 'same' if data == plain else 'NOT THE SAME'
            smaller = 'smaller' if len(body) < len(plain) else 'NOT SMALLER'
            said = '%s mercurial-0.2, %s, %s, %s' % (
                *(status, engine, same, smaller),
            )
        else:
            said += ', NOT THE SAME: %r' % body[:60]
        length = headers.get('content-length')
        if length is None:
            said += ', no Content-Length'
        elif int(length) != len(body):
            said += ', WRONG Content-Length'
        return '%s: %s' % (what.split('&')[0], said)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('what', nargs='+')
    parser.add_argument('--path', default='/')
    parser.add_argument('--proto', action='append', default=[])
    opts = parser.parse_args(argv)
    asking = Asking(opts.port, opts.path, {})
    for what in opts.what:
        print(asking.compare(what, opts.proto))


if __name__ == '__main__':
    main(sys.argv[1:])
