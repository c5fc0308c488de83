"""Which requests share a transaction: all that came before the experiment was locked."""

from __future__ import annotations

import gc
import weakref

import pytest
from shop import Shop

from factored_bandits.errors import (
    DecisionError,
    ExperimentError,
    FactoredBanditsError,
    RewardOutOfRangeError,
)
from factored_bandits.service.engine import Ask, ConflictError, Control, Expire, Read, Tell
from factored_bandits.service.engine.batch import Batch
from factored_bandits.service.engine.queue import MOST


@pytest.fixture
def shop(tmp_path):
    made = Shop(tmp_path / "shop.db", agent_time=60.0)  # a slow machine makes no more batches
    yield made
    made.close()


def while_it_waits_for_the_lock(shop, come, times=1):
    """Let requests come between BEGIN and the lock; gives the transactions so far, by number."""
    begin = shop.engine.store.begin
    begun = []

    def slow():
        begun.append(len(begun))
        if len(begun) <= times:
            for request in come():
                shop.engine.submit(1, request)
        return begin()

    shop.engine.store.begin = slow
    return begun


def test_what_comes_before_the_lock_is_in_the_same_transaction(shop):
    late = [Ask(unit=b"second"), Ask(unit=b"first")]
    begun = while_it_waits_for_the_lock(shop, lambda: late)
    first = Ask(unit=b"first")
    shop.engine.submit(1, first)
    assert shop.engine.step()
    assert not shop.engine.step()
    assert begun == [0]
    assert [each.waiter.result().id for each in (first, *late)] == [1, 2, 1]
    assert len({event.tx for event in shop.log()}) == 1


def test_a_batch_has_an_upper_bound_all_the_same(shop):
    late = [Ask() for _ in range(MOST)]
    while_it_waits_for_the_lock(shop, lambda: late)
    shop.engine.submit(1, Ask())
    while shop.engine.step():
        pass
    assert [each.waiter.result().id for each in late] == list(range(2, MOST + 2))
    assert len({event.tx for event in shop.log()}) == 2


def test_a_batch_is_gone_when_it_is_answered(shop, monkeypatch):
    """And with it its events and answers: none of them waits for the collector of garbage."""
    made = []
    init = Batch.__init__

    def remembered(self, *given):
        init(self, *given)
        made.append(weakref.ref(self))

    monkeypatch.setattr(Batch, "__init__", remembered)
    was_on = gc.isenabled()
    gc.disable()
    try:
        decision = shop.engine.call(1, Ask(unit=b"Ada"))
        shop.engine.call(1, Tell(decision=decision.id, reward=1.0))
        assert [each() for each in made] == [None, None]
    finally:
        if was_on:
            gc.enable()


def fail_for_bad_units(monkeypatch):
    """Let agents fail when the unit "bad" asks."""
    ask = Batch._ask

    def failing(self, request):
        if request.unit == b"bad":
            raise ZeroDivisionError("by order")
        return ask(self, request)

    monkeypatch.setattr(Batch, "_ask", failing)


def test_who_makes_an_agent_fail_is_found_though_more_come(shop, monkeypatch):
    """Requests are done one at a time then, and nobody new joins them."""
    fail_for_bad_units(monkeypatch)
    begun = while_it_waits_for_the_lock(shop, lambda: [Ask()], times=50)
    good = Ask(unit=b"good")
    bad = Ask(unit=b"bad")
    shop.engine.submit(1, good)
    shop.engine.submit(1, bad)
    assert shop.engine.step()
    # all of them; then good, bad and the one who came with them alone, and the pause
    assert len(begun) == 5
    assert good.waiter.result().id == 1
    with pytest.raises(ExperimentError, match="is paused: ZeroDivisionError: by order"):
        bad.waiter.result()


def script():
    """Requests of every kind, with some that the database must be asked about."""
    return [
        *(Ask(unit=b"%d" % number) for number in range(9)),
        *(Tell(decision=number, reward=float(number % 2)) for number in (1, 2, 3, 5)),
        Tell(decision=2, reward=0.0),  # again
        Tell(decision=3, reward=0.5),  # otherwise
        Tell(decision=77, reward=1.0),  # never given out
        Tell(decision=4, reward=7.0),  # out of range
        Ask(unit=b"3"),
        Read(look=lambda agent: agent.dump()),
        Expire(decision=4),
        Tell(decision=4, reward=1.0),  # late
        Tell(unit=b"8", reward=1.0),
        Control(kind="pause", reason="lunch"),
        Ask(unit=b"new"),
        Tell(decision=6, reward=1.0),
        Control(kind="resume"),
        *(Ask() for _ in range(5)),
        Read(look=lambda agent: agent.dump()),
    ]


def answers(requests):
    found = []
    for request in requests:
        try:
            found.append(request.waiter.result())
        except FactoredBanditsError as error:
            found.append((type(error), str(error)))
    return found


@pytest.mark.parametrize("agent_time", [60.0, 0.0])
def test_one_batch_is_as_good_as_many(tmp_path, agent_time):
    """Whether requests share a call of the agent, or have a transaction each, or no time."""
    logs = []
    said = []
    for name, at_once in (("one", True), ("many", False)):
        shop = Shop(tmp_path / f"{name}.db", agent_time=agent_time)
        requests = script()
        for request in requests:
            shop.engine.submit(1, request)
            if not at_once:
                shop.engine.step()
        while shop.engine.step():
            pass
        said.append(answers(requests))
        logs.append([event._replace(tx=0, at=0) for event in shop.log()])
        assert shop.verify().fault is None
        shop.close()
    assert logs[0] == logs[1]
    assert len(logs[0]) == 9 + 4 + 2 + 1 + 1 + 1 + 1 + 5

    # dumps hold the times of the agent, which are other ones
    assert [len(each) for each in said] == [len(script())] * 2
    assert [each for each in said[0] if not is_dump(each)] == [
        each for each in said[1] if not is_dump(each)
    ]
    assert {ConflictError, DecisionError, ExperimentError, RewardOutOfRangeError} == {
        each[0] for each in said[0] if isinstance(each, tuple)
    }


def is_dump(answer):
    return isinstance(answer, str) and len(answer) > 100


def test_nobody_asks_the_database_while_the_agent_is_locked(shop):
    """Who wants to read the agent would wait for the database, which may be away."""
    locked = []
    decisions = [shop.agent.ask().id for _ in range(3)]
    shop.agent.tell(decisions[0], 1.0)
    begin = shop.engine.store.begin

    def watched():
        tx = begin()
        settled = tx.settled

        def looked(*args):
            locked.append(shop.engine._handles[1]._fold.driver.is_inside)
            return settled(*args)

        tx.settled = looked
        return tx

    shop.engine.store.begin = watched
    requests = [
        Tell(decision=decisions[1], reward=1.0),
        Tell(decision=decisions[0], reward=1.0),
        Tell(decision=decisions[2], reward=1.0),
    ]
    for request in requests:
        shop.engine.submit(1, request)
    while shop.engine.step():
        pass
    assert [each.waiter.result() for each in requests] == ["accepted", "duplicate", "accepted"]
    assert locked == [False]
