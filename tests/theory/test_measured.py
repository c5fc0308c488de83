"""What TEA does, against what the theory says: exactly where rewards are certain, within the bounds
elsewhere.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import factored_bandits as fb

make = fb.environments.make
theory = fb.theory

FACTORED = {
    "product": fb.environments.spiked(levels=4, best=0.75, gap=0.3),
    "sum of Bernoulli": make("additive", effects=[[0.3, 0.1, 0.0], [0.25, 0.05], [0.1]], base=0.1),
    "Gaussian sum": make(
        "additive", effects=[[0.4, 0.0, 0.1], [0.5, 0.0, 0.2, 0.2]], noise="gaussian"
    ),
    "little noise": make("additive", effects=[[0.4, 0.0], [0.5, 0.2]], noise="gaussian", sigma=0.2),
    "logistic": make("logistic", effects=[[0.0, 1.0, 2.0], [0.0, 1.5]], base=-1.5),
    "trap": make("trap", levels=6, small=0.1),
    "table": make("table", means=[[[0.9, 0.5], [0.6, 0.3]], [[0.6, 0.1], [0.4, 0.05]]]),
}
DUELS = {
    "identical": fb.environments.identical_gap(8, 0.85),
    "arithmetic": fb.environments.arithmetic(6, step=0.08),
    "logistic": make(
        "duel_utility", utilities=[1.5, 0.5, 0.0, -0.5], link="logistic", unit="strong"
    ),
    "paper's unit": fb.environments.identical_gap(6, 0.8, unit="paper"),
    "ties": make("duel_utility", utilities=[0.8, 0.0, 0.0], tie=0.4),
    "weak": fb.environments.identical_gap(6, 0.8, unit="weak"),
}


def run(problem, horizon, repetitions=10, policy=None):
    policy = policy or ("dueling_tea" if problem.kind == "duel" else "tea")
    return fb.simulate(policy, problem, horizon, repetitions=repetitions, seed=11, progress=False)


def phases_until_out(gap):
    """Phases of two levels that always differ by `gap` (TEM's scale) until one is out: one
    comparison each.
    """
    n = 1
    while theory.confidence(n, 2 * n + 1, K=2) >= gap:
        n += 1
    return n


@pytest.mark.parametrize(
    "problem",
    [
        make("table", means=[1.0, 0.0]),
        make("additive", effects=[[0.5, -0.5]], noise="gaussian", sigma=1e-9),
    ],
    ids=["bernoulli", "unbounded"],
)
def test_certain_rewards_are_ruled_out_and_return_in_the_very_round(problem):
    """Fixes the scale: the gap is 1 in both, but rewards in [0, 1] count twice, so those need a
    quarter.
    """
    gap = theory.slope(problem) * theory.gaps(problem)[0][1]
    n = phases_until_out(gap)
    tau = theory.tau(D=[[0, gap * n], [-gap * n, 0]], N=[[0, n], [n, 0]])
    back = int(theory.reentry_round(tau[1]))
    assert back > 2 * n + 1
    for horizon, pulls in ((2 * n, n), (back - 1, n), (back + 1, n + 1)):
        assert (run(problem, horizon).plays[0][:, 1] == pulls).all()
    first_out = {e.round for e in run(problem, back).eliminations if e.event == "eliminated"}
    assert first_out == {2 * n + 1}
    assert n <= theory.comparisons_upper(gap, 2, math.log(theory.f(2 * n + 1)))
    assert n <= theory.pulls_upper(problem, back)[0][1]


def test_a_quarter():
    assert phases_until_out(1.0) / phases_until_out(2.0) == pytest.approx(4.0, rel=0.35)


def test_ties_tell_nothing():
    """Half of the duels tied: half the gap, about four times the plays, as the bound says."""
    few, many = (make("duel_utility", utilities=[0.9, 0.0], tie=tie) for tie in (0.0, 0.5))
    measured, bound = (
        pulls(many) / pulls(few)
        for pulls in (
            lambda p: run(p, 100_000, repetitions=30).plays[0][:, 1].mean(),
            lambda p: theory.pulls_upper(p, 100_000)[0][1],
        )
    )
    assert measured == pytest.approx(4.0, rel=0.3)
    assert bound == pytest.approx(4.0, rel=0.3)


@pytest.mark.parametrize("name", FACTORED)
def test_tea_is_within_its_bounds(name):
    problem = FACTORED[name]
    found = theory.check(run(problem, 300_000), problem)
    assert found.below_upper, str(found)
    assert found.informative, str(found)
    assert found.above_lower, str(found)


@pytest.mark.parametrize("name", DUELS)
def test_dueling_tea_is_within_its_bounds(name):
    problem = DUELS[name]
    found = theory.check(run(problem, 300_000), problem)
    assert found.below_upper, str(found)
    assert found.informative, str(found)
    assert found.above_lower, str(found)


def test_late_regret_and_pulls_are_above_the_whole_lower_bound():
    """Gaussian sums, for which the paper states the bound; every level, and the regret, at a
    billion rounds.
    """
    problem = FACTORED["Gaussian sum"]
    found = theory.check(run(problem, 1e9), problem, fraction=1.0)
    assert found.above_lower
    for pulls in found.pulls:
        assert pulls.measured - 3 * pulls.standard_error > pulls.lower


def test_bounds_are_not_idle():
    """A policy that is worse than the bound is found out: uniform play, as if it were TEA."""
    problem = make("table", means=[0.95, 0.05])
    played = run(problem, 300_000, policy="uniform")
    assert theory.check(played, problem).below_upper is None
    as_tea = dataclasses.replace(played, policy=fb.policies.make("tea"))
    assert not theory.check(as_tea, problem).below_upper


def test_and_neither_is_the_lower_one():
    """A policy that knows the answer stays below."""
    problem = FACTORED["Gaussian sum"]
    played = run(problem, 300_000)
    records = [dataclasses.replace(each, regret=0.01 * each.regret) for each in played.records]
    clairvoyant = dataclasses.replace(played, records=tuple(records))
    assert theory.check(clairvoyant, problem).above_lower is False


GENERATED = {name: make() for name, make in fb.environments.generators().items()}


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    # the bounds are about arms or levels: duels of whole combinations have none
    [n for n, each in GENERATED.items() if each.stationary and not each.compares_combinations],
)
def test_every_named_problem(name):
    """Those whose means stay; for the others see test_suite_within_bounds."""
    problem = GENERATED[name]
    found = theory.check(run(problem, 1e8, repetitions=20), problem, fraction=1.0)
    if theory.identifiability(problem).holds:
        assert found.below_upper, str(found)
        assert found.above_lower, str(found)
    else:
        assert found.below_upper is None


@pytest.mark.full
@pytest.mark.parametrize("best", [0.25, 0.5, 0.75, 1.0])
def test_the_paper_s_rank1_problems(best):
    problem = fb.environments.spiked(16, best=best, gap=0.2)
    found = theory.check(run(problem, 1e6, repetitions=20), problem, fraction=1.0)
    assert found.below_upper, str(found)
    assert found.above_lower, str(found)


@pytest.mark.full
def test_random_problems():
    """Sums, products and logistic sums drawn at random; the bound on pulls of every level, at
    several rounds.
    """
    rng = np.random.default_rng(1)
    for _ in range(12):
        sizes = rng.integers(1, 6, rng.integers(1, 5))
        effects = [rng.uniform(0.3, 1.0, size) for size in sizes]
        kinds = {
            "rank1": {"factors": effects},
            "additive": {"effects": [p / len(effects) for p in effects]},
            "logistic": {"effects": [4 * p for p in effects], "base": -2.0 * len(effects)},
        }
        for kind, params in kinds.items():
            problem = make(kind, **params)
            found = theory.check(run(problem, 1e6, repetitions=5), problem)
            assert found.below_upper, str(found)
