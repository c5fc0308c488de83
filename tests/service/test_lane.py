"""Transactions of an event loop keep what those of the writers keep, whatever goes wrong."""

from __future__ import annotations

import contextlib
import time

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("greenlet", reason="the extra [postgres] is not installed")

from lane_shop import LOOPS, USUAL, LaneShop, shops
from postgres_shop import PostgresShop
from scenarios import (
    SCENARIOS,
    SCRIPT,
    check_log,
    commits,
    do,
    survives,
    undisturbed,
)
from shop import Faults
from test_batches import answers, fail_for_bad_units, is_dump, script

from factored_bandits.errors import ExperimentError
from factored_bandits.service.engine import Ask, AwayError, Tell, lane
from factored_bandits.service.engine.fold import Fold

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture
def shop(url):
    made = LaneShop(url, loop=USUAL)
    yield made
    made.close()


# ------------------------------------------------------------ what is promised


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_promised_holds(scenario, url):
    scenario(shops(url, USUAL))


def test_the_event_loop_does_the_decisions_and_rewards(shop):
    shop.agent.ask()  # by a writer, who loads the agent
    shop.faults = Faults()
    shop.in_loop = 0
    for step in SCRIPT:
        do(shop, step)
    assert shop.in_loop == shop.faults.count > 2 * (len(SCRIPT) - 1)
    shop.agent.dump()  # by a writer again
    assert shop.faults.count > shop.in_loop


def test_faults_around_commits_change_nothing(url):
    make = shops(url, USUAL)
    expected = undisturbed(make)
    for at in commits(expected)[1::4]:
        for after in (False, True):
            for kind in ("death", "error"):
                assert survives(make, Faults(at, after=after, kind=kind), expected)


@pytest.mark.full
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", ["death", "error"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_fault_at_any_statement_changes_nothing(kind, after, loop, url):
    make = shops(url, loop)
    expected = undisturbed(make)
    for at in range(1, len(expected[2]) + 1):
        assert survives(make, Faults(at, after=after, kind=kind), expected)


@pytest.mark.parametrize("agent_time", [60.0, 0.0])
def test_requests_of_all_kinds_keep_their_order(url, agent_time):
    """Those that a writer has to do wait for those before, and those after wait for them."""
    said = []
    logs = []
    for new in (PostgresShop, LaneShop):
        shop = new(url, agent_time=agent_time)
        shop.agent.ask()
        requests = script()
        for request in requests:
            shop.engine.submit(1, request)
        while shop.engine.step():
            pass
        found = answers(requests)
        said.append([each for each in found if not is_dump(each)])
        logs.append([event._replace(tx=0, at=0) for event in shop.log()])
        assert shop.verify().fault is None
        shop.close()
    assert said[0] == said[1]
    assert logs[0] == logs[1]


# ------------------------------------------------------------ what is left to the writers


def test_a_few_at_a_time(shop, monkeypatch):
    """So that the event loop has something to do while the database works."""
    monkeypatch.setattr(lane, "FEW", 4)
    shop.agent.ask()
    before = sum(shop.engine.meter.batches)
    requests = [Ask() for _ in range(16)]
    for request in requests:
        shop.engine.submit(1, request)
    while shop.engine.step():
        pass
    assert [request.waiter.result().id for request in requests] == list(range(2, 18))
    assert sum(shop.engine.meter.batches) - before == 3  # 8, 4 and 4
    assert len({event.tx for event in shop.log()}) == 4


def test_what_another_replica_has_written_is_followed(shop, url):
    with another(shop, url) as other:
        assert [each.agent.ask().id for each in (shop, other) * 2] == [1, 2, 3, 4]
        for each, decision in ((shop, 5), (other, 6), (shop, 7), (shop, 8)):
            each.in_loop = 0
            assert each.agent.ask().id == decision
            assert each.in_loop > 0
        assert other.agent.dump() == shop.agent.dump()
        check_log(shop)


def test_much_that_others_have_written_is_left_to_the_writers(shop, url, monkeypatch):
    monkeypatch.setattr(lane, "FOLLOW", 3)
    with another(shop, url) as other:
        assert shop.agent.ask().id == 1
        assert [other.agent.ask().id for _ in range(3)] == [2, 3, 4]
        shop.in_loop = 0
        assert shop.agent.ask().id == 5
        assert shop.in_loop > 2
        assert [other.agent.ask().id for _ in range(4)] == [6, 7, 8, 9]
        shop.in_loop = 0
        assert shop.agent.ask().id == 10
        assert shop.in_loop == 2  # it only looks
        assert shop.agent.ask().id == 11
        assert shop.in_loop > 2
        check_log(shop)


@contextlib.contextmanager
def another(shop, url):
    """Another replica of the same experiment."""
    made = LaneShop(url, loop=USUAL)
    made.die()
    made.schema = shop.schema
    made.open()
    with contextlib.closing(made):
        yield made


def test_a_slow_agent_is_left_to_the_writers_for_a_while(shop, monkeypatch):
    shop.agent.ask()
    own_lane = shop.engine.own_lane
    own_lane._agent_time = 0.0  # nothing is as quick
    shop.agent.ask()
    shop.in_loop = 0
    shop.agent.ask()
    assert shop.in_loop == 0
    own_lane._agent_time = 60.0
    monkeypatch.setattr(own_lane, "_rests", {1: time.monotonic() - lane.REST})
    shop.agent.ask()
    assert shop.in_loop > 0
    assert [event.decision for event in shop.log()] == [1, 2, 3, 4]


def test_an_agent_whose_snapshots_take_long_is_slow(url, monkeypatch):
    dump = Fold.dump

    def long(self):
        until = time.thread_time() + 0.2
        while time.thread_time() < until:
            pass
        return dump(self)

    monkeypatch.setattr(Fold, "dump", long)
    shop = LaneShop(url, snapshot_every=4)
    shop.engine.own_lane._agent_time = 0.1
    used = []
    for _ in range(6):
        shop.in_loop = 0
        shop.agent.ask()
        used.append(shop.in_loop > 0)
    assert used == [False, True, True, True, False, False]
    shop.close()


def test_who_makes_an_agent_fail_is_found(shop, monkeypatch):
    fail_for_bad_units(monkeypatch)
    shop.agent.ask()
    requests = [Ask(unit=b"good"), Ask(unit=b"bad"), Tell(decision=1, reward=1.0)]
    for request in requests:
        shop.engine.submit(1, request)
    session = shop.engine.own_lane._session
    while shop.engine.step():
        pass
    assert requests[0].waiter.result().id == 2
    with pytest.raises(ExperimentError, match="is paused: ZeroDivisionError: by order"):
        requests[1].waiter.result()
    assert requests[2].waiter.result() == "accepted"
    assert shop.engine.own_lane._session is session  # the database is not to blame
    shop.agent.resume()
    shop.in_loop = 0
    assert shop.agent.ask().id == 3
    assert shop.in_loop > 0


def test_what_waits_when_it_closes_is_done_by_the_writers(shop):
    shop.agent.ask()
    requests = [Ask() for _ in range(5)]
    for request in requests:
        shop.engine.submit(1, request)
    shop.engine.loop.run_until_complete(shop.engine.own_lane.close())
    while shop.engine.step():
        pass
    assert [request.waiter.result().id for request in requests] == [2, 3, 4, 5, 6]
    shop.in_loop = 0
    assert shop.agent.ask().id == 7
    assert shop.in_loop == 0


def test_those_who_wait_are_turned_away_when_the_database_is(shop):
    """The same queue, so the same breaker: nobody waits for an event loop without a database."""
    shop.agent.ask()
    wait, leave = Ask(), Ask(patient=False)
    shop.in_loop = 0
    for request in (wait, leave):
        shop.engine.submit(1, request)
    assert not shop.engine.own_lane._idle.is_set()  # it has them before it
    shop.engine.breaker.failed()
    with pytest.raises(AwayError):
        leave.waiter.result()
    while shop.engine.step():
        pass
    assert wait.waiter.result().id == 2
    assert shop.in_loop == 0
    assert not shop.engine.breaker.is_open
    assert shop.agent.ask().id == 3
    assert shop.in_loop > 0
