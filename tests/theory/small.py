"""Random small problems, and the paper's quantities by looking at every combination."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

import factored_bandits as fb

LEVELS = 4


def sixteenths(low, high):
    """Multiples of 1/16: sums and products of a few of them are exact, so ties are ties."""
    return st.integers(low, high).map(lambda k: k / 16.0)


def per_factor(numbers, most=3):
    return st.lists(st.lists(numbers, min_size=1, max_size=LEVELS), min_size=1, max_size=most)


def tables():
    numbers = sixteenths(0, 16)
    shapes = st.lists(st.integers(1, LEVELS), min_size=1, max_size=3)
    return shapes.flatmap(
        lambda shape: st.lists(numbers, min_size=math.prod(shape), max_size=math.prod(shape)).map(
            lambda flat: fb.environments.make("table", means=np.reshape(flat, shape))
        )
    )


def additive(noise="bernoulli"):
    return per_factor(sixteenths(0, 5)).map(
        lambda e: fb.environments.make("additive", effects=e, noise=noise)
    )


def rank1(noise="bernoulli"):
    return per_factor(sixteenths(0, 16)).map(
        lambda f: fb.environments.make("rank1", factors=f, noise=noise)
    )


def logistic(noise="bernoulli"):
    def make(effects, base):
        return fb.environments.make("logistic", effects=effects, base=base, noise=noise)

    return st.builds(make, per_factor(sixteenths(-40, 40)), sixteenths(-48, 48))


def utilities():
    arms = st.lists(sixteenths(0, 16), min_size=2, max_size=6)
    return st.builds(
        lambda u, link, tie: fb.environments.make("duel_utility", utilities=u, link=link, tie=tie),
        arms,
        st.sampled_from(["linear", "logistic"]),
        st.sampled_from([0.0, 0.25]),
    )


def matrices():
    """Arm 0 is not beaten; the others anyhow."""

    def make(size, numbers):
        matrix = np.full((size, size), 0.5)
        upper = np.triu_indices(size, 1)
        matrix[upper] = numbers[: len(upper[0])]
        matrix[0] = np.maximum(matrix[0], 0.5)
        matrix.T[upper] = 1.0 - matrix[upper]
        return fb.environments.make("duel_matrix", preferences=matrix)

    return st.builds(make, st.integers(2, 5), st.lists(sixteenths(0, 16), min_size=10, max_size=10))


def factored():
    return st.one_of(additive(), rank1(), logistic(), tables())


def duels():
    return st.one_of(utilities(), matrices())


def ties(problem):
    return problem.params.get("tie", 0.0)


def means(problem):
    """Of every combination; in duels, of those that are no tie."""
    table = np.empty(problem.sizes)
    for action in np.ndindex(*problem.sizes):
        table[action] = problem.mean(action)
    return table


def leads(problem, l):
    """Mean of the best level minus mean of each level, in every context: (levels, contexts)."""
    rows = np.moveaxis(means(problem), l, 0).reshape(problem.sizes[l], -1)
    rewards = 0.5 * ties(problem) + (1 - ties(problem)) * rows
    return rewards[problem.best[l]] - rewards


def brute_gaps(problem):
    return [
        leads(problem, l).min(axis=1)
        for l in range(1 if problem.kind == "duel" else len(problem.sizes))
    ]


def identifiable(problem, tolerance=1e-13):
    return all(
        (np.delete(g, problem.best[l]) > tolerance).all() for l, g in enumerate(brute_gaps(problem))
    )


def brute_kappa(problem):
    """Over every combination but the best."""
    gaps, best = brute_gaps(problem), problem.mean(problem.best)
    ratios = [1.0]
    for action in np.ndindex(*problem.sizes):
        if action != problem.best:
            total = sum(gap[level] for gap, level in zip(gaps, action, strict=True))
            ratios.append((best - problem.mean(action)) / total)
    return max(ratios)
