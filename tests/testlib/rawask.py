#!/usr/bin/env python3
"""Send bytes to an HTTP server, as they are, and print what it answers.

    rawask.py PORT METHOD... < BYTES

On standard input \\r\\n may be written as a line end; a last line that is
empty is sent too. For each METHOD the answer of a request with it is read:
its status, the headers that matter, and the begin of its body. At the end:
whether the connection was kept.
"""

import sys

import rawhttp

SHOWN = (
    b'content-type',
    b'cache-control',
    b'x-accel-buffering',
    b'retry-after',
)


def show(answer):
    print(answer.status, end='')
    for name in SHOWN:
        if name in answer.headers:
            print('', answer.headers[name].decode('ascii'), end='')
    body = answer.body[:60]
    print(':', ascii(body)[2:-1] if body else 'no body')


def kept(conn):
    """Return in words whether the connection still answers a request."""
    conn.send(b'GET /?cmd=hello HTTP/1.1\r\nHost: localhost\r\n\r\n')
    try:
        answer = conn.answer()
    except rawhttp.Cut:
        return 'closed'
    right = answer.body.startswith(b'capabilities: ')
    return 'kept' if right and not conn.buffer else 'desynchronised'


def main(port, *methods):
    data = sys.stdin.buffer.read().replace(b'\n', b'\r\n')
    with rawhttp.Connection(int(port)) as conn:
        conn.send(data)
        for method in methods:
            show(conn.answer(method.encode('ascii')))
        print(kept(conn))


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
