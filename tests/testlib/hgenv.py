#!/usr/bin/env python3
"""Install Mercurial versions for the tests, each on its own, in one folder.

    hgenv.py BUILD VERSION...

BUILD/hg-VERSION/ is a virtual environment with that Mercurial, zstandard and
the test tools; BUILD/src/mercurial-VERSION/ its source package, which holds
run-tests.py. Versions of the time of Python 2 are installed without either,
as clients. What this machine can't have is said and left out.

Needs nothing beyond the standard library of Python 3.9.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile

# Mercurial does not start on Pythons newer than this.
NEWEST = (
    ((6, 4), (3, 11)),
    ((6, 8), (3, 12)),
    ((99,), (3, 14)),
)
# From here on there are wheels.
WHEELS = (6, 9)
# What is built without its C parts: one version without a zstd of its own.
PURE = ('6.7.4',)
# Python 2 only: these know 0.1 alone, or no engines at all.
LEGACY = ('3.6.3', '4.0.2')
# Python 2 too, and one that reads 0.2.
PYTHON2 = (*LEGACY, '4.9.1')
TOOLS = ('setuptools', 'wheel', 'setuptools_scm', 'packaging')
NEEDS = (
    *('zstandard', 'zlib-ng', 'isal', 'prometheus-client'),
    *('pytest', 'hypothesis'),
)
# The version whose environment draws the plots.
PLOTS = '7.2.4'
# The versions that are tested under other servers and behind proxies, and the
# WSGI servers that their environments hold.
REAL = ('6.1.4', '7.2.4')
SERVERS = ('gunicorn', 'waitress', 'pyuwsgi')


HERE = os.path.dirname(os.path.abspath(__file__))


class Absent(Exception):
    """Something that this machine lacks, in words."""


def parse(version):
    return tuple(int(n) for n in version.split('.'))


def run(*args, **kwargs):
    """Run a command; print what it said only if it fails."""
    done = subprocess.run(
        args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kwargs
    )
    if done.returncode:
        sys.stdout.write(done.stdout.decode('utf-8', 'replace'))
        raise subprocess.CalledProcessError(done.returncode, args)
    return done.stdout.decode('utf-8', 'replace')


def pythons(major):
    """Yield (version, path) of each working Python of this machine."""
    names = [sys.executable]
    for folder in os.environ.get('PATH', '').split(os.pathsep):
        names += glob.glob(os.path.join(folder, 'python%d.*' % major))
    root = os.environ.get('PYENV_ROOT') or os.path.expanduser('~/.pyenv')
    names += glob.glob(os.path.join(root, 'versions', '*', 'bin', 'python'))
    seen = set()
    for name in names:
        if not re.search(r'python(\d(\.\d+)?)?$', name):
            continue
        probe = 'import sys; print("%d.%d" % sys.version_info[:2])'
        try:
            version = parse(
                subprocess.check_output(
                    [name, '-c', probe], stderr=subprocess.DEVNULL
                ).decode()
            )
        except (OSError, subprocess.CalledProcessError, ValueError):
            continue
        if version[0] == major and version not in seen:
            seen.add(version)
            yield version, name


def pythonfor(version):
    """Return the path of a Python that runs this version of Mercurial."""
    if version in PYTHON2:
        found = [path for number, path in pythons(2) if number == (2, 7)]
        if not found:
            raise Absent('needs Python 2.7')
        return found[0]
    newest = next(py for hg, py in NEWEST if parse(version)[:2] < hg)
    fitting = [
        (number, path)
        for number, path in pythons(3)
        if (3, 9) <= number <= newest
    ]
    if not fitting:
        raise Absent('needs Python 3.9 to %d.%d' % newest)
    # The first is the one that runs this, which every machine has.
    if fitting[0][1] == sys.executable:
        return sys.executable
    return max(fitting)[1]


def headers(python, build):
    """Return the environment in which extension modules of ``python`` compile.

    A Debian without python3-dev has no Python.h: its package is fetched and
    unpacked under the build folder, without a root's rights.
    """
    probe = 'import sysconfig; print(sysconfig.get_path("include"))'
    include = run(python, '-c', probe).strip()
    if os.path.exists(os.path.join(include, 'Python.h')):
        return os.environ
    name = os.path.basename(include)
    folder = os.path.join(build, 'headers')
    if not os.path.exists(folder):
        state = os.path.join(build, 'apt')
        os.makedirs(os.path.join(state, 'lists', 'partial'), exist_ok=True)
        apt = ('-o', 'Dir::State=' + state, '-o', 'Dir::Cache=' + state)
        try:
            run('apt-get', *apt, 'update')
            run('apt-get', *apt, 'download', 'lib%s-dev' % name, cwd=state)
            (deb,) = glob.glob(os.path.join(state, 'lib*-dev_*.deb'))
            run('dpkg', '-x', deb, folder)
        except (OSError, subprocess.CalledProcessError, ValueError):
            lack = 'needs the headers of %s (python3-dev)' % name
            raise Absent(lack) from None
    multiarch = sysconfig.get_config_var('MULTIARCH') or ''
    flags = [
        '-I%s/usr/include/%s' % (folder, name),
        '-I%s/usr/include/%s/%s' % (folder, multiarch, name),
        '-I%s/usr/include' % folder,
    ]
    return dict(os.environ, CFLAGS=' '.join(flags))


def source(version, build, pip):
    """Fetch and unpack the source package; return the path of its archive."""
    folder = os.path.join(build, 'src')
    name = 'mercurial-' + version
    archive = os.path.join(folder, name + '.tar.gz')
    if not os.path.exists(os.path.join(folder, name)):
        run(
            *pip,
            'download',
            '--no-deps',
            '--no-build-isolation',
            '--no-binary=mercurial',
            '--dest',
            folder,
            'mercurial==' + version,
        )
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
    return archive


def installlegacy(version, build, prefix):
    python = pythonfor(version)
    pip = [python, '-m', 'pip', 'install', '-q', '--no-cache-dir']
    run(*pip, '--prefix', prefix, 'mercurial==' + version)
    site = os.path.join(prefix, 'lib', 'python2.7', 'site-packages')
    hg = os.path.join(prefix, 'bin', 'hg')
    os.rename(hg, hg + '.py')
    with open(hg, 'w') as script:
        script.write(
            '#!/bin/sh\nPYTHONPATH=%s exec %s %s.py "$@"\n' % (site, python, hg)
        )
    os.chmod(hg, 0o755)


def install(version, build, prefix):
    python = pythonfor(version)
    run(python, '-m', 'venv', prefix)
    pip = [os.path.join(prefix, 'bin', 'python'), '-m', 'pip']
    get = pip + ['install', '-q']
    # The setuptools of a new environment is too old for some of the packages.
    run(*get, '--upgrade', *TOOLS, *NEEDS)
    if version == PLOTS:
        run(*get, 'matplotlib')
    if version in REAL:
        installservers(version, get)
    archive = source(version, build, pip)
    if version in PURE:
        pure = '--config-settings=--global-option=--pure'
        run(*get, '--no-build-isolation', '--no-deps', pure, archive)
        return
    if parse(version) >= WHEELS:
        run(*get, 'mercurial==' + version)
        return
    environ = headers(python, build)
    run(*get, '--no-build-isolation', '--no-deps', archive, env=environ)


def installservers(version, get):
    """Install the WSGI servers with ``get`` (list of words)."""
    for name in SERVERS:
        try:
            run(*get, name)
        except subprocess.CalledProcessError:
            print('hg %s: without %s, its tests are skipped' % (version, name))


def complete(version, build):
    """Return whether a version is installed (bool)."""
    return os.path.exists(os.path.join(build, 'hg-' + version, '.complete'))


def ensure(version, build):
    """Install a version unless it is there; return the path of its hg."""
    prefix = os.path.join(build, 'hg-' + version)
    hg = os.path.join(prefix, 'bin', 'hg')
    if not complete(version, build):
        shutil.rmtree(prefix, ignore_errors=True)
        (installlegacy if version in PYTHON2 else install)(
            version, build, prefix
        )
        print('installed: ' + run(hg, 'version', '-q').strip(), flush=True)
        with open(os.path.join(prefix, '.complete'), 'w'):
            pass
    return hg


def main(build, *versions):
    build = os.path.abspath(build)
    os.makedirs(build, exist_ok=True)
    for version in versions:
        try:
            ensure(version, build)
        except Absent as missing:
            print('hg %s: skipped, %s' % (version, missing), flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
