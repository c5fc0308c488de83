"""Numbers so large or so close that sums of them would overflow or lose them: refused, or safe."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core.limits import LARGEST_REWARD, MOST_ROUNDS
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from golden.cases import labels

FACTORS = {"a": [0, 1, 2], "b": [0, 1]}
ARMS = ["A", "B", "C"]
UNBOUNDED = [
    label
    for label in labels()
    if fb.policies.make(label).info.kind == "factored"
    and fb.policies.make(label).info.feedback == "reward"
]


@pytest.mark.parametrize("reward", [1e308, -1e308, 1.01 * LARGEST_REWARD])
def test_what_cannot_be_summed_is_refused_and_changes_nothing(reward):
    agent = fb.Agent("tea", factors=FACTORS, reward_range=None, default=0.0)
    decision = agent.ask()
    before = agent.dump()
    with pytest.raises(
        RewardOutOfRangeError, match=r"too large to be summed.*-1e\+100 and 1e\+100"
    ):
        agent.tell(decision.id, reward)
    assert agent.dump() == before
    with pytest.raises(RewardOutOfRangeError, match="default=1e"):
        fb.Agent("tea", factors=FACTORS, reward_range=None, default=1e308)


@pytest.mark.parametrize("label", UNBOUNDED)
def test_the_largest_rewards_overflow_nothing(label):
    """pytest makes an error of every warning, and numpy warns of what is not a number."""
    agent = fb.Agent(label, factors=FACTORS, reward_range=None, horizon=1000, seed=1)
    rng = np.random.default_rng(0)
    for number in range(40):
        size = [LARGEST_REWARD, 10.0 ** rng.uniform(-100, 100)][number % 2]
        agent.tell(agent.ask().id, size * rng.choice([-1.0, 1.0]))
    agent.best()
    agent.status()
    assert fb.Agent.load(agent.dump()).dump() == agent.dump()
    for array in agent._state:
        assert not np.isnan(array).any()


@pytest.mark.parametrize(
    ("reward_range", "message"),
    [
        ((-1e308, 1e308), r"must lie within -1e\+100 and 1e\+100.*larger unit"),
        ((0, 1e101), "must lie within"),
        ((0, 1e-320), "is too narrow"),
        ((1e16, 1e16 + 2), "is too narrow: rewards could not be told apart. Subtract its low end"),
        ((0, 10**400), "low < high"),
    ],
)
def test_ranges_that_cannot_be_mapped(reward_range, message):
    with pytest.raises(InvalidInputError, match=message):
        fb.Agent("tea", factors=FACTORS, reward_range=reward_range)
    with pytest.raises(InvalidInputError, match=message):
        fb.policies.make("tea", reward_range=reward_range)


@pytest.mark.parametrize("reward_range", [(-1e100, 1e100), (0, 1e-99), (1e9, 1e9 + 2)])
def test_the_largest_and_the_narrowest_ranges(reward_range):
    agent = fb.Agent("tea", factors=FACTORS, reward_range=reward_range)
    seen = agent._rewards.mapped(np.array(reward_range, dtype=float))
    np.testing.assert_allclose(seen, [-1.0, 1.0], atol=1e-6)


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        (1e300, r"wins\[0\]\[1\] = 1e\+300 is no count of duels; 2\^53"),
        (np.inf, r"wins\[0\]\[1\] = inf is no count"),
        (MOST_ROUNDS, r"9.007e\+15 past duels are too many"),
        (10**11, r"1e\+11 past duels are too many"),
    ],
)
def test_past_duels_that_cannot_be_counted(wins, message):
    history = np.zeros((3, 3))
    history[0, 1] = wins
    with pytest.raises(InvalidInputError, match=message):
        fb.Agent("rucb", arms=ARMS, history=history)


def test_parameters_and_horizons_without_end():
    with pytest.raises(InvalidInputError, match="alpha must be 0 or from 1e-12 to 1e\\+09 in size"):
        fb.Agent("flat_ucb1", factors=FACTORS, alpha=1e300)
    with pytest.raises(InvalidInputError, match="horizon must be a whole number from 1 to"):
        fb.Agent("comband", factors=FACTORS, horizon=2**60)
