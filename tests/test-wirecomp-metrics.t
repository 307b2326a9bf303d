#require serve gunicorn

Counters for Prometheus, of several processes: they are what the log says.

  $ . "$TESTDIR/testlib/lib.sh"
  $ HGRCPATH= "$PYTHON" "$TESTDIR/testlib/makerepo.py" repo 300
  $ cat >> $HGRCPATH <<EOF
  > [extensions]
  > wirecomp =
  > [wirecomp]
  > log = $TESTTMP/wire.json
  > metrics = $TESTTMP/wirecomp.prom
  > EOF
  $ "$PYTHON" "$TESTDIR/testlib/appserver.py" gunicorn $HGPORT repo
  $ "$PYTHON" "$TESTDIR/testlib/counted.py" $HGPORT wire.json --requests 100
  
  100 requests, 0 differ
  $ hg clone -q -U http://localhost:$HGPORT/ clone
  $ stop
  $ cat > sums.py <<EOF
  > import collections, json
  > from prometheus_client import parser
  > journal = collections.Counter()
  > for line in open('wire.json'):
  >     record = json.loads(line)
  >     labels = (record['engine'] or '', record['command'], record['outcome'])
  >     journal['wirecomp_responses_total', labels] += 1
  >     journal['wirecomp_wire_bytes_total', labels] += record['wire']
  >     journal['wirecomp_source_bytes_total', labels] += record['source']
  > metrics = collections.Counter()
  > families = parser.text_string_to_metric_families(open('wirecomp.prom').read())
  > for family in families:
  >     for sample in family.samples:
  >         labels = tuple(sample.labels[name] for name in ('engine', 'command', 'outcome'))
  >         if (sample.name, labels) in journal or sample.name.endswith('responses_total'):
  >             metrics[sample.name, labels] += sample.value
  > print(metrics == journal, len(journal) > 30)
  > EOF
  $ "$PYTHON" sums.py
  True True

Without the library there are none, and the server says so

  $ cat > without.py <<EOF
  > import sys
  > sys.modules['prometheus_client'] = None
  > EOF
  $ serve -R repo --config extensions.without=without.py
  warning: *: wirecomp.metrics: prometheus_client is not installed, no metrics (install the package prometheus-client for the python that runs the server) (glob)
  $ wireget heads | head -1
  200 application/mercurial-0.1
  $ stop
