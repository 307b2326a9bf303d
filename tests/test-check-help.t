The manual is what operators read: as hg renders it, whole.

  $ hg help -e wirecomp --config extensions.wirecomp=
  wirecomp extension - negotiate and compress what a server answers over HTTP
  
  A server that enables this extension decides by itself how each answer goes
  out over HTTP: in which media type, compressed by which engine, at which
  level. Clients need nothing: every "hg" since 1.0 and the programs that speak
  its protocol keep working. SSH and the web pages are untouched.
  
  Switch it on in the configuration of the server, or of one repository, and
  restart the server:
  
    [extensions]
    wirecomp =
  
  What a client is sent depends on the media types and engines that it says it
  can read, on the list of engines below, and on the answer: stream clones,
  ready-made bundles and errors are best left raw.
  
  reads 0.2, a common engine
      "application/mercurial-0.2", the first engine of the server's list that
      the client reads
  
  reads 0.2, no common engine
      "application/mercurial-0.1", zlib
  
  reads 0.2, best left raw
      "application/mercurial-0.2", none
  
  legacy
      "application/mercurial-0.1", zlib
  
  legacy, best left raw
      "application/mercurial-0.1", a zlib stream of stored blocks, which costs
      next to no CPU
  
  A client before 4.1, or one behind a proxy that drops the headers
  "X-HgProto-1" and so on, is a legacy client.
  
  Short replies, which are no streams, go out compressed from 1024 bytes on, if
  they get smaller: those to "batch" and of pushes to every client that reads
  0.2, those to other commands to clients that run wirecomp, which say so in
  "X-HgProto". Errors and the commands of largefiles are left alone. The engine
  is the first of the list that the client reads, of zstd and zlib, at level 1
  (zstd at "server.zstdlevel", if that is lower); with "none" before it, or
  "server.zliblevel = 0" in place of zlib, the reply stays as it is.
  
  Configuration
  =============
  
  All keys are read from trusted configuration only. One that an untrusted file
  sets is ignored, and the server's error log says so, once for each key and
  file (not where "--config" sets that key too). See 'hg help config.trusted'.
  
  "server.compressionengines"
      The engines that may be used, most wanted first: "zstd", "zlib", "bz2"
      (also "bzip2"), "none", or the name of an engine that another extension
      brings. The client's order has no influence. (default: "zstd, zlib")
  
  "server.zliblevel"
      From -1 to 9. -1 is the default of zlib, 6; 0 stores. (default: -1)
  
  "server.zstdlevel"
      From -7 to 22. (default: 3)
  
  "server.bz2level"
      From 1 to 9. (default: 9)
  
  "wirecomp.zlib-backend"
      Which library makes zlib streams: "zlib", "zlib-ng" or "isal" (the Python
      packages of these names), or "auto" for the cheapest that is installed.
      "server.zliblevel" keeps its meaning: another library is used at the level
      that makes as many bytes as zlib, on average at most 1 % more, and zlib
      where there is none. (default: auto)
  
  "wirecomp.zstd-long"
      Whether zstd looks for matches far apart, with parameters measured on
      bundles: fewer bytes of clones for about the same CPU, though answers of 1
      to 2 MB can be 4 % larger. Without it the parameters are zstd's own for
      the level. (default: yes)
  
  "wirecomp.zstd-window"
      The largest window of zstd, from 1 MB to 128 MB: memory of the server for
      each answer, and of the client. Levels up to 4 use 16 MB of it at most,
      and answers up to 1 MB no more than their length. (default: 32 MB)
  
  "wirecomp.zstd-checksum"
      Whether zstd streams have a checksum of their content, which every client
      checks. (default: yes)
  
  "wirecomp.flush-interval"
      After so many seconds in which nothing went out, what is held back goes
      out with the next piece of the answer. 0 is never. (default: 5)
  
  "wirecomp.stream-checksum"
      Whether what is best left raw, and what "none" sends, goes out in zstd
      frames of stored blocks, where zstd is listed and the client reads it:
      then damage on the way is noticed there too. (default: no)
  
  "wirecomp.send-timeout"
      Under 'hg serve', a client that does not take 256 KB in so many seconds is
      dropped. WSGI servers and proxies have timeouts of their own. 0 is never.
      (default: 600)
  
  "wirecomp.max-clients"
      How many streams one process sends at once; 0 is any number. Those beyond
      it wait for a place, in order. (default: 0)
  
  "wirecomp.queue-timeout"
      After so many seconds without a place a client gets the status 503, with
      "Retry-After". (default: 30)
  
  "wirecomp.log"
      A file to which each response of the wire protocol adds a line of JSON;
      see Log below. A relative path starts where the file with the key lies.
      (default: none)
  
  "wirecomp.metrics"
      A file that is kept up to date with counters of responses, bytes and CPU
      seconds, and a histogram of times, by engine, command and outcome, in the
      text format of Prometheus, for the textfile collector of a node exporter
      ("FILE.prom"). Several processes may share it. It needs the Python package
      prometheus-client. (default: none)
  
  "wirecomp.post-arguments"
      Whether clients are to put the arguments of requests in the body of POST
      requests instead of headers: "yes", "no", or "auto" for the repositories
      that have more heads than fit into the headers that nginx takes (381).
      "experimental.httppostargs" counts as "yes", except against "no". Where
      readers get the status 403 because their host or proxy refuses POST, set
      it to "no", and raise the limits of headers there. (default: auto)
  
  "wirecomp.repo-config"
      Whether a repository's own hgrc counts for these keys: "allow", or
      "ignore" to take all of them from the configuration of the server alone,
      that of a web.conf included. Read from there only. (default: allow)
  
  "wirecomp.trusted-proxies"
      Networks of the proxies whose "X-Forwarded-For" is believed, for the
      policies below: the last address in it that is not such a proxy itself is
      the client's. (default: none)
  
  "wirecomp-policy.NAME.networks"
      For which networks the policy NAME holds, a name of your own, such as
      "10.0.0.0/8, fd00::/8". Of those that hold a client's address the smallest
      counts.
  
  "wirecomp-policy.NAME.KEY"
      What holds for the clients of these networks: "compressionengines", the
      levels, "zlib-backend", "zstd-long", "zstd-window", "zstd-checksum",
      "flush-interval" and "stream-checksum". Other keys, and those not given,
      are as above.
  
  With a mistake in one of them 'hg serve' does not start. The message names the
  key, its value, file and line, and what is allowed. Under WSGI or CGI, and for
  what only a repository of a "--web-conf" has, there is no such start: the
  mistake then stands once in the server's error log, and the default of that
  key is used; what is wrong in a policy is as if it was not there.
  
  An engine whose library is absent is left out, with one line in the error log.
  
  When something goes wrong
  =========================
  
  If the source of an answer fails midway (a damaged file, a full disk), all
  that was made before goes out, with the server's message where the format can
  carry one, and then the connection is cut: nobody takes the answer for whole.
  What fails before the first byte is an error that every client prints.
  Requests that can't be answered get such an error too, or the status 400.
  
  Each failure is one line in the error log, and so is each client of 'hg serve'
  that goes away. With "ui.traceback" the traceback follows.
  
  Answers carry "Cache-Control: no-store", since they depend on headers that no
  cache looks at, and streams "X-Accel-Buffering: no".
  
  Log
  ===
  
  Each response of the wire protocol makes an event "wirecomp", once it was
  sent. With the blackbox extension, "blackbox.track" unset or with "wirecomp"
  in it, and a server whose user can write to the repository, 'hg blackbox'
  shows lines like this one:
  
    getbundle: application/mercurial-0.2, engine zstd, level 3: first engine
    of the server that the client reads; 87133 of 288099 bytes, cpu 0.009 s,
    wall 0.033 s, complete
  
  With "wirecomp.log" the same goes to a file, a line of JSON for each response,
  with these keys: "time" (UTC), "repo" (its path as served), "command",
  "address", "user" and "agent" of the client, "status", "mediatype", "engine",
  "level" and "reason" (null for short replies that go out as they are),
  "source" (bytes before encoding), "wire" (bytes of the body), "cpu", "wall"
  and "first" (seconds; until the first byte), "outcome" ("complete", "hung-up"
  or "failed") and then "error". Many processes may write to one file, and it
  may be moved away at any time.
  
  'hg admin::wire-report' sums the JSON logs of a server, by engine, command,
  day and network of the client: bytes, CPU, wall times, fallbacks and failures.
  
  Checking
  ========
  
  'hg admin::wire-check' shows what is in effect for a repository, or for each
  repository of a "--web-conf" file: the settings with their sources, what
  typical clients would be sent, memory, and what is wrong, with the way out. It
  returns 1 if something is wrong.
  
  Measuring
  =========
  
  'hg admin::wire-bench' measures what a clone of this repository costs with
  each engine and level, beside plain Mercurial.
  
  Clients
  =======
  
  A client that enables the extension sends its pushes over HTTP compressed, to
  any server that says it reads zstd or zlib, and gets short replies compressed
  from a server that enables it too. With "-v" it says at the end what went over
  the wire, with "--debug" for each answer. An answer that can't be read is an
  error that says why.
  
  "wirecomp.compress-push"
      Whether pushes are compressed. A server that refuses one gets it once more
      as it is. (default: yes)
  
  "wirecomp.push-level"
      The level of zstd, from -7 to 22; zlib takes it as far as its levels go.
      (default: 1, of zlib its own default)
  
  "experimental.clientcompressionengines"
      The engines that the client offers, in this order, for answers.
      Mercurial's own key, which it reads for SSH alone. (default: all)
  
  Running
  =======
  
  Enable the extension as required, in the configuration of the user who runs
  the server, and a server that can't load it does not start, rather than run
  without it:
  
    [extensions]
    wirecomp =
    wirecomp:required = yes
  
  In a Mercurial that lacks something the extension patches, it does not load,
  and says what is missing.
  
  list of commands:
  
   admin::wire-bench
                 measure what a clone of this repository costs, by engine and
                 level
   admin::wire-check
                 check how a repository is going to be served
   admin::wire-report
                 sum the server's JSON logs
  
  (use 'hg help -v wirecomp' to show built-in aliases and global options)
