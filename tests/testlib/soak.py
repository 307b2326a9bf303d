#!/usr/bin/env python3
"""Be many peers of a server at once, for a while.

    soak.py PORT [--pid PID] [--seconds N] [--workers N] [--seed N] [--hg HG]
        [-v]

Each worker clones, pulls, pushes, hangs up and reads slowly, in random order.
Clones and pulls must succeed and verify; a push may lose a race. Prints one
line: how many failed, and whether memory, threads and descriptors of the
server (the process PID) are as before. Exit code 1 if not.
"""

import argparse
import collections
import random
import socket
import struct
import sys
import tempfile
import threading
import time

import peers
import rawhttp

NULL = b'0' * 40
GETBUNDLE = (
    b'GET /?cmd=getbundle HTTP/1.1\r\nHost: localhost\r\n'
    b'X-HgArg-1: common=%s&heads=%s\r\nX-HgProto-1: 0.1 0.2 comp=%s\r\n\r\n'
)
ENGINES = (b'zstd', b'zlib', b'none', b'bzip2')


class Worker(threading.Thread):
    """One peer after the other, until ``deadline`` (of time.monotonic)."""

    def __init__(self, number, opts, folder, deadline, heads):
        super().__init__()
        self.number = number
        self.port = opts.port
        self.client = peers.Client(opts.hg, folder)
        self.url = 'http://127.0.0.1:%d/' % opts.port
        self.rand = random.Random('%d/%d' % (opts.seed, number))
        self.deadline = deadline
        self.heads = heads
        self.done = collections.Counter()
        self.failed = []

    def run(self):
        kinds = ('clone', 'pull', 'push', 'hangup', 'hangup', 'slow')
        while time.monotonic() < self.deadline:
            kind = self.rand.choice(kinds)
            self.done[kind] += 1
            try:
                getattr(self, kind)()
            except Exception as inst:
                self.failed.append('%s: %r' % (kind, inst))

    def hg(self, *args):
        code, output = self.client.run(*args)
        if code:
            raise RuntimeError('hg %s: %r' % (args[0], output[-300:]))

    def name(self):
        return 'peer%d' % self.number

    def clone(self):
        self.client.remove(self.name())
        args = ['--stream'] if self.rand.random() < 0.3 else []
        self.hg('clone', '-q', '-U', *args, self.url, self.name())
        self.hg('verify', '-q', '-R', self.name())

    def pull(self):
        self.client.remove(self.name())
        self.hg('clone', '-q', '-U', '-r', '0', self.url, self.name())
        self.hg('pull', '-q', '-R', self.name(), self.url)
        self.hg('verify', '-q', '-R', self.name())

    def push(self):
        self.client.remove(self.name())
        self.hg('clone', '-q', self.url, self.name())
        with open(self.client.path(self.name() + '/pushed'), 'w') as pushed:
            pushed.write('%x\n' % self.rand.getrandbits(200))
        self.hg('commit', '-q', '-A', '-R', self.name(), '-m', 'pushed')
        # 255: somebody else was first.
        code, output = self.client.run('push', '-q', '-R', self.name())
        if code not in (0, 255) or b'Traceback' in output:
            raise RuntimeError('push: %r' % output[-300:])

    def ask(self):
        """Return a socket on which a bundle of everything was asked for."""
        sock = socket.socket()
        # Little, so that the server soon has to wait.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(30)
        sock.connect(('127.0.0.1', self.port))
        sock.sendall(GETBUNDLE % (NULL, self.heads, self.rand.choice(ENGINES)))
        return sock

    def hangup(self):
        """Ask, read a little, and be gone, half of the times with a reset."""
        with self.ask() as sock:
            sock.recv(self.rand.choice((1, 100, 5000)))
            if self.rand.random() < 0.5:
                linger = struct.pack('ii', 1, 0)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    def slow(self):
        """Ask, and read a little every now and then, for up to 5 seconds."""
        until = min(time.monotonic() + 5, self.deadline)
        with self.ask() as sock:
            while time.monotonic() < until and sock.recv(1000):
                time.sleep(0.1)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('--pid', type=int)
    parser.add_argument('--seconds', type=float, default=20)
    parser.add_argument('--workers', type=int, default=4)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--hg', default='hg')
    parser.add_argument('-v', '--verbose', action='store_true')
    opts = parser.parse_args(argv)
    flat = rawhttp.Flat(opts.pid, opts.workers)
    heads = rawhttp.ask(opts.port, b'/?cmd=heads').body.strip()
    heads = heads.replace(b' ', b'+')
    deadline = time.monotonic() + opts.seconds
    with tempfile.TemporaryDirectory() as folder:
        workers = [
            Worker(number, opts, folder, deadline, heads)
            for number in range(opts.workers)
        ]
        for worker in workers:
            worker.start()
        time.sleep(opts.seconds / 2)
        flat.warmed()
        for worker in workers:
            worker.join()
    failed = [text for worker in workers for text in worker.failed]
    for text in failed:
        print(text)
    words = flat.words()
    if opts.verbose:
        done = sum((worker.done for worker in workers), collections.Counter())
        print(', '.join('%s %d' % item for item in sorted(done.items())))
        if opts.pid:
            print('before: %s' % flat.before)
            print('after half: %d MB' % (flat.memory >> 20))
            print('after: %s' % rawhttp.Usage(opts.pid))
    print('%d failures, %s' % (len(failed), words))
    return bool(failed) or not flat.good


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
