"""TEA on every problem of the suite, between the bounds of the theory.

Which checks apply, and to what (docs/explanation/theory.md, "Over the whole suite"):

- The upper bounds on regret and pulls hold at any time, where uniform identifiability does:
  everywhere but where means move. There gaps stay as they are while all means move together: the
  bounds are those of the sum that stands still.
- The lower bound is asymptotic. It is checked where it asks for at most half of the rounds
  (`Check.late`), with the fraction 1 for regret. For pulls TEA's own radius says more: no level is
  out before 12 log f(t) / (lead on TEM's scale)^2 comparisons, and log t / d is at most a sixth of
  that, by Pinsker's inequality.
"""

from __future__ import annotations

import dataclasses

import pytest

import factored_bandits as fb

INSTANCES = {instance.name: instance for instance in fb.suites.factored()}
MOVING = [name for name, instance in INSTANCES.items() if not instance.problem().stationary]
STILL = [name for name in INSTANCES if name not in MOVING]
TOO_EARLY = [
    "low click rate 5^4"
]  # at 10^5 rounds the lower bound asks for more plays than there were
RADIUS = (
    6.0  # 12 log f(t) / (2 g)^2 against log t / (2 g^2), for a lead of g in rewards from 0 to 1
)


def checked(name, horizon=None, fraction=1.0):
    problem = INSTANCES[name].problem()
    rounds = horizon or INSTANCES[name].horizon
    result = fb.simulate("tea", problem, rounds, repetitions=8, seed=11, progress=False)
    return fb.theory.check(result, problem, fraction=fraction)


@pytest.mark.parametrize("name", STILL)
def test_regret_and_pulls_are_between_the_bounds(name):
    found = checked(name)
    assert found.below_upper is True, str(found)
    assert found.above_lower is (None if name in TOO_EARLY else True), str(found)
    if name not in TOO_EARLY:
        for pulls in found.pulls:
            assert pulls.measured + 3 * pulls.standard_error >= RADIUS * pulls.lower, str(found)


@pytest.mark.parametrize("name", MOVING)
def test_moving_means_are_within_the_bounds_of_those_that_stand_still(name):
    """All means move together, so each lead is what it was; the theory refuses the moving problem
    itself.
    """
    problem = INSTANCES[name].problem()
    with pytest.raises(fb.errors.InvalidInputError, match="change over time"):
        fb.theory.gaps(problem)
    still = fb.environments.make(
        "additive", effects=problem.params["effects"], base=problem.params["base"]
    )
    result = fb.simulate(
        "tea", problem, INSTANCES[name].horizon, repetitions=8, seed=11, progress=False
    )
    upper = fb.theory.regret_upper(still, result.checkpoints)
    error = result.regret.std(axis=0, ddof=1) / result.repetitions**0.5
    assert (result.regret.mean(axis=0) - 3 * error <= upper).all()
    for plays, bound, best in zip(
        result.plays, fb.theory.pulls_upper(still, result.horizon), still.best, strict=True
    ):
        mean, error = plays.mean(axis=0), plays.std(axis=0, ddof=1) / result.repetitions**0.5
        others = [level for level in range(len(mean)) if level != best]
        assert (mean[others] - 3 * error[others] <= bound[others]).all()


def with_regret_times(result, factor):
    records = [dataclasses.replace(each, regret=factor * each.regret) for each in result.records]
    return dataclasses.replace(result, records=tuple(records))


def test_the_bounds_can_be_missed():
    """A fortieth of the regret is found out, and so is a hundred times as much."""
    problem = INSTANCES["additive 6^5"].problem()
    result = fb.simulate("tea", problem, 10**5, repetitions=8, seed=11, progress=False)
    lucky = with_regret_times(result, 1 / 40)
    wasteful = with_regret_times(result, 100)
    assert fb.theory.check(lucky, problem, fraction=1.0).above_lower is False
    assert fb.theory.check(wasteful, problem).below_upper is False


@pytest.mark.full
@pytest.mark.parametrize("name", STILL)
def test_late_too(name):
    """Ten million rounds: late for every problem of the suite."""
    found = checked(name, 1e7)
    assert found.below_upper is True, str(found)
    assert found.above_lower is True, str(found)
    for pulls in found.pulls:
        assert pulls.measured + 3 * pulls.standard_error >= RADIUS * pulls.lower, str(found)
