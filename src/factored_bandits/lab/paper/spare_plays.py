"""Section 3.1 of the paper, the set B, as a figure: who may be played more than once in a phase.

A factor of K levels beside one of M levels has phases of M plays. TEM gives the spare ones to B,
the levels that were never eliminated. Without B they would go to every active level, so that one
which re-enters for a single comparison is played M / 2 times. The second factor has no effect here,
and is not simulated: all it does is to make phases M long.

With the paper's bound, level i is active in round t if log f(t) is at least its threshold, the
largest D^2 / (12 N) - log(2 K f(N)) over the levels ahead of it (lines 8 to 11 of Algorithm 3,
solved for log f(t)).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.rng import generators
from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import Environment, make
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results, all_of
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.lab.tasks import Cell
from factored_bandits.report.charts import Chart, finals
from factored_bandits.report.claims import Claim
from factored_bandits.simulation.record import RunRecord
from factored_bandits.theory import f, reentry_round

LEVELS = (8, 16, 32, 64)
PLAYS = 128  # M over K: enough that most levels are eliminated in the first phases
BASE = 0.1
GAP = 0.8
SECONDS = 0.05  # of a repetition, about: phases are played whole
FIGURE = "spare_plays-finals"
B, ALL = "B", "all active"


def _name(levels: int, spare: str) -> str:
    return f"K={levels}, spare plays: {spare}"


def _problem(levels: int) -> Environment:
    return make("additive", effects=[[GAP] + [0.0] * (levels - 1)], base=BASE)


SPEC = Spec(
    name="spare_plays",
    title="Who gets the spare plays of a phase",
    text=f"K levels, one {GAP:g} ahead, beside a factor of M = {PLAYS} K levels, so that phases "
    "are M long. Spare plays go to B, the levels that were never eliminated, as in the paper; or "
    "to all active levels.",
    problems=tuple(
        Instance(_name(levels, spare), partial(_problem, levels), 10**6, "Section 3.1")
        for levels in LEVELS
        for spare in (B, ALL)
    ),
    policies=("tea",),
    unit="reward",
    quick=Preset(
        repetitions=20,
        problems=tuple(_name(levels, spare) for levels in LEVELS[:-1] for spare in (B, ALL)),
    ),
    full=Preset(repetitions=100),
)


def play(cell: Cell, points: Ints, repetition: int) -> RunRecord:
    """One repetition, phase by phase."""
    levels = cell.problem.sizes[0]
    phase = PLAYS * levels
    _, rng = generators(cell.spec.seed, repetition)
    module = Module(levels, to_all=cell.instance.name.endswith(ALL))
    plays = np.zeros(levels, dtype=np.int64)
    ends = [0.0]
    regret = [0.0]

    t = module.next_change(1, phase, points[-1])
    while t <= points[-1]:
        counts = module.schedule(phase, rng)
        wins = rng.binomial(counts, np.where(np.arange(levels) == 0, BASE + GAP, BASE))
        module.feedback(counts, np.asarray(2.0 * wins - counts, dtype=np.float64))
        plays += counts
        # nothing is lost until the phase begins; within it regret grows evenly
        ends += [t - 1.0, t - 1.0 + phase]
        regret += [regret[-1], regret[-1] + GAP * float(counts[1:].sum())]
        t = module.next_change(t + phase, phase, points[-1])

    return RunRecord(
        repetition=repetition,
        regret=np.interp(points, ends, regret),
        correct=np.full(len(points), bool(plays.argmax() == 0)),
        plays=(plays,),
        events=np.zeros((0, 4), dtype=np.int64),
    )


class Module:
    """TEM with the paper's bound; a phase is the number of plays of each level, in any order."""

    def __init__(self, size: int, to_all: bool = False) -> None:
        self.D = np.zeros((size, size))  # D[j, i]: sum of differences of j over i
        self.N = np.zeros((size, size))
        self.active: Bools = np.ones(size, dtype=np.bool_)
        self.B: Bools = np.ones(size, dtype=np.bool_)
        self.to_all = to_all

    def next_change(self, t: int, phase: int, horizon: int) -> int:
        """The first phase from round t on in which not only one level is active; sets who is.

        Beyond the horizon if there is none before it.
        """
        while t <= horizon:
            self.refresh(math.log(f(t)))
            if self.active.sum() > 1:
                break
            returns = int(reentry_round(self.thresholds()[~self.active].min()))
            t += phase * max(1, math.ceil((returns - t) / phase))

        return t

    def thresholds(self) -> Floats:
        """Per level the largest log(1 / delta) at which it is still eliminated."""
        size = len(self.active)
        ahead = (self.D > 0.0) & (self.N > 0.0)
        counts = np.where(ahead, self.N, 1.0)
        log_f = np.log(counts + 1.0) + 2.0 * np.log(np.log(counts + 1.0))
        evidence = self.D**2 / (12.0 * counts) - math.log(2.0 * size) - log_f
        return np.asarray(np.where(ahead, evidence, -np.inf).max(axis=0))

    def refresh(self, log_inv_delta: float) -> None:
        """Lines 6 to 16 of Algorithm 3."""
        self.active = self.thresholds() <= log_inv_delta
        if not self.active.any():
            self.active[:] = True
        self.B &= self.active
        if not self.B.any():
            self.B = self.active.copy()

    def schedule(self, length: int, rng: np.random.Generator) -> Ints:
        """How often each level is played: each active one once, the rest in turns."""
        counts = self.active.astype(np.int64)
        spare = length - int(counts.sum())
        pool = np.flatnonzero(self.active if self.to_all else self.B)
        counts[pool] += spare // len(pool)
        counts[rng.permutation(pool)[: spare % len(pool)]] += 1
        return counts

    def feedback(self, counts: Ints, sums: Floats) -> None:
        """Lines 33 to 35: differences of means, as often as both were played."""
        here = np.flatnonzero(counts)
        means = sums[here] / counts[here]
        both = np.minimum.outer(counts[here], counts[here])
        pairs = np.ix_(here, here)
        self.D[pairs] += both * np.subtract.outer(means, means)
        self.N[pairs] += both


def claims(results: Results) -> list[Claim]:
    """With B all plays of other levels are fewer than M log K + 5/2 K; without, that many more."""
    kept = []
    beyond = []
    told = []
    sizes = [levels for levels in LEVELS if _name(levels, B) in results.problems]

    for levels in sizes:
        limit = PLAYS * levels * math.log(levels) + 2.5 * levels
        # one play of another level costs the gap
        with_b = results.final(_name(levels, B), "tea") / GAP
        without = results.final(_name(levels, ALL), "tea") / GAP
        kept.append(verdict_of_runs(limit - with_b, len(sizes)))
        # what is above the plays with B, which include all that were needed, is additive
        beyond.append(without - with_b - limit)
        told.append(
            f"K={levels}: tea with B {mean_of(with_b)}, without {mean_of(without)}, "
            f"M log K + 5/2 K = {limit:,.0f}, MK = {PLAYS * levels**2:,}"
        )

    unit = "plays of suboptimal levels, regret over the gap"
    measured = "; ".join(told)
    says = (
        'Section 3.1: B serves "to keep the additive constants at M log(K)": all plays of '
        "suboptimal levels together are fewer than M log K + 5/2 K"
    )
    also = (
        'Section 3.1: "This is necessary [...] instead of MK": without B, with the largest K, '
        "there are more than M log K + 5/2 K additional plays"
    )
    return [
        Claim("spare_plays", says, measured, all_of(kept), FIGURE, unit),
        # orders show with the largest K
        Claim("spare_plays", also, measured, verdict_of_runs(beyond[-1]), FIGURE, unit),
    ]


def charts(results: Results) -> list[Chart]:
    """Final regret for each K, with B and without."""
    return [finals(results.frame, FIGURE, "Final regret by who gets the spare plays", by="policy")]
