#!/usr/bin/env python3
"""Serve hgweb by a WSGI server as people use them, in the background.

    appserver.py KIND PORT REPOSITORY-OR-CONFIG

Kinds: gunicorn, gunicorn-threads, waitress, uwsgi, modwsgi. Scripts, logs
(app.log) and so on are in $TESTTMP, pids go to $DAEMON_PIDS. Returns when the
server listens, at 127.0.0.1.
"""

import os
import socket
import subprocess
import sys
import time

import parts

# Seconds in which a server must have started.
BOUND = 30
# Mercurial's own script (its contrib/hgweb.wsgi).
SCRIPT = """from mercurial import demandimport; demandimport.enable()
from mercurial.hgweb import hgweb
application = hgweb(%r)
"""
APACHE = """ServerRoot "%(folder)s"
ServerName localhost
Listen 127.0.0.1:%(port)d
PidFile "%(folder)s/apache.pid"
Mutex "file:%(folder)s"
ErrorLog "%(log)s"
LoadModule mpm_event_module "%(modules)s/mod_mpm_event.so"
LoadModule authz_core_module "%(modules)s/mod_authz_core.so"
LoadModule wsgi_module "%(modules)s/mod_wsgi.so"
WSGISocketPrefix "%(folder)s/w"
WSGIDaemonProcess hg processes=2 threads=4 python-path=%(path)s
WSGIScriptAlias / "%(folder)s/hgwebapp.py"
WSGIProcessGroup hg
WSGIApplicationGroup %%{GLOBAL}
<Directory "%(folder)s">
  Require all granted
</Directory>
"""
BUILD = os.environ.get('WIRECOMPBUILD', '')
# Apache refuses to serve as root, and another user could not read what a test
# makes: there root is somebody else to itself.
NOTROOT = ('unshare', '--user', '--map-user=1000', '--map-group=1000')


def gunicorn(port, *options):
    return [
        *(sys.executable, '-m', 'gunicorn', '--no-control-socket'),
        *('--graceful-timeout', '2', '-b', '127.0.0.1:%d' % port, *options),
        'hgwebapp:application',
    ]


def waitress(port):
    listen = '--listen=127.0.0.1:%d' % port
    return [sys.executable, '-m', 'waitress', listen, 'hgwebapp:application']


def uwsgi(port):
    return [
        os.path.join(os.path.dirname(sys.executable), 'uwsgi'),
        *('--http-socket', '127.0.0.1:%d' % port, '--wsgi-file'),
        *('hgwebapp.py', '--home', sys.prefix, '--master', '--processes', '2'),
        *('--need-app', '--die-on-term', '--buffer-size', '32768'),
    ]


def modwsgi(port):
    folder = os.environ['TESTTMP']
    values = {
        'folder': folder,
        'port': port,
        'log': os.path.join(folder, 'app.log'),
        'modules': apachemodules(),
        'path': os.environ.get('PYTHONPATH', ''),
    }
    with open('apache.conf', 'w') as out:
        out.write(APACHE % values)
    command = [apache(), '-f', os.path.join(folder, 'apache.conf')]
    command += ['-D', 'FOREGROUND']
    return command if os.getuid() else [*NOTROOT, *command]


def apache():
    """Return the path of the program, or None."""
    return parts.find('apache2', BUILD)


def apachemodules():
    """Return the folder of modules with a mod_wsgi for this Python, or None."""
    path = parts.module('mod_wsgi.so', BUILD)
    if path is None:
        return None
    with open(path, 'rb') as module:
        if b'libpython%d.%d.' % sys.version_info[:2] not in module.read():
            return None
    return os.path.dirname(path)


def apacheruns():
    """Return whether an Apache with mod_wsgi can be started here (bool)."""
    if not apache() or not apachemodules():
        return False
    if os.getuid():
        return True
    try:
        return not subprocess.call(
            [*NOTROOT, 'true'], stderr=subprocess.DEVNULL
        )
    except OSError:
        return False


KINDS = {
    'gunicorn': lambda port: gunicorn(port, '-w', '3'),
    'gunicorn-threads': lambda port: gunicorn(
        port, '-k', 'gthread', '--threads', '8'
    ),
    'waitress': waitress,
    'uwsgi': uwsgi,
    'modwsgi': modwsgi,
}


def listens(port):
    try:
        socket.create_connection(('127.0.0.1', port), 1).close()
    except OSError:
        return False
    return True


def start(kind, port, served):
    """Start the server; return None, or in words why it does not listen."""
    os.chdir(os.environ['TESTTMP'])
    with open('hgwebapp.py', 'w') as script:
        script.write(SCRIPT % os.fsencode(os.path.abspath(served)))
    environ = dict(os.environ)
    paths = (os.getcwd(), environ.get('PYTHONPATH', ''))
    environ['PYTHONPATH'] = os.pathsep.join(paths)
    with open('app.log', 'ab') as log:
        process = subprocess.Popen(
            KINDS[kind](port),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environ,
            # Signals for the test are not for the server.
            start_new_session=True,
        )
    with open(os.environ['DAEMON_PIDS'], 'a') as pids:
        pids.write('%d\n' % process.pid)
    deadline = time.monotonic() + BOUND
    while not listens(port):
        if process.poll() is not None:
            return 'it ended with exit code %d' % process.returncode
        if time.monotonic() > deadline:
            return 'it does not listen after %d s' % BOUND
        time.sleep(0.05)
    return None


def main(kind, port, served):
    trouble = start(kind, int(port), served)
    if trouble:
        print('%s: %s; its log:' % (kind, trouble))
        with open('app.log', errors='replace') as log:
            print(log.read())
    return bool(trouble)


if __name__ == '__main__':
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
