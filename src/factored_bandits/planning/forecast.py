"""What to expect of one policy: when each factor is decided, and what that costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import finite_or_none
from factored_bandits.environments import Environment
from factored_bandits.policies import Policy
from factored_bandits.simulation.result import Result
from factored_bandits.theory import comparisons_upper, gaps, slope
from factored_bandits.theory.confidence import log_f_of
from factored_bandits.theory.upper import RewardRange

STEPS = 200  # of a fixed point that is reached in about ten


@dataclass(frozen=True, eq=False)
class Forecast:
    """One policy on the problem of the plan.

    Attributes
    ----------
    policy
        The label of the policy.
    result
        What was simulated.
    eliminates
        Whether the policy eliminates levels; one that does not never says that it is done.
    decided
        The first round (repetitions, factors) in which only the best level was active; inf if
        there was none.
    theory
        Per factor the round by which the paper guarantees that; None without a guarantee.
    estimated
        Whether this is a first estimate by normal approximation, and `result` was not simulated.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> assumptions = fb.Assumptions((2, 2), base_rate=0.2, lift=1.0)
    >>> options = {"repetitions": 2, "horizon": 500, "flat": False, "progress": False}
    >>> forecast = fb.plan(assumptions, policies="tea(bound=betting)", **options).forecasts[0]
    >>> forecast.decided.tolist(), forecast.all_decided.tolist()
    ([[391.0, 403.0], [177.0, 199.0]], [403.0, 199.0])
    >>> forecast.best_found, forecast.theory
    (1.0, None)
    >>> round(forecast.lost(100)), round(forecast.lost(forecast.all_decided))
    (35, 102)
    """

    policy: str
    result: Result
    eliminates: bool
    decided: Floats
    theory: tuple[float, ...] | None
    estimated: bool = False

    @property
    def all_decided(self) -> Floats:
        """Per repetition the round by which every factor was decided; inf beyond the horizon."""
        return np.asarray(self.decided.max(axis=1))

    @property
    def best_found(self) -> float:
        """Share of repetitions whose last recommendation was the best combination."""
        return float(self.result.correct[:, -1].mean())

    def lost(self, rounds: Floats | float) -> float:
        """Give the mean regret by these rounds; beyond the horizon, by the horizon.

        Parameters
        ----------
        rounds
            One number, or one per repetition.

        Returns
        -------
        float
            The mean over the repetitions, in the unit of the problem; interpolated between
            checkpoints.
        """
        result = self.result
        ends = np.broadcast_to(np.minimum(rounds, result.horizon), (result.repetitions,))
        known = np.concatenate([[0], result.checkpoints])
        lost = [
            np.interp(t, known, [0.0, *row]) for t, row in zip(ends, result.regret, strict=True)
        ]
        return float(np.mean(lost))

    def to_dict(self, fixed: int | None) -> dict[str, Any]:
        """Give what a plan shows of it, ready for JSON.

        Parameters
        ----------
        fixed
            The rounds of the fixed test; None where there is none.

        Returns
        -------
        dict
            Numbers, texts and lists; None instead of rounds beyond the horizon. The first entry of
            "decided", whose "factor" is None, is of all factors together.
        """
        # None stands for all factors together
        every: list[tuple[int | None, Floats]] = [(None, self.all_decided)]
        every += enumerate(self.decided.T)
        theory = [max(self.theory), *self.theory] if self.theory else [math.inf] * len(every)
        decided = [
            {
                "factor": factor,
                "theory": finite_or_none(guaranteed),
                "median": finite_or_none(share_point(rounds, 0.5)),
                "quantile_90": finite_or_none(share_point(rounds, 0.9)),
                "rounds": [finite_or_none(t) for t in rounds],
            }
            for (factor, rounds), guaranteed in zip(every, theory, strict=True)
        ]

        meanwhile = None
        if fixed and fixed <= self.result.horizon:
            meanwhile = self.lost(fixed)

        return {
            "policy": self.policy,
            "estimated": self.estimated,
            "horizon": self.result.horizon,
            "repetitions": self.result.repetitions,
            "eliminates": self.eliminates,
            "best_found": self.best_found,
            "found_after": finite_or_none(float(np.median(self.result.settled()))),
            "decided": decided if self.eliminates else None,
            "censored": float(np.isinf(self.all_decided).mean()) if self.eliminates else None,
            "lost_until_decided": self.lost(self.all_decided) if self.eliminates else None,
            "lost_in_time_of_fixed_test": meanwhile,
        }


def forecast(
    policy: Policy, problem: Environment, result: Result, *, estimated: bool = False
) -> Forecast:
    """Read a simulation, or what an estimate has made up for one."""
    eliminates = policy.eliminates
    theory = guaranteed_rounds(problem, policy.reward_range) if policy.theorem else None
    decided = rounds_decided(result, eliminates)
    return Forecast(policy.label, result, eliminates, decided, theory, estimated)


def rounds_decided(result: Result, eliminates: bool) -> Floats:
    """Per repetition and factor, the first round in which only the best level was active."""
    first = np.full((result.repetitions, len(result.sizes)), math.inf)
    if not eliminates:
        return first
    for l, size in enumerate(result.sizes):
        if size == 1:
            first[:, l] = 0.0

    for row, record in enumerate(result.records):
        eliminated: list[set[int]] = [set() for _ in result.sizes]
        for t, l, level, active in record.events.tolist():
            gone = eliminated[l]
            (gone.discard if active else gone.add)(level)
            if len(gone) == result.sizes[l] - 1 and result.best[l] not in gone:
                first[row, l] = min(first[row, l], t)

    return first


def guaranteed_rounds(
    problem: Environment, reward_range: RewardRange = "environment"
) -> tuple[float, ...]:
    """Per factor the round by which TEA has eliminated all levels but the best.

    That is while its confidence bounds hold. Step 3 of the proof of Theorem 1 gives the comparisons
    with the best level after which a level is eliminated. While it is active, each phase has at
    least one, and a phase is no longer than the largest factor: t = M comparisons(f(t)).

    >>> import factored_bandits as fb
    >>> [round(t) for t in guaranteed_rounds(fb.environments.spiked(levels=4, best=0.81, gap=0.5))]
    [62754, 62754]
    """
    by = slope(problem, reward_range)
    longest = max(problem.sizes)
    found = []

    for l, gap in enumerate(gaps(problem)):
        others = np.delete(gap, problem.best[l])
        rounds = 0.0
        if len(others):
            rounds = rounds_for_gap(by * float(others.min()), len(gap), longest)
        found.append(rounds)

    return tuple(found)


def rounds_for_gap(gap: float, levels: int, longest: int) -> float:
    """The solution of t = M comparisons(f(t)), for a gap on the scale of TEM."""
    if gap <= 0.0:
        return math.inf
    t = 1.0
    for _ in range(STEPS):
        reached = longest * (1.0 + float(comparisons_upper(gap, levels, float(log_f_of(t)))))
        if reached <= t * (1.0 + 1e-9):
            break
        t = reached

    return t


def share_point(rounds: Floats, share: float) -> float:
    """The round by which this share of the repetitions was decided; inf if fewer were.

    >>> share_point(np.array([30.0, 10.0, math.inf, 20.0]), 0.5)
    20.0
    >>> share_point(np.array([30.0, math.inf]), 0.9)
    inf
    """
    return float(np.sort(rounds)[max(0, math.ceil(share * len(rounds) - 1e-9) - 1)])
