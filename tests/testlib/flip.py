#!/usr/bin/env python3
"""A proxy that flips one bit of an answer, as bad memory on the way would.

    flip.py PORT OFFSET [--nth N] [--bit B]

Listens at a free port, which it prints, and passes everything on to and from
the HTTP server at PORT, but for bit B (0 to 7) of the byte at OFFSET of the
body of the N-th getbundle answer. Offsets count the bytes of the answer alone:
the lines that chunked encoding adds are left as they are.
"""

import argparse
import contextlib
import socket
import threading


class Proxy:
    """A proxy in front of the server at port ``target`` (int).

    Listens at ``port``. ``flip(offset, bit)`` arms it for the ``nth`` getbundle
    answer from now on; afterwards ``flipped`` tells whether it had such a byte,
    ``size`` how long the body of that answer was.
    """

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        self.flip(None)
        threading.Thread(target=self.accept, daemon=True).start()

    def flip(self, offset, bit=0, nth=1):
        """Arm for a bit (0 to 7) of a byte; None as the offset: only count."""
        self.offset, self.bit, self.nth = offset, bit, nth
        self.seen = self.size = 0
        self.flipped = False

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            threading.Thread(
                target=self.serve, args=(client,), daemon=True
            ).start()

    def serve(self, client):
        """Pass on what one connection asks and is answered."""
        server = socket.create_connection(('127.0.0.1', self.target))
        with client, server, contextlib.suppress(OSError):
            asked, answered = client.makefile('rb'), server.makefile('rb')
            while True:
                head = readhead(asked)
                if not head:
                    return
                server.sendall(head)
                body = asked.read(number(head, b'content-length') or 0)
                server.sendall(body)
                self.answer(head, answered, client)

    def answer(self, request, answered, client):
        """Pass one answer on, changed if it is the one."""
        change = self.keep
        if b'cmd=getbundle' in request.split(b'\r\n', 1)[0]:
            self.seen += 1
            if self.seen == self.nth:
                change = self.change
        head = readhead(answered)
        client.sendall(head)
        if b'transfer-encoding: chunked' in head.lower():
            while self.chunk(answered, client, change):
                pass
            return
        length = number(head, b'content-length')
        if length is not None:
            client.sendall(change(answered.read(length)))
            return
        for data in iter(lambda: answered.read1(1 << 16), b''):
            client.sendall(change(data))
        client.shutdown(socket.SHUT_RDWR)

    def chunk(self, answered, client, change):
        """Pass one chunk on; return whether another follows (bool)."""
        line = answered.readline()
        size = int(line or b'0', 16)
        data = answered.read(size)
        client.sendall(line + change(data) + answered.readline())
        return bool(size)

    def keep(self, data):
        return data

    def change(self, data):
        """Return the next bytes of the answer, with the bit flipped in them."""
        start, self.size = self.size, self.size + len(data)
        if self.offset is None or not start <= self.offset < self.size:
            return data
        data = bytearray(data)
        data[self.offset - start] ^= 1 << self.bit
        self.flipped = True
        return bytes(data)


def readhead(file):
    """Return all bytes up to the empty line, b'' at the end."""
    lines = []
    while not lines or lines[-1] not in (b'\r\n', b'\n'):
        lines.append(file.readline())
        if not lines[-1]:
            return b''
    return b''.join(lines)


def number(head, name):
    """Return the number in a header (lower-case name), or None."""
    for line in head.split(b'\r\n')[1:]:
        found, _colon, value = line.partition(b':')
        if found.lower() == name:
            return int(value)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('offset', type=int)
    parser.add_argument('--nth', type=int, default=1)
    parser.add_argument('--bit', type=int, default=0)
    opts = parser.parse_args()
    proxy = Proxy(opts.port)
    proxy.flip(opts.offset, opts.bit, opts.nth)
    print(proxy.port, flush=True)
    threading.Event().wait()


if __name__ == '__main__':
    main()
