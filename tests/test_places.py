"""Places for streams: as many as allowed, first come, first served."""

import threading
import time

import pytest

from hgext3rd.wirecomp import places

SOON = 0.05
LATE = 30


def waiting(one, limit, timeout, order, name):
    """Start a thread that takes a place; return it once it waits."""

    def take():
        order.append((name, one.take(limit, timeout)))

    before = len(one._waiting)
    thread = threading.Thread(target=take)
    thread.start()
    while thread.is_alive() and len(one._waiting) == before:
        time.sleep(0.001)
    return thread


def test_no_limit_is_any_number():
    one = places.Places()
    assert all(one.take(0, 0) for _ in range(1000))


def test_beyond_the_limit_there_is_none():
    one = places.Places()
    assert one.take(2, 0)
    assert one.take(2, 0)
    assert not one.take(2, 0)
    assert not one.take(2, SOON)
    one.release()
    assert one.take(2, 0)
    assert not one.take(2, 0)


def test_those_who_wait_get_places_in_order():
    one = places.Places()
    one.take(1, 0)
    order = []
    threads = [waiting(one, 1, LATE, order, name) for name in range(5)]
    assert order == []
    for count in range(1, 6):
        one.release()
        while len(order) < count:
            time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == [(name, True) for name in range(5)]


def test_nobody_overtakes_those_who_wait():
    one = places.Places()
    one.take(1, 0)
    order = []
    thread = waiting(one, 1, LATE, order, 'first')
    assert not one.take(1, 0)
    one.release()
    thread.join()
    assert order == [('first', True)]
    assert not one.take(1, 0)


def test_who_gives_up_keeps_nobody_waiting():
    one = places.Places()
    one.take(2, 0)
    one.take(2, 0)
    order = []
    # It wants less than there is, and stands in front.
    first = waiting(one, 1, SOON, order, 'first')
    second = waiting(one, 2, LATE, order, 'second')
    one.release()
    first.join()
    second.join()
    assert order == [('first', False), ('second', True)]


def test_a_place_that_comes_as_the_time_is_up_is_not_lost():
    one = places.Places()
    for _ in range(200):
        assert one.take(1, 0)
        order = []
        thread = waiting(one, 1, 0.001, order, 'one')
        time.sleep(0.001)
        one.release()
        thread.join()
        if order[0][1]:
            one.release()
        assert (one._taken, len(one._waiting)) == (0, 0)


@pytest.mark.parametrize('limit', (1, 3))
def test_many_at_once_never_exceed_the_limit(limit):
    one = places.Places()
    here = []
    most = []

    def client():
        for _ in range(50):
            assert one.take(limit, LATE)
            here.append(1)
            most.append(len(here))
            here.pop()
            one.release()

    threads = [threading.Thread(target=client) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) <= limit
    assert one._taken == 0
