"""A/A: how often leader_tea says of a best level that it is not the best, at every error allowed.

P-values rest on the largest wealth of a run, so what stands at its end was ever stated.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from scipy.stats import binom

import factored_bandits as fb
from inference import drifts
from policies.leader import constant_level

ALPHAS = (0.2, 0.1, 0.05, 0.01)
RULES = ("leader_tea", "leader_tea(rule=likelihood)", "leader_tea(rule=guarded)")
RUNS = 2000
ERROR = 1e-5  # of one comparison of a count with its bound


def equal(base, *sizes):
    return fb.environments.make("additive", effects=[[0.0] * size for size in sizes], base=base)


def small_gaps(base, gap, *sizes):
    effects = [[gap] + [0.0] * (size - 1) for size in sizes]
    return fb.environments.make("additive", effects=effects, base=base)


PROBLEMS = {
    "equal": lambda: equal(0.5, 3, 4),
    "equal, many levels": lambda: equal(0.4, 16, 16),
    "equal, high rate": lambda: equal(0.97, 2, 5),
    "equal, low rate": lambda: equal(0.03, 2, 5),
    "gaps of 0.01": lambda: small_gaps(0.3, 0.01, 3, 4),
    "gaps of 0.01, high rate": lambda: small_gaps(0.95, 0.01, 2, 6),
    "gaps of 0.01, low rate": lambda: small_gaps(0.02, 0.01, 2, 6),
    "equal, leaders hardly fail": lambda: equal(0.99, 3, 4),
    "equal, nothing fails for long": lambda: equal(0.998, 6, 5),
    "gaps of 0.02, leaders hardly fail": lambda: small_gaps(0.96, 0.02, 3, 4),
    "moving means, leaders hardly fail": lambda: fb.environments.make(
        "stochastically_constrained", effects=[[0.0] * 3, [0.0] * 4], base=0.92, swing=0.08
    ),
    "trap": lambda: fb.environments.make("trap"),
    "interaction": lambda: fb.environments.make("interaction"),
    "moving means": lambda: fb.environments.make(
        "stochastically_constrained", effects=[[0.01, 0.0, 0.0], [0.0, 0.0]], base=0.2, swing=0.5
    ),
    "constant among noisy, 0.9": lambda: constant_level.problem((3, 2), 0.9),
    "constant among noisy, 0.5": lambda: constant_level.problem((2, 2), 0.5),
    "saw-tooth without noise": lambda: drifts.problem((2, 20), "saw", 20, 0.0),
    "slow saw-tooth": lambda: drifts.problem((3, 7), "saw", 200, 0.3),
    "sine": lambda: drifts.problem((2, 5), "sine", 12, 0.5),
    "steps": lambda: drifts.problem((3, 8), "step", 5, 0.2),
    "long steps": lambda: drifts.problem((2, 3), "step", 400, 1.0),
}


def wrong_statements(label, problem, runs, rounds):
    """Per factor and error allowed: in how many runs level 0, a best one, is ruled out."""
    result = fb.simulate(
        label, problem, rounds, repetitions=runs, seed=1, progress=False, certify=True
    )
    return [[int((p[:, 0] <= alpha).sum()) for alpha in ALPHAS] for p in result.p_values]


def most_of(runs, alpha):
    return int(binom.isf(ERROR, runs, alpha))


def check(label, problem, runs, rounds):
    """Hold every count to its bound; returns the larger count of the factors, per error allowed."""
    most = [most_of(runs, alpha) for alpha in ALPHAS]
    factors = wrong_statements(label, problem, runs, rounds)
    for found in factors:
        assert all(count <= bound for count, bound in zip(found, most, strict=True)), (found, most)
    return np.max(factors, axis=0).tolist()


# A test with the name of the policy as a parameter runs where its loop is compiled already.


@pytest.mark.parametrize("label", ["leader_tea"])
def test_best_levels_are_ruled_out_no_more_often_than_stated(label):
    """Equal levels and a trap."""
    for problem in (equal(0.5, 3, 4), equal(0.95, 2, 3), fb.environments.make("trap")):
        check(label, problem, runs=200, rounds=1000)


@pytest.mark.parametrize("label", ["leader_tea"])
def test_worse_levels_are_ruled_out(label):
    """Far more often than the bounds above would allow: the same count can exceed them."""
    problem = small_gaps(0.1, 0.4, 2, 2)
    result = fb.simulate(label, problem, 1500, 60, seed=1, progress=False, certify=True)
    assert (result.p_values[0][:, 1] <= 0.05).sum() > most_of(60, 0.05)


@pytest.mark.full
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("label", RULES)
def test_best_levels_stay_in_2000_runs(label, name):
    counts = check(label, PROBLEMS[name](), RUNS, rounds=1000)
    print(f"{label:28} {name:28} {counts}")


def agent_told_late(seed, rounds, delay, lost, late_level, rate=0.5):
    """Equal levels; answers late, out of order or lost; the smallest p-value of either first level.

    Failures of `late_level` come last of all: what was asked meanwhile was planned without them.
    """
    factors = {"page": ["A", "B", "C"], "button": ["red", "blue"]}
    agent = fb.Agent("leader_tea", factors=factors, seed=seed)
    rng = np.random.default_rng(seed)
    waiting = []

    for t in range(rounds):
        decision = agent.ask()
        reward = float(rng.random() < rate)
        later = 2 * delay if decision.levels["page"] == late_level and not reward else 0
        heapq.heappush(waiting, (t + later + int(rng.integers(delay + 1)), decision.id, reward))
        while waiting and waiting[0][0] <= t:
            _, identifier, reward = heapq.heappop(waiting)
            if rng.random() < lost:
                agent.expire(identifier)
            else:
                agent.tell(identifier, reward)

    return [found.p_values[0] for found in agent.evidence().factors]


def check_agents(runs, rounds, delay, lost, late_level, rate=0.5):
    found = np.array(
        [agent_told_late(s, rounds, delay, lost, late_level, rate) for s in range(runs)]
    )
    for alpha in ALPHAS:
        assert (found <= alpha).sum(axis=0).max() <= most_of(runs, alpha)


def test_late_and_lost_rewards_do_no_harm():
    check_agents(runs=20, rounds=150, delay=30, lost=0.1, late_level="A")


def test_late_and_lost_rewards_do_no_harm_where_leaders_hardly_fail():
    check_agents(runs=20, rounds=250, delay=20, lost=0.02, late_level="A", rate=0.98)


@pytest.mark.full
@pytest.mark.parametrize(
    ("delay", "lost", "late_level"), [(40, 0.0, "A"), (20, 0.2, None), (100, 0.1, "B")]
)
def test_late_and_lost_rewards_do_no_harm_in_2000_runs(delay, lost, late_level):
    check_agents(RUNS, 200, delay, lost, late_level)


@pytest.mark.full
def test_late_rewards_do_no_harm_where_leaders_hardly_fail_in_2000_runs():
    check_agents(RUNS, 400, 40, 0.01, "A", rate=0.98)
