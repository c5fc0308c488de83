"""Duels with ties, hard Condorcet winners and random utilities."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.errors import InvalidInputError

make = fb.environments.make
PREFERENCES = [[0.5, 0.7, 0.6], [0.3, 0.5, 0.2], [0.4, 0.8, 0.5]]


def outcomes(problem, action, count, seed=0):
    rng = np.random.default_rng(seed)
    return np.array(
        [problem.module.sample(problem.data, 1, np.array(action), rng) for _ in range(count)]
    )


@pytest.mark.parametrize("tie", [0.0, 0.25, 0.9])
@pytest.mark.parametrize("action", [[0, 1], [1, 0], [2, 2]])
def test_ties_have_their_probability_and_leave_the_other_duels_alone(tie, action):
    problem, n = make("duel_matrix", preferences=PREFERENCES, tie=tie), 4000
    seen = outcomes(problem, action, n)
    assert set(seen) <= {0.0, 0.5, 1.0}
    assert abs((seen == 0.5).mean() - tie) <= 4 * math.sqrt(tie * (1 - tie) / n)
    decided, mean = seen[seen != 0.5], problem.mean(action)
    assert abs(decided.mean() - mean) < 4 * math.sqrt(mean * (1 - mean) / len(decided))


def test_without_ties_nothing_has_changed():
    """One draw per duel, compared with the probability: what a problem without ties always did."""
    for problem in (
        make("duel_matrix", preferences=PREFERENCES),
        fb.environments.identical_gap(3, 0.7),
    ):
        rng = np.random.default_rng(4)
        expected = [1.0 if rng.random() < problem.mean([0, 2]) else 0.0 for _ in range(1000)]
        assert outcomes(problem, [0, 2], 1000, seed=4).tolist() == expected
        assert "tie" not in problem.params


@pytest.mark.parametrize("tie", [0.0, 0.4])
def test_every_duel_takes_one_draw(tie):
    """So that all policies compared under one seed meet the same noise."""
    problem = make("duel_utility", utilities=[0.5, 0.0], tie=tie)
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(50):
        problem.module.sample(problem.data, 1, np.array([0, 1]), rng)
        other.random()
    assert rng.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize("unit", ["average", "weak", "strong", "copeland"])
def test_ties_do_not_change_the_regret(unit):
    plain, tied = (
        make("duel_matrix", preferences=PREFERENCES, unit=unit, tie=tie) for tie in (0.0, 0.5)
    )
    for i, j in np.ndindex(3, 3):
        assert plain.regret([i, j]) == tied.regret([i, j])
    assert tied.params["tie"] == 0.5


@pytest.mark.parametrize("tie", [-0.1, 1.0, math.nan, "often"])
def test_a_probability_of_ties_that_cannot_be_is_refused(tie):
    with pytest.raises(InvalidInputError, match="tie"):
        make("duel_utility", utilities=[0.5, 0.0], tie=tie)


def test_a_policy_that_cannot_learn_from_ties_does_not_meet_them():
    strict = problems.variant("dueling_uniform", ties=False)
    without = fb.environments.identical_gap(3, 0.7)
    assert fb.simulate(strict, without, 10, progress=False, compiled=False).horizon == 10
    with pytest.raises(
        InvalidInputError,
        match=r"mine cannot learn from ties, and duel_utility has them \(tie=0.3\)",
    ):
        fb.simulate(strict, fb.environments.ties(3), 10, progress=False)


TIES = [name for name in fb.policies.names("duel") if fb.policies.describe(name).info.ties]


@pytest.mark.parametrize("name", TIES)
def test_policies_that_take_ties_find_the_best_in_spite_of_them(name):
    """Three ties in ten duels; most of 10 repetitions are right, and better than uniform play."""
    result = fb.simulate(
        name, fb.environments.ties(5, 0.95), 20_000, repetitions=10, seed=3, progress=False
    )
    assert result.correct[:, -1].mean() >= 0.7


def test_ties_is_identical_gap_with_ties():
    problem = fb.environments.ties(6, 0.8, 0.2)
    assert problem.data._replace(tie=0.0)[:3] == fb.environments.identical_gap(6, 0.8).data[:3]
    assert problem.regret([1, 1]) == pytest.approx(0.3)


@pytest.mark.parametrize("arms", [2, 5, 16])
def test_hard_condorcet(arms):
    problem = fb.environments.hard_condorcet(arms, 0.55, draw=3)
    matrix = np.array([[problem.mean([i, j]) for j in range(arms)] for i in range(arms)])
    assert problem.best == (0, 0)
    assert (matrix[0, 1:] == 0.55).all()
    others = matrix[1:, 1:][~np.eye(arms - 1, dtype=bool)]
    assert ((np.abs(others - 0.5) >= 0.25 - 1e-12) & (np.abs(others - 0.5) <= 0.45 + 1e-12)).all()
    assert np.allclose(matrix + matrix.T, 1.0)
    if arms == 16:
        shares = matrix.sum(axis=1)
        assert (shares > shares[0]).sum() >= 3, "to those who count wins, others look better"


def test_another_draw_is_another_problem():
    for generator in (fb.environments.hard_condorcet, fb.environments.random_utilities):
        one, same, other = generator(8, draw=1), generator(8, draw=1), generator(8, draw=2)
        assert all(np.array_equal(a, b) for a, b in zip(one.data, same.data, strict=True))
        assert not all(np.array_equal(a, b) for a, b in zip(one.data, other.data, strict=True))


def test_random_utilities():
    problem = fb.environments.random_utilities(1000, scale=0.5)
    values = problem.params["utilities"]
    assert 0.0 <= values.min() < 0.01
    assert 0.49 < values.max() <= 0.5
    assert problem.best[0] == values.argmax()
    wide = fb.environments.random_utilities(4, scale=8.0, link="logistic")
    assert wide.mean([wide.best[0], int(wide.params["utilities"].argmin())]) > 0.9


@pytest.mark.parametrize(
    ("make_it", "complaint"),
    [
        (lambda: fb.environments.hard_condorcet(4, 0.5), "p must lie in (0.5, 1], not 0.5"),
        (lambda: fb.environments.hard_condorcet(1), "arms must be a whole number from 2, not 1"),
        (
            lambda: fb.environments.hard_condorcet(4, draw=-1),
            "draw must be a whole number from 0, not -1",
        ),
        (lambda: fb.environments.random_utilities(4, scale=0.0), "scale must be positive, not 0.0"),
        (
            lambda: fb.environments.random_utilities(4, draw=0.5),
            "draw must be a whole number from 0, not 0.5",
        ),
        (
            lambda: fb.environments.ties(4, 0.7, 1.5),
            "tie, the probability of a tie, must lie in [0, 1), not 1.5",
        ),
    ],
)
def test_complaints(make_it, complaint):
    with pytest.raises(InvalidInputError) as caught:
        make_it()
    assert str(caught.value) == complaint
