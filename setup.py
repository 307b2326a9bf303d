"""Package hg-wirecomp; what it says of itself stands in metadata.py."""

import os

from setuptools import setup

HERE = os.path.dirname(os.path.abspath(__file__))


def read(*path):
    with open(os.path.join(HERE, *path), encoding='utf-8') as fp:
        return fp.read()


metadata = {}
exec(read('hgext3rd', 'wirecomp', 'metadata.py'), metadata)

setup(
    name='hg-wirecomp',
    version=metadata['__version__'].decode('ascii'),
    description='Mercurial extension: cheaper, safer HTTP answers',
    long_description=read('README.rst'),
    long_description_content_type='text/x-rst',
    license='GPL-2.0-or-later',
    packages=['hgext3rd.wirecomp'],
    python_requires='>=3.9',
    # Not mercurial: it often comes from the system, and pip would bring a
    # second one.
    install_requires=['zstandard'],
    extras_require={
        'fast': ['zlib-ng', 'isal'],
        'metrics': ['prometheus-client'],
        'plot': ['matplotlib'],
    },
    classifiers=[
        'Development Status :: 4 - Beta',
        'Environment :: Plugins',
        'Intended Audience :: System Administrators',
        'Operating System :: POSIX',
        'Programming Language :: Python :: 3',
        'Topic :: Software Development :: Version Control',
    ],
)
