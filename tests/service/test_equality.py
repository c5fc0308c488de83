"""The durable agent and the agent in memory, told the same, are the same: decisions and dumps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from shop import FACTORS, MINUTE, Shop

import factored_bandits as fb
from factored_bandits.errors import DecisionError

ARMS = ["A", "B", "C", "D"]
PAST = [("A", "B"), ("B", "C"), ("A", "C")]
CASES: dict[str, dict[str, Any]] = {
    "tea": {"policy": "tea", "factors": FACTORS, "diagnostics": True},
    "default": {"factors": FACTORS, "seed": 9},
    "unbounded": {"factors": FACTORS, "reward_range": None},
    "flat": {"policy": "flat_ucb1", "factors": FACTORS, "reward_range": (-1.0, 3.0)},
    "semi-bandit": {"policy": "cucb", "factors": FACTORS},
    "duels": {"policy": "dueling_tea", "arms": ARMS, "default": 0.5},
    "self-duels": {"policy": "rucb", "arms": ARMS, "self_duels": "skip", "default": 0.5},
    "past duels": {"policy": "dts", "arms": ARMS, "history": PAST},
}


def outcome(case: dict[str, Any], rng: np.random.Generator) -> Any:
    if case.get("policy") == "cucb":
        return {name: float(rng.integers(2)) for name in FACTORS}
    return float(rng.integers(2))


@pytest.mark.parametrize("name", CASES)
def test_told_the_same_they_are_the_same(name, tmp_path):
    case = {"default": 0.0, **CASES[name], "ttl": "30m"}
    shop = Shop(tmp_path / "shop.db", case)
    arguments = {k: v for k, v in case.items() if k not in ("ttl", "policy")}
    times = [0.0]
    agent = fb.Agent(
        case.get("policy"),
        expire_after=timedelta(minutes=30),
        clock=lambda: times[0],
        compiled=False,
        **arguments,
    )

    rng = np.random.default_rng(7)
    waiting: list[int] = []
    last = 0
    for number in range(120):
        shop.now += int(rng.integers(3 * MINUTE))
        last = max(last + 1, shop.now)
        times[0] = last / 1e6
        if rng.random() < 0.6 or not waiting:
            expected = agent.ask()
            assert shop.agent.ask() == expected
            waiting.append(expected.id)
        else:
            identifier = waiting.pop(int(rng.integers(len(waiting))))
            reward = outcome(case, rng)
            answer = shop.agent.tell(identifier, reward)
            try:
                agent.tell(identifier, reward)
                assert answer == "accepted"
            except DecisionError:
                assert answer == "late"
        if number % 40 == 20:
            shop.reopen()
        if number % 10 == 0:
            assert shop.agent.dump() == agent.dump()
            assert shop.agent.best() == agent.best()
            assert shop.agent.confidence() == agent.confidence()
    shop.now += 31 * MINUTE
    times[0] = shop.now / 1e6
    agent.expire(older_than=timedelta(minutes=30))
    assert shop.agent.waiting == agent.waiting == ()
    assert shop.agent.dump() == agent.dump()
    assert shop.agent.status() == agent.status()
    assert shop.verify().fault is None
    shop.close()


def test_a_long_backlog_is_learned_before_the_next_decision(tmp_path):
    """Whatever the order of the rewards: the agent in memory is asked to learn all, too."""
    shops = [Shop(tmp_path / f"{name}.db", agent_time=0.0) for name in "ab"]
    agent = fb.Agent("tea", factors=FACTORS, seed=3, compiled=False)
    for _ in range(600):
        decision = agent.ask()
        assert all(shop.agent.ask() == decision for shop in shops)

    rewards = [float(id % 5 == 0) for id in range(1, 601)]
    for id in range(1, 601):
        shops[0].agent.tell(id, rewards[id - 1])
        agent.tell(id, rewards[id - 1])
    for id in range(600, 0, -1):  # the first reward completes 200 blocks at once
        shops[1].agent.tell(id, rewards[id - 1])

    for _ in range(20):
        decision = agent.ask()
        assert all(shop.agent.ask() == decision for shop in shops)
    states = [fb.Agent.load(shop.agent.dump()).status() for shop in shops]
    assert states[0] == states[1] == agent.status()
    for shop in shops:
        assert shop.verify().fault is None
        shop.close()
