"""Local optima, against a search of every neighbour."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import factored_bandits as fb


@pytest.mark.parametrize("seed", range(5))
def test_optima_are_those_that_no_neighbour_beats(seed):
    means = np.random.default_rng(seed).random((3, 4, 2))

    def neighbours(cell):
        for l, size in enumerate(means.shape):
            for level in range(size):
                yield (*cell[:l], level, *cell[l + 1 :])

    expected = {
        cell
        for cell in product(*map(range, means.shape))
        if all(means[other] <= means[cell] for other in neighbours(cell))
    }
    found = fb.theory.unimodality(fb.environments.make("table", means=means))
    assert set(found.optima) == expected
    assert found.holds == (len(expected) == 1)
    assert found.optima[0] == np.unravel_index(means.argmax(), means.shape)


def test_identifiable_problems_are_unimodal():
    for instance in fb.suites.factored():
        problem = instance.problem()
        if problem.stationary and np.prod(problem.sizes) < 10_000:
            assert fb.theory.identifiability(problem).holds
            assert fb.theory.unimodality(problem).holds, instance.name
