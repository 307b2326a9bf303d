"""Requests that no client should send, made from a seed: what fuzz.py sends.

A case is what goes out on one connection at once: one request or several.
Each is known by (seed, number) alone, so that it can be made again.
"""

import random
import urllib.parse

from fuzzdata import (
    ARGUMENTS,
    COMMANDS,
    ENCODINGS,
    LENGTHS,
    METHODS,
    NASTY,
    NULL,
    PROTOS,
    SERVED,
)


class Request:
    """One request: ``raw`` bytes, and what an answer to it may be.

    ``framed``: where it ends is beyond doubt. ``plain``: moreover it has no
    body, so the server must answer. ``whole``: nothing of it is missing.
    ``garbled``: its first line can't be read, so the answer may be headless.
    ``exact``: what the body of the answer must be (bytes), or None.
    """

    def __init__(self, method):
        self.method = method
        self.raw = b''
        self.framed = self.plain = self.whole = True
        self.garbled = False
        self.exact = None


class Case:
    """What goes out on one connection: ``requests``, ``raw`` (bytes).

    ``whole`` (bool): each is a whole request. ``wire`` (bool): all are of the
    wire protocol; a mutated one may ask for a page of hgweb, which has faults
    of its own (up to hg63).
    """

    def __init__(self, requests):
        self.requests = requests
        self.raw = b''.join(request.raw for request in requests)
        self.whole = requests[-1].whole
        first = requests[-1].raw.partition(b'\n')[0]
        self.wire = self.whole or b'?cmd=' in first


class Maker:
    """Makes cases for a server: ``heads`` is the right answer to the command
    of this name (bytes), ``bundle`` a bundle of the repository (bytes)."""

    def __init__(self, seed, heads, bundle):
        self.seed = seed
        self.heads = heads
        self.bundle = bundle
        self.rand = None

    def case(self, number):
        """Return the Case of this number (int)."""
        self.rand = random.Random('%d/%d' % (self.seed, number))
        count = 1
        if self.often(0.3):
            count = self.rand.randint(2, 4)
        requests = [self.request() for _ in range(count - 1)]
        requests = [one for one in requests if one.whole]
        return Case([*requests, self.request()])

    def often(self, share):
        return self.rand.random() < share

    def one(self, options):
        return self.rand.choice(options)

    def node(self):
        """Return what may stand for nodes: right, unknown or malformed."""
        known = self.one(self.heads.split() or [NULL])
        unknown = b'%040x' % self.rand.getrandbits(160)
        return self.one(
            (
                known,
                known,
                NULL,
                unknown,
                b'f' * 40,
                known[:12],
                known + b'0',
                known.upper(),
                known + b' ' + unknown,
                known + b'+' + NULL,
                known + b'-' + unknown,
                known + b'  ' + known,
                b'zz' * 20,
                b'\x00' * 20,
                self.nasty(),
            )
        )

    def nasty(self):
        return self.one(NASTY)

    def value(self, name):
        """Return a value for an argument, often quoted, sometimes not."""
        if name in (b'cg', b'stream', b'phases', b'obsmarkers', b'cbattempted'):
            value = self.one((b'1', b'0', b'2', self.nasty()))
        elif name == b'bundlecaps':
            value = self.one(
                (
                    b'HG20,bundle2=HG20%0Achangegroup%3D01%2C02',
                    b'HG20,bundle2=HG20%0Astream%3Dv2',
                    b'HG20,bundle2=' + self.nasty(),
                    b'HG20',
                    b',,,bundle2',
                )
            )
        elif name == b'namespace':
            value = self.one((b'phases', b'bookmarks', b'namespaces', b'x'))
        elif name == b'cmds':
            value = self.batch()
        else:
            value = self.node()
        if self.often(0.1):
            value = self.nasty()
        if self.often(0.8):
            return urllib.parse.quote_from_bytes(value).encode()
        return value

    def batch(self):
        commands = []
        for _ in range(self.rand.randint(0, 4)):
            name = self.one(COMMANDS)
            args = b','.join(
                arg + b'=' + self.node() for arg in self.arguments(name)
            )
            commands.append(name + self.one((b' ', b'', b'  ')) + args)
        return b';'.join(commands)

    def arguments(self, name):
        """Return names of arguments of a command, some missing or wrong."""
        names = ARGUMENTS.get(name, b'').split()
        if self.often(0.3):
            names = [arg for arg in names if self.often(0.6)]
        if self.often(0.1):
            names.append(self.one((b'cmd', b'nosuch', self.nasty())))
        return names

    def encoded(self, name):
        """Return the arguments of a command as in a query (bytes)."""
        pairs = [
            b'%s=%s' % (arg, self.value(arg)) for arg in self.arguments(name)
        ]
        return b'&'.join(pairs)

    def request(self):
        """Return a Request of any kind."""
        kind = self.rand.random()
        if kind < 0.15:
            return self.probe()
        if kind < 0.25:
            return self.mutated()
        if kind < 0.32:
            return self.short()
        return self.command()

    def probe(self):
        """Return a request with just one right answer."""
        request = Request(b'GET')
        request.raw = b'GET /?cmd=heads HTTP/1.1\r\nHost: localhost\r\n\r\n'
        request.exact = self.heads
        return request

    def command(self):
        """Return a request for a command, with hostile fields."""
        name = self.one(COMMANDS)
        if self.often(0.04):
            name = self.nasty()
        method = b'GET'
        if name == b'unbundle' or self.often(0.25):
            method = b'POST'
        elif self.often(0.25):
            method = self.one(METHODS)
        request = Request(method)
        args = self.encoded(name)
        where = self.rand.random()
        query, headers, body = b'cmd=' + name, [b'Host: localhost'], None
        if where < 0.3:
            query += b'&' + args
        elif where < 0.75:
            headers += self.split(b'X-HgArg', args)
        else:
            body = args
            headers.append(b'X-HgArgs-Post: ' + self.size(len(args)))
        if name == b'unbundle' and self.often(0.8):
            body = (body or b'') + self.pushed()
        elif self.often(0.15):
            body = (body or b'') + self.smuggled()
        headers += self.extras()
        self.frame(request, headers, body)
        self.firstline(request, query)
        if (
            len(headers) > 90
            or max(map(len, headers)) > 60000
            or b'Connection: close' in headers
            or request.method not in SERVED
        ):
            request.plain = False
        self.rand.shuffle(headers)
        self.assemble(request, headers, body)
        return request

    def split(self, prefix, value):
        """Return the lines of a value split over numbered headers."""
        width = self.one((1000, 1000, 50, 7))
        if len(value) > 80 * width:
            width = len(value)
        lines = []
        for number, start in enumerate(range(0, len(value), width), 1):
            if self.often(0.02):
                number = self.one((b'0', b'-1', b'x', b'1'))
            part = value[start : start + width]
            lines.append(b'%s-%s: %s' % (prefix, b'%s' % _dec(number), part))
        return lines

    def size(self, length):
        """Return a value of X-HgArgs-Post for so many bytes of arguments."""
        sizes = [b'%d' % length] * 4
        sizes += [b'-1', b'-%d' % length, b'9' * 15, b'%d' % (length + 1000)]
        return self.one([*sizes, b'+%d' % length, b'1_0', self.nasty()])

    def extras(self):
        """Return lines of further headers."""
        lines = []
        if self.often(0.5):
            value = self.one(PROTOS)
            if self.often(0.2):
                value = self.nasty()
            lines += self.split(b'X-HgProto', value)
        if self.often(0.3):
            name = self.one(
                (b'Accept', b'User-Agent', b'Referer', b'Authorization')
                + (b'X-Forwarded-For', b'Cookie', b'If-None-Match', b'Host')
            )
            lines.append(name + b': ' + self.nasty())
        if self.often(0.15):
            value = self.one((b'close', b'keep-alive', b'upgrade, x'))
            lines.append(b'Connection: ' + value)
        if self.often(0.05):
            lines.append(b'Accept: application/mercurial-0.1')
        if self.often(0.03):
            lines += [b'X-Many-%d: %d' % (n, n) for n in range(120)]
        return lines

    def pushed(self):
        """Return a body for unbundle."""
        body = self.one((self.bundle, self.damaged(self.bundle)))
        empty = b'HG20\0\0\0\0\0\0\0\0'
        begins = (b'HG10UN', b'HG10GZ', b'HG10BZ', b'HG20\0\0\0\x0eCompression')
        return self.one((body, body, empty, self.one(begins), self.nasty()))

    def smuggled(self):
        """Return a body that would be a request, if it were taken for one."""
        target = self.one((b'branchmap', b'capabilities', b'listkeys'))
        inner = b'GET /?cmd=%s HTTP/1.1\r\nHost: inner\r\n\r\n' % target
        return self.one(
            (inner, inner, b'\r\n' + inner, inner * 20, b'x' * 70000)
        )

    def damaged(self, data):
        """Return bytes with one to three places changed."""
        data = bytearray(data)
        for _ in range(self.rand.randint(1, 3)):
            at = self.rand.randrange(len(data))
            how = self.rand.randrange(3)
            if how == 0:
                data[at] ^= 1 << self.rand.randrange(8)
            elif how == 1:
                del data[at : at + self.rand.randint(1, 4)]
            else:
                data[at:at] = self.nasty()[:40]
        return bytes(data)

    def frame(self, request, headers, body):
        """Add what says how long the body (bytes or None) is."""
        if body is None:
            if request.method in (b'POST', b'PUT') and self.often(0.7):
                headers.append(b'Content-Length: 0')
            elif self.often(0.05):
                self.unframe(request, headers, b'')
            return
        request.plain = False
        if self.often(0.7):
            headers.append(b'Content-Length: %d' % len(body))
            if self.often(0.1):
                headers.append(b'Expect: 100-continue')
            return
        self.unframe(request, headers, body)

    def unframe(self, request, headers, body):
        """Add headers that leave in doubt how long the body is."""
        request.framed = request.plain = False
        good = b'Content-Length: %d' % len(body)
        how = self.rand.randrange(8)
        if how == 0:
            value = self.one(LENGTHS)
            # Each % stands for the length.
            value = value.replace(b'%d', b'%d' % len(body))
            value = value.replace(b'%x', b'%x' % len(body))
            headers.append(b'Content-Length: ' + value)
        elif how == 1:
            headers += [good, b'Content-Length: %d' % self.rand.randrange(99)]
        elif how == 2:
            headers += [good, good]
        elif how == 3:
            headers.append(b'Transfer-Encoding: ' + self.one(ENCODINGS))
        elif how == 4:
            headers += [good, b'Transfer-Encoding: ' + self.one(ENCODINGS)]
        elif how == 5:
            headers.append(good.replace(b':', b' :'))
        elif how == 6:
            headers.append(self.one((b'no colon', b': empty', b' folded')))
            headers.append(good)
        else:
            headers.append(self.one((b'X: a\rb: ', b'X: a\r\r')) + good)

    def firstline(self, request, query):
        """Put the request line into ``request``, from its query (bytes)."""
        path = b'/'
        if self.often(0.06):
            path = self.one((b'', b'//', b'/nosuch', b'/%2e%2e', b'*'))
        elif self.often(0.04):
            path = b'/' + self.nasty()
        target = path + b'?' + query
        version = b'HTTP/1.1'
        if self.often(0.1):
            version = self.one(
                (b'HTTP/1.0', b'HTTP/1.0', b'HTTP/2.0', b'HTTP/x')
            )
        # What splits the line as Python does makes other fields of it.
        words = (request.method + b' ' + target).decode('latin-1').split()
        request.garbled = len(words) != 2 or version not in (
            b'HTTP/1.1',
            b'HTTP/1.0',
        )
        if len(target) > 60000:
            request.garbled = True
        if request.garbled or version != b'HTTP/1.1':
            request.plain = False
        request.line = b' '.join((request.method, target, version))

    def assemble(self, request, headers, body):
        end = b'\n' if self.often(0.03) else b'\r\n'
        lines = [request.line, *headers, b'', b'']
        request.raw = end.join(lines) + (body or b'')

    def mutated(self):
        """Return a valid request, changed in a few places."""
        base = self.command()
        request = Request(base.method)
        request.raw = self.damaged(base.raw)
        request.framed = request.plain = request.whole = False
        request.garbled = True
        return request

    def short(self):
        """Return a request that ends too early."""
        base = self.command()
        request = Request(base.method)
        request.raw = base.raw[: self.rand.randrange(1, len(base.raw))]
        request.framed = request.plain = request.whole = False
        request.garbled = True
        return request


def _dec(number):
    return number if isinstance(number, bytes) else b'%d' % number
