#require serve

admin::wire-bench measures this repository's answers: plain Mercurial's and
wirecomp's, by engine and level.

  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makerepo.py" repo 40
  $ cd repo
  $ bench() {
  >   hg admin::wire-bench --rounds 1 "$@"
  > }

The figures are those of real answers; the interesting ones without options

  $ bench > ../table
  $ sed -e 's/[0-9]*\.[0-9]* s/N s/g' -e 's/ *[0-9]*  [0-9.]* *[0-9]* MB$/ N/' -e 's/  */ /g' ../table
  server answer level server CPU client CPU wall bytes ratio memory
  plain zstd 1 N s N s N s N (zstd !)
  plain zstd 3 N s N s N s N (zstd !)
  plain zstd 7 N s N s N s N (zstd !)
  plain zlib 1 N s N s N s N
  plain zlib -1 N s N s N s N
  plain none - N s N s N s N
  plain stream - N s N s N s N
  plain stream, legacy - N s N s N s N
  wirecomp zstd 1 N s N s N s N
  wirecomp zstd 3 N s N s N s N
  wirecomp zstd 7 N s N s N s N
  wirecomp zlib 1 N s N s N s N
  wirecomp zlib -1 N s N s N s N
  wirecomp none - N s N s N s N
  wirecomp stream - N s N s N s N
  wirecomp stream, legacy - N s N s N s N
  $ bench --engine bzip2 --level 1 --engine none --level 9 > ../table
  $ cut -c1-32 ../table
  server    answer         level  
  plain     zlib              -1  
  plain     bz2                1  
  plain     bz2                9  
  plain     none               -  
  wirecomp  bz2                1  
  wirecomp  bz2                9  
  wirecomp  none               -  

As JSON, with nothing cut. wirecomp's bytes are those that plain Mercurial
sends, where neither compresses

  $ bench -T json --engine none > ../json
  $ "$PYTHON" - <<EOF
  > import json
  > rows = json.load(open('../json'))
  > for row in rows:
  >     assert 0 < row['servercpu'] and 0 < row['first'] <= row['wall'], row
  >     assert row['memory'] > 1
  >     print(*sorted(row))
  >     print(row['server'], row['engine'], row['level'], row['kind'])
  > plain, wirecomp = [row['bytes'] for row in rows if row['engine'] == 'none']
  > print(plain == wirecomp)
  > EOF
  bytes clientcpu engine first kind legacy level memory ratio server servercpu wall
  plain zlib -1 pull
  bytes clientcpu engine first kind legacy level memory ratio server servercpu wall
  plain none None pull
  bytes clientcpu engine first kind legacy level memory ratio server servercpu wall
  wirecomp none None pull
  True
  $ bench -T '{server} {engine} {level}\n' --engine zstd --level 2
  plain zlib -1
  plain zstd 2 (zstd !)
  wirecomp zstd 2

It works where the extension has another name

  $ bench --config extensions.wirecomp=! --engine zlib -T '{server} {engine} {level}\n' \
  >   --config extensions.other=$TESTDIR/../hgext3rd/wirecomp
  plain zlib 1
  plain zlib -1
  wirecomp zlib 1
  wirecomp zlib -1

With a server that does not start it says why

  $ bench --engine zlib --config server.zstdlevel=high
  abort: hg serve did not start: config error at --config: server.zstdlevel: bad value 'high'; (use a whole number from -7 to 22)
  (try it by hand: hg serve --repository .)
  [255]

What --config sets is measured, whatever else the repository says

  $ cat > .hg/hgrc <<EOF
  > [extensions]
  > nope = /nonexistent.py
  > [hooks]
  > preoutgoing.noise = head -c 70000 /dev/zero | tr '\0' x
  > [web]
  > ipv6 = yes
  > prefix = /hg
  > allow-pull = no
  > [wirecomp]
  > post-arguments = no
  > EOF
  $ for backend in zlib isal; do
  >   bench --engine zlib --level 1 -T '{server} {bytes}\n' --rounds 2 \
  >     --config wirecomp.zlib-backend=$backend 2> /dev/null > ../$backend
  > done
  $ grep -c '^plain [0-9]*$' ../zlib
  2
  $ cmp -s ../zlib ../isal
  [1]
  $ rm .hg/hgrc

An error is no answer to measure

  $ printf '[hooks]\npreoutgoing = false\n' > .hg/hgrc
  $ bench --engine zlib
  abort: the server answered with an error
  (try hg clone from hg serve)
  [255]
  $ rm .hg/hgrc

Mistakes

  $ bench --engine gzip
  abort: --engine: unknown engine 'gzip'
  (usable engines: zstd, zlib, bz2, none)
  [10]
  $ bench --engine zstd --level 23
  abort: --level: zstd has no level 23
  (use a whole number from -7 to 22)
  [10]
  $ bench --level x
  abort: --level: zstd has no level x
  (use a whole number from -7 to 22)
  [10]
  $ bench --rounds 0
  abort: --rounds: there must be one at least
  (leave it out for 3)
  [10]
  $ bench --plot nowhere/plot.svg
  abort: --plot: there is no folder nowhere to write to
  (make it, or name a file elsewhere)
  [10]
  $ bench --plot plot.pdf
  abort: --plot: plot.pdf is neither .svg nor .png
  (name a file with one of these endings)
  [10]

#if matplotlib
  $ bench --engine zlib --plot ../plot.svg > /dev/null
  $ grep -c '<svg' ../plot.svg
  1
  $ bench --engine zlib --plot ../plot.png > /dev/null
  $ f --hexdump --bytes 4 ../plot.png | tail -1
  0000: 89 50 4e 47                                     |.PNG|
#endif

Without matplotlib

  $ cat > ../noplot.py <<EOF
  > import sys
  > sys.modules['matplotlib'] = None
  > EOF
  $ bench --config extensions.noplot=../noplot.py --plot plot.svg 2>&1 | sed 's/(.* -m/(PYTHON -m/'
  abort: --plot needs matplotlib, which is not installed
  (PYTHON -m pip install matplotlib)

The servers are gone

  $ ps x | grep 'serve --repository' | grep -c "$TESTTMP"
  0
  [1]

Policies for networks don't get hold of it

  $ cat >> .hg/hgrc <<EOF
  > [wirecomp-policy]
  > all.networks = 0.0.0.0/0, 127.0.0.0/8
  > all.compressionengines = zlib
  > EOF
  $ bench -T '{server} {engine} {bytes}\n' --engine none | grep none > ../table
  $ cut -d ' ' -f 1,2 ../table
  plain none
  wirecomp none
  $ cut -d ' ' -f 3 ../table | uniq | wc -l
  1
