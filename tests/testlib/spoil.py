#!/usr/bin/env python3
"""A proxy that spoils answers in a way that the first part of the path names.

    spoil.py PORT [--cmd CMD] [--pid-file FILE]

Listens at a free port, which it prints, and asks the HTTP server at PORT for
the rest of the path: /flip/repo is /repo. Only answers to CMD (getbundle) are
spoilt:

flip      one bit in the middle is another
short     the last third is missing, of the body and of its Content-Length
cut       the connection ends after two thirds
stall     nothing comes after two thirds
silent    nothing comes at all
type      the Content-Type has a parameter
older     the Content-Type says 0.1
newer     the Content-Type says 0.9
text      the Content-Type is that of a page
engine    the name of the engine is one that nobody knows
nameless  the name of the engine has no letters
empty     there is no body
fail      the status is 500
"""

import argparse
import http.client
import http.server
import os
import threading
import urllib.parse

TYPES = {
    'type': 'application/mercurial-0.2; charset=utf-8',
    'older': 'application/mercurial-0.1',
    'newer': 'application/mercurial-0.9',
    'text': 'text/html',
}
DROPPED = ('content-length', 'transfer-encoding', 'connection')


def spoilbody(how, body):
    """Return what ``how`` makes of ``body`` (bytes)."""
    if how == 'flip':
        middle = len(body) // 2
        flipped = bytes([body[middle] ^ 16])
        return body[:middle] + flipped + body[middle + 1 :]
    if how == 'short':
        return body[: len(body) * 2 // 3]
    if how == 'engine':
        return b'\3foo' + body[1 + body[0] :]
    if how == 'nameless':
        return b'\0' + body[1 + body[0] :]
    return b'' if how == 'empty' else body


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        _start, how, path = url.path.split('/', 2)
        length = int(self.headers.get('Content-Length') or 0)
        sent = self.rfile.read(length) if length else None
        asked = http.client.HTTPConnection('127.0.0.1', self.server.target)
        asked.request(
            self.command, '/%s?%s' % (path, url.query), sent, self.headers
        )
        answer = asked.getresponse()
        body = answer.read()
        cmd = urllib.parse.parse_qs(url.query).get('cmd')
        if cmd != [self.server.cmd]:
            how = None
        self.answer(answer, spoilbody(how, body), how)

    do_POST = do_GET

    def answer(self, answer, body, how):
        if how == 'silent':
            self.stall()
            return
        status = 500 if how == 'fail' else answer.status
        self.send_response_only(status)
        for name, value in answer.getheaders():
            if name.lower() == 'content-type':
                value = TYPES.get(how, value)
            if name.lower() not in DROPPED:
                self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if how not in ('cut', 'stall'):
            self.wfile.write(body)
            return
        self.wfile.write(body[: len(body) * 2 // 3])
        if how == 'stall':
            self.stall()
        self.close_connection = True

    def stall(self):
        threading.Event().wait(60)
        self.close_connection = True

    def log_message(self, *args):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('--cmd', default='getbundle')
    parser.add_argument('--pid-file')
    opts = parser.parse_args()
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    server.target, server.cmd = opts.port, opts.cmd
    if opts.pid_file:
        with open(opts.pid_file, 'w') as out:
            out.write('%d\n' % os.getpid())
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == '__main__':
    main()
