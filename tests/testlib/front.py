#!/usr/bin/env python3
"""Start a proxy in front of a server, for a .t file.

    front.py KIND PORT BACKENDPORT [options]

KIND is nginx, apache, haproxy or varnish. It listens at 127.0.0.1:PORT for
127.0.0.1:BACKENDPORT with a configuration as small as can be, in a folder of
its own under $TESTTMP; its pid is appended to $DAEMON_PIDS. Returns when it
listens.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time

import parts

BUILD = os.environ.get('WIRECOMPBUILD', '')
# Seconds until a proxy must listen.
BOUND = 20

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/log;
{user}
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_max_body_size {body};
  client_body_temp_path {folder}/client;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream backend {{
    {servers}
  }}
  {http}
  server {{
    listen 127.0.0.1:{port};
    {server}
    location / {{
      proxy_pass http://backend;
      {location}
    }}
  }}
}}
"""

# Anywhere within the names of engines: never beside a space.
SPLIT = """
    set $first $http_x_hgproto_1;
    set $rest "";
    if ($http_x_hgproto_1 ~ "^(.* comp=..)([^ ].*)$") {
      set $first $1;
      set $rest $2;
    }
"""

APACHE = """
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/log
Mutex file:{folder}
DefaultRuntimeDir {folder}
{user}
{modules}
StartServers 1
ThreadsPerChild 16
ServerLimit 1
MaxRequestWorkers 16
ProxyTimeout {timeout}
ProxyPass / http://127.0.0.1:{backend}/
"""

HAPROXY = """
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server {timeout}s
frontend front
  bind 127.0.0.1:{port}
  default_backend back
backend back
  server one 127.0.0.1:{backend}
"""

VARNISH = """
vcl 4.1;
backend default {{
  .host = "127.0.0.1";
  .port = "{backend}";
}}
{more}
"""

# For longer than otherwise; what must not be cached is left to the VCL that
# is built in.
CACHING = """
sub vcl_backend_response {
  set beresp.ttl = 10m;
}
"""


def parseargs(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('kind', choices=sorted(KINDS))
    parser.add_argument('port', type=int)
    parser.add_argument('backend', type=int)
    add = parser.add_argument
    add('--cache', action='store_true', help='nginx, varnish: keep answers')
    add('--timeout', '--read-timeout', type=int, default=60, help='seconds')
    nginx = parser.add_argument_group('nginx')
    add = nginx.add_argument
    add('--buffering', choices=('on', 'off'), default='on')
    add('--http', choices=('1.0', '1.1'), default='1.0')
    add('--gzip', action='store_true', help='of whatever is sent')
    add('--body-size', default='0', help='at most, 0 for any')
    add('--large-headers', action='store_true', help='take 2 MB of them')
    add('--read-only', action='store_true', help='only GET and HEAD')
    add('--drop-header', action='append', default=[])
    add('--split', action='store_true', help='X-HgProto-1 in two')
    add('--forwarded', action='store_true', help='add to X-Forwarded-For')
    add('--auth', help='USER:PASSWORD that is asked for')
    add('--only-push', action='store_true', help='asked for by POST alone')
    add('--second', '--backend', type=int, help='port of another backend')
    return parser.parse_args(argv)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as out:
        out.write(text)
    return path


def nginx(opts, folder, program):
    http, server, location = [], [], []
    location.append('proxy_buffering %s;' % opts.buffering)
    location.append('proxy_http_version %s;' % opts.http)
    location.append('proxy_read_timeout %ds;' % opts.timeout)
    if opts.gzip:
        http.append('gzip on; gzip_types *; gzip_proxied any;')
        http.append('gzip_min_length 0; gzip_http_version 1.0;')
    if opts.cache:
        cache = 'proxy_cache_path %s/cache keys_zone=hg:1m;'
        http.append(cache % folder)
        location.append('proxy_cache hg; proxy_cache_key $uri$is_args$args;')
        location.append('proxy_cache_valid any 10m;')
    if opts.large_headers:
        server.append('large_client_header_buffers 256 8k;')
    if opts.read_only:
        location.append('limit_except GET HEAD { deny all; }')
    for name in opts.drop_header:
        location.append('proxy_set_header %s "";' % name)
    if opts.forwarded:
        value = '$proxy_add_x_forwarded_for'
        location.append('proxy_set_header X-Forwarded-For %s;' % value)
    if opts.split:
        server.append(SPLIT)
        location.append('proxy_set_header X-HgProto-1 $first;')
        location.append('proxy_set_header X-HgProto-2 $rest;')
    if opts.auth:
        user, _colon, password = opts.auth.partition(':')
        line = '%s:{PLAIN}%s\n' % (user, password)
        users = write(folder, 'users', line)
        auth = 'auth_basic hg; auth_basic_user_file %s;' % users
        if opts.only_push:
            auth = 'limit_except GET { %s }' % auth
        location.append(auth)
    ports = [port for port in (opts.backend, opts.second) if port]
    text = NGINX.format(
        folder=folder,
        port=opts.port,
        body=opts.body_size,
        user='user root;' if os.geteuid() == 0 else '',
        servers=' '.join('server 127.0.0.1:%d;' % port for port in ports),
        http='\n  '.join(http),
        server='\n    '.join(server),
        location='\n      '.join(location),
    )
    path = write(folder, 'conf', text)
    return [program, '-p', folder, '-e', folder + '/log', '-c', path]


def apache(opts, folder, program):
    names = ('mpm_event', 'authz_core', 'proxy', 'proxy_http')
    modules = []
    for name in names:
        path = parts.module('mod_%s.so' % name, BUILD)
        modules.append('LoadModule %s_module %s' % (name, path))
    # Another than root, by number: names differ from system to system.
    user = 'User "#65534"\nGroup "#65534"' if os.geteuid() == 0 else ''
    text = APACHE.format(
        folder=folder,
        port=opts.port,
        backend=opts.backend,
        timeout=opts.timeout,
        user=user,
        modules='\n'.join(modules),
    )
    return [program, '-D', 'FOREGROUND', '-f', write(folder, 'conf', text)]


def haproxy(opts, folder, program):
    text = HAPROXY.format(
        port=opts.port, backend=opts.backend, timeout=opts.timeout
    )
    return [program, '-db', '-f', write(folder, 'conf', text)]


def varnish(opts, folder, program):
    more = CACHING if opts.cache else ''
    path = write(folder, 'vcl', VARNISH.format(backend=opts.backend, more=more))
    # Its own user can't read what a test makes.
    jail = ['-j', 'none'] if os.geteuid() == 0 else []
    return [
        program,
        *jail,
        *('-F', '-f', path, '-n', folder + '/work'),
        *('-a', '127.0.0.1:%d' % opts.port),
        *('-s', 'malloc,16m', '-s', 'Transient=malloc,64m'),
        *('-p', 'first_byte_timeout=%d' % opts.timeout),
        *('-p', 'between_bytes_timeout=%d' % opts.timeout),
    ]


# The names of the programs are those of parts.py.
KINDS = {
    'nginx': (nginx, 'nginx'),
    'apache': (apache, 'apache2'),
    'haproxy': (haproxy, 'haproxy'),
    'varnish': (varnish, 'varnishd'),
}


def listens(port):
    try:
        socket.create_connection(('127.0.0.1', port), 1).close()
    except OSError:
        return False
    return True


def start(command, folder, port):
    """Start a proxy; return when it listens, or exit with its log."""
    log = os.path.join(folder, 'log')
    with open(log, 'ab') as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=folder,
            start_new_session=True,
        )
    with open(os.environ['DAEMON_PIDS'], 'a') as pids:
        pids.write('%d\n' % process.pid)
    deadline = time.monotonic() + BOUND
    while time.monotonic() < deadline and process.poll() is None:
        if listens(port):
            return
        time.sleep(0.05)
    with open(log, errors='replace') as said:
        sys.stderr.write(said.read())
    sys.exit('%s does not listen at port %d' % (command[0], port))


def main(argv):
    opts = parseargs(argv)
    configure, name = KINDS[opts.kind]
    program = parts.find(name, BUILD)
    if program is None:
        sys.exit('there is no %s here' % name)
    folder = os.path.join(os.environ['TESTTMP'], 'front-%d' % opts.port)
    if listens(opts.port):
        sys.exit('port %d is taken' % opts.port)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    start(configure(opts, folder, program), folder, opts.port)


if __name__ == '__main__':
    main(sys.argv[1:])
