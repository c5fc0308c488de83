"""Decisions that nobody settles: how one sees them, how they expire, what is learned meanwhile."""

from __future__ import annotations

import json
import logging
import time
import tracemalloc
import warnings
from datetime import timedelta

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent.playing import PORTION
from factored_bandits.agent.saved import dump as _dump
from factored_bandits.core.packing import pack
from factored_bandits.errors import BacklogWarning, DecisionError, DumpError, InvalidInputError

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
HOUR = timedelta(hours=1)


class Clock:
    """A clock that a test sets."""

    def __init__(self, seconds=1_000_000.0):
        self.seconds = seconds

    def __call__(self):
        return self.seconds


def knowledge(agent):
    """All that a dump holds, but for the age at which decisions expire."""
    content = json.loads(agent.dump())["agent"]
    content.pop("expire_after", None)
    return content


def forgetful(agent, rounds, forgotten=(1,)):
    """Ask and answer at once, but for some decisions."""
    for _ in range(rounds):
        decision = agent.ask()
        if decision.id not in forgotten:
            agent.tell(decision.id, float(decision.action[0] == 1))


# ---------------------------------------------------------------- what one sees


def test_status_shows_the_backlog_and_the_oldest_decision():
    clock = Clock()
    agent = fb.Agent("tea", factors=FACTORS, seed=1, clock=clock)
    assert (agent.backlog, agent.status().oldest, agent.status().oldest_rounds) == (0, None, None)
    forgetful(agent, 90, forgotten=(31, 40))
    clock.seconds += 7200.0

    status = agent.status()
    assert (status.learned, status.backlog, status.waiting, agent.backlog) == (30, 60, 2, 60)
    assert (status.oldest, status.oldest_rounds, status.oldest_age) == (31, 59, timedelta(hours=2))
    lines = str(status).splitlines()
    assert lines[0] == "tea: 90 rounds asked, 30 learned, 2 waiting"
    assert lines[1] == (
        "answers not learned yet: 58; decision 31 has been open for 59 rounds (2.0 h)"
    )
    agent.expire(31)
    assert agent.status().oldest == 40
    agent.ask()
    agent.expire(40)
    agent.tell(91, 1.0)
    assert str(agent.status()).splitlines()[1] == "answers not learned yet: 1"


def test_an_answer_that_is_missing_for_long_is_worth_a_warning(caplog):
    agent = fb.Agent("uniform", factors=FACTORS)
    with warnings.catch_warnings(record=True) as caught, caplog.at_level(logging.WARNING):
        warnings.simplefilter("always")
        forgetful(agent, 2500)
    assert [warning.category for warning in caught] == [BacklogWarning]
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert message.startswith("decision 1 was asked 1,023 rounds ago and is not settled; 1,023 ")
    assert "expire_after" in message
    assert [record.name for record in caplog.records] == ["factored_bandits"]

    # once it has recovered, the next forgotten decision is reported again
    agent.expire(1)
    agent.learn()
    with pytest.warns(BacklogWarning, match="decision 2501 was asked"):
        forgetful(agent, 1200, forgotten=(2501,))


def test_a_warning_that_is_an_error_costs_no_decision():
    agent = fb.Agent("uniform", factors=FACTORS)
    with pytest.raises(BacklogWarning):  # warnings are errors in these tests
        forgetful(agent, 4000)
    before = agent.dump()
    assert fb.Agent.load(before).dump() == before
    forgetful(agent, 1000)
    assert agent.status().asked == 2024


def test_a_steady_delay_is_no_reason_to_warn():
    agent = fb.Agent("uniform", factors=FACTORS)
    rng = np.random.default_rng(2)
    due = {}
    for t in range(4000):
        due.setdefault(t + int(rng.integers(1, 2000)), []).append(agent.ask().id)
        for id in due.pop(t, []):
            agent.tell(id, 1.0)


# ---------------------------------------------------------------- expiry by age


@pytest.mark.parametrize("name", ["tea", "flat_ucb1", "cucb", "dueling_tea", "dts"])
def test_expire_after_is_expiring_by_hand(name):
    """Before every call, what is older; the same decisions, the same state, in every round."""
    problem = problems.fitting(name)
    by_hand = problems.agent(name, problem, seed=4)
    duel = problem.kind == "duel"
    labels = by_hand._labels.document()
    given = {"arms": labels["arms"]} if duel else {"factors": labels["factors"]}
    by_itself = fb.Agent(
        name, **given, reward_range=problem.reward_range, seed=4, horizon=problems.HORIZON,
        default=by_hand._rewards.default, expire_after=20,
    )  # fmt: skip
    rng = np.random.default_rng(5)
    for _ in range(250):
        for id in by_hand.waiting:
            if by_hand.status().asked - id > 20:
                by_hand.expire(id)
        decision = by_hand.ask()
        assert by_itself.ask() == decision
        if rng.random() < 0.7:
            answer = problems.answer(by_hand, float(rng.integers(2)))
            by_hand.tell(decision.id, answer)
            by_itself.tell(decision.id, answer)
        assert by_itself.status().oldest_rounds in (None, *range(22))
    assert knowledge(by_itself) == knowledge(by_hand)


def test_expire_older_than_rounds():
    one = fb.Agent("tea", factors=FACTORS, seed=1)
    other = fb.Agent("tea", factors=FACTORS, seed=1)
    for agent in (one, other):
        forgetful(agent, 50, forgotten=(2, 10, 30, 44, 50))
    assert one.expire(older_than=20) == (2, 10)
    for id in (2, 10):
        other.expire(id)
    assert one.dump() == other.dump()
    assert one.expire(older_than=20) == ()
    assert one.expire(older_than=19) == (30,)
    assert one.expire(older_than=0) == (44,)
    assert one.waiting == (50,)
    with pytest.raises(DecisionError, match="decision 30 has expired"):
        one.tell(30, 1.0)


def test_expiry_by_time_survives_a_dump():
    clock = Clock()
    agent = fb.Agent("tea", factors=FACTORS, seed=1, expire_after=HOUR, clock=clock)
    for _ in range(5):
        agent.ask()
        clock.seconds += 1000.0
    later = Clock(clock.seconds)
    loaded = fb.Agent.load(agent.dump(), clock=later)
    assert loaded.dump() == agent.dump()
    for other, its_clock in ((agent, clock), (loaded, later)):
        its_clock.seconds += 600.0  # the first three were asked 5600, 4600 and 3600 seconds ago
        other.ask()
        assert other.waiting == (3, 4, 5, 6)
        its_clock.seconds += 0.5
        with pytest.raises(DecisionError, match="decision 3 has expired"):
            other.tell(3, 1.0)
        assert other.waiting == (4, 5, 6)
        other.tell(4, 1.0)
    assert loaded.dump() == agent.dump()


def test_expire_older_than_a_time():
    clock = Clock()
    agent = fb.Agent("uniform", factors=FACTORS, clock=clock)
    agent.ask()
    clock.seconds += 3600.0
    agent.ask()
    assert agent.expire(older_than=HOUR) == ()
    clock.seconds += 1.0
    assert agent.expire(older_than=HOUR) == (1,)
    # a clock that is set back makes nobody younger, and nobody waits for longer
    clock.seconds -= 50_000.0
    agent.ask()
    assert agent.status().oldest_age == timedelta(seconds=1)
    clock.seconds += 50_000.0 + 3600.0
    assert agent.expire(older_than=HOUR) == (2,)


def test_without_a_clock_a_dump_does_not_depend_on_the_time():
    agent = fb.Agent("uniform", factors=FACTORS)
    agent.ask()
    assert agent.status().oldest_age < HOUR
    assert agent.expire(older_than=HOUR) == ()
    assert "times" not in _dump.unseal(agent.dump())["rounds"]

    loaded = fb.Agent.load(agent.dump())
    assert loaded.status().oldest_age is None
    with pytest.raises(InvalidInputError, match="not known when decision 1 was asked"):
        loaded.expire(older_than=HOUR)

    # with a clock, what is not known begins now, and is kept from then on
    clock = Clock()
    loaded = fb.Agent.load(agent.dump(), clock=clock)
    again = fb.Agent.load(loaded.dump(), clock=clock)
    clock.seconds += 3601.0
    assert again.expire(older_than=HOUR) == (1,)


def test_time_is_that_of_the_wall_by_default():
    agent = fb.Agent("uniform", factors=FACTORS, expire_after=HOUR)
    began = time.time()
    agent.ask()
    assert began <= agent._ledger.times[1] <= time.time()
    tomorrow = fb.Agent.load(agent.dump(), clock=lambda: began + 86_400.0)
    tomorrow.ask()
    assert tomorrow.waiting == (2,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"expire_after": 0}, "expire_after must be a number of rounds from 1 or a datetime.timed"),
        ({"expire_after": "1h"}, "rounds from 1 or a datetime.timedelta, not '1h'"),
        ({"expire_after": True}, "rounds from 1"),
        ({"expire_after": timedelta(0)}, "expire_after must be longer than no time at all"),
        ({"expire_after": 5, "reward_range": None}, "what is a missing answer worth"),
    ],
)
def test_ages_that_cannot_be(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fb.Agent("tea", factors=FACTORS, **arguments)


def test_wrong_arguments_of_expire_change_nothing():
    agent = fb.Agent("tea", factors=FACTORS, reward_range=None)
    agent.ask()
    before = agent.dump()
    for arguments in ({"older_than": -1}, {"older_than": -HOUR}, {"older_than": 0, "id": 1}):
        with pytest.raises(InvalidInputError):
            agent.expire(**arguments)
    with pytest.raises(InvalidInputError, match="what is a missing answer worth"):
        agent.expire(older_than=0)
    with pytest.raises(DecisionError):
        agent.expire()
    assert agent.dump() == before


def test_dumps_without_the_new_fields_load_and_wrong_ones_do_not():
    agent = fb.Agent("tea", factors=FACTORS, expire_after=HOUR, clock=Clock())
    for _ in range(4):
        agent.ask()
    content = _dump.unseal(agent.dump())
    plain = _dump.unseal(fb.Agent("tea", factors=FACTORS).dump())
    assert "expire_after" not in plain
    assert "times" not in plain["rounds"]

    for times in ([4.0, 3.0, 5.0, 6.0], [1.0, np.nan, 2.0, 3.0]):
        rounds = {**content["rounds"], "times": pack(np.array([*times, np.nan, np.nan]))}
        with pytest.raises(DumpError, match="times of its decisions"):
            fb.Agent.load(_dump.seal({**content, "rounds": rounds}))
    for wrong in ({"rounds": 0}, {"seconds": -1.0}, {"seconds": "x"}, {}, 7, "x", []):
        with pytest.raises(DumpError):
            fb.Agent.load(_dump.seal({**content, "expire_after": wrong}))


# ---------------------------------------------------------------- portions


@pytest.mark.parametrize("name", ["uniform", "tea", "flat_thompson", "rmed1", "lin_ucb"])
def test_a_backlog_is_learned_in_portions_and_ends_as_in_order(name):
    problem = problems.fitting(name)
    late = problems.agent(name, problem, seed=2)
    ordered = problems.agent(name, problem, seed=2)
    rounds = 600
    assert [late.ask() for _ in range(rounds)] == [ordered.ask() for _ in range(rounds)]
    rewards = np.random.default_rng(1).integers(2, size=rounds).astype(float)
    for id in range(1, rounds + 1):
        ordered.tell(id, rewards[id - 1])
    assert ordered.backlog <= 1  # a block may end with a play that nobody asked for

    learned = 0
    longest = late.policy.longest_block(late._labels.sizes)
    for id in [*range(2, rounds + 1), 1]:
        late.tell(id, rewards[id - 1])
        assert late.status().learned - learned <= PORTION * longest
        learned = late.status().learned
    while late.backlog > ordered.backlog:
        assert 0 < late.learn(max_blocks=50) <= 50
    assert late.learn() == 0
    assert late.dump() == ordered.dump()
    assert late.ask() == ordered.ask()


def test_asking_learns_what_is_left():
    agent = fb.Agent("uniform", factors=FACTORS)
    for id in [agent.ask().id for _ in range(1000)][::-1]:
        agent.tell(id, 1.0)
    assert agent.backlog == 1000 - PORTION
    saved = fb.Agent.load(agent.dump())
    for _ in range(1000 // PORTION):
        assert saved.ask() == agent.ask()
    assert (agent.status().learned, agent.waiting) == (1000, tuple(range(1001, 1016)))
    assert saved.dump() == agent.dump()


def test_learning_nothing():
    agent = fb.Agent("uniform", factors=FACTORS)
    assert agent.learn() == agent.learn(max_blocks=0) == 0
    with pytest.raises(InvalidInputError, match="max_blocks must be a whole number from 0"):
        agent.learn(max_blocks=-1)


def test_is_waiting_takes_anything():
    agent = fb.Agent("uniform", factors=FACTORS)
    agent.ask()
    agent.ask()
    agent.tell(1, 1.0)
    assert [agent.is_waiting(id) for id in (0, 1, 2, np.int64(2), 3, "2", None)] == [
        False, False, True, True, False, False, False,
    ]  # fmt: skip


# ---------------------------------------------------------------- memory


def test_an_open_decision_takes_little_memory():
    """Blocks of one play are the worst case."""
    agent = fb.Agent("flat_ucb1", factors=FACTORS, expire_after=10**9)
    forgetful(agent, 300)
    tracemalloc.start()
    forgetful(agent, 1500)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert agent.backlog == 1800
    assert used / 1500 < 64


@pytest.mark.full
def test_memory_is_flat_over_many_decisions_of_which_some_are_lost():
    """What is learned is freed; `benchmarks/agent.py flat` does this a million times."""
    agent = fb.Agent("uniform", factors=FACTORS, expire_after=1000)
    rng = np.random.default_rng(3)
    sizes = []
    for _ in range(4):
        for _ in range(5_000):
            decision = agent.ask()
            if rng.random() >= 0.01:
                agent.tell(decision.id, 1.0)
        assert agent.backlog <= 1001 + PORTION
        assert len(agent._ledger.rewards._chunks) <= (1001 + PORTION) // 256 + 2
        sizes.append(len(agent.dump()))
    assert agent.status().learned > 18_900
    assert max(sizes) < 1.5 * sizes[0]
