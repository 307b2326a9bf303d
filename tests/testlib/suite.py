#!/usr/bin/env python3
"""Run all tests, on each of some Mercurial versions.

    suite.py [--strict] BUILD VERSION...

Installs what is missing under BUILD. On each version: the .t files with that
version's own run-tests.py, then the pure modules with pytest. The longest of
them, with other servers, only on the oldest and the newest one, those with
proxies only on the newest one. There also upstream's tests of the path that
wirecomp patches, with wirecomp loaded. Ends with a line that counts them all;
exits 1 if one failed, or, with --strict, if this machine lacks one of the
versions.
"""

import collections
import glob
import os
import random
import re
import subprocess
import sys

import hgenv
import parts

ROOT = os.path.dirname(os.path.dirname(hgenv.HERE))
TESTS = os.path.join(ROOT, 'tests')
# Upstream's tests of this path: they pass as they are, but for what they hold
# of compressed bytes, two headers that every answer or stream has, and when
# the socket is told not to hold small replies back.
UPSTREAMCONFIG = ('extensions.wirecomp=', 'wirecomp.zlib-backend=zlib')
PINNED = re.compile(
    r'[-+]  resp: size=\d+, sha1='
    r'|\+  (s>     )?cache-control: no-store(\\r|$)'
    r'|\+  (s>     )?x-accel-buffering: no(\\r|$)'
    r'|[-+]  s> setsockopt\(6, 1, 1\) -> None'
    # What a client says, and says of itself.
    r'|\+  wirecomp: '
    r'|\+  \((sent|received) \d+ bytes(,| for \d+, engine) '
    r'|\+  \(sent \d+ HTTP requests and \d+ bytes; received \d+ bytes '
    r'|[-+].* x-hgproto-1:? ?0\.1 0\.2 comp=\S+ partial-pull( wirecomp)?'
    r'( x-hgtest-\S+)?$'
    r'|\+  extensions.wirecomp=$',
    re.I,
)
# How upstream marks lines that it expects on a condition.
CONDITION = re.compile(r'( \(([a-z0-9- ]+ !|\?|glob|esc)\))+$')
CHANGED = re.compile(r'[-+](?![-+]{2} )')
# Those that take half a minute and more, or need what few environments hold:
# on the oldest and the newest version, and on the newest alone.
REAL = {
    'test-wirecomp-%s.t' % name
    for name in (
        'damage failures fuzz kills manyheads metrics push-auth push-refused '
        'push-servers servers stock'
    ).split()
}
PROXIES = {
    'test-wirecomp-%s.t' % name for name in 'nginx policy-nginx proxies'.split()
}
UPSTREAM = (
    'test-http-protocol.t test-http-bundle1.t test-http.t test-pull-bundle.t '
    'test-stream-bundle-v2.t test-clone-stream.t test-clonebundles.t '
    'test-hgweb-commands.t test-push-http.t test-http-clone-r.t '
    'test-http-proxy.t test-https.t test-largefiles-wireproto.t '
    'test-lfs-serve.t'
).split()
RAN = re.compile(r'# Ran (\d+) tests, (\d+) skipped, (\d+) failed')
PYTEST = re.compile(r'(\d+) (passed|failed|error|skipped)')


class Count:
    """How many tests passed, failed and were skipped."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def runtests(self, output, code):
        """Add what run-tests.py said."""
        said = RAN.search(output)
        if not said:
            self.failed += 1
            return
        ran, skipped, failed = map(int, said.groups())
        self.passed += ran - failed
        self.skipped += skipped
        self.failed += failed or (code != 0)

    def pytest(self, output, code):
        """Add what pytest said in its last line."""
        said = {word: int(n) for n, word in PYTEST.findall(output[-400:])}
        failed = said.get('failed', 0) + said.get('error', 0)
        self.passed += said.get('passed', 0)
        self.skipped += said.get('skipped', 0)
        self.failed += failed or (code != 0)


def run(command, **kwargs):
    """Run a command, showing its output; return it and the exit code."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kwargs
    )
    output = []
    for line in process.stdout:
        output.append(line.decode('utf-8', 'replace'))
        sys.stdout.write(output[-1])
        sys.stdout.flush()
    return ''.join(output), process.wait()


def environment(build, prefix):
    (site,) = glob.glob(prefix + '/lib/python3*/site-packages')
    environ = dict(os.environ)
    # It makes upstream's test-hgweb-commands.t read its pipes short.
    environ.pop('PYTHONUNBUFFERED', None)
    # Helper scripts run outside of the virtual environment.
    environ['PYTHONPATH'] = os.pathsep.join((site, ROOT))
    environ['PYTHONDONTWRITEBYTECODE'] = '1'
    environ['WIRECOMPBUILD'] = build
    environ['HYPOTHESIS_STORAGE_DIRECTORY'] = os.path.join(build, 'hypothesis')
    return environ


def runtests(build, version, folder, args):
    """Run some .t files in ``folder`` with the version's run-tests.py."""
    prefix = os.path.join(build, 'hg-' + version)
    runner = os.path.join(
        build, 'src', 'mercurial-' + version, 'tests', 'run-tests.py'
    )
    output = os.path.join(build, 'out-' + version)
    os.makedirs(output, exist_ok=True)
    command = [os.path.join(prefix, 'bin', 'python3'), runner]
    command += ['--with-hg', os.path.join(prefix, 'bin', 'hg')]
    command += ['-j', '3', '--outputdir', output, '--timeout', '900']
    command += ['--port', str(random.randrange(20000, 30000, 100))]
    return run(command + args, cwd=folder, env=environment(build, prefix))


def pytest(build, version):
    prefix = os.path.join(build, 'hg-' + version)
    command = [os.path.join(prefix, 'bin', 'python3'), '-m', 'pytest', '-q']
    command += ['-p', 'no:cacheprovider', 'tests']
    return run(command, cwd=ROOT, env=environment(build, prefix))


def upstream(build, version):
    """Run upstream's tests of this path with wirecomp loaded."""
    folder = os.path.join(build, 'src', 'mercurial-' + version, 'tests')
    return runtests(
        build,
        version,
        folder,
        [
            word
            for option in UPSTREAMCONFIG
            for word in ('--extra-config-opt', option)
        ]
        + UPSTREAM,
    )


def _really(changed):
    """Return the lines (list) of a difference that are gone, or new: a line
    beside them that is new moves others, and lets those stand in it that
    upstream expects on a condition."""
    sides = {'-': collections.Counter(), '+': collections.Counter()}
    for line in changed:
        sides[line[0]][CONDITION.sub('', line[1:])] += 1
    conditional = {
        CONDITION.sub('', line[1:])
        for line in changed
        if CONDITION.search(line)
    }
    gone = sides['-'] - sides['+']
    new = sides['+'] - sides['-']
    return ['-' + line for line in gone if line not in conditional] + [
        '+' + line for line in new
    ]


def aspinned(output, code):
    """Return (output, code), passed if only what PINNED knows differs."""
    changed = _really(
        line for line in output.splitlines() if CHANGED.match(line)
    )
    if changed and all(map(PINNED.match, changed)):
        print('(only compressed bytes and headers of ours differ: passed)')
        return RAN.sub(r'# Ran \1 tests, \2 skipped, 0 failed', output), 0
    return output, code


def main(*args):
    strict = args[0] == '--strict'
    build, *versions = args[strict:]
    build = os.path.abspath(build)
    os.makedirs(build, exist_ok=True)
    count = Count()
    hgenv.main(build, *hgenv.PYTHON2, *versions)
    parts.ensure(build)
    own = sorted(os.path.basename(t) for t in glob.glob(TESTS + '/test-*.t'))
    for version in versions:
        if not hgenv.complete(version, build):
            count.skipped += 1
            count.failed += strict
            continue
        print('\n== Mercurial %s' % version, flush=True)
        without = set()
        if version not in hgenv.REAL:
            without |= REAL
        if version != versions[-1]:
            without |= PROXIES
        chosen = [test for test in own if test not in without]
        count.runtests(*runtests(build, version, TESTS, chosen))
        count.pytest(*pytest(build, version))
    newest = versions[-1]
    if hgenv.complete(newest, build):
        print("\n== upstream's tests, Mercurial %s with wirecomp" % newest)
        count.runtests(*aspinned(*upstream(build, newest)))
    print(
        '\n%d passed, %d failed, %d skipped'
        % (count.passed, count.failed, count.skipped)
    )
    return bool(count.failed)


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
