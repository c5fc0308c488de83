"""Many plays as one call: the same as one by one, and all of them or none."""

from __future__ import annotations

import threading
import warnings
from datetime import timedelta

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent.driver import Driver
from factored_bandits.errors import BacklogWarning, DecisionError

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}


@pytest.mark.parametrize("name", fb.policies.names())
def test_the_same_as_one_by_one(name):
    problem = problems.fitting(name)
    alone = problems.agent(name, problem, seed=5)
    driven = problems.agent(name, problem, seed=5)
    driver = Driver(driven)
    rng = np.random.default_rng(3)

    def many(asks, answers):
        asked = [driver.ask() if number % 2 else driver.play() for number in range(asks)]
        for id, answer in answers:
            driver.tell(id, answer)
        return asked

    for _ in range(12):
        asks = int(rng.integers(8))
        expected = [alone.ask() for _ in range(asks)]
        chosen = [int(id) for id in rng.permutation(alone.waiting)[: int(rng.integers(9))]]
        answers = [(id, problems.answer(alone, float(rng.integers(2)))) for id in chosen]
        for id, answer in answers:
            alone.tell(id, answer)

        for number, (found, wanted) in enumerate(
            zip(driver.together(many, asks, answers), expected, strict=True)
        ):
            if number % 2:
                assert found == wanted
            else:
                known = wanted.propensity
                levels = None if known is None else tuple(known.values())
                assert found == (wanted.id, (wanted.action, levels))
    assert driven.dump() == alone.dump()


def plays(driver, error=None):
    for _ in range(9):
        driver.ask()
    for id in (2, 1, 3, 5):
        driver.tell(id, 1.0)
    driver.expire(4)
    if error is not None:
        raise error


@pytest.mark.parametrize("error", [ZeroDivisionError("by order"), KeyboardInterrupt()])
def test_an_error_undoes_all_of_it(error):
    agent = fb.Agent("tea", factors=FACTORS, seed=1, diagnostics=True)
    calm = fb.Agent("tea", factors=FACTORS, seed=1, diagnostics=True)
    drivers = Driver(agent), Driver(calm)
    before = agent.dump()
    with pytest.raises(type(error)):
        drivers[0].together(plays, drivers[0], error)
    assert agent.dump() == before
    assert agent.status() == calm.status()

    for driver in drivers:
        driver.together(plays, driver)
    assert agent.dump() == calm.dump()


def test_one_that_is_refused_leaves_the_others():
    agent = fb.Agent("tea", factors=FACTORS, seed=1)
    driver = Driver(agent)

    def some():
        first = driver.ask()
        with pytest.raises(DecisionError):
            driver.tell(9, 1.0)
        return driver.together(driver.ask).id, first.id

    assert driver.together(some) == (2, 1)
    assert agent.waiting == (1, 2)


def test_what_is_older_expires_and_the_rest_waits():
    now = [0.0]
    agent = fb.Agent("tea", factors=FACTORS, clock=lambda: now[0])
    driver = Driver(agent)
    driver.together(plays, driver)
    now[0] = 60.0
    driver.together(driver.ask)
    assert driver.expire_older(timedelta(seconds=30)) == (6, 7, 8, 9)
    assert driver.expire_older(timedelta(seconds=30)) == ()
    assert agent.waiting == (10,)


def test_others_read_it_before_or_after_but_not_between():
    agent = fb.Agent("tea", factors=FACTORS)
    driver = Driver(agent)
    begun = threading.Event()
    seen = []

    def reads():
        begun.wait()
        seen.append(agent.status().asked)

    reader = threading.Thread(target=reads)
    reader.start()

    def slow():
        driver.ask()
        begun.set()
        reader.join(0.2)
        driver.ask()

    driver.together(slow)
    reader.join()
    assert seen == [2]


@pytest.mark.parametrize("strict", [False, True])
def test_a_backlog_is_noticed_once(strict):
    agent = fb.Agent("tea", factors=FACTORS)
    driver = Driver(agent)

    def stretch():
        ids = [driver.ask().id for _ in range(100)]
        for id in ids:
            if id > 1:
                driver.tell(id, 1.0)

    with warnings.catch_warnings(record=not strict) as told:
        warnings.simplefilter("error" if strict else "always", BacklogWarning)
        for _ in range(30):
            driver.together(stretch)
    assert agent.backlog == 3000
    if not strict:
        assert [each.category for each in told] == [BacklogWarning]
