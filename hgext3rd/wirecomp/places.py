# places.py - how many streams are sent at once
#
# This software may be used and distributed according to the terms of the
# GNU General Public License version 2 or any later version.

"""Places for streams: each takes memory and CPU while it is sent."""

from __future__ import annotations

import collections
import threading


class Places:
    """Places for the streams of one process, given in the order of asking.

    Holds nothing but the streams that are being sent and those that wait.
    """

    def __init__(self):
        # Not a plain lock: while one thread has it, the garbage collector may
        # end a stream in that thread, which gives its place back.
        self._lock = threading.RLock()
        self._taken = 0
        self._waiting = collections.deque()

    def take(self, limit, timeout):
        """Return whether a place could be had (bool).

        There are ``limit`` of them (int, 0 for any number); waits ``timeout``
        seconds at most. Who gets one must ``release`` it.
        """
        with self._lock:
            if not limit or (self._taken < limit and not self._waiting):
                self._taken += 1
                return True
            waiter = (threading.Event(), limit)
            self._waiting.append(waiter)
            self._give()
        given = waiter[0].wait(timeout)
        with self._lock:
            # It may have been given just after the time was up.
            if not given and not waiter[0].is_set():
                self._waiting.remove(waiter)
                self._give()
                return False
        return True

    def release(self):
        """Give a place back."""
        with self._lock:
            self._taken -= 1
            self._give()

    def _give(self):
        """Give what is free to those who wait, first come, first served."""
        while self._waiting:
            event, limit = self._waiting[0]
            if self._taken >= limit:
                return
            self._taken += 1
            self._waiting.popleft()
            event.set()


# Those of this process.
PLACES = Places()
