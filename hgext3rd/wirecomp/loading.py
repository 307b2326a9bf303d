# loading.py - modules that must be there before threads are
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""What Mercurial loads late, loaded early."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys

from . import engines

# What core imports in its functions while it answers.
LATE = ('hgweb.wsgiheaders', 'hgweb.common', 'hgweb.request')

# Whose modules are loaded early. Who uses others may count on it that they fail
# when they are used.
LOADED = {
    *('mercurial', 'hgext', __name__.partition('.')[0]),
    *getattr(sys, 'stdlib_module_names', ()),
}


def loadlazy():
    """Load each module of Mercurial and Python whose loading was put off.

    Several threads that first use a module at once can meet it half loaded:
    then the first requests together to a server that has just been started
    fail (Pythons 3.11 and 3.12, all versions to hg72).
    """
    for name in LATE:
        importlib.import_module('mercurial.' + name)
    engines.ZSTD.available()
    _load(lambda name: name.split('.')[0] in LOADED)


def loadown(package):
    """Load each module of a ``package`` (str) whose loading was put off."""
    _load(lambda name: name.startswith(package + '.'))


def _load(wanted):
    """Load the modules whose names are ``wanted`` (a function of str)."""
    lazy = importlib.util._LazyModule
    tried = set()
    found = True
    while found:
        # Loading one may bring others.
        found = [
            module
            for name, module in list(sys.modules.items())
            if issubclass(type(module), lazy)
            and wanted(name)
            and id(module) not in tried
        ]
        for module in found:
            tried.add(id(module))
            # One that can't be loaded is for whoever uses it.
            with contextlib.suppress(Exception):
                vars(module)
