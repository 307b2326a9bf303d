# adminreport.py - what people run on the logs
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The command ``admin::wire-report``."""

from __future__ import annotations

import contextlib
import datetime
import os

from mercurial import (
    cmdutil,
    encoding,
    error,
    exthelper,
    pycompat,
    registrar,
    util,
)
from mercurial.i18n import _

from . import engines, logfiles, plots, report

eh = exthelper.exthelper()

STDIN = b'-'
# What is drawn: a label, and for each line a name and its figure of a Sum.
PANELS = (
    (
        'bytes, MB',
        (
            ('source', lambda sum: sum.source / 1e6),
            ('sent', lambda sum: sum.wire / 1e6),
        ),
    ),
    ('CPU, seconds', (('CPU', lambda sum: sum.cpu),)),
    (
        'wall time, seconds',
        (
            ('median', lambda sum: sum.percentile(50)),
            ('95th percentile', lambda sum: sum.percentile(95)),
        ),
    ),
)
HINT = _(b'name JSON logs of the server, or - for standard input')


@eh.command(
    b'admin::wire-report',
    [
        (b'', b'networks', 20, _(b'show the largest networks'), _(b'N')),
        (b'', b'plot', b'', _(b'draw the days (svg or png)'), _(b'FILE')),
    ]
    + cmdutil.formatteropts,
    _(b'[OPTION]... FILE...'),
    helpcategory=registrar.command.CATEGORY_MAINTENANCE,
    norepo=True,
)
def wirereport(ui, *files, **opts):
    """sum the server's JSON logs

    Reads logs, plain or compressed by gzip or zstd (``-`` is standard input),
    and prints how many answers there were, bytes before encoding and bytes
    sent, their ratio, CPU seconds, median and 95th percentile of the wall
    time, fallbacks, clients that hung up, and failures: in all, by engine, by
    command, by day (UTC), by network of the client (/24 of IPv4, /48 of
    IPv6), fallbacks by reason and failures by error.

    A fallback is a stream that goes out as ``application/mercurial-0.1``.
    ``-`` in place of a name is none: of an engine, what is not a stream; of a
    network, an address that is not known.

    Medians and percentiles are within 1 %. Of engines, commands, reasons and
    errors 64 each, of days and networks 4096 each are told apart, as they
    come; ``other`` is all the rest. Of these networks the ``--networks`` that
    were sent most bytes are shown.

    Damaged lines, such as half-written ones, are skipped, with one warning
    for each file.

    ``--plot`` needs matplotlib.

    Returns 0 on success.
    """
    opts = pycompat.byteskwargs(opts)
    _check(files, opts)
    found = report.Report()
    for path in files:
        _read(ui, found, path)
    rows = list(found.rows(opts[b'networks']))
    _show(ui, opts, rows)
    if opts[b'plot']:
        _plot(opts[b'plot'], rows)
    return 0


def _check(files, opts):
    """Raise an Abort for what can be known to be wrong before hours of work."""
    if not files:
        raise error.InputError(_(b'no log given'), hint=HINT)
    for path in files:
        if path != STDIN and not os.path.exists(path):
            raise error.InputError(_(b'there is no log %s') % path, hint=HINT)
    if opts[b'networks'] < 0:
        raise error.InputError(
            _(b'--networks: %d is no number of networks') % opts[b'networks'],
            hint=_(b'use 0 or more, or leave it out for 20'),
        )
    if opts[b'plot']:
        plots.check(opts[b'plot'])


def _read(ui, found, path):
    """Add a log to a report.Report; warn of what is wrong with it."""
    name = _(b'standard input') if path == STDIN else path
    progress = ui.makeprogress(_(b'reading'), unit=_(b'bytes'))
    with _opened(ui, path) as fp, progress:
        chunks = logfiles.chunks(fp, engines.ZSTD.module())
        try:
            found.read(_watched(chunks, progress))
        except logfiles.NoZstd:
            raise error.Abort(
                _(b'cannot read %s: zstandard is not installed') % name,
                hint=_(b'%s -m pip install zstandard')
                % pycompat.fsencode(pycompat.sysexecutable or b'python3'),
            ) from None
        except logfiles.Broken as inst:
            text = _(b'warning: %s: what comes after line %d is unread: %s\n')
            reason = encoding.strtolocal(str(inst))
            ui.warn(text % (name, found.lines, reason))
    if found.skipped:
        text = _(b'warning: %s: damaged lines that were skipped: %d\n')
        ui.warn(text % (name, found.skipped))


def _watched(chunks, progress):
    for chunk in chunks:
        progress.increment(len(chunk))
        yield chunk


def _opened(ui, path):
    if path == STDIN:
        return contextlib.nullcontext(ui.fin)
    try:
        return open(path, 'rb')
    except OSError as inst:
        reason = encoding.strtolocal(inst.strerror or str(inst))
        raise error.Abort(
            _(b'cannot read %s: %s') % (path, reason), hint=HINT
        ) from None


def _show(ui, opts, rows):
    fm = ui.formatter(b'wire-report', opts)
    fm.plain(
        b' answers      source        wire  ratio         CPU     median'
        b'        p95  fallbacks  hung up  failed  what\n'
    )
    for by, name, sum in rows:
        name = None if name is None else encoding.strtolocal(name)
        ratio, median, high = sum.ratio, sum.percentile(50), sum.percentile(95)
        fm.startitem()
        fm.write(b'answers', b'%8d', sum.answers)
        fm.data(source=sum.source, wire=sum.wire, ratio=ratio)
        fm.plain(b'  %10s' % util.bytecount(sum.source))
        fm.plain(b'  %10s' % util.bytecount(sum.wire))
        fm.plain(b'  %5s' % _figure(b'%.3f', ratio))
        fm.write(b'cpu', b'  %8.3f s', sum.cpu)
        fm.data(median=median, p95=high)
        fm.plain(b'  %9s' % _figure(b'%.3f s', median))
        fm.plain(b'  %9s' % _figure(b'%.3f s', high))
        fm.write(b'fallbacks', b'  %9d', sum.fallbacks)
        fm.write(b'hungup', b'  %7d', sum.hungup)
        fm.write(b'failed', b'  %6d', sum.failed)
        fm.write(b'by', b'  %s', pycompat.sysbytes(by))
        fm.data(name=name)
        if by != 'all':
            fm.plain(b' %s' % (b'-' if name is None else name))
        fm.plain(b'\n')
    fm.end()


def _figure(form, value):
    return b'-' if value is None else form % value


def _plot(path, rows):
    """Draw bytes, CPU and wall times by day."""
    days = [row for row in rows if row.by == 'day' and row.name != report.OTHER]
    drawing = plots.matplotlib().Figure(figsize=(8, 9), layout='constrained')
    panels = zip(drawing.subplots(3, sharex=True), PANELS)
    for axes, (label, lines) in panels:
        for name, figure in lines:
            axes.plot(
                [datetime.date.fromisoformat(row.name) for row in days],
                [figure(row.sum) for row in days],
                label=name,
                marker='o',
            )
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.tick_params('x', rotation=30)
        axes.grid(alpha=0.3)
        axes.legend()
    drawing.savefig(pycompat.fsdecode(path))
