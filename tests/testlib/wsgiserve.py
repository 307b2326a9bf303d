#!/usr/bin/env python3
"""Serve hgweb through the standard library's WSGI server.

    wsgiserve.py PORT REPOSITORY-OR-CONFIG

The server's error log is standard error; a line on standard output says when
it listens.
"""

import os
import socketserver
import sys
from wsgiref import simple_server

from mercurial import demandimport

demandimport.enable()

from mercurial.hgweb import hgweb  # noqa: E402


class Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True


class Handler(simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


class Broken:
    def write(self, text):
        raise OSError('no space left on device')

    flush = None


if os.environ.get('BARE'):
    # Some scripts still name the class: in 7.2 it initialises nothing.
    from mercurial.hgweb.hgwebdir_mod import hgwebdir as hgweb  # noqa: F811
hgapp = hgweb(os.fsencode(sys.argv[2]))


def app(environ, respond):
    if os.environ.get('WSGIERRORS') == 'broken':
        environ['wsgi.errors'] = Broken()
    return hgapp(environ, respond)


server = simple_server.make_server(
    '127.0.0.1', int(sys.argv[1]), app, Server, Handler
)
print('listening', flush=True)
server.serve_forever()
