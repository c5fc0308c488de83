"""The first answer: when TEA will have decided, without playing a single round.

What TEA knows of two levels is a sum over comparisons, and a sum of many is close to normal. So
rounds are taken many at a time: the lead of the best level of a factor over each other one grows by
a normal number with the mean and variance of that many comparisons, and the bounds of TEM say
whether the level is eliminated. 10^9 rounds take half a second of plain Python, and nothing has to
be compiled. docs/how-to/plan-an-experiment.md says how close that comes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.policies.tem import bounds
from factored_bandits.simulation.result import Result, RunRecord
from factored_bandits.theory import slope

from .fixed import margins, variance
from .forecast import Forecast, forecast

TEA = 2  # Info.theorem of the algorithm that is understood here, with any of its bounds
# a step is this share of the rounds before it; nothing is followed for longer than that
STEP = 0.03
LONGEST = 10**12
# repetitions times levels, and repetitions; more levels than that are left to the simulation
WALKS = 400
MOST_REPETITIONS = 40
LEAST_REPETITIONS = 5
MOST_LEVELS = 1000
MOST_COMBINATIONS = 10**5
# how far the largest difference of two rewards goes on the scale of TEM
FARTHEST = 2.0
# The largest error seen, as a share of the rounds: `python benchmarks/plan.py --accuracy`.
UNCERTAINTY = 0.15

_threshold = np.frompyfunc(bounds.threshold, 5, 1)
_gains = {
    bounds.BERNSTEIN: np.frompyfunc(lambda y, d, n, q: bounds.bernstein_gain(y, d, n), 4, 1),
    bounds.BETTING: np.frompyfunc(lambda y, d, n, q: bounds.betting_gain(y, d, q), 4, 1),
}


def estimate(policy: Policy, problem: Environment, seed: int, least: int = 0) -> Forecast | None:
    """Forecast a policy by normal approximation, for at least so many rounds.

    None for policies and problems to which it does not apply: those other than TEA, problems whose
    means change, and very large ones.

    >>> import factored_bandits as fb
    >>> problem = fb.Assumptions((3, 2), base_rate=0.3, lift=0.8).problem()
    >>> found = estimate(fb.policies.make("tea(bound=betting)"), problem, seed=0)
    >>> bool(300 < np.median(found.all_decided) < 400)
    True
    >>> estimate(fb.policies.make("flat_ucb1"), problem, seed=0) is None
    True
    """
    if policy.info.theorem != TEA or sum(problem.sizes) > MOST_LEVELS:
        return None
    averages = _averages(problem)
    if averages is None:
        return None

    result = _walks(policy, problem, averages, seed, least)
    return forecast(policy, problem, result, estimated=True)


Averages = Callable[[list[Bools]], list[Floats]]


def _averages(problem: Environment) -> Averages | None:
    """Per factor the mean of each level, by the active levels of all; None where it is not known.

    Few active sets occur, so each is computed once.
    """
    known: dict[bytes, list[Floats]] = {}

    def averages(active: list[Bools]) -> list[Floats]:
        key = np.concatenate(active).tobytes()
        if key not in known:
            known[key] = margins(problem, active, most=MOST_COMBINATIONS)
        return known[key]

    try:
        averages([np.ones(size, dtype=np.bool_) for size in problem.sizes])
    except InvalidInputError:
        return None
    return averages


@dataclass
class _Factor:
    """One factor in all repetitions: what TEM knows of the best level against each other one."""

    best: int
    active: Bools
    lead: Floats  # D of the best level over each
    comparisons: Floats  # N
    squares: Floats
    evidence: Floats

    @staticmethod
    def new(repetitions: int, size: int, best: int) -> _Factor:
        sums = [np.zeros((repetitions, size)) for _ in range(4)]
        return _Factor(best, np.ones((repetitions, size), dtype=np.bool_), *sums)

    @property
    def count(self) -> Ints:
        """The active levels of each repetition."""
        return np.asarray(self.active.sum(axis=1))

    def advance(
        self,
        bound: int,
        phases: Floats,
        length: Ints,
        means: Floats,
        variances: Floats,
        log_inv_delta: float,
        rng: np.random.Generator,
    ) -> Bools:
        """So many phases of this length; returns which levels are eliminated at their end."""
        count = self.count
        rest = length % count
        # lines 20-26 of Algorithm 3: full turns, and the last one with a random part of the levels
        pairs = length // count + rest * (rest - 1) / np.maximum(1, count * (count - 1))
        n = (phases * pairs)[:, None]

        noise = rng.normal(size=means.shape) * np.sqrt(variances * n)
        expected = means[:, [self.best]] - means
        change = n * expected + noise[:, [self.best]] - noise
        squares = variances + variances[:, [self.best]] + expected**2

        compared = self.active & (count > 1)[:, None]
        compared[:, self.best] = False
        at = np.nonzero(compared)
        n = np.broadcast_to(n, means.shape)[at]

        if bounds.pairs_plays(bound):
            gained = self._gained(bound, at, n, expected[at], squares[at], change[at])
            self.evidence[at] += gained
        self.lead[at] += change[at]
        self.comparisons[at] += n
        self.squares[at] += n * squares[at]

        size = means.shape[1]
        tau = _threshold(bound, self.lead[at], self.comparisons[at], size, self.evidence[at])
        gone = np.zeros_like(self.active)
        gone[at] = tau.astype(np.float64) > log_inv_delta
        return gone

    def _gained(
        self, bound: int, at: tuple[Ints, ...], n: Floats, mean: Floats, square: Floats, sum_: Floats
    ) -> Floats:
        """The evidence of n comparisons with this mean and mean square, whose sum is known.

        A difference of two rewards 0 and 1 has three values; others are taken for such, too.
        """
        before = self.lead[at], self.comparisons[at], self.squares[at]
        up, none, down = (
            _gains[bound](y, *before).astype(np.float64) for y in (FARTHEST, 0.0, -FARTHEST)
        )
        share = square / FARTHEST**2
        tilt = mean / FARTHEST
        expected = none + 0.5 * (share + tilt) * (up - none) + 0.5 * (share - tilt) * (down - none)
        return np.asarray(n * expected + (up - down) / (2.0 * FARTHEST) * (sum_ - n * mean))


def _walks(
    policy: Policy, problem: Environment, averages: Averages, seed: int, least: int
) -> Result:
    """All repetitions, until everything is decided in each."""
    sizes = problem.sizes
    repetitions = max(LEAST_REPETITIONS, min(MOST_REPETITIONS, WALKS // sum(sizes)))
    rng = np.random.default_rng(seed)
    bound = bounds.BOUNDS[policy.params.bound]
    by = slope(problem, policy.reward_range)
    noted = _Noted(problem, repetitions)
    factors = [
        _Factor.new(repetitions, size, best)
        for size, best in zip(sizes, problem.best, strict=True)
    ]
    means = [np.zeros((repetitions, size)) for size in sizes]
    changed = set(range(repetitions))
    t = 0

    while t < least or (t < LONGEST and any((factor.count > 1).any() for factor in factors)):
        for r in changed:
            for rows, levels in zip(means, averages([f.active[r] for f in factors]), strict=True):
                rows[r] = levels

        step = max(max(sizes), int(STEP * t))
        length = np.max([factor.count for factor in factors], axis=0)
        log_inv_delta = bounds.log_f(float(t + step))
        noted.rounds(t, step, factors, means[0])

        changed = set()
        for l, factor in enumerate(factors):
            scaled = by * means[l]
            variances = by * by * variance(problem, means[l])
            gone = factor.advance(
                bound, step / length, length, scaled, variances, log_inv_delta, rng
            )
            factor.active &= ~gone
            changed |= noted.eliminated(t, step, l, gone)

        noted.checkpoint(factors)
        t += step

    return noted.result(policy, seed)


class _Noted:
    """What a simulation would have noted."""

    def __init__(self, problem: Environment, repetitions: int) -> None:
        self.problem = problem
        self.checkpoints: list[int] = []
        self.lost = np.zeros(repetitions)
        self.regret: list[Floats] = []
        self.correct: list[Bools] = []
        self.plays = [np.zeros((repetitions, size)) for size in problem.sizes]
        self.events: list[list[tuple[int, int, int, int]]] = [[] for _ in range(repetitions)]

    def rounds(self, t: int, step: int, factors: list[_Factor], means: Floats) -> None:
        """The rounds of a step: what they cost, and which levels they play."""
        first = factors[0]
        played = (means * first.active).sum(axis=1) / first.count
        self.lost = self.lost + step * (self.problem.mean(self.problem.best) - played)
        self.regret.append(self.lost)
        self.checkpoints.append(t + step)
        for plays, factor in zip(self.plays, factors, strict=True):
            plays += step * factor.active / factor.count[:, None]

    def eliminated(self, t: int, step: int, l: int, gone: Bools) -> set[int]:
        """Levels eliminated somewhere in a step; returns in which repetitions."""
        middle = round(math.sqrt(max(1, t) * (t + step)))
        found = set()
        for r, level in np.argwhere(gone).tolist():
            self.events[r].append((middle, l, level, 0))
            found.add(r)
        return found

    def checkpoint(self, factors: list[_Factor]) -> None:
        """Whether the best level leads in every factor."""
        ahead = [(np.delete(f.lead, f.best, axis=1) > 0.0).all(axis=1) for f in factors]
        self.correct.append(np.all(ahead, axis=0))

    def result(self, policy: Policy, seed: int) -> Result:
        """All of it, as a simulation gives it."""
        regret = np.transpose(self.regret)
        correct = np.transpose(self.correct)
        records = [
            RunRecord(
                repetition=r,
                regret=regret[r],
                correct=correct[r],
                plays=tuple(plays[r].round().astype(np.int64) for plays in self.plays),
                events=np.array(events, dtype=np.int64).reshape(-1, 4),
            )
            for r, events in enumerate(self.events)
        ]
        points = np.array(self.checkpoints)
        return Result(policy, self.problem, tuple(records), points, seed)
