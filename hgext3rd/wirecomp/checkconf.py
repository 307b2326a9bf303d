# checkconf.py - what stands in the configuration, and what is wrong there
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The part of ``hg admin::wire-check`` that reads configuration."""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

from mercurial import util
from mercurial.i18n import _
from mercurial.utils import stringutil

from . import check, compat, keys, reading, settings

EXTENSIONS = b'extensions'

LISTED = _(b'take it out; hg help -e wirecomp lists the keys')


class Setting(NamedTuple):
    """A key in effect: ``key`` (bytes) as section.key, its ``value`` (bytes,
    bool, int, float, None, or a tuple of bytes), and its ``source`` (bytes):
    file and line, another origin, or ``default``."""

    key: bytes
    value: object
    source: bytes

    @property
    def words(self):
        """The value as it may stand in a file (bytes)."""
        value = self.value
        if isinstance(value, bool):
            return b'yes' if value else b'no'
        if isinstance(value, tuple):
            return b', '.join(value)
        if value is None:
            return b'none'
        if self.key == b'wirecomp.zstd-window':
            return util.bytecount(value)
        if isinstance(value, bytes):
            return stringutil.escapestr(value)
        return b'%g' % value


def source(ui, section, name):
    """Return where a key was set (bytes): file and line, another origin, or
    ``default``."""
    return ui.configsource(section, name) or b'default'


def argumentsource(ui, effective):
    """Return what decides on arguments in bodies (bytes): the source of
    ``wirecomp.post-arguments``, or of core's key where that counts."""
    problems = []
    given = reading.readkey(ui, keys.POSTARGUMENTS, problems)
    if given != effective.postarguments:
        return source(ui, *keys.HTTPPOSTARGS[:2])
    return b'default' if problems else source(ui, *keys.POSTARGUMENTS[:2])


def inforce(ui, effective):
    """Yield a Setting for each key, with what is in effect."""
    # What can't be used is not what the value comes from.
    bad = {
        check.Finding.of(problem).key
        for problem in effective.problems
        if problem.fatal
    }

    def setting(section, name, value):
        key = b'%s.%s' % (section, name)
        origin = b'default' if key in bad else source(ui, section, name)
        return Setting(key, value, origin)

    for name in settings.enabledas(ui):
        yield setting(EXTENSIONS, name, True)
    names = tuple(engine.name for engine in effective.engines)
    yield setting(keys.SERVER, keys.ENGINES, names)
    for engine in settings.levelled():
        key = keys.levelkey(engine)
        yield setting(key.section, key.name, effective.level(engine))
    paths = effective.paths
    for table, values in (
        (keys.TUNING, effective.tuning),
        (keys.LIMITS, effective.limits),
        (keys.PATHS, (paths.log, paths.metrics)),
    ):
        for key, value in zip(table, values):
            yield setting(key.section, key.name, value)
    yield Setting(
        b'%s.%s' % keys.POSTARGUMENTS[:2],
        effective.postarguments,
        argumentsource(ui, effective),
    )
    proxies = tuple(ui.configlist(keys.WIRECOMP, keys.PROXIES))
    yield setting(keys.WIRECOMP, keys.PROXIES, proxies)
    for item, value in ui.configitems(keys.POLICY):
        yield setting(keys.POLICY, item, value)


def wrong(ui, effective):
    """Return what is wrong in the configuration of ``ui`` (list of
    check.Finding), whose settings.Settings are ``effective``."""

    def sourceof(engine):
        key = b'zstd-window' if engine is None else b'%slevel' % engine.name
        section = keys.WIRECOMP if engine is None else keys.SERVER
        return source(ui, section, key)

    findings = [check.Finding.of(problem) for problem in effective.problems]
    findings += _misspelt(ui)
    findings += _log(effective.paths)
    findings += check.advice(effective, sourceof)
    return findings


def _ours():
    """Return each key of the extension (list of (section, name))."""
    found = [(keys.SERVER, keys.ENGINES)]
    levels = map(keys.levelkey, settings.levelled())
    found += [(key.section, key.name) for key in levels]
    names = compat.itemsof(keys.WIRECOMP)
    return found + [(keys.WIRECOMP, name) for name in sorted(names)]


def _misspelt(ui):
    """Yield a Finding for each key that nobody reads and that looks like one of
    ours."""
    ours = {name: section for section, name in _ours()}
    for section in (keys.WIRECOMP, keys.SERVER):
        known = compat.itemsof(section)
        for name, _value in ui.configitems(section):
            if name in known or (section, name) in _ours():
                continue
            candidates = set(ours)
            if section == keys.SERVER:
                candidates.update(known)
            meant = check.nearest(name, candidates)
            if section == keys.SERVER and meant not in ours:
                continue
            hint = LISTED
            if meant is not None:
                hint = _(b'use %s.%s') % (ours[meant], meant)
            yield check.Finding(
                check.WARNING,
                b'%s.%s' % (section, stringutil.escapestr(name)),
                source(ui, section, name),
                _(b'there is no such key, it has no effect'),
                hint,
            )


def _log(paths):
    """Yield a Finding if the log of reading.Paths can't be written by this
    user."""
    if not paths.log:
        return
    try:
        number = _unwritable(paths.log)
        problem = number and OSError(number, os.strerror(number))
    except ValueError as inst:
        problem = inst
    if problem:
        yield check.Finding.of(paths.unwritable('log', problem))


def _unwritable(path):
    """Return why a file can't be opened to append to it, or made, as an errno
    (int), or None. Raises ValueError for what is no path."""
    if os.path.isdir(path):
        return errno.EISDIR
    if os.path.exists(path):
        return None if os.access(path, os.W_OK) else errno.EACCES
    parent = os.path.dirname(path) or b'.'
    if not os.path.isdir(parent):
        return errno.ENOTDIR if os.path.exists(parent) else errno.ENOENT
    return None if os.access(parent, os.W_OK | os.X_OK) else errno.EACCES


def overrides(repo):
    """Yield a Finding for each setting of the server that the repository's own
    hgrc replaces."""
    ui, base = repo.ui, repo.baseui
    for section, name in _ours():
        if not base.hasconfig(section, name):
            continue
        theirs = base.configsource(section, name)
        its = ui.configsource(section, name)
        if its == theirs:
            continue
        values = [_shown(u.config(section, name)) for u in (ui, base)]
        yield check.Finding(
            check.WARNING,
            b'%s.%s' % (section, name),
            its,
            _(b"'%s' of the repository overrides '%s' at %s")
            % (*values, theirs),
            _(b'take one of them out'),
        )


def _shown(value):
    # What an extension sets may be no bytes.
    return stringutil.escapestr(stringutil.forcebytestr(value))
