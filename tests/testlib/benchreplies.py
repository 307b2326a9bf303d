"""What compressed byte replies save and cost: part of the benchmark.

A real client's session with a plain server is taken from its access log, and
asked again, request by request, of a plain server and of one with wirecomp, by
a client that says it runs wirecomp.
"""

import http.client
import os
import re
import shutil
import statistics
import subprocess
import sys

ROUNDS = 31
CONFIG = ('web.push_ssl=no', 'web.allow-push=*', 'phases.publish=no')
TOKEN = ' wirecomp'
LOGGED = re.compile(r'"GET (\S+) HTTP/1.1" 200 -(.*)')
HEADER = re.compile(r' (x-hg[a-z]+-\d+):(.*?)(?= x-hg[a-z]+-\d+:|$)')
# Name, option of makemany.py, the command, and the request that matters.
SESSIONS = (
    ('id', '--bookmarks', '10000', ('id',), 'bookmarks'),
    ('push', '--bookmarks', '10000', ('push',), 'bookmarks'),
    (
        'incoming',
        '--branches',
        '2000',
        ('incoming', '-b', 'default'),
        'branchmap',
    ),
    ('push', '--drafts', '20000', ('push',), 'phases'),
)


def made(bench, option, count):
    """Return the path of a repository by makemany.py."""
    path = os.path.join(bench.folder, 'many' + option + count)
    if not os.path.exists(path + '.made'):
        shutil.rmtree(path, ignore_errors=True)
        here = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(here, 'makemany.py')
        more = ('--drafts', '10000') if option == '--bookmarks' else ()
        subprocess.run(
            [sys.executable, script, path, option, count, *more],
            env=bench.environ,
            check=True,
        )
        if more:
            bench.run('-R', path, 'phase', '-p', 'all()')
        with open(path + '.made', 'w'):
            pass
    return path


def session(bench, repo, command):
    """Return the requests of a command: a list of (path, headers)."""
    log = os.path.join(bench.folder, 'session.log')
    target = os.path.join(bench.folder, 'session')
    shutil.rmtree(target, ignore_errors=True)
    # It has all, drafts as such, so that the command moves nothing.
    publish = ('--config', 'phases.publish=no')
    bench.run('clone', '-q', '-U', *publish, repo, target)
    process, port = bench.server('plain', repo, *CONFIG, accesslog=log)
    url = 'http://127.0.0.1:%d/' % port
    where = () if command[0] == 'id' else ('-R', target)
    subprocess.run(
        [bench.hg, *where, *command, url],
        env=bench.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    process.kill()
    process.wait()
    with open(log) as lines:
        found = [LOGGED.search(line.rstrip('\n')) for line in lines]
    os.unlink(log)
    return [
        (match[1], {name: value for name, value in HEADER.findall(match[2])})
        for match in found
        if match
    ]


def ask(port, requests):
    """Ask them all on one connection; return the bytes of the bodies."""
    conn = http.client.HTTPConnection('127.0.0.1', port)
    total = 0
    for path, headers in requests:
        headers = dict(headers)
        protos = [name for name in headers if name.startswith('x-hgproto')]
        if protos:
            headers[max(protos)] += TOKEN
        conn.request('GET', path, headers=headers)
        total += len(conn.getresponse().read())
    conn.close()
    return total


def compare(bench, repo, requests, cpu):
    """Return {mode: (bytes, median of the CPU seconds)} of some requests."""
    spent, sizes = {}, {}
    with bench.servers(repo, *CONFIG) as started:
        for turn in range(ROUNDS + 1):
            for mode, (process, port) in started.items():
                before = cpu(process)
                sizes[mode] = ask(port, requests)
                # The first of each loads what the others use.
                if turn:
                    spent.setdefault(mode, []).append(cpu(process) - before)
    return {m: (sizes[m], statistics.median(spent[m])) for m in sizes}


def report(bench, cpu):
    """Print bytes and CPU of each session, and of the request that matters."""
    for name, option, count, command, which in SESSIONS:
        repo = made(bench, option, count)
        name += ', %s %s' % (count, option.strip('-'))
        requests = session(bench, repo, command)
        matters = [request for request in requests if which in repr(request)]
        for what, asked in (('session', requests), ('reply', matters[:1])):
            got = compare(bench, repo, asked, cpu)
            plain, ours = got['plain'], got['wirecomp']
            bench.say(
                '%s, %s: %s bytes, wirecomp %s, ratio %.3f; '
                'server %.2f ms, wirecomp %.2f ms, ratio %.3f'
                % (
                    *(name, what, f'{plain[0]:,}', f'{ours[0]:,}'),
                    ours[0] / plain[0],
                    *(plain[1] * 1000, ours[1] * 1000, ours[1] / plain[1]),
                )
            )
