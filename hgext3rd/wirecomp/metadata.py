# metadata.py - facts about the distribution, as literals
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Literals only: setup.py, the Makefile and the tests read this as text."""

__version__ = b'0.1.0'

minimumhgversion = b'6.1'

# The versions that the test suite runs on, oldest first.
testedwith = b'6.1.4 6.3.3 6.7.4 6.9.5 7.0.3 7.1.2 7.2.4'
