# admincheck.py - what people run before they serve
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The command ``admin::wire-check``."""

from __future__ import annotations

import os

from mercurial import cmdutil, error, exthelper, pycompat, registrar, util
from mercurial.i18n import _

from . import check, checkrepo, policy

eh = exthelper.exthelper()


@eh.command(
    b'admin::wire-check',
    [
        (b'', b'web-conf', b'', _(b'check what this file serves'), _(b'FILE')),
        (b'', b'clients', 8, _(b'memory for so many at once'), _(b'N')),
        (b'', b'client', b'', _(b'check for this client'), _(b'ADDRESS')),
    ]
    + cmdutil.formatteropts,
    _(b'[OPTION]...'),
    helpcategory=registrar.command.CATEGORY_MAINTENANCE,
    optionalrepo=True,
)
def wirecheck(ui, repo, **opts):
    """check how a repository is going to be served

    Prints the settings in effect, with their sources, what typical clients
    would be sent, and the memory that compressing takes; Mercurial itself
    needs more. Then what is wrong, with its key, file and line, and a hint:

    error
        a mistake with which :hg:`serve` of the repository does not start, or
        with which it can't be served
    warning
        what has no effect, is ignored, or is dangerous
    note
        advice

    The clients are: ``legacy``, before 4.1; ``4.1+``, whose stream clones are
    those of 4.1 to 4.5; ``current``; and the same behind a proxy that drops
    the headers ``X-HgProto``.

    With ``--client`` the clients have this address, and the network policy that
    holds for it.

    With ``--web-conf`` it checks each repository of a file for :hg:`serve
    --web-conf` or hgweb. What is wrong in that file is told once, first.

    An extension wirecomp that only ``--config`` enables counts as not enabled;
    other settings of ``--config`` count as those of the server. Whether a log
    can be written depends on the user: run it as the one who runs the server.
    Nothing is served and nothing is changed.

    With ``-q`` only what is wrong is printed.

    Returns 0 if nothing is wrong, but for notes, and 1 otherwise.
    """
    opts = pycompat.byteskwargs(opts)
    clients = opts[b'clients']
    if clients < 1:
        raise error.InputError(
            _(b'--clients: there must be one at least'),
            hint=_(b'leave it out for 8'),
        )
    environ = _environ(opts[b'client'])
    served = checkrepo.serverui(ui if repo is None else repo.baseui)
    failing = False
    fm = ui.formatter(b'wire-check', opts)
    for result in _results(served, repo, opts[b'web_conf'], environ):
        failing |= check.failing(result.findings)
        _show(ui, fm, result, clients)
    fm.end()
    return int(failing)


def _environ(client):
    """Return the environ of a client by its address (bytes), as in
    settings.read."""
    if not client:
        return None
    if policy.address(client) is None:
        raise error.InputError(
            _(b'--client: %s is no address') % client,
            hint=_(b'give an IPv4 or IPv6 address'),
        )
    return {b'REMOTE_ADDR': client}


def _results(ui, repo, webconf, environ):
    """Return the checkrepo.Results that were asked for (iterable)."""
    if webconf:
        if not os.path.isfile(webconf):
            raise error.InputError(
                _(b'--web-conf: there is no file %s') % webconf,
                hint=_(b'name the file that the server is given'),
            )
        return checkrepo.webconf(ui, webconf, environ)
    if repo is None:
        raise error.InputError(
            _(b'there is no repository here'),
            hint=_(b'name one by -R, or a file of them by --web-conf'),
        )
    return [checkrepo.repository(ui, repo.root, repo.root, environ=environ)]


def _show(ui, fm, result, clients):
    """Show a checkrepo.Result, for so many ``clients`` (int) at once."""
    most = check.largest(result.responses)
    streams = check.atonce(clients, result.limits)
    fm.startitem()
    fm.data(path=result.path, root=result.root, enabled=result.enabled)
    fm.data(clients=clients, streams=streams)
    fm.data(memory=most, memoryall=most * streams)
    arguments = result.arguments
    fm.data(heads=arguments and arguments.heads)
    fm.data(postarguments=arguments and arguments.advertised)
    # What -q leaves out is for people: programs get all.
    silent = ui.quiet and fm.isplain()
    if result.findings or not silent:
        fm.plain(b'%s\n' % result.path)
    _showsettings(fm, () if silent else result.settings)
    _showresponses(fm, () if silent else result.responses)
    if result.responses and not silent:
        fm.plain(
            _(b'  memory: %s for an answer at most, %s for %d at once\n')
            % (util.bytecount(most), util.bytecount(most * streams), streams)
        )
    if arguments and not silent:
        where = _(b'in the body of POST requests')
        if not arguments.advertised:
            where = _(b'in headers')
        heads = arguments.heads
        fm.plain(_(b'  arguments: %s (heads: %d)\n') % (where, heads))
    _showfindings(fm, result.findings)
    if not result.findings and not silent:
        fm.plain(_(b'  nothing is wrong\n'))


def _showsettings(fm, settings):
    nested = fm.nested(b'settings')
    for setting in settings:
        value = setting.value
        if isinstance(value, tuple):
            value = fm.formatlist(value, name=b'name', sep=b', ')
        nested.startitem()
        nested.write(b'key', b'  %-25s', setting.key)
        nested.data(value=value)
        nested.plain(b'  %-12s' % setting.words)
        nested.write(b'source', b'  %s\n', setting.source)
    nested.end()


def _showresponses(fm, responses):
    nested = fm.nested(b'responses')
    for response in responses:
        encoding = response.encoding
        name, level = encoding.engine.wirename, encoding.level
        memory = response.memory
        nested.startitem()
        nested.write(b'client', b'  %-21s', response.client)
        nested.write(b'answer', b'  %-12s', response.answer)
        nested.write(b'mediatype', b'  %s', encoding.mediatype)
        nested.write(b'engine', b'  %-5s', name)
        nested.data(level=level, memory=memory)
        nested.plain(b'  %2s' % (b'-' if level is None else b'%d' % level))
        size = b'-' if memory is None else util.bytecount(memory)
        nested.plain(b'  %7s' % size)
        nested.write(b'reason', b'  %s\n', encoding.reason)
    nested.end()


def _showfindings(fm, findings):
    nested = fm.nested(b'findings')
    for finding in findings:
        nested.startitem()
        nested.write(b'severity', b'  %s', finding.severity)
        nested.write(b'source', b': %s', finding.source)
        nested.write(b'key', b': %s', finding.key)
        nested.write(b'text', b': %s\n', finding.text)
        nested.write(b'hint', b'    (%s)\n', finding.hint)
    nested.end()
