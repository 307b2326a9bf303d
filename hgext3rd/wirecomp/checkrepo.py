# checkrepo.py - what stands in the configuration of what is served
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""A repository, or a web.conf with its repositories, as a server would see it.

Everything is opened to be read; nothing is served, written or made.
"""

from __future__ import annotations

from typing import NamedTuple

from mercurial import encoding, error, streamclone, ui as uimod, util
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import (
    check,
    checkconf,
    compat,
    faults,
    fronts,
    keys,
    postargs,
    settings,
    wireproto,
)

EXTENSIONS = checkconf.EXTENSIONS
COMMANDLINE = b'--config'
MANIFEST = b'pullbundles.manifest'

ENABLE = _(
    b"set it under [extensions] in the server's own configuration, or in the "
    b"repository's hgrc"
)
SEE = _(b'let the user who runs the server read it')
RAISEHEADERS = _(b'set it to yes, or raise their limits')
NOPOST = _(b'if yours does, set it to no, and raise the limits of headers')
POSTED = _(
    b'clients put the arguments in the body of POST requests, which some hosts '
    b'and proxies refuse from readers (403)'
)
NEEDLESS = _(b'take it out, and only for many heads there are POST requests')
RAISEBODY = _(b'raise its limit')
FEWER = _(b'serve fewer heads')


class Result(NamedTuple):
    """What was found out about a repository, or a web.conf.

    ``path`` (bytes): as served, or of the file. ``root`` (bytes, or None for
    a web.conf and for what can't be opened). ``enabled`` (bool): by its
    configuration. ``findings``: tuple of check.Finding. ``settings`` (tuple of
    checkconf.Setting), ``responses`` (tuple of check.Response) and ``limits``
    (keys.Limits) are those in effect, or empty. ``arguments``
    (postargs.Decision): where those of requests go, or None.
    """

    path: bytes
    root: bytes | None
    enabled: bool
    findings: tuple
    settings: tuple = ()
    responses: tuple = ()
    limits: NamedTuple = keys.DEFAULTLIMITS
    arguments: NamedTuple | None = None


def serverui(ui):
    """Return the ui of a server, from a ``ui`` without a repository's own
    configuration: what the command line enables, so that there is this
    command, counts for nothing."""
    names = [
        name
        for name in settings.enabledas(ui)
        if ui.configsource(EXTENSIONS, name) == COMMANDLINE
    ]
    served = ui.copy()
    if names:
        served = uimod.ui.load()
        for section, name, value in ui.walkconfig():
            source = ui.configsource(section, name)
            if section == EXTENSIONS and name in names:
                continue
            if source != served.configsource(section, name):
                served.setconfig(section, name, value, source)
    # What is ignored is told as a finding.
    served.setconfig(b'ui', b'report_untrusted', b'off', b'wire-check')
    return served


def repository(ui, path, name, source=None, known=(), environ=None):
    """Return the Result of the repository at ``path`` (bytes).

    Takes a ui of ``serverui``, its ``name`` as served, the ``source`` of that,
    both bytes, findings that are ``known`` already, and the ``environ`` of a
    client, as in settings.read.
    """
    try:
        repo = compat.repository(ui.copy(), path)
        result = _examine(repo, name, environ)
    # Extensions of the repository may raise anything.
    except Exception as inst:
        return _failed(path, name, source or path, inst)
    found = [f for f in result.findings if f not in known]
    return result._replace(findings=check.ordered(found))


def _failed(path, name, source, inst):
    """Return the Result of what can't be served, for an exception."""
    finding = check.Finding(
        check.ERROR,
        b'paths.%s' % (name.strip(b'/') or b'/'),
        getattr(inst, 'location', None) or source,
        _(b'cannot be served: %s') % _oneline(inst),
        _(b'mend %s, or serve it no more') % path,
    )
    return Result(name, None, False, (finding,))


def _oneline(inst):
    """Return an exception in words (bytes, one line)."""
    if isinstance(inst, OSError) and inst.strerror:
        return encoding.strtolocal(inst.strerror)
    lines = faults.describe(inst).split(b'\n')
    return b' '.join(map(stringutil.escapestr, lines)).replace(b"\\'", b"'")


def webconf(ui, path, environ=None):
    """Yield the Result of a web.conf at ``path`` (bytes), then that of each
    repository in it.

    Takes a ui of ``serverui``, and ``environ`` as in ``repository``.
    """
    ui = ui.copy()
    try:
        # As core's hgwebdir does.
        ui.readconfig(path, trust=True, remap={b'paths': b'hgweb-paths'})
    except error.Error as inst:
        finding = _webfinding(path, _(b'cannot be read: %s') % _oneline(inst))
        source = getattr(inst, 'location', None) or path
        finding = finding._replace(severity=check.ERROR, source=source)
        yield Result(path, None, False, (finding,))
        return
    entries = list(compat.webrepositories(ui))
    findings = [
        _webfinding(
            entry.source,
            _(b'there is no repository below it'),
            b'paths.%s' % entry.name,
        )
        for entry in entries
        if entry.path is None
    ]
    if not entries:
        findings.append(_webfinding(path, _(b'it names no repository')))
    enabled = bool(settings.enabledas(ui))
    if enabled:
        findings += checkconf.wrong(ui, settings.read(ui))
    yield Result(path, None, enabled, check.ordered(findings))
    for entry in entries:
        name = b'/' + entry.name.strip(b'/')
        if entry.failure is not None:
            yield _failed(entry.path, name, entry.source, entry.failure)
        elif entry.path is not None:
            yield repository(
                ui, entry.path, name, entry.source, findings, environ
            )


def _webfinding(source, text, key=b'web.conf'):
    hint = _(b'name repositories under [paths], see hg help -c serve')
    return check.Finding(check.WARNING, key, source, text, hint)


def _examine(repo, name, environ):
    """Return the Result of a repository, for the client of ``environ`` (as in
    settings.read)."""
    if not settings.enabled(repo):
        return Result(name, repo.root, False, (_disabled(repo),))
    effective = settings.ofrepo(repo, environ)
    ui = settings.inforce(repo.ui, repo.baseui, [])
    findings = checkconf.wrong(ui, effective)
    if ui is repo.ui:
        findings += checkconf.overrides(repo)
    findings += _manifest(repo)
    findings += _headerlen(repo)
    decision = _decision(repo, effective.postarguments)
    findings += _arguments(repo, ui, effective, decision)
    streams = streamclone.allowservergeneration(repo)
    return Result(
        name,
        repo.root,
        True,
        tuple(findings),
        tuple(checkconf.inforce(ui, effective)),
        tuple(check.responses(effective, streams)),
        effective.limits,
        decision,
    )


def _disabled(repo):
    """Return the Finding of a repository that does not enable wirecomp."""
    ui = repo.ui
    finding = check.Finding(
        check.WARNING,
        b'extensions.wirecomp',
        b'default',
        _(b'not enabled: plain Mercurial answers'),
        ENABLE,
    )
    for name in settings.enabledas(None):
        key = b'%s.%s' % (EXTENSIONS, name)
        trusted = ui.config(EXTENSIONS, name)
        if trusted is not None:
            source = checkconf.source(ui, EXTENSIONS, name)
            return finding._replace(key=key, source=source)
        if ui.config(EXTENSIONS, name, untrusted=True) is not None:
            return finding._replace(
                key=key,
                source=ui.configsource(EXTENSIONS, name, untrusted=True),
                text=_(b'ignored, not in a trusted file; ') + finding.text,
            )
    return finding


def _manifest(repo):
    """Yield a Finding for what is wrong with the pull bundles."""
    if not repo.ui.configbool(keys.SERVER, b'pullbundle'):
        return
    path = repo.vfs.join(MANIFEST)

    def finding(source, text, hint):
        key = b'server.pullbundle'
        return check.Finding(check.WARNING, key, source, text, hint)

    try:
        text = repo.vfs.tryread(MANIFEST)
    except OSError as inst:
        yield finding(path, _(b'cannot be read: %s') % _oneline(inst), SEE)
        return
    entries, problems = wireproto.readmanifest(repo, text)
    for problem in problems:
        source = repo.vfs.join(problem.source)
        yield finding(source, problem.text, problem.hint)
    for entry in entries:
        if not repo.vfs.isfile(entry[b'URL']):
            name = stringutil.escapestr(entry[b'URL'])
            yield finding(
                path,
                _(b'there is no bundle %s') % name,
                _(b'make it, or take its line out'),
            )


def _decision(repo, setting):
    """Return the postargs.Decision of a repository, with its heads."""
    heads = len(repo.filtered(b'served').heads())
    return postargs.byheads(setting, heads, postargs.headerlen(repo.ui))


def _headerlen(repo):
    """Yield a Finding if ``server.maxhttpheaderlen`` is no number."""
    ui = repo.ui
    key = b'server.maxhttpheaderlen'
    try:
        ui.configint(*key.split(b'.'))
    except error.ConfigError as inst:
        source = checkconf.source(ui, *key.split(b'.'))
        hint = _(b'use a whole number, or leave it out for 1024')
        text = _(b'no client gets in: %s') % _oneline(inst)
        yield check.Finding(check.ERROR, key, source, text, hint)


def _arguments(repo, ui, effective, decision):
    """Yield a Finding for where the arguments of a pull go, if the headers or
    the body may be refused that hold them.

    Takes the ``ui`` that counts, its settings.Settings, and the
    postargs.Decision.
    """
    source = checkconf.argumentsource(ui, effective)

    def finding(severity, text, hint):
        key = b'%s.%s' % keys.POSTARGUMENTS[:2]
        return check.Finding(severity, key, source, text, hint)

    heads = decision.heads
    head = fronts.head(heads, postargs.headerlen(repo.ui))
    size = (heads, head.headers, util.bytecount(head.size))
    taken = _(b'with %d heads a pull takes up to %d headers, %s') % size
    if decision.refusing:
        taken += _(b'; by default that is too much for ')
        taken += b', '.join(decision.refusing)
    if not decision.advertised:
        if decision.refusing:
            yield finding(check.WARNING, taken, RAISEHEADERS)
        return
    if decision.refusing:
        yield finding(check.NOTE, b'%s; %s' % (taken, POSTED), NOPOST)
    else:
        text = _(b'%s, though headers have room for those of %d heads')
        yield finding(check.NOTE, text % (POSTED, heads), NEEDLESS)
    body = fronts.body(heads)
    if body.refusing:
        text = _(b'with %d heads a pull takes a body of up to %s; by default')
        text += _(b' that is too much for %s')
        text %= (heads, util.bytecount(body.size), b', '.join(body.refusing))
        hint = FEWER if fronts.OURS in body.refusing else RAISEBODY
        yield finding(check.WARNING, text, hint)
