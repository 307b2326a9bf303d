#!/usr/bin/env python3
"""Stand between a client and a server, and write down what is pushed.

    recorder.py PORT BACKENDPORT LOG [options]

Listens at 127.0.0.1:PORT for 127.0.0.1:BACKENDPORT. For each request with a
bundle LOG gets a line: the bundle, which of the bodies it is (equal ones have
one number) and the status of the answer; LOG.body is the last body. Other
commands than ``unbundle`` that push (``pushkey``) are a line too. Its pid is
appended to $DAEMON_PIDS. Returns when it listens.

Needs nothing beyond the standard library of Python 3.9.
"""

import argparse
import base64
import http.client
import os
import struct
import sys
import threading
import urllib.parse
from http import server

PUSHING = ('unbundle', 'pushkey')
# Headers of one connection, not of the answer.
HOPS = {'connection', 'keep-alive', 'transfer-encoding', 'content-length'}


def parseargs(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('backend', type=int)
    parser.add_argument('log')
    add = parser.add_argument
    add('--auth', help='USER:PASSWORD that is asked for')
    add('--only-push', action='store_true', help='asked for by pushes alone')
    add('--redirect', type=int, help='status that sends pushes elsewhere')
    add('--to', type=int, help='port of elsewhere')
    return parser.parse_args(argv)


def bundle(body):
    """Return what a body (bytes) is, in words."""
    if not body.startswith(b'HG20'):
        return body[:6].decode('ascii', 'replace') if body else 'nothing'
    (length,) = struct.unpack('>i', body[4:8])
    params = urllib.parse.unquote(body[8 : 8 + length].decode('ascii'))
    return 'bundle2 %s' % (params or 'plain')


class Handler(server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        query = urllib.parse.parse_qs(self.path.partition('?')[2])
        command = query.get('cmd', [''])[0]
        status, headers, answer = self.answer(command, body)
        if command in PUSHING:
            self.record(command, body, status)
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in HOPS:
                self.send_header(name, value)
        self.send_header('Content-Length', len(answer))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET

    def answer(self, command, body):
        """Return (status, headers, body) of the answer."""
        opts = self.server.opts
        pushes = command in PUSHING
        if opts.auth and (pushes or not opts.only_push):
            word = base64.b64encode(opts.auth.encode()).decode()
            if self.headers.get('Authorization') != 'Basic ' + word:
                wanted = 'Basic realm="recorder"'
                return 401, [('WWW-Authenticate', wanted)], b'who?'
        if opts.redirect and pushes:
            url = 'http://localhost:%d%s' % (opts.to, self.path)
            return opts.redirect, [('Location', url)], b''
        conn = http.client.HTTPConnection('127.0.0.1', opts.backend)
        headers = {
            name: value
            for name, value in self.headers.items()
            if name.lower() not in HOPS
        }
        conn.request(self.command, self.path, body or None, headers)
        response = conn.getresponse()
        try:
            return response.status, response.getheaders(), response.read()
        finally:
            conn.close()

    def record(self, command, body, status):
        body = body[int(self.headers.get('X-HgArgs-Post', 0)) :]
        with self.server.lock:
            number = self.server.bodies.setdefault(
                body, len(self.server.bodies) + 1
            )
            words = (command, self.command, bundle(body), number, status)
            with open(self.server.opts.log, 'a') as log:
                log.write('%s: %s, %s, body %d: %d\n' % words)
            with open(self.server.opts.log + '.body', 'wb') as out:
                out.write(body)

    def log_message(self, *args):
        pass


class Server(server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # A client may go away at any time.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main(argv):
    opts = parseargs(argv)
    opts.log = os.path.abspath(opts.log)
    listening = Server(('127.0.0.1', opts.port), Handler)
    listening.opts = opts
    listening.lock = threading.Lock()
    listening.bodies = {}
    pid = os.fork()
    if pid:
        with open(os.environ['DAEMON_PIDS'], 'a') as pids:
            pids.write('%d\n' % pid)
        return
    os.setsid()
    with open(opts.log + '.errors', 'ab') as errors:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(errors.fileno(), stream.fileno())
    listening.serve_forever()


if __name__ == '__main__':
    main(sys.argv[1:])
