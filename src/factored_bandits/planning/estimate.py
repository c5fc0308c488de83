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

import numpy as np

from factored_bandits.core.arrays import Bools, Floats
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.policies.factored import tea
from factored_bandits.policies.tem import bounds
from factored_bandits.simulation.record import RunRecord
from factored_bandits.simulation.result import Result
from factored_bandits.theory import slope

from .factor_walk import FactorWalk
from .fixed import margins, variance
from .forecast import Forecast, forecast

# a step is this share of the rounds before it; nothing is followed for longer than that
STEP = 0.05
LONGEST = 10**12
# repetitions times levels, and repetitions; more levels than that are left to the simulation
WALKS = 1000
MOST_REPETITIONS = 100
LEAST_REPETITIONS = 5
MOST_LEVELS = 1000
MOST_COMBINATIONS = 10**5
# The largest error seen, as a share of the rounds: `python benchmarks/plan.py --accuracy`.
UNCERTAINTY = 0.2


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
    if policy.module is not tea or sum(problem.sizes) > MOST_LEVELS:
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
        FactorWalk.new(repetitions, size, best)
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

    def rounds(self, t: int, step: int, factors: list[FactorWalk], means: Floats) -> None:
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

    def checkpoint(self, factors: list[FactorWalk]) -> None:
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
