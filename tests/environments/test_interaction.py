"""Random interactions: identifiability and kappa by brute force over every pair of combinations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import factored_bandits as fb


def brute_force(problem):
    """The gaps and kappa straight from the definitions, with loops."""
    actions = list(itertools.product(*map(range, problem.sizes)))
    mean = {action: problem.mean(action) for action in actions}
    gaps = [
        [
            min(
                mean[(*a[:l], problem.best[l], *a[l + 1 :])] - mean[(*a[:l], i, *a[l + 1 :])]
                for a in actions
            )
            for i in range(size)
        ]
        for l, size in enumerate(problem.sizes)
    ]  # fmt: skip
    ratios = [
        (mean[problem.best] - mean[a]) / sum(gap[i] for gap, i in zip(gaps, a, strict=True))
        for a in actions
        if a != problem.best
    ]
    return gaps, max(ratios)


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("kappa", [1.0, 1.7, 4.0, 50.0])
@pytest.mark.parametrize("sizes", [(2, 2), (8, 8), (3, 1, 4), (3, 2, 3, 2)])
def test_kappa_is_the_one_asked_for(sizes, kappa, draw):
    problem = fb.environments.make("interaction", sizes=sizes, kappa=kappa, draw=draw)
    gaps, found = brute_force(problem)
    assert found == pytest.approx(kappa, rel=1e-6)
    for l, gap in enumerate(gaps):
        assert all(gap[i] > 0.0 for i in range(sizes[l]) if i != problem.best[l]), (
            "not uniformly identifiable"
        )


def test_means_fill_their_range_and_interact():
    problem = fb.environments.make("interaction", sizes=(6, 6), kappa=5.0, low=0.2, high=0.7)
    means = np.array([[problem.mean((i, j)) for j in range(6)] for i in range(6)])
    assert (means.max(), means.min()) == pytest.approx((0.7, 0.2))
    leads = means[0] - means[1:]  # of the best level, in each context
    assert (leads.max(axis=1) > 3.0 * leads.min(axis=1)).all()


def test_draws_differ_and_repeat():
    one, same, other = (
        fb.environments.make("interaction", sizes=(3, 3), draw=draw) for draw in (1, 1, 2)
    )
    assert np.array_equal(one.data.table, same.data.table)
    assert not np.array_equal(one.data.table, other.data.table)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": (5,)}, "nothing to interact with"),
        ({"sizes": (5, 1)}, "nothing to interact with"),
        ({"sizes": 5}, "sizes must be"),
        ({"sizes": (2000, 2000)}, "at most 1,000,000 combinations"),
        ({"kappa": 0.5}, r"kappa must lie in \[1, 1000\]"),
        ({"low": 0.9}, "low must lie below high"),
        ({"high": 1.2}, "Bernoulli rewards need means"),
        ({"draw": -1}, "draw must be a whole number from 0"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(fb.errors.InvalidInputError, match=message):
        fb.environments.make("interaction", **wrong)
