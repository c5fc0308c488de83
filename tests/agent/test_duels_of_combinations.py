"""`Agent(factors=..., duels=True)`: two whole combinations are asked, one is told to have won."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb

FACTORS = {"prompt": ["short", "long", "none"], "model": ["a", "b"], "heat": [0.0]}
WORTH = {"short": 0.0, "long": 1.5, "none": 0.2, "a": 0.0, "b": 1.5, 0.0: 0.0}


def judged(decision, rng):
    """A verdict by the sum of what each level is worth; a tie now and then."""
    worth = [sum(WORTH[level] for level in side.values()) for side in decision.levels.values()]
    if rng.random() < 0.1:
        return 0.5
    return float(rng.random() < 1.0 / (1.0 + math.exp(worth[1] - worth[0])))


def test_the_best_is_found_and_certified_with_verdicts_outstanding():
    agent = fb.Agent(factors=FACTORS, duels=True, seed=1)
    rng = np.random.default_rng(1)
    waiting = []
    for _ in range(400):
        decision = agent.ask()
        first, second = decision.levels["first"], decision.levels["second"]
        assert list(first) == list(second) == list(FACTORS)
        assert first != second
        waiting.append(decision)
        if len(waiting) == 8:
            late = waiting.pop(int(rng.integers(8)))
            agent.tell(late.id, judged(late, rng))

    assert agent.best() == {"prompt": "long", "model": "b", "heat": 0.0}
    certificate = fb.certificate(agent)
    assert certificate.best() == agent.best()
    assert agent.confidence() > 0.95
    assert "in each factor one level does best, whatever the rest of both sides is" in str(
        certificate
    )

    rows = agent.status().rows
    assert [(row.factor, row.level) for row in rows] == [
        (name, level) for name, levels in FACTORS.items() for level in levels
    ]
    assert sum(row.plays for row in rows if row.factor == "model") == 2 * 400
    assert not rows[0].active


def test_saved_in_the_middle_it_goes_on_alike():
    agent = fb.Agent(factors=FACTORS, duels=True, seed=2, self_duels="skip")
    rng = np.random.default_rng(2)
    for _ in range(60):
        decision = agent.ask()
        agent.tell(decision.id, judged(decision, rng))
    open_one = agent.ask()
    again = fb.Agent.load(agent.dump())
    for one in (agent, again):
        one.tell(open_one.id, 1.0)
    assert [agent.ask() for _ in range(5)] == [again.ask() for _ in range(5)]
    assert again.best() == agent.best()
    assert again.dump() == agent.dump()


def test_uniform_duels_cover_everything():
    """The floor of comparisons, with propensities of each side and factor."""
    agent = fb.Agent("dueling_uniform", factors=FACTORS, duels=True, seed=3)
    seen = set()
    for _ in range(400):
        decision = agent.ask()
        seen.add(decision.action)
        assert decision.propensity["first prompt"] == pytest.approx(1.0 / 3.0)
        agent.tell(decision.id, 0.5)
    combinations = list(itertools.product(range(3), range(2), range(1)))
    assert len(seen) == len(combinations) ** 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"arms": ["a", "b"]}, "duels=True compares two combinations of factors at a time"),
        ({"factors": {"x": [1, 2]}}, "duels=True needs at least two factors"),
        ({"factors": {"x": [1], "y": [2]}}, "every factor has a single level"),
        ({"factors": FACTORS, "policy": "rucb"}, "rucb does not compare combinations"),
        ({"factors": FACTORS, "policy": "tea"}, "tea does not compare combinations"),
        ({"factors": FACTORS, "history": [("a", "b")]}, "compares combinations takes none"),
        ({"factors": FACTORS, "reward_range": (0, 5)}, "duels have rewards 0, 0.5 and 1"),
    ],
)
def test_what_cannot_be(arguments, said):
    with pytest.raises(fb.errors.InvalidInputError, match=said):
        fb.Agent(**arguments, duels=True)


def test_duels_is_a_flag():
    with pytest.raises(fb.errors.InvalidInputError, match="duels"):
        fb.Agent(factors=FACTORS, duels="yes")
