"""`fb.open`: what it refuses and how it says so, threads, pauses, clocks."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import types
from datetime import timedelta

import pytest
from shop import CONFIG, FACTORS, MINUTE, Shop

import factored_bandits as fb
from factored_bandits.errors import (
    DecisionError,
    ExperimentError,
    InvalidInputError,
    RewardOutOfRangeError,
    StoreError,
    UnknownNameError,
)
from factored_bandits.policies.factored import uniform
from factored_bandits.service.engine import handle
from factored_bandits.service.engine.requests import Read
from factored_bandits.service.store import SqliteStore

ARGUMENTS = {"key": "home", "factors": FACTORS, "ttl": "30m", "default": 0.0}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "new folder" / "shop.db"


def test_another_configuration_says_what_differs(place):
    fb.open(place, "tea", **ARGUMENTS, seed=1).close()
    with pytest.raises(InvalidInputError) as caught:
        fb.open(place, "flat_ucb1", **{**ARGUMENTS, "ttl": "2h", "seed": 4})
    assert str(caught.value) == (
        f"the experiment 'home' in '{place}' is another one: policy is 'tea' there and 'flat_ucb1' "
        "here; ttl is 1800.0 there and 7200.0 here; seed is 1 there and 4 here. Open it with the "
        "arguments that it was made with, or choose another key"
    )
    with pytest.raises(InvalidInputError, match="seed is 1 there and 2 here"):
        fb.open(place, key="home", seed=2)
    with fb.open(place, key="home", seed=1) as agent:
        assert agent.policy.label == "tea"
    with fb.open(place, "tea", **ARGUMENTS, seed=1) as agent:
        assert agent.waiting == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"default": None}, "what is no reward within ttl worth"),
        ({"ttl": "soon"}, 'ttl must be a duration such as "90s"'),
        ({"ttl": timedelta(0)}, "ttl must be longer than no time"),
        ({"key": ""}, "key names the experiment"),
        ({"max_open": 0}, "max_open must be a whole number from 1"),
        ({"default": 2.0}, "outside the declared range"),
        ({"factors": {"a": []}}, "is empty"),
    ],
)
def test_wrong_arguments_are_refused_before_there_is_a_database(change, message, place):
    with pytest.raises(InvalidInputError, match=message):
        fb.open(place, **{**ARGUMENTS, **change})
    assert not place.exists()


def test_an_unknown_experiment_is_not_made_up(place):
    fb.open(place, **ARGUMENTS).close()
    with pytest.raises(UnknownNameError, match="no experiment named 'hom'; did you mean 'home'"):
        fb.open(place, key="hom")


def test_other_files_are_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, and long enough to be taken for one" * 100)
    with pytest.raises(StoreError, match="cannot be used as a database"):
        fb.open(text, **ARGUMENTS)
    assert text.read_text().startswith("not a database")

    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="of another program"):
        fb.open(foreign, **ARGUMENTS)

    newer = tmp_path / "newer.db"
    fb.open(newer, **ARGUMENTS).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreError, match="has tables of version 999; this library knows up to"):
        fb.open(newer, **ARGUMENTS)


def test_one_process_at_a_time(place):
    program = (
        "import sys, factored_bandits as fb\n"
        "try: fb.open(sys.argv[1], key='home')\n"
        "except fb.errors.StoreError as error: print(error)\n"
    )
    command = [sys.executable, "-c", program, str(place)]
    with fb.open(place, **ARGUMENTS):
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"another process has '{place}' open. A database file is for one")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""


def test_a_database_is_shared_within_a_process(place):
    first = fb.open(place, **ARGUMENTS)
    second = fb.open(place, **ARGUMENTS)
    other = fb.open(place, key="arena", arms=["A", "B"])
    assert first.ask("Ada") == second.ask("Ada")
    assert other.ask("Ada").levels.keys() == {"first", "second"}
    first.close()
    first.close()
    with pytest.raises(StoreError, match="the agent 'home' is closed"):
        first.ask()
    assert repr(first).endswith("closed>")
    assert second.tell(1, 1.0) == "accepted"
    second.close()
    other.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_copy_of_the_process_must_open_it_anew(place):
    program = (
        "import os, sys, factored_bandits as fb\n"
        "agent = fb.open(sys.argv[1], key='home', arms=['A', 'B'])\n"
        "if os.fork() == 0:\n"
        "    try: agent.ask()\n"
        "    except fb.errors.StoreError as error: print(error, flush=True)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "print(agent.ask().id)\n"
    )
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(place)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "open it here, after the fork" in said.stdout
    assert said.stdout.endswith("\n1\n")


def test_threads_share_an_agent(place):
    def visitor(name: str) -> None:
        for number in range(10):
            decision = agent.ask(f"{name} {number}")
            assert agent.tell(decision.id, 1.0) == "accepted"
            found.append(decision.id)

    found: list[int] = []
    with fb.open(place, "lb_inf", **ARGUMENTS) as agent:  # its blocks have one play
        threads = [threading.Thread(target=visitor, args=(name,)) for name in "abcdefgh"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found) == list(range(1, 81))
        assert agent.status().learned == 80
        assert agent.waiting == ()


def test_the_disk_is_flushed_at_every_commit(place):
    store = SqliteStore(place)
    connection = store._connected()
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


def test_errors_of_the_caller(place):
    with fb.open(place, **ARGUMENTS) as agent:
        decision = agent.ask()
        with pytest.raises(RewardOutOfRangeError, match="outside the declared range"):
            agent.tell(decision.id, 7.0)
        with pytest.raises(RewardOutOfRangeError, match="must be a finite number"):
            agent.tell(decision.id, float("nan"))
        with pytest.raises(DecisionError, match="decision 'x' was never given out"):
            agent.tell("x", 1.0)
        agent.tell(decision.id, 1.0)
        with pytest.raises(DecisionError, match=r"answered already, with 1.0; .* the first one"):
            agent.tell(decision.id, 0.0)
        with pytest.raises(DecisionError, match="never given out"):
            agent.expire(17)
        with pytest.raises(InvalidInputError, match="a unit must be a text or a whole number"):
            agent.ask(unit=1.5)
        with pytest.raises(InvalidInputError, match="diagnostics=True"):
            agent.diagnose()
        assert agent.backlog in (0, 1)


def test_the_same_idempotency_key_has_the_same_decision(place):
    with fb.open(place, **ARGUMENTS) as agent:
        first = agent.ask(idempotency_key="k1")
        assert agent.ask(idempotency_key="k1") == first
        assert agent.ask(idempotency_key="k2").id == 2


def test_pause_stop_and_too_many_open(place):
    with fb.open(place, **ARGUMENTS, max_open=2) as agent:
        first = agent.ask("Ada")
        agent.pause("a wrong price")
        with pytest.raises(ExperimentError, match="'home' is paused: a wrong price"):
            agent.ask()
        assert agent.ask("Ada") == first
        assert agent.tell(first.id, 1.0) == "accepted"
        agent.resume()
        agent.ask()
        agent.ask()
        with pytest.raises(ExperimentError, match="has 2 decisions that wait"):
            agent.ask()
        agent.stop()
        with pytest.raises(ExperimentError, match="is stopped"):
            agent.ask()
        with pytest.raises(ExperimentError, match="stopped for good"):
            agent.resume()


@pytest.mark.parametrize("policy", ["tea", "leader_tea", "lb_inf"])
def test_what_is_answered_and_not_learned_is_not_open(place, policy):
    """A block may be longer than the most that may wait."""
    with fb.open(place, policy, **ARGUMENTS, max_open=2) as agent:
        for _ in range(30):
            agent.tell(agent.ask().id, 1.0)
        waits, other = agent.ask(), agent.ask()
        agent.tell(other.id, 1.0)
        with pytest.raises(ExperimentError, match="has 2 decisions that wait or are held back"):
            agent.ask()
        agent.tell(waits.id, 0.0)
        assert agent.ask().id == 33


def own_policy() -> types.ModuleType:
    """Uniform play that fails in a certain round."""
    module = types.ModuleType("fragile")
    vars(module).update({k: v for k, v in vars(uniform).items() if not k.startswith("__")})

    def plan(params, state, t, rng, actions):
        if t == 4:
            raise ZeroDivisionError("round four")
        return uniform.plan(params, state, t, rng, actions)

    vars(module)["plan"] = plan
    return module


def test_a_failing_policy_pauses_its_experiment_and_no_other(tmp_path):
    shop = Shop(tmp_path / "shop.db", {"policy": own_policy(), "factors": {"a": [1, 2]}})
    other = shop.engine.store.create("other", shop.config.text(), "another machine")
    shop.engine.serve(other)
    fine = shop.engine.store.create("fine", *_row(CONFIG))
    shop.engine.serve(fine)
    from factored_bandits.service.engine import Ask

    asks = [(1, Ask()) for _ in range(6)]
    requests = [*asks, (fine.id, Ask()), (other.id, Ask())]
    for number, request in requests:
        shop.engine.submit(number, request)
    while shop.engine.step():
        pass

    for _, request in asks[:3]:
        assert request.waiter.result().id in (1, 2, 3)
    for _, request in asks[3:]:
        with pytest.raises(ExperimentError, match="is paused: ZeroDivisionError: round four"):
            request.waiter.result()
    assert requests[6][1].waiter.result().id == 1
    with pytest.raises(ExperimentError, match="was computed by another machine"):
        requests[7][1].waiter.result()

    assert shop.agent.tell(2, 1.0) == "accepted"  # rewards are still taken
    assert [event.kind for event in shop.log()][3:] == ["pause", "tell"]
    shop.reopen()
    assert shop.agent.waiting == (1, 3)
    shop.close()


def _row(config):
    from factored_bandits.service.config import made
    from factored_bandits.service.fingerprint import fingerprint

    return made(config, {})[0].text(), fingerprint()


def test_a_clock_that_goes_back_changes_nothing(tmp_path):
    shop = Shop(tmp_path / "shop.db")
    shop.agent.ask()
    shop.agent.best()  # a batch that writes nothing, at a later time
    shop.now += MINUTE
    shop.agent.best()
    shop.now -= 500 * MINUTE
    shop.agent.ask()
    state = shop.agent.dump()
    shop.reopen()
    assert shop.agent.dump() == state
    assert shop.verify().fault is None
    shop.close()


def test_decisions_expire_by_themselves(place):
    with fb.open(place, **{**ARGUMENTS, "ttl": timedelta(milliseconds=50)}) as agent:
        agent.ask()
        number = agent._handle.id
        for _ in range(200):
            threading.Event().wait(0.02)
            events = _events(place)
            if [event.kind for event in events] == ["ask", "expire"]:
                break
        assert [event.kind for event in events] == ["ask", "expire"]
        assert agent._engine.call(number, Read(look=lambda agent: agent.waiting)) == ()
    assert handle.LATER > 0


def _events(place):
    store = SqliteStore(place, read_only=True)
    events = store.begin().events(1, 0, 100)
    store.close()
    return events
