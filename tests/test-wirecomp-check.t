admin::wire-check tells what is wrong with a set-up, before it is served

  $ . "$TESTDIR/testlib/lib.sh"
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > foreign = $TESTDIR/testlib/foreign.py
  > EOF
  $ hg init sound
  $ cd sound
  $ echo text > f
  $ hg ci -qAm change
  $ cd ..
  $ cat > rows.py <<EOF
  > import json, sys
  > rows = json.load(sys.stdin)
  > for row in rows:
  >     for found in row['findings']:
  >         print(row['path'], found['severity'], found['key'], found['source'])
  > EOF
  $ check() {
  >   hg admin::wire-check "$@"
  > }

A sound set-up: settings with their sources, what clients are sent, memory

  $ cat > sound/.hg/hgrc <<EOF
  > [server]
  > zstdlevel = 7
  > [wirecomp]
  > log = wire.log
  > EOF
  $ check -R sound
  $TESTTMP/sound
    extensions.wirecomp        yes           *:* (glob)
    server.compressionengines  zstd, zlib    default
    server.zstdlevel           7             $TESTTMP/sound/.hg/hgrc:2
    server.zliblevel           -1            default
    server.bz2level            9             default
    wirecomp.zlib-backend      auto          default
    wirecomp.zstd-long         yes           default
    wirecomp.zstd-window       32.0 MB       default
    wirecomp.zstd-checksum     yes           default
    wirecomp.flush-interval    5             default
    wirecomp.stream-checksum   no            default
    wirecomp.send-timeout      600           default
    wirecomp.max-clients       0             default
    wirecomp.queue-timeout     30            default
    wirecomp.log               $TESTTMP/sound/.hg/wire.log  $TESTTMP/sound/.hg/hgrc:4
    wirecomp.metrics           none          default
    wirecomp.post-arguments    auto          default
    wirecomp.trusted-proxies                 default
    legacy                 clone         application/mercurial-0.1  zlib   -1   512 KB  legacy client
    legacy                 stream clone  application/mercurial-0.1  none    -  0 bytes  never compressed
    4.1+                   clone         application/mercurial-0.2  zstd    7 * MB  first engine of the server that the client reads (glob)
    4.1+                   stream clone  application/mercurial-0.1  none    -  0 bytes  never compressed
    current                clone         application/mercurial-0.2  zstd    7 * MB  first engine of the server that the client reads (glob)
    current                stream clone  application/mercurial-0.2  none    -  0 bytes  the answer is best left raw
    current, no X-HgProto  clone         application/mercurial-0.1  zlib   -1   512 KB  legacy client
    current, no X-HgProto  stream clone  application/mercurial-0.1  zlib    0   512 KB  legacy client, stored blocks: the answer is best left raw
    memory: * MB for an answer at most, * MB for 8 at once (glob)
    arguments: in headers (heads: 1)
    nothing is wrong

Memory for as many clients as are asked for, or as there are places for

  $ check -R sound --clients 1 | grep memory
    memory: * MB for an answer at most, * MB for 1 at once (glob)
  $ check -R sound --clients 8 -T json > json
  $ "$PYTHON" - <<EOF
  > import json
  > (row,) = json.load(open('json'))
  > largest = max(each['memory'] for each in row['responses'])
  > assert row['memory'] == largest and row['memoryall'] == 8 * largest, row
  > assert row['clients'] == row['streams'] == 8, row
  > EOF
  $ check -R sound --clients 8 --config wirecomp.max-clients=2 | grep memory
    memory: * MB for an answer at most, * MB for 2 at once (glob)
  $ check -R sound --clients 0
  abort: --clients: there must be one at least
  (leave it out for 8)
  [10]

#if serve

That is what a real server sends

  $ serve -R sound
  $ current='0.1 0.2 comp=zstd,zlib,none,bzip2 partial-pull'
  $ wireget --proto "$current" > /dev/null
  $ wireget --proto "$current" --stream > /dev/null
  $ wireget > /dev/null
  $ wireget stream_out > /dev/null
  $ stop
  $ check -R sound -T json > json
  $ "$PYTHON" - <<EOF
  > import json
  > def facts(row):
  >     return row['mediatype'], row['engine'], row['level']
  > sent = [facts(row) for row in map(json.loads, open('sound/.hg/wire.log'))
  >         if row['engine']]
  > told = {(row['client'], row['answer']): facts(row)
  >         for row in json.load(open('json'))[0]['responses']}
  > assert sent == [told['current', 'clone'], told['current', 'stream clone'],
  >                 told['legacy', 'clone'], told['legacy', 'stream clone']], (
  >     sent, told)
  > EOF
  $ rm sound/.hg/wire.log json

#endif

Advice is no fault

  $ check -R sound -q
  $ check -R sound -q --config server.zstdlevel=22 --config server.zliblevel=9 \
  >   --config wirecomp.zstd-window=128MB
  $TESTTMP/sound
    note: --config: server.zstdlevel: level 22: levels above 12 cost many times the CPU for a few percent, those above 19 much memory: * MB for each answer (glob)
      (use 7 to 9 for slow lines, or measure with hg admin::wire-bench)
    note: --config: wirecomp.zstd-window: 32-bit clients are known to fail at 64 MB and more
      (use 32 MB, unless there are no such clients)
    note: --config: server.zliblevel: level 9: levels above 6 cost up to four times the CPU for 1 %
      (use -1, or measure with hg admin::wire-bench)

What clients are sent follows the settings

  $ check -R sound --config server.compressionengines=none,zstd \
  >   --config wirecomp.stream-checksum=yes --config server.uncompressed=no \
  >   -T '{responses % "{client}, {answer}: {mediatype} {engine} {level}: {reason}\n"}'
  legacy, clone: application/mercurial-0.1 zlib -1: legacy client
  legacy, stream clone: application/mercurial-0.1 zlib -1: no stream clones here: legacy client
  4.1+, clone: application/mercurial-0.2 zstd : first engine of the server that the client reads, stored with a checksum
  4.1+, stream clone: application/mercurial-0.2 zstd : no stream clones here: first engine of the server that the client reads, stored with a checksum
  current, clone: application/mercurial-0.2 zstd : first engine of the server that the client reads, stored with a checksum
  current, stream clone: application/mercurial-0.2 zstd : no stream clones here: first engine of the server that the client reads, stored with a checksum
  current, no X-HgProto, clone: application/mercurial-0.1 zlib -1: legacy client
  current, no X-HgProto, stream clone: application/mercurial-0.1 zlib -1: no stream clones here: legacy client

Six faults at once

  $ hg init faulty
  $ cd faulty
  $ hg debugbuilddag "$("$PYTHON" -c "print('.:root' + '<root+1' * 1200)")"
  $ cat > .hg/hgrc <<EOF
  > [server]
  > zliblevel = 12
  > zstd-level = 3
  > pullbundle = yes
  > bz2level = 8
  > [wirecomp]
  > zstd-windw = 8 MB
  > log = missing/wire.log
  > EOF
  $ cat > .hg/pullbundles.manifest <<EOF
  > absent.hg BUNDLESPEC=none-v2
  > bad heads=$(printf '%040d' 1)
  > EOF
  $ ls -lR .hg > ../before
  $ check -q --config server.compressionengines=gzip
  $TESTTMP/faulty
    error: --config: server.compressionengines: unknown engine 'gzip'
      (use zlib; usable engines: zstd, zlib, bz2, none)
    error: $TESTTMP/faulty/.hg/hgrc:2: server.zliblevel: bad value '12'
      (use a whole number from -1 to 9)
    warning: $TESTTMP/faulty/.hg/hgrc:7: wirecomp.zstd-windw: there is no such key, it has no effect
      (use wirecomp.zstd-window)
    warning: $TESTTMP/faulty/.hg/hgrc:3: server.zstd-level: there is no such key, it has no effect
      (use server.zstdlevel)
    warning: $TESTTMP/faulty/.hg/hgrc:8: wirecomp.log: cannot write $TESTTMP/faulty/.hg/missing/wire.log: No such file or directory
      (let the user who runs the server write there)
    warning: $TESTTMP/faulty/.hg/pullbundles.manifest:2: server.pullbundle: bad line is skipped: unknown revision 0000000000000000000000000000000000000001
      (see hg help -e clonebundles for its form)
    warning: $TESTTMP/faulty/.hg/pullbundles.manifest: server.pullbundle: there is no bundle absent.hg
      (make it, or take its line out)
    note: default: wirecomp.post-arguments: with 1200 heads a pull takes up to 108 headers, 98.5 KB; by default that is too much for plain hg serve (100 headers), nginx (large_client_header_buffers 4 8k), Apache (LimitRequestFields 100), haproxy (tune.http.maxhdr 101, tune.bufsize 16384), gunicorn (limit_request_fields 100); clients put the arguments in the body of POST requests, which some hosts and proxies refuse from readers (403)
      (if yours does, set it to no, and raise the limits of headers)
  [1]
  $ check -T json --config extensions.wirecomp= | "$PYTHON" ../rows.py
  $TESTTMP/faulty error server.zliblevel $TESTTMP/faulty/.hg/hgrc:2
  $TESTTMP/faulty warning wirecomp.zstd-windw $TESTTMP/faulty/.hg/hgrc:7
  $TESTTMP/faulty warning server.zstd-level $TESTTMP/faulty/.hg/hgrc:3
  $TESTTMP/faulty warning wirecomp.log $TESTTMP/faulty/.hg/hgrc:8
  $TESTTMP/faulty warning server.pullbundle $TESTTMP/faulty/.hg/pullbundles.manifest:2
  $TESTTMP/faulty warning server.pullbundle $TESTTMP/faulty/.hg/pullbundles.manifest
  $TESTTMP/faulty note wirecomp.post-arguments default

With the arguments in the body many heads are no danger, but for hosts that
refuse POST; more than a thousand headers are too many for wirecomp too

  $ check | grep arguments
    wirecomp.post-arguments    auto          default
    arguments: in the body of POST requests (heads: 1200)
    note: default: wirecomp.post-arguments: with 1200 heads a pull takes up to 108 headers, 98.5 KB; by default that is too much for plain hg serve (100 headers), nginx (large_client_header_buffers 4 8k), Apache (LimitRequestFields 100), haproxy (tune.http.maxhdr 101, tune.bufsize 16384), gunicorn (limit_request_fields 100); clients put the arguments in the body of POST requests, which some hosts and proxies refuse from readers (403)
  $ no='--config wirecomp.post-arguments=no'
  $ check $no | grep -A1 'heads'
    arguments: in headers (heads: 1200)
    error: $TESTTMP/faulty/.hg/hgrc:2: server.zliblevel: bad value '12'
  --
    warning: --config: wirecomp.post-arguments: with 1200 heads a pull takes up to 108 headers, 98.5 KB; by default that is too much for plain hg serve (100 headers), nginx (large_client_header_buffers 4 8k), Apache (LimitRequestFields 100), haproxy (tune.http.maxhdr 101, tune.bufsize 16384), gunicorn (limit_request_fields 100)
      (set it to yes, or raise their limits)
  $ check -q $no --config server.maxhttpheaderlen=64 | grep heads
    warning: --config: wirecomp.post-arguments: with 1200 heads a pull takes up to 2019 headers, 127 KB; by default that is too much for hg serve with wirecomp, plain hg serve (100 headers), nginx (large_client_header_buffers 4 8k), Apache (LimitRequestFields 100), haproxy (tune.http.maxhdr 101, tune.bufsize 16384), gunicorn (limit_request_fields 100)
  $ check -q --config server.maxhttpheaderlen=lots | grep -A1 maxhttp
    error: --config: server.maxhttpheaderlen: no client gets in: server.maxhttpheaderlen is not a valid integer ('lots')
      (use a whole number, or leave it out for 1024)
  $ check -q $no --config server.maxhttpheaderlen=8000 | grep heads
    warning: --config: wirecomp.post-arguments: with 1200 heads a pull takes up to 23 headers, 97.3 KB; by default that is too much for nginx (large_client_header_buffers 4 8k), haproxy (tune.http.maxhdr 101, tune.bufsize 16384)
  $ cd ..

Arguments in the body for no reason, and for more heads than nginx takes

  $ hg init most
  $ hg -R most --config extensions.manyheads="$TESTDIR/testlib/manyheads.py" \
  >   manyheads 13000
  $ check -R most -q
  $TESTTMP/most
    warning: default: wirecomp.post-arguments: with 13000 heads a pull takes a body of up to 1.02 MB; by default that is too much for nginx (client_max_body_size 1m)
      (raise its limit)
    note: default: wirecomp.post-arguments: with 13000 heads a pull takes up to 1067 headers, 1.03 MB; by default that is too much for hg serve with wirecomp, plain hg serve (100 headers), nginx (large_client_header_buffers 4 8k), Apache (LimitRequestFields 100), haproxy (tune.http.maxhdr 101, tune.bufsize 16384), gunicorn (limit_request_fields 100); clients put the arguments in the body of POST requests, which some hosts and proxies refuse from readers (403)
      (if yours does, set it to no, and raise the limits of headers)
  [1]
  $ cat >> $HGRCPATH <<EOF
  > [experimental]
  > httppostargs = yes
  > EOF
  $ check -R sound -T '{findings % "{severity}: {source}: {text}\n  ({hint})\n"}{heads} {postarguments}\n'
  note: *:*: clients put the arguments in the body of POST requests, which some hosts and proxies refuse from readers (403), though headers have room for those of 1 heads (glob)
    (take it out, and only for many heads there are POST requests)
  1 True
  $ check -R sound --config wirecomp.post-arguments=no | grep arguments
    wirecomp.post-arguments    no            --config
    arguments: in headers (heads: 1)
  $ sed -i -e '/^\[experimental/,$d' $HGRCPATH

A manifest or a log that can't be opened

  $ hg init unreadable
  $ mkdir unreadable/.hg/pullbundles.manifest unreadable/log
  $ check -R unreadable -q --config server.pullbundle=yes \
  >   --config wirecomp.log=unreadable/log
  $TESTTMP/unreadable
    warning: --config: wirecomp.log: cannot write unreadable/log: Is a directory
      (let the user who runs the server write there)
    warning: $TESTTMP/unreadable/.hg/pullbundles.manifest: server.pullbundle: cannot be read: Is a directory
      (let the user who runs the server read it)
  [1]

An hgrc that replaces what the server sets

  $ cat >> $HGRCPATH <<EOF
  > [server]
  > zstdlevel = 4
  > EOF
  $ check -R sound -q
  $TESTTMP/sound
    warning: $TESTTMP/sound/.hg/hgrc:2: server.zstdlevel: '7' of the repository overrides '4' at *:* (glob)
      (take one of them out)
  [1]
  $ check -R sound -q --config server.zstdlevel=5

One that is not trusted

  $ foreign sound/.hg/hgrc
  $ check -R sound -q 2>/dev/null
  $TESTTMP/sound
    warning: $TESTTMP/sound/.hg/hgrc:2: server.zstdlevel: ignored, not in a trusted file
      (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
    warning: $TESTTMP/sound/.hg/hgrc:4: wirecomp.log: ignored, not in a trusted file
      (set it in the server's own configuration, or trust the owner of the repository's hgrc in trusted.users)
  [1]
  $ native sound/.hg/hgrc
  $ sed -i -e '/^\[server/,$d' $HGRCPATH

An engine whose library is absent

  $ cat > nozstd.py <<EOF
  > import sys
  > sys.modules['zstandard'] = None
  > from hgext3rd.wirecomp import engines
  > def uisetup(ui):
  >     engines.ZSTD.fallback = None
  > EOF
  $ check -R sound --config extensions.nozstd=nozstd.py \
  >   -T '{findings % "{severity}: {key}: {text}\n"}{responses % "{engine} "}\n'
  warning: server.compressionengines: engine zstd dropped, its library is absent
  zlib none zlib none zlib none zlib zlib 
  [1]

Not enabled: by nobody, by the command line only, by a file that is not trusted

  $ cp $HGRCPATH hgrc.enabled
  $ sed -i -e '/^wirecomp/d' $HGRCPATH
  $ check -R sound --config extensions.wirecomp=
  $TESTTMP/sound
    warning: default: extensions.wirecomp: not enabled: plain Mercurial answers
      (set it under [extensions] in the server's own configuration, or in the repository's hgrc)
  [1]
  $ check -R sound --config extensions.wirecomp= -T json
  [
   {
    "clients": 8,
    "enabled": false,
    "findings": [{"hint": "set it under [extensions] in the server's own configuration, or in the repository's hgrc", "key": "extensions.wirecomp", "severity": "warning", "source": "default", "text": "not enabled: plain Mercurial answers"}],
    "heads": null,
    "memory": 0,
    "memoryall": 0,
    "path": "$TESTTMP/sound",
    "postarguments": null,
    "responses": [],
    "root": "$TESTTMP/sound",
    "settings": [],
    "streams": 8
   }
  ]
  [1]
  $ cat >> sound/.hg/hgrc <<EOF
  > [extensions]
  > wirecomp =
  > EOF
  $ check -R sound | head -2
  $TESTTMP/sound
    extensions.wirecomp        yes           $TESTTMP/sound/.hg/hgrc:6
  $ foreign sound/.hg/hgrc
  $ check -R sound --config extensions.wirecomp= -q 2> /dev/null
  $TESTTMP/sound
    warning: $TESTTMP/sound/.hg/hgrc:6: extensions.wirecomp: ignored, not in a trusted file; not enabled: plain Mercurial answers
      (set it under [extensions] in the server's own configuration, or in the repository's hgrc)
  [1]
  $ native sound/.hg/hgrc
  $ cat >> sound/.hg/hgrc <<EOF
  > wirecomp = !
  > EOF
  $ check -R sound --config extensions.wirecomp= -q
  $TESTTMP/sound
    warning: $TESTTMP/sound/.hg/hgrc:7: extensions.wirecomp: not enabled: plain Mercurial answers
      (set it under [extensions] in the server's own configuration, or in the repository's hgrc)
  [1]
  $ sed -i -e '/extensions/,$d' sound/.hg/hgrc

A web.conf of five repositories: one is sound, one is missing

  $ hg init repos/overriding
  $ cat > repos/overriding/.hg/hgrc <<EOF
  > [wirecomp]
  > max-clients = 50
  > EOF
  $ hg init repos/broken
  $ echo ' what' > repos/broken/.hg/hgrc
  $ cat > web.conf <<EOF
  > [extensions]
  > wirecomp =
  > [paths]
  > good = $TESTTMP/sound
  > bad/faulty = $TESTTMP/faulty
  > gone = $TESTTMP/gone
  > all = $TESTTMP/repos/*
  > [wirecomp]
  > max-clients = 4
  > zstd-long = maybe
  > EOF
  $ check --config extensions.wirecomp= --web-conf web.conf -q
  web.conf
    error: web.conf:10: wirecomp.zstd-long: bad value 'maybe'
      (use yes or no)
  /bad/faulty
    error: $TESTTMP/faulty/.hg/hgrc:2: server.zliblevel: bad value '12'
      (use a whole number from -1 to 9)
    warning: $TESTTMP/faulty/.hg/hgrc:7: wirecomp.zstd-windw: there is no such key, it has no effect
      (use wirecomp.zstd-window)
    warning: $TESTTMP/faulty/.hg/hgrc:3: server.zstd-level: there is no such key, it has no effect
      (use server.zstdlevel)
    warning: $TESTTMP/faulty/.hg/hgrc:8: wirecomp.log: cannot write $TESTTMP/faulty/.hg/missing/wire.log: No such file or directory
      (let the user who runs the server write there)
    warning: $TESTTMP/faulty/.hg/pullbundles.manifest:2: server.pullbundle: bad line is skipped: unknown revision 0000000000000000000000000000000000000001
      (see hg help -e clonebundles for its form)
    warning: $TESTTMP/faulty/.hg/pullbundles.manifest: server.pullbundle: there is no bundle absent.hg
      (make it, or take its line out)
    note: default: wirecomp.post-arguments: with 1200 heads a pull takes up to 108 headers, 98.5 KB; by default that is too much for plain hg serve (100 headers), nginx (large_client_header_buffers 4 8k), Apache (LimitRequestFields 100), haproxy (tune.http.maxhdr 101, tune.bufsize 16384), gunicorn (limit_request_fields 100); clients put the arguments in the body of POST requests, which some hosts and proxies refuse from readers (403)
      (if yours does, set it to no, and raise the limits of headers)
  /gone
    error: web.conf:6: paths.gone: cannot be served: *$TESTTMP/gone* (glob)
      (mend $TESTTMP/gone, or serve it no more)
  /all/broken
    error: $TESTTMP/repos/broken/.hg/hgrc:1: paths.all/broken: cannot be served: unexpected leading whitespace:  what
      (mend $TESTTMP/repos/broken, or serve it no more)
  /all/overriding
    warning: $TESTTMP/repos/overriding/.hg/hgrc:2: wirecomp.max-clients: '50' of the repository overrides '4' at web.conf:9
      (take one of them out)
  [1]
  $ check --config extensions.wirecomp= --web-conf web.conf -T json \
  >   > json
  [1]
  $ "$PYTHON" - <<EOF
  > import json
  > for row in json.load(open('json')):
  >     print(row['path'], row['root'], row['enabled'], len(row['settings']),
  >           len(row['responses']), len(row['findings']), row['streams'])
  > EOF
  web.conf None True 0 0 1 8
  /good $TESTTMP/sound True 18 8 0 4
  /bad/faulty $TESTTMP/faulty True 18 8 7 4
  /gone None False 0 0 1 8
  /all/broken None False 0 0 1 8
  /all/overriding $TESTTMP/repos/overriding True 18 8 1 8
  $ cd faulty
  $ check --config extensions.wirecomp= --web-conf ../web.conf \
  >   -T '{path}: {findings % "{severity} "}\n'
  ../web.conf: error 
  /good: 
  /bad/faulty: error warning warning warning warning warning note 
  /gone: error 
  /all/broken: error 
  /all/overriding: warning 
  [1]
  $ cd ..
  $ sed -i -e '/^zstd-long/d' -e '/^bad/d' -e '/^gone/d' -e '/^all/d' web.conf
  $ check --config extensions.wirecomp= --web-conf web.conf | head -5
  web.conf
    nothing is wrong
  /good
    extensions.wirecomp        yes           web.conf:2
    server.compressionengines  zstd, zlib    default
  $ check --config extensions.wirecomp= --web-conf web.conf -q

It is enabled in the web.conf alone, in a repository of it alone, and by nobody

  $ sed -i -e '/^wirecomp =/d' web.conf
  $ check --config extensions.wirecomp= --web-conf web.conf -q
  /good
    warning: default: extensions.wirecomp: not enabled: plain Mercurial answers
      (set it under [extensions] in the server's own configuration, or in the repository's hgrc)
  [1]
  $ printf '[extensions]\nwirecomp =\n' >> sound/.hg/hgrc
  $ check --config extensions.wirecomp= --web-conf web.conf -q
  $ mv hgrc.enabled $HGRCPATH

A web.conf that serves nothing, or can't be read

  $ cat > empty.conf <<EOF
  > [paths]
  > / = $TESTTMP/log/**
  > EOF
  $ check --web-conf empty.conf
  empty.conf
    nothing is wrong
  /
    error: empty.conf:2: paths./: cannot be served: No such file or directory
      (mend $TESTTMP/log/**, or serve it no more)
  [1]
  $ echo 'paths' > bad.conf
  $ check --web-conf bad.conf
  bad.conf
    error: bad.conf:1: web.conf: cannot be read: paths
      (name repositories under [paths], see hg help -c serve)
  [1]

Mistakes

  $ check --web-conf nowhere.conf
  abort: --web-conf: there is no file nowhere.conf
  (name the file that the server is given)
  [10]
  $ check
  abort: there is no repository here
  (name one by -R, or a file of them by --web-conf)
  [10]

Nothing was written

  $ (cd faulty; ls -lR .hg) | cmp - before
  $ ls sound/.hg | grep wire.log
  [1]

For one client: its network's policy

  $ cat >> sound/.hg/hgrc <<EOF
  > [wirecomp-policy]
  > office.networks = 10.0.0.0/8
  > office.compressionengines = none
  > EOF
  $ hg -R sound admin::wire-check --client 10.1.2.3 -T json > office.json
  $ hg -R sound admin::wire-check --client 192.0.2.1 -T json > other.json
  $ "$PYTHON" -c "
  > import json
  > for name in ('office.json', 'other.json'):
  >     (one,) = json.load(open(name))
  >     for response in one['responses']:
  >         if (response['client'], response['answer']) == ('current', 'clone'):
  >             print(response['engine'], '-', response['reason'])"
  none - first engine of the server that the client reads, policy office
  zstd - first engine of the server that the client reads
  $ hg -R sound admin::wire-check --client nobody
  abort: --client: nobody is no address
  (give an IPv4 or IPv6 address)
  [10]
