"""server extension: the source of an answer fails

``failing.at`` says where: at the ``first`` piece of the data, in the
``middle``, that is when half of its bytes are out, or at the ``last`` piece;
empty nowhere. ``failing.raise`` is what is raised, by its name in Python or
in ``mercurial.error``. A file named by ``failing.file`` holds both, and is
read for each answer: so the server need not be restarted.

What fails is where core itself would meet a damaged file: the data of a part
of a bundle2, or the pieces of a bundle1 and of a stream clone of old.
"""

import builtins
import errno

from mercurial import bundle2, error, exchange, exthelper, streamclone

eh = exthelper.exthelper()
eh.configitem(b'failing', b'at', default=b'')
eh.configitem(b'failing', b'raise', default=b'OSError')
eh.configitem(b'failing', b'file', default=b'')

configtable = eh.configtable
uisetup = eh.finaluisetup

TEXT = 'the source failed'
ERRNOS = {
    'BrokenPipeError': errno.EPIPE,
    'ConnectionResetError': errno.ECONNRESET,
}


def plan(ui):
    """Return (where to fail, the name of what is raised), as str."""
    words = [ui.config(b'failing', b'at'), ui.config(b'failing', b'raise')]
    path = ui.config(b'failing', b'file')
    if path:
        with open(path, 'rb') as control:
            words = control.read().split() or [b'', b'']
    return tuple(word.decode('ascii') for word in words)


def raised(name):
    """Return the exception of this name."""
    kind = getattr(builtins, name, None) or getattr(error, name)
    if issubclass(kind, OSError):
        return kind(ERRNOS.get(name, errno.EIO), TEXT)
    return kind(TEXT.encode() if issubclass(kind, error.Error) else TEXT)


def failing(chunks, ui):
    """Yield bytes from an iterable, or bytes, up to where it is to fail."""
    where, name = plan(ui)
    if not where:
        yield from [chunks] if isinstance(chunks, bytes) else chunks
        return
    chunks = [chunks] if isinstance(chunks, bytes) else list(chunks)
    half = sum(map(len, chunks)) / 2
    done = 0
    for number, chunk in enumerate(chunks, 1):
        if (
            where == 'first'
            or (where == 'middle' and done >= half)
            or (where == 'last' and number == len(chunks))
        ):
            break
        done += len(chunk)
        yield chunk
    raise raised(name)


@eh.wrapfunction(bundle2.bundle20, 'addpart')
def addpart(orig, self, part):
    if part.type == b'changegroup' or part.type.startswith(b'stream'):
        part.data = failing(part.data, self.ui)
    return orig(self, part)


@eh.wrapfunction(exchange, 'getbundlechunks')
def getbundlechunks(orig, repo, source, *args, **kwargs):
    info, chunks = orig(repo, source, *args, **kwargs)
    caps = kwargs.get('bundlecaps') or ()
    if not any(cap.startswith(b'HG2') for cap in caps):
        chunks = failing(chunks, repo.ui)
    return info, chunks


@eh.wrapfunction(streamclone, 'generatev1wireproto')
def generatev1wireproto(orig, repo):
    return failing(orig(repo), repo.ui)
