admin::wire-report sums the JSON logs of a server. It needs no repository.

  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ cat > makelog.py <<EOF
  > import json
  > whole = {
  >     'time': '2026-12-01T14:00:00.123Z', 'repo': '/project',
  >     'command': 'getbundle', 'address': '192.0.2.7', 'user': None,
  >     'agent': 'mercurial/proto-1.0 (Mercurial 7.2.4)', 'status': 200,
  >     'mediatype': 'application/mercurial-0.2', 'engine': 'zstd', 'level': 3,
  >     'reason': 'first engine of the server that the client reads',
  >     'source': 4000000, 'wire': 1000000, 'cpu': 0.5, 'wall': 2.0,
  >     'first': 0.01, 'outcome': 'complete',
  > }
  > small = {
  >     'command': 'heads', 'engine': None, 'level': None, 'reason': None,
  >     'mediatype': 'application/mercurial-0.1', 'source': 41, 'wire': 41,
  >     'cpu': 0.001, 'wall': 0.002,
  > }
  > legacy = {
  >     'mediatype': 'application/mercurial-0.1', 'engine': 'zlib',
  >     'reason': 'legacy client', 'agent': 'mercurial/proto-1.0',
  > }
  > later = {'time': '2026-12-02T00:00:00.000Z'}
  > for changes in (
  >     {},
  >     dict(address='::ffff:192.0.2.9', wire=500000, wall=8.0),
  >     small,
  >     dict(small, address=None),
  >     dict(small, **later),
  >     dict(legacy, address='2001:db8:1:2::3'),
  >     dict(legacy, **later, address='198.51.100.1', outcome='hung-up'),
  >     dict(later, outcome='failed', error='OSError', wire=0),
  > ):
  >     print(json.dumps(dict(whole, **changes)))
  > EOF
  $ "$PYTHON" makelog.py > wire.log
  $ report() {
  >   hg admin::wire-report "$@"
  > }
  $ report wire.log
   answers      source        wire  ratio         CPU     median        p95  fallbacks  hung up  failed  what
         8     19.1 MB     3.34 MB  0.175     2.503 s    1.994 s    7.973 s          2        1       1  all
         3   123 bytes   123 bytes  1.000     0.003 s    0.002 s    0.002 s          0        0       0  engine -
         3     11.4 MB     1.43 MB  0.125     1.500 s    1.994 s    7.973 s          0        0       1  engine zstd
         2     7.63 MB     1.91 MB  0.250     1.000 s    1.994 s    1.994 s          2        1       0  engine zlib
         5     19.1 MB     3.34 MB  0.175     2.500 s    1.994 s    7.973 s          2        1       1  command getbundle
         3   123 bytes   123 bytes  1.000     0.003 s    0.002 s    0.002 s          0        0       0  command heads
         5     11.4 MB     2.38 MB  0.208     1.502 s    1.994 s    7.973 s          1        0       0  day 2026-12-01
         3     7.63 MB      977 KB  0.125     1.001 s    1.994 s    1.994 s          1        1       1  day 2026-12-02
         5     11.4 MB     1.43 MB  0.125     1.502 s    1.994 s    7.973 s          0        0       1  network 192.0.2.0/24
         1     3.81 MB      977 KB  0.250     0.500 s    1.994 s    1.994 s          1        1       0  network 198.51.100.0/24
         1     3.81 MB      977 KB  0.250     0.500 s    1.994 s    1.994 s          1        0       0  network 2001:db8:1::/48
         1    41 bytes    41 bytes  1.000     0.001 s    0.002 s    0.002 s          0        0       0  network -
         2     7.63 MB     1.91 MB  0.250     1.000 s    1.994 s    1.994 s          2        1       0  fallback legacy client
         1     3.81 MB     0 bytes  0.000     0.500 s    1.994 s    1.994 s          0        0       1  failure OSError

The same, compressed, in two files, and from standard input

  $ report wire.log > table
  $ "$PYTHON" -c 'import gzip; print(gzip.open("wire.log.gz", "wb").write(open("wire.log", "rb").read()) > 0)'
  True
  $ "$PYTHON" -c 'import zstandard; open("wire.log.zst", "wb").write(zstandard.ZstdCompressor().compress(open("wire.log", "rb").read()))'
  $ report wire.log.gz | cmp - table
  $ report wire.log.zst | cmp - table
  $ report - < wire.log | cmp - table
  $ report - < wire.log.gz | cmp - table
  $ head -3 wire.log > old.log
  $ tail -5 wire.log | report old.log - | cmp - table

As JSON, with nothing cut, and by a template

  $ report -T json wire.log.zst > json
  $ "$PYTHON" - <<EOF
  > import json
  > rows = json.load(open('json'))
  > for name, value in sorted(rows[0].items()):
  >     print(name, round(value, 1) if name in ('median', 'p95') else value)
  > print([row['by'] for row in rows if row['name'] is None])
  > EOF
  answers 8
  by all
  cpu 2.5029999999999997
  failed 1
  fallbacks 2
  hungup 1
  median 2.0
  name None
  p95 8.0
  ratio 0.17500507371879662
  source 20000123
  wire 3500123
  ['all', 'engine', 'network']
  $ report wire.log -T '{by} {name}: {answers} {failed}\n' --networks 1
  all : 8 1
  engine : 3 0
  engine zstd: 3 1
  engine zlib: 2 0
  command getbundle: 5 1
  command heads: 3 0
  day 2026-12-01: 5 0
  day 2026-12-02: 3 1
  network 192.0.2.0/24: 5 1
  network other: 3 0
  fallback legacy client: 2 0
  failure OSError: 1 1

Damage: half a line, half a line with a whole one behind it, bytes of any kind,
names that would move the cursor

  $ head -c 100 wire.log > damaged.log
  $ cat wire.log >> damaged.log
  $ printf '\377\000\033[2J\n[]\n' >> damaged.log
  $ sed -n -e 's/"heads"/"\\u001b[2J\\r"/p' wire.log | head -1 >> damaged.log
  $ head -c 100 wire.log >> damaged.log
  $ report damaged.log -T '{by} {name}: {answers}\n' | grep -e all -e command
  warning: damaged.log: damaged lines that were skipped: 4
  all : 9
  command getbundle: 5
  command heads: 3
  command \x1b[2J\r: 1
  fallback legacy client: 2
  $ report damaged.log wire.log 2>&1 > /dev/null
  warning: damaged.log: damaged lines that were skipped: 4

  $ head -c 150 wire.log.gz > cut.gz
  $ report cut.gz wire.log -T '{by} {answers}\n' | head -1
  warning: cut.gz: what comes after line 0 is unread: Compressed file ended before the end-of-stream marker was reached
  all 8

Nothing

  $ report /dev/null
   answers      source        wire  ratio         CPU     median        p95  fallbacks  hung up  failed  what
         0     0 bytes     0 bytes      -     0.000 s          -          -          0        0       0  all

Mistakes

  $ report
  abort: no log given
  (name JSON logs of the server, or - for standard input)
  [10]
  $ report wire.log nowhere.log
  abort: there is no log nowhere.log
  (name JSON logs of the server, or - for standard input)
  [10]
  $ report .
  abort: cannot read .: Is a directory
  (name JSON logs of the server, or - for standard input)
  [255]
  $ report wire.log --networks -1
  abort: --networks: -1 is no number of networks
  (use 0 or more, or leave it out for 20)
  [10]
  $ report wire.log --plot plot.pdf
  abort: --plot: plot.pdf is neither .svg nor .png
  (name a file with one of these endings)
  [10]

#if matplotlib
  $ report wire.log --plot plot.svg | cmp - table
  $ grep -c '<svg' plot.svg
  1
  $ report /dev/null --plot plot.png > /dev/null
  $ f --hexdump --bytes 4 plot.png | tail -1
  0000: 89 50 4e 47                                     |.PNG|
#endif

Without zstd

  $ cat > nozstd.py <<EOF
  > import sys
  > sys.modules['zstandard'] = None
  > from hgext3rd.wirecomp import engines
  > def uisetup(ui):
  >     engines.ZSTD.fallback = None
  > EOF
  $ report --config extensions.nozstd=nozstd.py wire.log.zst 2>&1 | sed 's/(.* -m/(PYTHON -m/'
  abort: cannot read wire.log.zst: zstandard is not installed
  (PYTHON -m pip install zstandard)
