"""`theory.check`: what it says, of which policies and problems, and how it prints."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

make = fb.environments.make
PROBLEM = make("additive", effects=[[0.4, 0.0], [0.5, 0.2, 0.0]], noise="gaussian")


def run(problem, policy="tea", horizon=20_000, repetitions=3):
    return fb.simulate(policy, problem, horizon, repetitions=repetitions, seed=2, progress=False)


def test_numbers_are_those_of_the_result():
    result = run(PROBLEM)
    found = fb.theory.check(result, PROBLEM)
    np.testing.assert_array_equal(found.regret, result.regret.mean(axis=0))
    np.testing.assert_array_equal(found.upper, fb.theory.regret_upper(PROBLEM, result.checkpoints))
    np.testing.assert_array_equal(found.lower, fb.theory.regret_lower(PROBLEM, result.checkpoints))
    assert [(p.factor, p.level) for p in found.pulls] == [(0, 1), (1, 1), (1, 2)]
    for p in found.pulls:
        assert p.measured == result.plays[p.factor][:, p.level].mean()
        assert p.upper == fb.theory.pulls_upper(PROBLEM, result.horizon)[p.factor][p.level]
        assert p.lower == fb.theory.pulls_lower(PROBLEM, result.horizon)[p.factor][p.level]


def test_it_prints_a_table():
    lines = str(fb.theory.check(run(PROBLEM), PROBLEM)).splitlines()
    assert lines[0] == "tea on additive (2 x 3 levels), 3 repetitions (unit: reward)"
    assert lines[1].split() == ["lower", "measured", "upper"]
    assert re.fullmatch(r"regret at 20,000 +\d+ +[\d,]+ +[\d,]+", lines[6])
    assert lines[7].startswith("pulls of factor 0, level 1")
    assert lines[8].startswith("pulls of factor 1, level")
    assert len({len(line) for line in lines[1:9]}) == 1
    assert lines[9].startswith("upper bound: holds (Theorems 1 and 2)")
    assert lines[10].startswith("lower bound: regret is")


def test_duels_count_plays_per_place():
    problem = fb.environments.identical_gap(4, 0.9)
    result = run(problem, "dueling_tea")
    found = fb.theory.check(result, problem)
    assert len(found.pulls) == 3
    both = (result.plays[0] + result.plays[1]).mean(axis=0) / 2
    assert [p.measured for p in found.pulls] == [both[p.level] for p in found.pulls]
    assert "pulls of level" in str(found)
    assert "Theorems 1 and 3" in str(found)


def test_other_policies_have_no_upper_bound():
    found = fb.theory.check(run(PROBLEM, "flat_ucb1"), PROBLEM)
    assert found.below_upper is None
    assert np.isnan(found.upper).all()
    assert "the paper has none for flat_ucb1" in str(found)


def test_variants_have_no_theorem():
    problem = fb.environments.identical_gap(4, 0.9)
    assert (
        fb.theory.check(
            run(problem, fb.policies.make("dueling_tea", positions="both")), problem
        ).below_upper
        is None
    )


def test_problems_that_are_not_identifiable():
    problem = make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    found = fb.theory.check(run(problem), problem)
    assert (found.below_upper, found.above_lower) == (None, None)
    assert str(found).count("not uniformly identifiable") == 2


def test_too_early():
    found = fb.theory.check(run(PROBLEM, horizon=100), PROBLEM)
    assert found.above_lower is None
    assert "too early" in str(found)
    assert "say nothing yet" in str(found)


def test_one_repetition():
    single = fb.theory.check(run(PROBLEM, repetitions=1), PROBLEM)
    assert np.isnan(single.standard_error).all()
    assert (single.below_upper, single.above_lower) == (None, None)
    assert "upper bound: undecided, a single repetition" in str(single)
    assert (single.regret <= single.upper).all()


def test_a_bound_within_the_error_of_a_mean_is_undecided():
    """Three runs need 7 standard errors for one comparison, more for all checkpoints and levels."""
    found = fb.theory.check(run(PROBLEM), PROBLEM)
    for errors, expected in ((-6.0, None), (6.0, None), (-8.0, False), (8.0, True)):
        lower = found.regret - errors * found.standard_error
        near = dataclasses.replace(found, lower=lower, fraction=1.0)
        assert near.above_lower is expected
        assert ("undecided at the 1% level" in str(near)) == (expected is None)

    upper = found.regret + 20.0 * found.standard_error + 1e-9
    near = dataclasses.replace(found, upper=upper, pulls=[])
    assert near.below_upper is None
    assert "upper bound: undecided at the 1% level" in str(near)
    far = dataclasses.replace(found, upper=found.regret + 1e6 * found.standard_error + 1e-9)
    assert far.below_upper is True
    assert (
        dataclasses.replace(far, upper=far.regret - 1e6 * far.standard_error - 1.0).below_upper
        is False
    )


def test_a_foreign_environment_has_no_lower_bound():
    problem = make("table", means=[0.9, 0.2])
    foreign = dataclasses.replace(problem, module=Foreign, data=problem)
    found = fb.theory.check(run(problem), foreign)
    assert found.above_lower is None
    assert "the noise is not known" in str(found)
    with pytest.raises(InvalidInputError, match="noise of table"):
        fb.theory.regret_lower(foreign, 100)


class Foreign:
    @staticmethod
    def mean(env, t, action):
        return env.mean(action)


def test_result_and_environment_must_belong_together():
    with pytest.raises(InvalidInputError, match="give those that belong"):
        fb.theory.check(run(PROBLEM), make("trap"))


def test_the_range_that_was_declared():
    """TEA that was told a range twice as wide sees gaps half as wide."""
    problem = make("table", means=[0.9, 0.2])
    wide = fb.policies.make("tea", reward_range=(0, 2))
    narrow, broad = (fb.theory.check(run(problem, policy), problem) for policy in ("tea", wide))
    assert broad.pulls[0].upper > 3.5 * narrow.pulls[0].upper
    assert broad.pulls[0].measured > 2.5 * narrow.pulls[0].measured
    assert broad.below_upper
