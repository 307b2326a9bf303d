# admin.py - what people run
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The command ``admin::wire-bench``."""

from __future__ import annotations

from mercurial import (
    cmdutil,
    error,
    exthelper,
    pycompat,
    registrar,
)
from mercurial.i18n import _

from . import bench, engines, plots

eh = exthelper.exthelper()

# The levels that are measured when none is asked for, and those with --all.
INTERESTING = {
    engines.ZSTD: (1, 3, 7),
    engines.ZLIB: (1, -1),
    engines.NONE: (None,),
}
EVERY = {
    engines.ZSTD: (-7, -1, 1, 2, 3, 5, 7, 9, 12, 15, 19),
    engines.ZLIB: (0, 1, 2, 3, 4, 5, -1, 7, 8, 9),
    engines.BZ2: (1, 9),
    engines.NONE: (None,),
}
# What stream clones are measured as: to a reader of 0.2, to a legacy client.
STREAMS = (False, True)


@eh.command(
    b'admin::wire-bench',
    [
        (b'', b'engine', [], _(b'measure this engine only'), _(b'NAME')),
        (b'', b'level', [], _(b'measure this level only'), _(b'LEVEL')),
        (b'', b'all', None, _(b'measure all engines, and more levels')),
        (b'', b'rounds', 3, _(b'ask for each answer so many times'), _(b'N')),
        (b'', b'plot', b'', _(b'draw bytes and CPU (svg or png)'), _(b'FILE')),
    ]
    + cmdutil.formatteropts,
    helpcategory=registrar.command.CATEGORY_MAINTENANCE,
)
def wirebench(ui, repo, **opts):
    """measure what a clone of this repository costs, by engine and level

    Serves the repository, once by plain Mercurial and once with wirecomp for
    each engine and level, asks each for the whole repository in turns, and
    prints the medians: CPU seconds of the server, CPU seconds of a client that
    decodes the answer, wall seconds, bytes, their ratio to plain zlib, and
    the server's peak memory. Streams are those of ``hg clone --stream``, to a
    client that reads 0.2 and to a legacy one.

    ``--config`` of the sections ``server`` and ``wirecomp`` is measured too.
    The figures are taken as Linux gives them.

    Each answer is asked for once more at first, which does not count. Other
    work of the machine makes the figures larger: trust the ratios.

    ``--plot`` needs matplotlib.

    Returns 0 on success.
    """
    opts = pycompat.byteskwargs(opts)
    cases = _cases(opts)
    if opts[b'plot']:
        plots.check(opts[b'plot'])
    results = bench.run(ui, repo, cases, _rounds(opts))
    _show(ui, opts, results)
    if opts[b'plot']:
        _plot(opts[b'plot'], results)
    return 0


def _rounds(opts):
    if opts[b'rounds'] < 1:
        raise error.InputError(
            _(b'--rounds: there must be one at least'),
            hint=_(b'leave it out for 3'),
        )
    return opts[b'rounds']


def _cases(opts):
    """Return the cases to measure (list of bench.Case), plain ones first."""
    chosen = EVERY if opts[b'all'] else INTERESTING
    if opts[b'engine']:
        chosen = {
            engine: EVERY[engine]
            if opts[b'all']
            else INTERESTING.get(engine, (engine.defaultlevel,))
            for engine in map(_engine, opts[b'engine'])
        }
    if opts[b'level']:
        chosen = {engine: _levels(engine, opts) for engine in chosen}
    pairs = [
        (engine.name, level)
        for engine, levels in chosen.items()
        if engine.available()
        for level in levels
    ]
    cases = []
    for server in (bench.PLAIN, bench.WIRECOMP):
        cases += [
            bench.Case(server, name, level)
            for name, level in pairs
            if server == bench.WIRECOMP or bench.plainknows(name)
        ]
        if not opts[b'engine'] and not opts[b'level']:
            cases += [
                bench.Case(server, b'none', None, bench.STREAM, legacy)
                for legacy in STREAMS
            ]
    baseline = bench.Case(bench.PLAIN, b'zlib', -1)
    if baseline not in cases:
        cases.insert(0, baseline)
    return cases


def _engine(name):
    for engine in engines.OWN:
        if name.lower() in (engine.name, engine.wirename):
            if engine.available():
                return engine
            raise error.InputError(
                _(b'--engine: the library of %s is not installed')
                % engine.name,
                hint=_(b'install it, or name another engine'),
            )
    raise error.InputError(
        _(b"--engine: unknown engine '%s'") % name,
        hint=_(b'usable engines: %s')
        % b', '.join(engine.name for engine in engines.OWN),
    )


def _levels(engine, opts):
    """Return the levels asked for that ``engine`` has (tuple of int)."""
    if not engine.levels:
        return (None,)
    try:
        asked = [int(level) for level in dict.fromkeys(opts[b'level'])]
        for level in asked:
            engine.check(level)
    except ValueError:
        raise error.InputError(
            _(b'--level: %s has no level %s')
            % (engine.name, b', '.join(opts[b'level'])),
            hint=_(b'use a whole number from %d to %d') % engine.levels,
        ) from None
    return tuple(asked)


def _show(ui, opts, results):
    baseline = next(
        result
        for result in results
        if result.case == bench.Case(bench.PLAIN, b'zlib', -1)
    )
    fm = ui.formatter(b'wire-bench', opts)
    fm.plain(
        b'server    answer         level  server CPU  client CPU     wall'
        b'         bytes  ratio  memory\n'
    )
    for result in results:
        case, figures = result.case, result.figures
        ratio = figures.size / baseline.figures.size
        level = b'-' if case.level is None else b'%d' % case.level
        fm.startitem()
        fm.data(kind=case.kind, legacy=case.legacy, first=figures.first)
        fm.write(b'server', b'%-8s', case.server)
        fm.plain(b'  %-13s' % _answer(case))
        fm.data(engine=case.engine, level=case.level)
        fm.plain(b'  %5s' % level)
        fm.write(b'servercpu', b'  %8.3f s', figures.servercpu)
        fm.write(b'clientcpu', b'  %8.3f s', figures.clientcpu)
        fm.write(b'wall', b'  %5.2f s', figures.wall)
        fm.write(b'bytes', b'  %12d', figures.size)
        fm.write(b'ratio', b'  %5.3f', ratio)
        fm.write(b'memory', b'  %3.0f MB', result.peak / engines.MB)
        fm.plain(b'\n')
    fm.end()


def _answer(case):
    """Return what an answer is, in a word or two (bytes)."""
    if case.kind == bench.PULL:
        return case.engine
    return b'stream, legacy' if case.legacy else b'stream'


def _plot(path, results):
    """Draw bytes against server CPU, a line for each engine."""
    drawing = plots.matplotlib().Figure(figsize=(8, 5), layout='constrained')
    axes = drawing.add_subplot()
    lines = {}
    for result in results:
        if result.case.kind == bench.PULL:
            key = (result.case.server, result.case.engine)
            lines.setdefault(key, []).append(result)
    for (server, engine), found in lines.items():
        axes.plot(
            [result.figures.servercpu for result in found],
            [result.figures.size / 1e6 for result in found],
            label='%s, %s' % (engine.decode(), server.decode()),
            marker='x' if server == bench.PLAIN else 'o',
            linestyle='none' if server == bench.PLAIN else '-',
        )
        for result in found:
            if result.case.level is not None:
                axes.annotate(
                    str(result.case.level),
                    (result.figures.servercpu, result.figures.size / 1e6),
                    textcoords='offset points',
                    xytext=(4, 4),
                    fontsize=8,
                )
    axes.set_xlabel('server CPU of a clone, seconds')
    axes.set_ylabel('bytes sent, MB')
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    drawing.savefig(pycompat.fsdecode(path))
