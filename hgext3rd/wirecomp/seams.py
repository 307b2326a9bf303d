# seams.py - what is patched, and relied on, of core
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""The seams: literals alone, which ``compat`` checks."""

from __future__ import annotations

# What is patched or relied on: module, attribute, the parameters that it
# begins with, or, after "...", has among others.
SEAMS = (
    ('wireprotoserver', '_callhttp', 'repo req res proto cmd'),
    ('wireprotoserver', '_httpresponsetype', 'ui proto prefer_uncompressed'),
    ('wireprotoserver', 'decodevaluefromheaders', 'req headerprefix'),
    ('wireprotoserver', 'httpv1protocolhandler', 'req ui checkperm'),
    ('wireprotoserver', 'httpv1protocolhandler._args', 'self'),
    ('wireprotov1server', '_capabilities', 'repo proto'),
    (
        'wireprotov1server',
        'find_pullbundle',
        'repo proto opts clheads heads common',
    ),
    ('wireprototypes', 'streamres', 'gen prefer_uncompressed'),
    ('exchange', 'getbundlechunks', 'repo source ... bundlecaps'),
    ('bundlecaches', 'parseclonebundlesmanifest', 'repo s'),
    ('bundle2', 'bundle20.__init__', 'self ui'),
    ('bundle2', 'bundle20.addpart', 'self part'),
    ('bundle2', 'encodecaps', 'caps'),
    ('bundle2', 'decodecaps', 'blob'),
    ('exchange', 'b2partsgenerator', 'stepname'),
    ('hgweb.request', 'wsgiresponse.setbodybytes', 'self b'),
    ('hgweb.request', 'wsgiresponse.setbodygen', 'self gen'),
    ('hgweb.request', 'parsedrequest', '... rawenv'),
)

# What is patched of ``hg serve``, looked for when it starts.
SERVESEAMS = (
    ('hgweb.server', '_httprequesthandler.parse_request', 'self'),
    ('hgweb.server', '_httprequesthandler._write', 'self data'),
    ('hgweb.server', '_httprequesthandler._done', 'self'),
    ('hgweb.server', '_httprequesthandler.do_hgweb', 'self'),
    ('hgweb.server', '_httprequesthandler._log_any', 'self fp format'),
    ('hgweb.server', '_httprequesthandler.send_headers', 'self'),
    ('ui', 'ui._trusted', 'self fp f'),
)

# What is patched of a client, looked for when it makes a peer.
CLIENTSEAMS = (
    ('httppeer', 'makev1commandrequest', 'ui requestbuilder caps capablefn'),
    ('httppeer', 'sendrequest', 'ui opener req'),
    (
        'httppeer',
        'parsev1commandresponse',
        'ui baseurl requrl qs resp compressible',
    ),
    ('httppeer', 'httppeer._calltwowaystream', 'self cmd fp'),
    ('keepalive', 'KeepAliveHandler._start_transaction', 'self h req'),
    ('httppeer', 'httppeer.close', 'self'),
)

# Where the ui of a peer is made (up to hg71, since hg72).
REMOTEUI = (('hg', 'remoteui'), ('repo.factory', '_remoteui'))

# Tables that are read.
TABLES = (
    ('wireprotov1server', 'commands'),
    ('configitems', 'coreitems'),
    ('utils.compression', 'compengines'),
)
