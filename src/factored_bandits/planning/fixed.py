"""The rival of every bandit: a fixed test of all combinations, equally often, with the classic
sample size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment
from factored_bandits.environments.structure import PRODUCT, SUM
from factored_bandits.errors import InvalidInputError
from factored_bandits.theory.views import Effects, view

ALPHA, POWER = 0.05, 0.8
# of averages, to see how often the test succeeds; at most so many numbers at once
DRAWS = 10_000
CELLS = 10**7


@dataclass(frozen=True)
class FixedTest:
    """A full-factorial test that compares the levels of each factor by their averages over the
    other factors.
    """

    per_level: tuple[int, ...]  # rounds that each level of each factor needs
    per_factor: tuple[int, ...]  # rounds after which each factor has them
    total: int  # rounds of the whole test, a multiple of the number of combinations
    comparisons: int  # pairs of levels, over all factors: what Bonferroni divides by
    lost: float  # against somebody who plays the best combination
    # chance that every best level is significantly ahead of all others: 80 % is of each pair only
    decided: float
    best_found: float  # chance that every best level has the highest average


def sample_size(
    first: float,
    second: float,
    comparisons: int = 1,
    *,
    variances: tuple[float, float] | None = None,
) -> int:
    """Rounds per group to tell two rates apart: two-sided 5 % over all comparisons (Bonferroni),
    power 80 % for each.

    (z(1 - alpha / 2m) + z(power))^2 (p (1 - p) + q (1 - q)) / (p - q)^2; `variances` if not those
    of proportions.

    >>> sample_size(0.05, 0.06)
    8155
    """
    if first == second:
        raise InvalidInputError(
            f"no number of rounds tells two equal rates apart; both are {first:g}"
        )
    spread = sum(variances) if variances else first * (1.0 - first) + second * (1.0 - second)
    z = critical(comparisons) + NormalDist().inv_cdf(POWER)
    return max(1, math.ceil(z * z * spread / (first - second) ** 2))


def critical(comparisons: int) -> float:
    """The standard errors that a difference must have.

    >>> round(critical(1), 2), round(critical(10), 2)
    (1.96, 2.81)
    """
    return NormalDist().inv_cdf(1.0 - ALPHA / (2.0 * comparisons))


def fixed_test(problem: Environment) -> FixedTest:
    """How long the fixed test of a problem takes, and what it costs."""
    means = margins(problem)
    comparisons = sum(size * (size - 1) // 2 for size in problem.sizes)
    per_level = []

    for l, levels in enumerate(means):
        best = levels[problem.best[l]]
        others = np.delete(levels, problem.best[l])
        if len(others) and others.max() >= best:
            raise InvalidInputError(
                f"the best level of factor {l} is not the best on average over the other factors"
            )
        second = float(others.max(initial=-math.inf))
        variances = (_variance(problem, float(best)), _variance(problem, second))
        per_level.append(
            sample_size(float(best), second, comparisons, variances=variances) if len(others) else 0
        )

    per_factor = [size * count for size, count in zip(problem.sizes, per_level, strict=True)]
    combinations = math.prod(problem.sizes)
    total = combinations * max(1, math.ceil(max(per_factor) / combinations))
    lost = total * (problem.mean(problem.best) - float(means[0].mean()))
    probabilities = _probabilities(problem, means, total, critical(comparisons))
    return FixedTest(tuple(per_level), tuple(per_factor), total, comparisons, lost, *probabilities)


def _probabilities(
    problem: Environment, means: list[Floats], total: int, errors: float
) -> tuple[float, float]:
    """How often the test decides everything, and how often the best is ahead: drawn, with normal
    averages.
    """
    rng = np.random.default_rng(0)
    draws = min(DRAWS, CELLS // max(problem.sizes))
    decided = np.ones(draws, dtype=np.bool_)
    found = np.ones(draws, dtype=np.bool_)

    for levels, best in zip(means, problem.best, strict=True):
        variances = (
            np.array([_variance(problem, float(mean)) for mean in levels]) * len(levels) / total
        )
        seen = rng.normal(levels, np.sqrt(variances), (draws, len(levels)))
        ahead = np.delete(seen[:, [best]] - seen, best, axis=1)
        needed = errors * np.sqrt(variances[best] + np.delete(variances, best))
        decided &= (ahead > needed).all(axis=1)
        found &= (ahead > 0.0).all(axis=1)

    return float(decided.mean()), float(found.mean())


def margins(problem: Environment) -> list[Floats]:
    """The mean of each level of each factor, averaged over the levels of the others.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]])
    >>> [margin.round(3).tolist() for margin in margins(problem)]
    [[0.45, 0.25], [0.56, 0.14]]
    """
    seen = view(problem)
    if isinstance(seen, Effects) and seen.combine in (PRODUCT, SUM):
        averages = [float(part.mean()) for part in seen.effects]
        if seen.combine == PRODUCT:
            return [
                part * math.prod(averages[:l] + averages[l + 1 :])
                for l, part in enumerate(seen.effects)
            ]
        return [
            part + seen.base + sum(averages) - averages[l] for l, part in enumerate(seen.effects)
        ]

    table = seen.table()
    return [table.rows(l).mean(axis=1) for l in range(len(problem.sizes))]


def _variance(problem: Environment, mean: float) -> float:
    """Of rewards with this mean: exact for 0 and 1, at most this for other bounded ones; of the
    noise for raw ones.
    """
    if problem.reward_range is None:
        return float(problem.params.get("sigma", 1.0)) ** 2
    low, high = problem.reward_range
    return (mean - low) * (high - mean)
