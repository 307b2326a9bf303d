#!/usr/bin/env python3
"""Make the proxies and servers of others available to the tests.

    parts.py [--unpack] BUILD

Takes what the system has. What it lacks is fetched as Debian packages, and
unpacked in BUILD/parts/root without touching the system or needing a root's
rights; BUILD/parts/bin/ has a script that starts each. What this machine
can't have is said in one line and left out. With --unpack all is fetched,
whatever the system has.

Needs nothing beyond the standard library of Python 3.9.
"""

import functools
import glob
import os
import re
import shutil
import subprocess
import sys

# What is started, and the packages it comes in.
PACKAGES = {
    'nginx': ('nginx',),
    'haproxy': ('haproxy',),
    'varnishd': ('varnish',),
    'apache2': ('apache2-bin', 'libapache2-mod-wsgi-py3'),
}
SBIN = ('/usr/local/sbin', '/usr/sbin', '/sbin')
MODULES = '/usr/lib/apache2/modules'
VERSION = {'nginx': '-v', 'haproxy': '-v', 'varnishd': '-V', 'apache2': '-v'}

SCRIPT = """#!/bin/sh
LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec %s "$@"
"""


class Absent(Exception):
    """Something that this machine lacks, in words."""


def system(name):
    """Return the path of the system's own program, or None."""
    path = os.pathsep.join((os.environ.get('PATH', os.defpath), *SBIN))
    return shutil.which(name, path=path)


def find(name, build):
    """Return the path with which a program is started, or None.

    What stands in the folder ``build`` (empty: none) goes before what the
    system has.
    """
    script = os.path.join(build, 'parts', 'bin', name)
    if build and os.access(script, os.X_OK):
        return script
    return system(name)


def module(name, build):
    """Return the path of a module of the apache2 that ``find`` returns (as
    ``mod_proxy.so``), or None."""
    root = os.path.join(build, 'parts', 'root') if build else ''
    for folder in (root + MODULES, MODULES):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return None


def run(*args, **kwargs):
    """Run a command, return its output; Absent says why it failed."""
    try:
        done = subprocess.run(
            args,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ, LC_ALL='C'),
            **kwargs,
        )
    except OSError as inst:
        raise Absent('%s: %s' % (args[0], inst.strerror)) from None
    output = done.stdout.decode('utf-8', 'replace')
    if done.returncode:
        said = [line for line in output.splitlines() if line.strip()]
        raise Absent(said[-1] if said else '%s failed' % args[0])
    return output


def complete(name, build):
    """Return whether a program is there with all that the tests use."""
    if name == 'apache2' and not module('mod_wsgi.so', build):
        return False
    return bool(find(name, build))


def status(folder, packages, unpack):
    """Return the path of dpkg's list of what is installed.

    With ``unpack`` a copy without ``packages`` and what came with them alone.
    """
    path = '/var/lib/dpkg/status'
    if not unpack:
        return path
    removed = set(packages)
    said = run('apt-get', '-s', '--auto-remove', 'remove', *packages)
    removed.update(re.findall(r'^Remv (\S+)', said, re.M))
    with open(path) as source:
        blocks = source.read().split('\n\n')
    kept = [
        block
        for block in blocks
        if block.partition('\n')[0].partition(' ')[2] not in removed
    ]
    copy = os.path.join(folder, 'status')
    with open(copy, 'w') as out:
        out.write('\n\n'.join(kept))
    return copy


@functools.lru_cache(None)
def update(folder):
    """Fetch the lists of packages, once per run."""
    run(*apt(folder, '/var/lib/dpkg/status'), 'update')


def apt(folder, installed):
    """Return an apt-get (list of words) whose state is in ``folder``."""
    options = (
        'Dir::State=' + folder,
        'Dir::Cache=' + folder,
        'Dir::State::status=' + installed,
        'Debug::NoLocking=1',
        'APT::Sandbox::User=',
    )
    return ['apt-get', *(word for o in options for word in ('-o', o))]


def fetch(folder, packages, unpack):
    """Return the paths of the packages, and of all they need that is not
    installed."""
    state = os.path.join(folder, 'apt')
    archives = os.path.join(state, 'archives')
    os.makedirs(os.path.join(state, 'lists', 'partial'), exist_ok=True)
    os.makedirs(os.path.join(archives, 'partial'), exist_ok=True)
    command = apt(state, status(state, packages, unpack))
    update(state)
    command += ['--download-only', '--no-install-recommends', '-y', '-q']
    for old in glob.glob(os.path.join(archives, '*.deb')):
        os.remove(old)
    run(*command, 'install', *packages)
    return sorted(glob.glob(os.path.join(archives, '*.deb')))


def install(name, folder, unpack):
    """Fetch and unpack one program with what it needs; write its script."""
    for command in ('apt-get', 'dpkg'):
        if not shutil.which(command):
            raise Absent('neither installed nor to be had without ' + command)
    root = os.path.join(folder, 'root')
    for package in fetch(folder, PACKAGES[name], unpack):
        run('dpkg', '-x', package, root)
    binary = root + '/usr/sbin/' + name
    if not os.path.exists(binary):
        binary = system(name)
    libraries = libraryfolders(root)
    script = os.path.join(folder, 'bin', name)
    os.makedirs(os.path.dirname(script), exist_ok=True)
    with open(script, 'w') as out:
        out.write(SCRIPT % (quoted(':'.join(libraries)), quoted(binary)))
    os.chmod(script, 0o755)
    try:
        run(script, VERSION[name])
    except Absent:
        os.remove(script)
        raise


def libraryfolders(root):
    """Return the folders of shared libraries under ``root``."""
    folders = []
    for pattern in ('lib', 'usr/lib'):
        for folder in glob.glob(os.path.join(root, pattern, '*-linux-gnu*')):
            folders += [folder, os.path.join(folder, 'varnish')]
    return [folder for folder in folders if os.path.isdir(folder)]


def quoted(text):
    return "'%s'" % text.replace("'", "'\\''")


def check(name):
    """Raise Absent if a program can't work here."""
    if name != 'varnishd':
        return
    # It compiles its configuration when it starts.
    link = '-shared -fPIC -x c -o /dev/null /dev/null'.split()
    try:
        run('gcc', *link)
    except Absent:
        raise Absent('needs gcc and libc6-dev to start') from None


def ensure(build, unpack=False):
    """Make available what can be; say what can't.

    What can't be had now is tried again the next time.
    """
    folder = os.path.join(os.path.abspath(build), 'parts')
    stamp = os.path.join(folder, '.complete')
    if os.path.exists(stamp):
        return
    os.makedirs(folder, exist_ok=True)
    lacking = False
    for name in PACKAGES:
        try:
            check(name)
            if unpack or not complete(name, build):
                install(name, folder, unpack)
        except Absent as missing:
            lacking = True
            print('%s: left out, %s' % (name, missing), flush=True)
    if not lacking:
        with open(stamp, 'w'):
            pass


def main(*args):
    unpack = args[0] == '--unpack'
    ensure(args[unpack], unpack)


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
