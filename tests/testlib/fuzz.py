#!/usr/bin/env python3
"""Send a Mercurial HTTP server what no client should, and watch it.

    fuzz.py PORT [--seed N] [--requests N] [--seconds N] [--pid PID]
        [--log FILE]... [--only N]

After each case the same connection, if it was kept, must answer a right
request rightly, and so must a new one. Prints one line of what was found, and
before it each failure with what was sent; `--seed N --only N` sends that again.
With a PID also memory, threads and descriptors of that process must be as
before; with logs of the server, what they say must be without tracebacks and
control characters. Exit code 1 if anything failed.
"""

import argparse
import os
import sys
import time
import zlib

import fuzzcases
import fuzzdata
import rawhttp

# From this case on the server must not grow.
WARMUP = 100
PROBE = b'GET /?cmd=heads HTTP/1.1\r\nHost: localhost\r\n\r\n'
BUNDLE = (
    b'X-HgArg-1: common=%s&cg=1&bundlecaps=HG20%%2Cbundle2%%3DHG20'
    b'%%250Achangegroup%%253D01%%252C02&heads=%s\r\n'
)
TRACEBACK = b'Traceback (most recent'
INTERNAL = b'Internal Server Error'
# Kinds of failures, as the last line counts them.
KINDS = ('traceback', 'hang', 'desynchronised')


class Failure(Exception):
    """A kind (str) and what happened (str)."""


class Log:
    """What a server adds to a log file."""

    def __init__(self, path):
        self.path = path
        self.at = os.path.getsize(path)

    def check(self):
        """Raise Failure if what was added is unfit to be read."""
        with open(self.path, 'rb') as log:
            log.seek(self.at)
            added = log.read()
        self.at += len(added)
        if not added:
            return
        name = os.path.basename(self.path)
        if b'Traceback' in added:
            last = [line for line in added.splitlines() if line.strip()][-1]
            raise Failure('traceback', 'in %s: %r' % (name, last[-200:]))
        found = rawhttp.CONTROLS.search(added.replace(b'\t', b'\x01'))
        if found:
            text = added[max(0, found.start() - 40) : found.start() + 40]
            raise Failure('log', 'control characters in %s: %r' % (name, text))
        try:
            added.decode('utf-8')
        except UnicodeDecodeError as inst:
            text = added[max(0, inst.start - 40) : inst.start + 40]
            raise Failure('log', 'no utf-8 in %s: %r' % (name, text)) from inst


def readable(answer, request):
    """Raise Failure if an answer is an error that nobody can read."""
    body = answer.body
    if TRACEBACK in body:
        raise Failure('traceback', 'in an answer of status %d' % answer.status)
    if answer.status == 200 and body.endswith(INTERNAL):
        raise Failure('traceback', INTERNAL.decode() + ' within an answer')
    if answer.status >= 500 and request.method != b'HEAD':
        if body.strip() in (b'', INTERNAL):
            raise Failure('traceback', 'status 500, body %r' % body)
    if answer.kind() == b'application/hg-error':
        # Core returns a path to the peer that sent it.
        ours = not body.startswith(b'clonebundle ')
        if not body.strip() or (ours and rawhttp.CONTROLS.search(body)):
            raise Failure('unreadable', 'hg-error %r' % body[:200])


class Fuzzer:
    """Sends cases to the server at ``port`` and judges what comes back."""

    def __init__(self, opts):
        self.port = opts.port
        self.patience = opts.patience
        self.logs = [Log(path) for path in opts.log]
        self.heads = rawhttp.ask(opts.port, b'/?cmd=heads').body
        args = BUNDLE % (fuzzdata.NULL, self.heads.strip().replace(b' ', b'+'))
        answer = rawhttp.ask(opts.port, b'/?cmd=getbundle', headers=args)
        bundle = zlib.decompress(answer.body)
        self.maker = fuzzcases.Maker(opts.seed, self.heads, bundle)

    def run(self, case):
        """Send a case; raise Failure for what must not be."""
        try:
            self.send(case)
        except Failure as inst:
            kind, text = inst.args
            try:
                self.check()
            except Failure as also:
                text += '; ' + also.args[1]
            if kind == 'traceback' and not case.wire:
                return
            raise Failure(kind, text) from inst
        try:
            self.check()
        except Failure as inst:
            if inst.args[0] != 'traceback' or case.wire:
                raise

    def check(self):
        """Raise Failure for what the logs should not have got."""
        for log in self.logs:
            log.check()

    def send(self, case):
        """Send a case and judge what comes back."""
        try:
            with rawhttp.Connection(self.port, self.patience) as conn:
                conn.send(case.raw)
                if case.whole:
                    self.judge(conn, case)
                else:
                    self.leftover(conn)
        except rawhttp.Hang as inst:
            raise Failure('hang', str(inst)) from inst
        except rawhttp.Malformed as inst:
            raise Failure('desynchronised', str(inst)) from inst
        finally:
            self.alive()

    def judge(self, conn, case):
        """Read the answers to whole requests, then probe the connection."""
        try:
            for request in case.requests:
                answer = conn.answer(request.method, request.garbled)
                readable(answer, request)
                self.compare(request.exact, answer)
                if answer.closes:
                    # Whose method was not read may get a body with HEAD.
                    if conn.rest() and not request.garbled:
                        raise Failure('desynchronised', 'answers after the end')
                    return
        except rawhttp.Cut as inst:
            if all(request.plain for request in case.requests):
                raise Failure('cut', str(inst)) from inst
            return
        self.probe(conn)

    def compare(self, exact, answer):
        if exact is not None and (answer.status, answer.body) != (200, exact):
            text = '%d %r for heads' % (answer.status, answer.body[:120])
            raise Failure('desynchronised', text)

    def probe(self, conn):
        """Ask what has one right answer, on a connection that was kept."""
        if not conn.send(PROBE):
            return
        try:
            answer = conn.answer()
        except rawhttp.Cut:
            return
        self.compare(self.heads, answer)
        if conn.buffer:
            raise Failure('desynchronised', 'more than the answer')

    def leftover(self, conn):
        """Read all that is said to what is no whole request."""
        conn.finish()
        said = conn.rest()
        if TRACEBACK in said or b'\r\n\r\n' + INTERNAL in said:
            raise Failure('traceback', 'in an answer: %r' % said[:120])

    def alive(self):
        """Ask the server on a new connection."""
        try:
            answer = rawhttp.ask(self.port, b'/?cmd=heads')
        except (rawhttp.Hang, rawhttp.Cut, rawhttp.Malformed, OSError) as inst:
            raise Failure('hang', 'no new connection: %r' % inst) from inst
        self.compare(self.heads, answer)


def show(seed, number, case, inst):
    raw = case.raw
    text = repr(raw)
    if len(raw) > 3000:
        text = '%r... (%d bytes)' % (raw[:3000], len(raw))
    print('--seed %d --only %d: %s: %s' % (seed, number, *inst.args))
    print('  ' + text, flush=True)


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('port', type=int)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--requests', type=int, default=1000)
    parser.add_argument('--seconds', type=float, default=float('inf'))
    parser.add_argument('--patience', type=float, default=15)
    parser.add_argument('--pid', type=int)
    parser.add_argument('--log', action='append', default=[])
    parser.add_argument('--only', type=int)
    opts = parser.parse_args(argv)
    fuzzer, flat = Fuzzer(opts), rawhttp.Flat(opts.pid, 1)
    numbers = range(opts.requests)
    if opts.only is not None:
        numbers = [opts.only]
    deadline = time.monotonic() + opts.seconds
    found = dict.fromkeys(KINDS, 0)
    sent = 0
    for number in numbers:
        case = fuzzer.maker.case(number)
        sent += len(case.requests)
        try:
            fuzzer.run(case)
        except Failure as inst:
            found[inst.args[0]] = found.get(inst.args[0], 0) + 1
            show(opts.seed, number, case, inst)
        if number == WARMUP:
            flat.warmed()
        if sent >= opts.requests or time.monotonic() > deadline:
            break
    words = ['%d %ss' % (found.pop(kind), kind) for kind in KINDS[:2]]
    words += ['%d %s' % (count, kind) for kind, count in found.items()]
    words.append(flat.words())
    print('%d requests: %s' % (sent, ', '.join(words)))
    return any(word[0] != '0' for word in words[:-1]) or not flat.good


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
