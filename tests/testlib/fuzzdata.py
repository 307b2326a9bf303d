"""What fuzzcases.py puts into its requests."""

NULL = b'0' * 40
COMMANDS = (
    b'capabilities heads getbundle batch lookup known listkeys branchmap '
    b'between branches changegroup changegroupsubset stream_out clonebundles '
    b'unbundle pushkey hello protocaps debugwireargs get_cached_bundle_inline '
    b'nosuchcommand'
).split()
ARGUMENTS = {
    b'getbundle': b'heads common bundlecaps cg listkeys obsmarkers phases '
    b'stream bookmarks cbattempted includepats excludepats',
    b'batch': b'cmds',
    b'lookup': b'key',
    b'known': b'nodes',
    b'listkeys': b'namespace',
    b'between': b'pairs',
    b'branches': b'nodes',
    b'changegroup': b'roots',
    b'changegroupsubset': b'bases heads',
    b'unbundle': b'heads',
    b'pushkey': b'namespace key old new',
    b'debugwireargs': b'one two three four five',
    b'get_cached_bundle_inline': b'path',
    b'protocaps': b'caps',
}
METHODS = b'HEAD POST PUT DELETE OPTIONS PATCH TRACE CONNECT get G\x1bT'.split()
SERVED = (b'GET', b'HEAD', b'POST', b'PUT')
# None holds an end of line: that would be another request.
NASTY = (
    b'',
    b'0',
    b'-1',
    b'+1',
    b'1_0',
    b'1e3',
    b'0x10',
    b' 7 ',
    b'9' * 30,
    b'\xd9\xa3',
    b'\x00',
    b'\x1b[31mred\x1b[0m',
    b'\x1b]0;title\x07',
    b'\x08\x08\x7f',
    b'\xff\xfe\xfd',
    b'\xc3\x28',
    b'\xc2\x9b31m',
    b'\xe2\x80\xae',
    b'caf\xc3\xa9',
    b'%00',
    b'%0a%0a',
    b'%0d%0aSet-Cookie: a=b%0d%0a%0d%0a',
    b'%1b[2J%07',
    b'%ff%fe',
    b'%',
    b'%zz',
    b'\t',
    b';',
    b'&=&=',
    b'../../../etc/passwd',
    b'%2e%2e%2f%2e%2e%2f',
    b'%s%n%(x)s',
    b'"\'<script>alert(1)</script>',
    b'A' * 300,
    b'A' * 9000,
    b'null',
    b'tip',
    b'-2',
    b'all()',
    b'merge() and file("set:**")',
)
LENGTHS = (
    b'',
    b'-1',
    b'-%d',
    b'+%d',
    b'0%d',
    b'%d_0',
    b'1_0',
    b'%d, %d',
    b'%d %d',
    b'%d;',
    b'0x%x',
    b'%d.0',
    b'abc',
    b'9' * 30,
    b'\xd9\xa3',
    b'%d\x00',
    b'\x0b%d',
)
ENCODINGS = (
    b'chunked',
    b'Chunked',
    b'gzip, chunked',
    b'identity',
    b'xchunked',
    b'chunked, identity',
    b'\x0bchunked',
    b'',
)
PROTOS = (
    b'0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull',
    b'0.1 0.2 comp=zstd',
    b'0.2 comp=zlib',
    b'0.2 comp=none',
    b'0.1',
    b'0.2 comp=',
    b'0.2 comp=,,,zstd comp=none',
)
