"""Who has an experiment, and what is taken for it."""

from __future__ import annotations

import pytest

from factored_bandits.service.engine import Ask, Read, Tell
from factored_bandits.service.engine.queue import MOST, Queue

PLAIN = (Ask, Tell)


@pytest.fixture
def queue():
    return Queue(together=False)


def asks(number, experiment=1):
    return [(experiment, Ask()) for _ in range(number)]


def test_who_has_reserved_an_experiment_has_it_alone(queue):
    assert queue.reserve(1)
    assert not queue.reserve(1)
    assert queue.reserve(2)
    queue.put(asks(3))
    assert queue.take(0.0) == {}
    assert queue.take(0.0, due=[1]) == {}
    queue.release(1)
    assert len(queue.take(0.0)[1]) == 3
    assert not queue.reserve(1)
    queue.done([1])
    assert queue.reserve(1)


def test_an_experiment_for_which_something_waits_is_not_reserved(queue):
    """Who came first is served first."""
    queue.put(asks(1))
    assert not queue.reserve(1)
    queue.take(0.0)
    assert not queue.reserve(1)


def test_nothing_is_reserved_while_the_database_is_away_or_at_the_end(queue):
    queue.turn_away()
    assert not queue.reserve(1)
    queue.welcome()
    assert queue.reserve(1)
    queue.release(1)
    queue.close()
    assert not queue.reserve(1)


def test_a_few_are_taken_or_half_of_many(queue):
    queue.put(asks(100))
    assert [len(queue.take_some(1, 20, PLAIN)) for _ in range(6)] == [50, 25, 20, 5, 0, 0]
    assert queue.take(0.0) == {}


def test_a_batch_has_an_upper_bound(queue):
    queue.put(asks(4 * MOST))
    assert [len(queue.take_some(1, few, PLAIN)) for few in (20, 2 * MOST)] == [MOST, MOST]
    assert len(queue.take_more(1, 7)) == 7
    assert len(queue.take_more(1, 7, PLAIN)) == 7


def test_those_are_taken_that_come_before_one_of_another_kind(queue):
    requests = [Ask(), Tell(decision=1, reward=0.0), Read(look=repr), Ask()]
    assert queue.reserve(1)
    queue.put((1, request) for request in requests)
    assert queue.take_some(1, 20, PLAIN) == requests[:2]
    assert queue.take_some(1, 20, PLAIN) == queue.take_more(1, 20, PLAIN) == []
    queue.release(1)
    assert queue.take(0.0) == {1: requests[2:]}


def test_what_is_put_back_comes_first(queue):
    first, second, third = Ask(), Ask(), Ask()
    queue.put([(1, first), (1, second)])
    taken = queue.take_some(1, 20, PLAIN)
    queue.put([(1, third)])
    queue.put_back(1, taken)
    assert queue.take_some(1, 20, PLAIN) == [first, second, third]
    queue.put_back(1, taken)
    queue.close()
    assert not queue.is_over
    assert queue.take(None) == {1: [first, second]}
    assert queue.is_over
