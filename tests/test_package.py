"""What the files of the project say of each other."""

import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import zipfile

import hgext3rd.wirecomp as wirecomp
from hgext3rd.wirecomp import engines, fronts, keys, metadata, postargs

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = [module.name for module in pkgutil.iter_modules(wirecomp.__path__)]


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as fp:
        return fp.read()


def test_every_module_with_patches_is_merged():
    own = wirecomp.eh
    for name in NAMES:
        module = importlib.import_module('hgext3rd.wirecomp.' + name)
        eh = getattr(module, 'eh', None)
        if eh is None:
            continue
        for table, entries in vars(eh).items():
            if isinstance(entries, (list, dict)):
                merged = vars(own)[table]
                assert all(entry in merged for entry in entries), (name, table)


def test_every_table_is_exported():
    assert wirecomp.cmdtable is wirecomp.eh.cmdtable
    assert wirecomp.configtable is wirecomp.eh.configtable
    assert wirecomp.extsetup == wirecomp.eh.finalextsetup
    assert wirecomp.reposetup == wirecomp.eh.finalreposetup
    assert callable(wirecomp.uisetup)
    assert wirecomp.testedwith == metadata.testedwith
    assert wirecomp.minimumhgversion == metadata.minimumhgversion


def test_modules_are_short():
    for name in NAMES:
        assert read('hgext3rd', 'wirecomp', name + '.py').count('\n') <= 400


def test_ci_runs_the_tested_versions():
    # `make tests` takes its versions from testedwith, and CI calls just that.
    environ = {k: v for k, v in os.environ.items() if 'MAKE' not in k}
    make = subprocess.check_output(
        ['make', '-s', '-n', '-C', ROOT, 'tests'], env=environ, text=True
    )
    assert make.split()[-7:] == metadata.testedwith.decode().split()
    assert 'make tests' in read('.ci', 'run')
    oldest = metadata.testedwith.split()[0]
    assert oldest.startswith(metadata.minimumhgversion + b'.')


def test_readme_and_help_name_every_key():
    names = ['server.compressionengines']
    names += [
        'server.%slevel' % e.name.decode() for e in engines.OWN if e.levels
    ]
    ours = keys.TUNING + keys.LIMITS + keys.PATHS + keys.PUSH
    names += ['wirecomp.' + key.name.decode() for key in ours]
    names += [
        b'.'.join(place).decode()
        for place in (
            keys.POSTARGUMENTS[:2],
            keys.REPOCONFIG[:2],
            (keys.WIRECOMP, keys.PROXIES),
            (keys.POLICY, b'NAME', keys.NETWORKS),
            (keys.POLICY, b'NAME', b'KEY'),
        )
    ]
    registered = {
        '%s.%s' % (section.decode(), name.decode())
        for section, items in wirecomp.eh.configtable.items()
        for name in items
    }
    assert registered - {'wirecomp-policy..*'} <= set(names)
    pattern = r'(?:server|wirecomp)\.[a-z][a-z0-9-]+'
    pattern = r'(?:%s|wirecomp-policy\.NAME\.(?:[a-z]+|KEY))' % pattern
    assert set(names) == set(
        re.findall('``(%s)``\n' % pattern, wirecomp.__doc__)
    )
    rows = re.findall('^(%s)  +' % pattern, read('README.rst'), re.M)
    assert set(names) == set(rows)


def test_readme_and_help_name_what_a_policy_takes():
    readme = read('README.rst').partition('\nNetworks\n===')[2]
    entry = wirecomp.__doc__.partition('``wirecomp-policy.NAME.KEY``')[2]
    for text in (readme.partition('\n====')[0], entry.partition('\n\n')[0]):
        named = set(re.findall('``([a-z][a-z0-9-]+)``', text))
        ours = {key.name.decode() for key in keys.TUNING}
        assert ours | {'compressionengines'} <= named
        assert not named & {key.name.decode() for key in keys.LIMITS}


def test_readme_and_help_tell_ranges_and_defaults():
    readme = read('README.rst')
    for engine in engines.OWN:
        if engine.levels:
            lowest, highest = engine.levels
            row = r'server\.%slevel +%d to %d +%d ' % (
                engine.name.decode(), lowest, highest, engine.defaultlevel,
            )  # fmt: skip
            assert re.search(row, readme)
            entry = r'``server\.%slevel``\n +From %d to %d\.[^`]*default: %d\)'
            entry %= engine.name.decode(), lowest, highest, engine.defaultlevel
            assert re.search(entry, wirecomp.__doc__)
    default = ', '.join(engine.name.decode() for engine in engines.DEFAULT)
    assert '(default: ``%s``)' % default in wirecomp.__doc__
    assert re.search(
        r'server\.compressionengines +list of engines +%s ' % default, readme
    )


def test_readme_and_help_tell_from_how_many_heads_there_is_post():
    found = re.findall(r'from\s+(\d+) heads on', read('README.rst'))
    first, haproxys = map(int, found)
    (last,) = re.findall(r'takes \((\d+)\)', wirecomp.__doc__)
    assert first == int(last) + 1
    assert not postargs.byheads(keys.AUTO, first - 1, 1024).advertised
    assert postargs.byheads(keys.AUTO, first, 1024).advertised
    assert not fronts.head(haproxys - 1, 1024).refusing
    assert fronts.head(haproxys, 1024).refusing == (fronts.HAPROXY,)


def test_each_fault_in_the_readme_has_its_test():
    table = read('README.rst').partition('\nfault  ')[2]
    rows = re.split('\n=+ [= ]+\n', table)[1].splitlines()
    assert len(rows) > 20
    for row in rows:
        name = 'test-wirecomp-%s.t' % row.split()[-1]
        assert os.path.exists(os.path.join(ROOT, 'tests', name)), row


def test_the_wheel_works_beside_mercurial(tmp_path):
    copy = tmp_path / 'source'
    files = subprocess.check_output(
        ['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, text=True
    )
    for name in files.splitlines():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(pathlib.Path(ROOT, name).read_bytes())
    subprocess.check_output(
        [
            sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps',
            '--no-build-isolation', '-w', str(tmp_path), str(copy),
        ],
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    (wheel,) = tmp_path.glob('hg_wirecomp-*.whl')
    assert metadata.__version__.decode() in wheel.name
    site = tmp_path / 'site'
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
        names = archive.namelist()
    # Mercurial installs that file itself.
    assert 'hgext3rd/__init__.py' not in names
    assert {'hgext3rd/wirecomp/%s.py' % name for name in NAMES} <= set(names)
    said = subprocess.check_output(
        [
            os.path.join(os.path.dirname(sys.executable), 'hg'),
            '--config', 'extensions.wirecomp=',
            'version', '-v',
        ],
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(site), HGRCPATH=os.devnull),
        stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    version = metadata.__version__.decode()
    assert re.search(r'wirecomp +external +%s' % re.escape(version), said)
