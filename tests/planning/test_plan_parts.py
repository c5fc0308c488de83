"""What a plan is made of: assumptions, the fixed test, when a simulation is decided."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from plans import EASY

import factored_bandits as fb
import problems
from factored_bandits import planning
from factored_bandits.errors import InvalidInputError
from factored_bandits.planning.assumptions import per_day
from factored_bandits.planning.fixed import fixed_test, margins, sample_size
from factored_bandits.planning.forecast import rounds_decided, share_point

# The assumptions


def test_lifts_multiply():
    problem = fb.Assumptions((3, 2, 2), base_rate=0.1, lift=(0.5, 0.2, 1.0)).problem()
    for action in np.ndindex(*problem.sizes):
        expected = 0.1 * math.prod(
            1 + lift for lift, level in zip((0.5, 0.2, 1.0), action) if level == 0
        )
        assert problem.mean(action) == pytest.approx(expected)
    assert problem.best == (0, 0, 0)


def test_a_rate_of_one_is_possible():
    assert fb.Assumptions((2, 2), base_rate=0.25, lift=1.0).problem().mean((0, 0)) == 1.0


@pytest.mark.parametrize(
    ("factors", "base_rate", "lift", "complaint"),
    [
        ((), 0.1, 0.2, "factors must be the levels of each factor"),
        ("5,4", 0.1, 0.2, "factors must be the levels of each factor"),
        ((5, 1), 0.1, 0.2, "factors must be whole numbers from 2"),
        ((5, 2.5), 0.1, 0.2, "factors must be whole numbers from 2"),
        ((5, 4), 0.0, 0.2, "base_rate must lie between 0 and 1"),
        ((5, 4), 5, 0.2, "base_rate must lie between 0 and 1"),
        ((5, 4), math.nan, 0.2, "base_rate must lie between 0 and 1"),
        ((5, 4), 0.1, 0.0, "lift must be above 0"),
        ((5, 4), 0.1, math.nan, "lift must be above 0"),
        ((5, 4), 0.1, (0.1, -0.1), "lift must be above 0"),
        ((5, 4), 0.1, (0.1, 0.1, 0.1), "lift must be one number, or one for each of 2 factors"),
        ((5, 4), 0.5, 0.5, "a rate of 1.12, above 1"),
        ((10**30, 4), 0.1, 0.2, "a problem with more than 10^18 levels needs about"),
    ],
)
def test_wrong_assumptions(factors, base_rate, lift, complaint):
    with pytest.raises(InvalidInputError, match=re.escape(complaint)):
        fb.Assumptions(factors, base_rate, lift)


def test_traffic():
    assert [per_day(t) for t in (None, 5, "5", "5/day", "1,000 / week", "1/hour")] == [
        None,
        5,
        5,
        5,
        1000 / 7,
        24,
    ]
    for wrong in (0, -1, math.inf, math.nan, True, "many", "5/month", "/day", "5/", ""):
        with pytest.raises(InvalidInputError, match="traffic must be a number above 0"):
            per_day(wrong)


# The fixed test


def test_sample_size_by_hand():
    # (1.959964 + 0.841621)^2 = 7.848880; times (0.0475 + 0.0564) / 0.01^2 = 1039
    assert sample_size(0.05, 0.06) == math.ceil(7.848880 * 1039)


def test_equal_rates_cannot_be_told_apart():
    with pytest.raises(InvalidInputError, match="two equal rates"):
        sample_size(0.1, 0.1)


@pytest.mark.parametrize(
    ("p", "q", "comparisons"), [(0.05, 0.06, 19), (0.3, 0.5, 4), (0.01, 0.011, 100)]
)
def test_sample_size_has_the_power_it_says(p, q, comparisons):
    """By scipy's normal distribution: n gives 80 % at the corrected level, and n - 1 does not."""
    norm = pytest.importorskip("scipy.stats").norm
    n = sample_size(p, q, comparisons)

    def power(n):
        return norm.cdf(
            abs(p - q) / math.sqrt((p * (1 - p) + q * (1 - q)) / n) - norm.isf(0.025 / comparisons)
        )

    assert power(n) >= 0.8 > power(n - 1)


def test_margins_are_averages_of_the_table():
    effects = [[0.3, 0.1, 0.0], [0.2, 0.1]]
    problems = [fb.environments.make("additive", effects=effects, base=0.1), EASY.problem()]
    problems += [fb.environments.make("logistic", effects=effects, base=0.1)]
    for problem in problems:
        table = np.array([problem.mean(a) for a in np.ndindex(*problem.sizes)]).reshape(
            problem.sizes
        )
        assert np.allclose(margins(problem)[0], table.mean(axis=1))
        assert np.allclose(margins(problem)[1], table.mean(axis=0))


def test_the_fixed_test_counts_and_costs():
    test = fixed_test(EASY.problem())
    assert test.comparisons == 3 + 1
    rows = 0.3 * (1 + 0.8 / 2) * np.array([1.8, 1.0])
    assert test.per_level[0] == sample_size(*rows, 4)
    assert test.per_factor == (3 * test.per_level[0], 2 * test.per_level[1])
    assert test.total % 6 == 0
    assert 0 <= test.total - max(test.per_factor) < 6
    assert test.lost == pytest.approx(test.total * (0.972 - 0.3 * (1 + 0.8 / 3) * (1 + 0.8 / 2)))


def test_the_fixed_test_succeeds_as_often_as_it_says():
    """Against tests with real zeros and ones; the tolerance is four standard errors, and 0.03 for
    normal averages.
    """
    assumptions, runs = fb.Assumptions((4, 3), base_rate=0.3, lift=0.3), 2000
    problem, rng = assumptions.problem(), np.random.default_rng(1)
    test = fixed_test(problem)
    means = np.array([problem.mean(a) for a in np.ndindex(4, 3)]).reshape(4, 3)
    cells = rng.binomial(test.total // 12, means, size=(runs, 4, 3)) / (test.total // 12)
    decided, found = np.ones(runs, dtype=bool), np.ones(runs, dtype=bool)
    z = pytest.importorskip("scipy.stats").norm.isf(0.025 / test.comparisons)
    for axis, size in ((2, 4), (1, 3)):
        rates = cells.mean(axis=axis)
        errors = rates * (1 - rates) * size / test.total
        ahead = rates[:, :1] - rates[:, 1:]
        decided &= (ahead > z * np.sqrt(errors[:, :1] + errors[:, 1:])).all(axis=1)
        found &= (ahead > 0).all(axis=1)
    assert abs(decided.mean() - test.decided) < 4 * math.sqrt(0.25 / runs) + 0.03
    assert abs(found.mean() - test.best_found) < 4 * math.sqrt(0.25 / runs) + 0.03
    assert 0.1 < test.decided < 0.8 < test.best_found


def test_gaussian_rewards_have_the_variance_of_the_noise():
    problem = fb.environments.make("additive", effects=[[0.2, 0.0]], noise="gaussian", sigma=0.5)
    assert fixed_test(problem).per_level == (math.ceil(7.848880 * 2 * 0.25 / 0.04),)


# The simulation


def result(events, repetitions=3, sizes=(3, 2), **more):
    regret = np.outer(np.arange(1, repetitions + 1), [1.0, 10.0, 100.0])
    return problems.result_of(
        problems.shaped(sizes), regret, np.array([10, 100, 1000]), events, **more
    )


def test_decided_is_when_only_the_best_is_left():
    events = [
        (0, 5, 0, 1, "eliminated"),
        (0, 9, 1, 1, "eliminated"),
        (0, 20, 0, 1, "re-entered"),
        (0, 30, 0, 2, "eliminated"),
        (0, 40, 0, 1, "eliminated"),  # now both are out together
        (0, 50, 0, 1, "re-entered"),
        (0, 60, 0, 1, "eliminated"),  # a second time does not count
        (2, 7, 0, 1, "eliminated"),
        (2, 8, 0, 0, "eliminated"),  # the best is out: wrong, and not decided
        (2, 11, 1, 1, "eliminated"),
    ]
    expected = [[40, 9], [math.inf, math.inf], [math.inf, 11]]
    assert rounds_decided(result(events), True).tolist() == expected
    assert np.isinf(rounds_decided(result(events), False)).all()


def test_repetitions_are_kept_apart_after_ctrl_c():
    interrupted = result(
        [(4, 7, 1, 1, "eliminated"), (1, 5, 1, 1, "eliminated")],
        repetitions=2,
        sizes=(1, 2),
        numbers=(1, 4),
        interrupted=True,
    )
    assert rounds_decided(interrupted, True).tolist() == [[0, 5], [0, 7]]


def test_loss_until_decided_and_at_the_horizon():
    each = planning.Forecast("tea", result([]), True, np.array([[100.0], [math.inf], [55.0]]), None)
    assert each.lost(np.array([100.0, math.inf, 55.0])) == pytest.approx((10 + 200 + 3 * 5.5) / 3)
    assert each.lost(5) == pytest.approx(0.5 * 2)


def test_a_share_is_reached_by_so_many_repetitions():
    rounds = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, math.inf])
    assert [share_point(rounds, share) for share in (0.5, 0.9, 0.95, 1.0)] == [
        5,
        9,
        math.inf,
        math.inf,
    ]
    assert share_point(np.array([3.0]), 0.5) == 3.0
