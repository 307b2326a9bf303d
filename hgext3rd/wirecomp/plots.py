# plots.py - what --plot of the commands needs
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Plots, by matplotlib where it is installed."""

from __future__ import annotations

import os

from mercurial import demandimport, error, pycompat
from mercurial.i18n import _

# The endings of a plot file.
PLOTS = (b'.svg', b'.png')


def check(path):
    """Raise an Abort unless a plot can be drawn to ``path`` (bytes)."""
    if not path.endswith(PLOTS):
        raise error.InputError(
            _(b'--plot: %s is neither .svg nor .png') % path,
            hint=_(b'name a file with one of these endings'),
        )
    folder = os.path.dirname(path) or b'.'
    if not os.access(folder, os.W_OK):
        raise error.InputError(
            _(b'--plot: there is no folder %s to write to') % folder,
            hint=_(b'make it, or name a file elsewhere'),
        )
    try:
        matplotlib()
    except Exception:
        raise error.Abort(
            _(b'--plot needs matplotlib, which is not installed'),
            hint=_(b'%s -m pip install matplotlib')
            % pycompat.fsencode(pycompat.sysexecutable or b'python3'),
        ) from None


def matplotlib():
    """Return the module ``matplotlib.figure``. Raises what its import does."""
    # It does not stand Mercurial's lazy imports.
    with demandimport.deactivated():
        import matplotlib

        matplotlib.use('Agg')
        from matplotlib import figure

        return figure
