#!/usr/bin/env python3
"""Let the source of answers fail in many ways; say what clients make of it.

    faultmatrix.py [options] PORT CONTROL BASE

At PORT a server with failing.py runs, whose ``failing.file`` is CONTROL. BASE
is a clone that has only a part of what is served. For each way one line:

    zstd bundle2 middle: abort, message, clean, incomplete

- how ``hg clone`` and ``hg pull`` end: ``abort``; or, where something is
  wrong: ``traceback``, ``hangs``, ``silent`` (no reason given), ``exit 0``
- ``message``, or ``no message``: whether both print what the server said
- ``clean``: the clone left nothing, and the repository of the pull is, byte
  for byte, what it was; else ``clone left`` or ``pull left``
- how a program that knows only HTTP sees the answer: ``incomplete``,
  ``refused`` (an error before any of it), ``unframed`` (it could not know);
  or, where something is wrong, ``whole``, ``garbage``, ``hangs``

At the end BASE is verified.
"""

import argparse
import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import threading

import wireget

# Seconds, many times what the slowest takes.
PATIENCE = 60
SAID = b'the source failed'
TESTLIB = os.path.dirname(os.path.abspath(__file__))
OFFERS = {
    'zstd': '0.1 0.2 comp=zstd',
    'zlib': '0.1 0.2 comp=zlib',
    'bz2': '0.1 0.2 comp=bzip2',
    'none': '0.1 0.2 comp=none',
    'legacy': '',
}
# Of each kind of answer: the client's configuration, the options of a clone,
# and those of wireget.
BUNDLE1 = ('--config', 'devel.legacy.exchange=bundle1')
KINDS = {
    'bundle2': ((), ('--pull',), ('getbundle',)),
    'bundle1': (BUNDLE1, ('--pull',), ('getbundle', '--bundle1')),
    'stream': ((), ('--stream',), ('getbundle', '--stream')),
    'stream1': (BUNDLE1, ('--stream',), ('stream_out',)),
}


def hg(*args):
    """Run hg; return (how it ended, whether it printed the message)."""
    try:
        done = subprocess.run(
            ('hg', *args),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return 'hangs', False
    said = SAID in done.stdout
    if b'Traceback' in done.stdout or done.returncode < 0:
        return 'traceback', said
    if not done.returncode:
        return 'exit 0', said
    return 'abort' if b'abort: ' in done.stdout else 'silent', said


def snapshot(repo):
    """Return a digest of the history that a repository holds (str).

    A journal and locks count, what is left for undoing it and caches do not;
    nor do copies that belong to a journal, which core leaves without it.
    """
    found = []
    for folder, _, names in os.walk(repo):
        for name in names:
            path = os.path.join(folder, name)
            if 'cache' in folder or name.startswith(('undo.', 'journal.')):
                continue
            with open(path, 'rb') as fp:
                digest = hashlib.sha256(fp.read()).hexdigest()
            # An empty file of the store is as good as none.
            if os.path.getsize(path):
                found.append((path, digest))
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()


class Case:
    """One way to fail: its clients run at the same time."""

    def __init__(self, opts, offer, kind, where):
        self.opts = opts
        self.url = 'http://127.0.0.1:%d/' % opts.port
        self.offer = OFFERS[offer]
        self.config, self.clone, self.wireget = KINDS[kind]
        offering = os.path.join(TESTLIB, 'offer.py')
        self.config += ('--config', 'extensions.offer=' + offering)
        self.config += ('--config', 'offer.proto=' + self.offer)
        # Streams are only of clones.
        self.pulls = not kind.startswith('stream')
        self.results = {}

    def cloned(self):
        target = self.opts.base + '-clone'
        args = ('clone', '-U', self.url, target, *self.clone, *self.config)
        ended = hg(*args)
        clean = not os.path.exists(target)
        shutil.rmtree(target, ignore_errors=True)
        return (*ended, clean)

    def pulled(self):
        base = self.opts.base
        before = snapshot(base)
        ended = hg('-R', base, 'pull', self.url, *self.config)
        return (*ended, snapshot(base) == before)

    def raw(self):
        argv = [str(self.opts.port), *self.wireget]
        if self.offer:
            argv += ['--proto', self.offer]
        return received(wireget.parseargs(argv))

    def run(self):
        def keep(name):
            self.results[name] = getattr(self, name)()

        names = ('cloned', 'raw') + ('pulled',) * self.pulls
        threads = [threading.Thread(target=keep, args=[n]) for n in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def line(self):
        """Return in words what came of it."""
        words = []
        clients = [self.results['cloned']]
        if self.pulls:
            clients.append(self.results['pulled'])
        ends = [client[0] for client in clients]
        words.append(ends[0] if len(set(ends)) == 1 else '/'.join(ends))
        told = all(client[1] for client in clients)
        words.append('message' if told else 'no message')
        left = [name for name, c in zip(('clone', 'pull'), clients) if not c[2]]
        words.append(' and '.join(left) + ' left' if left else 'clean')
        words.append(self.results['raw'])
        return ', '.join(words)


def received(opts):
    """Return in a word how the answer to a request of wireget comes."""
    conn = http.client.HTTPConnection('127.0.0.1', opts.port, timeout=PATIENCE)
    path, headers = wireget.target(opts)
    conn.putrequest('GET', path, skip_accept_encoding=True)
    for name, value in headers:
        conn.putheader(name, value)
    conn.endheaders()
    try:
        response = conn.getresponse()
        framed = response.chunked or response.length is not None
        mediatype = response.getheader('Content-Type')
        body = response.read()
    except http.client.IncompleteRead:
        return 'incomplete'
    except TimeoutError:
        return 'hangs'
    except (OSError, http.client.HTTPException):
        return 'incomplete'
    finally:
        conn.close()
    if response.status != 200 or mediatype == 'application/hg-error':
        return 'refused'
    if body.endswith(b'Server Error'):
        return 'garbage'
    return 'whole' if framed else 'unframed'


def parseargs(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('control')
    parser.add_argument('base')
    parser.add_argument('--offers', default='zstd,zlib,bz2,none,legacy')
    parser.add_argument('--kinds', default='bundle2,bundle1')
    parser.add_argument('--at', default='first,middle,last')
    parser.add_argument('--raises', default='OSError')
    return parser.parse_args(argv)


def main(argv):
    opts = parseargs(argv)
    for offer in opts.offers.split(','):
        for kind in opts.kinds.split(','):
            for where in opts.at.split(','):
                for name in opts.raises.split(','):
                    with open(opts.control, 'w') as control:
                        control.write('%s %s\n' % (where, name))
                    case = Case(opts, offer, kind, where)
                    case.run()
                    named = '' if name == 'OSError' else ' ' + name
                    print(
                        '%s %s %s%s: %s'
                        % (offer, kind, where, named, case.line()),
                        flush=True,
                    )
    with open(opts.control, 'w'):
        pass
    return subprocess.call(('hg', '-R', opts.base, 'verify', '-q'))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
