"""The classical alternative to a bandit: a test of all combinations, of a size fixed beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from factored_bandits.core.arrays import Bools, Floats
from factored_bandits.environments import Environment
from factored_bandits.environments.structure import PRODUCT, SUM
from factored_bandits.errors import InvalidInputError
from factored_bandits.theory.views import Effects, view

ALPHA = 0.05
POWER = 0.8
# of averages, to see how often the test succeeds; at most so many numbers at once
DRAWS = 10_000
CELLS = 10**7


@dataclass(frozen=True)
class FixedTest:
    """A full-factorial test: levels are compared by their averages over the other factors.

    Attributes
    ----------
    per_level
        Per factor the rounds that each of its levels needs.
    per_factor
        Per factor the rounds after which its levels have them.
    total
        Rounds of the whole test, a multiple of the number of combinations.
    comparisons
        Pairs of levels, over all factors: what Bonferroni divides by.
    lost
        Reward lost against playing the best combination.
    decided
        The probability that every best level is significantly ahead of all others; the power of
        80 % is that of each pair only.
    best_found
        The probability that every best level has the highest average.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> test = fixed_test(fb.Assumptions((2, 3), base_rate=0.2, lift=(1.0, 0.5)).problem())
    >>> test.per_level, test.per_factor, test.total, test.comparisons
    ((88, 227), (176, 681), 684, 4)
    >>> round(test.lost), round(test.decided, 1)
    (171, 0.7)
    """

    per_level: tuple[int, ...]
    per_factor: tuple[int, ...]
    total: int
    comparisons: int
    lost: float
    decided: float
    best_found: float

    @property
    def name(self) -> str:
        """What such a test is called."""
        return "full factorial test" if len(self.per_level) > 1 else "A/B test"

    @property
    def article(self) -> str:
        """The article of the name."""
        return "a" if len(self.per_level) > 1 else "an"


def sample_size(
    first: float,
    second: float,
    comparisons: int = 1,
    *,
    variances: tuple[float, float] | None = None,
) -> int:
    """Compute the rounds per group that tell two rates apart.

    Two-sided 5 % over all comparisons (Bonferroni), power 80 % for each:
    (z(1 - alpha / 2m) + z(power))^2 (p (1 - p) + q (1 - q)) / (p - q)^2.

    Parameters
    ----------
    first, second
        The two rates.
    comparisons
        How many comparisons are made in all.
    variances
        Of the two groups, if not those of proportions.

    Returns
    -------
    int
        The rounds of each group, at least 1.

    Raises
    ------
    InvalidInputError
        If the rates are equal.

    Examples
    --------
    >>> sample_size(0.05, 0.06), sample_size(0.05, 0.06, comparisons=10)
    (8155, 13832)
    >>> sample_size(1.0, 1.5, variances=(1.0, 1.0))
    63
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
        spread = variance(problem, np.array([best, second]))
        variances = (float(spread[0]), float(spread[1]))
        count = 0
        if len(others):
            count = sample_size(float(best), second, comparisons, variances=variances)
        per_level.append(count)

    per_factor = [size * count for size, count in zip(problem.sizes, per_level, strict=True)]
    combinations = math.prod(problem.sizes)
    total = combinations * max(1, math.ceil(max(per_factor) / combinations))
    lost = total * (problem.mean(problem.best) - float(means[0].mean()))
    probabilities = _probabilities(problem, means, total, critical(comparisons))
    return FixedTest(tuple(per_level), tuple(per_factor), total, comparisons, lost, *probabilities)


def _probabilities(
    problem: Environment, means: list[Floats], total: int, errors: float
) -> tuple[float, float]:
    """How often the test decides everything, and how often the best is ahead, by simulation."""
    rng = np.random.default_rng(0)
    draws = min(DRAWS, CELLS // max(problem.sizes))
    decided = np.ones(draws, dtype=np.bool_)
    found = np.ones(draws, dtype=np.bool_)

    for levels, best in zip(means, problem.best, strict=True):
        variances = variance(problem, levels) * len(levels) / total  # of averages
        seen = rng.normal(levels, np.sqrt(variances), (draws, len(levels)))
        ahead = np.delete(seen[:, [best]] - seen, best, axis=1)
        needed = errors * np.sqrt(variances[best] + np.delete(variances, best))
        decided &= (ahead > needed).all(axis=1)
        found &= (ahead > 0.0).all(axis=1)

    return float(decided.mean()), float(found.mean())


def margins(
    problem: Environment, active: list[Bools] | None = None, *, most: float = math.inf
) -> list[Floats]:
    """The mean of each level of each factor, averaged over the (active) levels of the others.

    Refuses a table of more than `most` means, where one is needed.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]])
    >>> [margin.round(3).tolist() for margin in margins(problem)]
    [[0.45, 0.25], [0.56, 0.14]]
    """
    seen = view(problem)
    kept = active or [np.ones(size, dtype=np.bool_) for size in problem.sizes]

    if isinstance(seen, Effects) and seen.combine in (PRODUCT, SUM):
        averages = [float(effect[k].mean()) for effect, k in zip(seen.effects, kept, strict=True)]
        found = []
        for l, effect in enumerate(seen.effects):
            if seen.combine == PRODUCT:
                found.append(effect * math.prod(averages[:l] + averages[l + 1 :]))
            else:
                found.append(effect + seen.base + sum(averages) - averages[l])
        return found

    if math.prod(problem.sizes) > most:
        raise InvalidInputError(f"{problem} has more than {most:,.0f} combinations")
    means = seen.table().means
    found = []
    for l, size in enumerate(problem.sizes):
        every = [*kept[:l], np.ones(size, dtype=np.bool_), *kept[l + 1 :]]
        others = tuple(k for k in range(len(kept)) if k != l)
        found.append(means[np.ix_(*every)].mean(axis=others))
    return found


def variance(problem: Environment, mean: Floats) -> Floats:
    """The variance of rewards with this mean.

    Exact for rewards 0 and 1, the largest possible for other bounded ones; of the noise for
    unbounded rewards.
    """
    if problem.reward_range is None:
        return np.full(np.shape(mean), float(problem.params.get("sigma", 1.0)) ** 2)
    low, high = problem.reward_range
    return np.asarray((mean - low) * (high - mean))
