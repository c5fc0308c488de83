"""What the specification of fixed budgets says beside its tables: a part of `budget_figures.py`.

Of combinations: regret after 100 plays, a logistic fit of pairs, click rates of Upworthy. Of duels
of combinations: how often the best is found, regret of all duels, when every factor is certified,
and how many levels of the tax plans are ruled out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import factored_budget
import fixed_budget_factors as factors
import numpy as np
from budget_rows import Figures, mean_errors, quantile_errors, share_errors

import factored_bandits as fb
from factored_bandits.theory.views import view

# ---------------------------------------------------------------- B: combinations

EARLY = {  # regret x 1000 after 100 plays, held out: noise 0, .3, .6
    "logistic_halving": "65/87/91",
    "logistic_thompson": "84/90/119",
    factors.FLAT: "109/130/132",
}
PAIRS = "logistic_thompson(interactions=pairwise)"
FOUND_BY_PAIRS = {"interaction 5x4x4": "62/95/100", "additive 5x4x4": "2/15/57"}
RUNS_BY_PAIRS = 40  # of the prototype

# Upworthy: what the recommended combination lacks of the click rate of the best, per mille
VISITORS = (1000, 3000, 10_000, 30_000)
LACKING = {
    factors.FLAT: "138/99/52/21",
    "logistic_halving": "153/95/51/19",
    "logistic_thompson": "146/94/53/22",
    "lb_inf": "154/91/42/24",
    "uniform": "143/115/67/49",
}
RUNS_OF_A_TEST = 8  # of the prototype


def combinations(runs: int, data: Path | None) -> Iterator[Figures]:
    """All of section B."""
    yield from early(runs)
    yield from pairs(runs)
    yield from upworthy(runs, data)


def early(runs: int):
    """Regret on the held out instances after 100 plays."""
    drawn = [problem for problem in factors.PROBLEMS if problem.drawn]
    for policy, reference in EARLY.items():
        losses = [factors.losses(policy, problem, runs, [100]) for problem in drawn]
        lost = 1000.0 * np.concatenate(losses, axis=1)
        said = ("held out after 100, regret", policy, ("noise 0", ".3", ".6"))
        yield Figures(*said, lost.mean(axis=0), reference, mean_errors(lost, 200), False)


def pairs(runs: int):
    """How often a model with a weight for each pair of levels finds the best combination."""
    plays = [300, 1000, 3000]
    for problem in factors.PROBLEMS:
        if problem.name not in FOUND_BY_PAIRS:
            continue
        reference = FOUND_BY_PAIRS[problem.name]
        share = 100.0 * (factors.losses(PAIRS, problem, runs, plays) <= 0.0).mean(axis=0)
        errors = share_errors(share, runs, reference, RUNS_BY_PAIRS)
        said = (problem.name, "logistic_thompson, pairwise", tuple(map(str, plays)))
        yield Figures(*said, share, reference, errors, True)


def upworthy(runs: int, data: Path | None):
    """Tests of headlines and images outside the weeks of which the archive warns."""
    if data is None:
        return
    tests = fb.data.upworthy(data / "upworthy_factorial.csv").instances
    rates = [view(test.problem()).table().means for test in tests]
    each = max(RUNS_OF_A_TEST, math.ceil(runs / len(tests)))
    for policy, reference in LACKING.items():
        lacking = np.array([_lacking(policy, table, each) for table in rates])
        # the tests are the same in both; what differs are the runs of each
        spread = lacking.var(axis=1, ddof=1).sum(axis=0) * (1.0 / each + 1.0 / RUNS_OF_A_TEST)
        said = (f"{len(tests)} tests of Upworthy, regret per mille", policy)
        here = lacking.mean(axis=(0, 1))
        errors = np.sqrt(spread) / len(tests)
        yield Figures(*said, tuple(map(str, VISITORS)), here, reference, errors, False)


def _lacking(policy: str, rates: np.ndarray, runs: int) -> np.ndarray:
    """(runs, N) share of the best click rate that the recommendation lacks, per mille."""
    problem = factors.Problem("", lambda: rates, False, {})
    return 1000.0 * factors.losses(policy, problem, runs, list(VISITORS)) / rates.max()


# ---------------------------------------------------------------- C: duels of combinations

FOUND_HELD_OUT = {factored_budget.UNIFORM: "30/52/73", factored_budget.TOP: "37/70/83"}
CUMULATIVE = {
    "dueling_uniform": ("4289", "3054", "2907"),
    factored_budget.TOP: ("480", "414", "595"),
}
CERTIFIED = {"strong": "1336", "weak": "4698"}
# of uniform duels: the share of runs, in %, and the median of these
UNIFORM_CERTIFIED = {"strong": ("63", "6122"), "weak": ("6", "-")}
RULED_OUT = "8/13.5"  # of 25, after 3,000 and 10,000 verdicts


def duels_of_combinations(runs: int, data: Path | None) -> Iterator[Figures]:
    """All of section C."""
    yield from found_held_out(runs)
    yield from cumulative(runs, data)
    yield from certified(runs)
    yield from uniform_certified(runs)
    yield from ruled_out(runs, data)


def found_held_out(runs: int):
    """How often the best of all combinations is recommended."""
    budgets = (300, 1000, 3000)
    for label, reference in FOUND_HELD_OUT.items():
        lost = factored_budget.measured(label, 0, factored_budget.held_out, runs, budgets)
        share = 100.0 * (lost <= 0.0).mean(axis=0)
        errors = share_errors(share, runs, reference, 200)
        said = ("held out, found %", label, tuple(map(str, budgets)))
        yield Figures(*said, share, reference, errors, True)


def as_prototype(label: str, factors: int) -> str:
    """The prototype certified at 5 % for each factor here, and its prior had a variance of 1."""
    if label != factored_budget.TOP:
        return label
    return f"{label}(delta={0.05 * factors}, variance={factors})"


def cumulative(runs: int, data: Path | None):
    """Regret of 10,000 duels, also of those that certify."""
    names = ("strong", "weak", "taxes")
    problems = factored_budget.problems(data)
    for label, references in CUMULATIVE.items():
        for name, reference in zip(names, references, strict=True):
            if name not in problems:
                continue
            problem = problems[name](0)
            played = as_prototype(label, len(problem.sizes) // 2)
            regret = factored_budget.regret_of_all(played, problem, runs)[:, None]
            said = (f"{name}, regret of all duels", label, ("10000",))
            errors = mean_errors(regret, 100)
            yield Figures(*said, regret.mean(axis=0), reference, errors, False)


def certified(runs: int):
    """Verdicts until every factor is certified, at 5 % for each: the median."""
    most = factored_budget.MOST
    for name, reference in CERTIFIED.items():
        environment = factored_budget.MADE[name]()
        values, _ = factored_budget.certified(environment, 0.05 * len(environment.sizes) / 2, runs)
        errors = quantile_errors(values.astype(float), (0.5,), 100)
        median = np.quantile(values, [0.5])
        here = np.where(median > most, math.inf, median)
        said = (f"{name}, all certified", factored_budget.TOP, ("median",))
        yield Figures(*said, here, reference, errors, False)


def uniform_certified(runs: int):
    """Uniform duels, with the evidence and the prior of the prototype."""
    most = factored_budget.MOST
    for name, (share_there, median_there) in UNIFORM_CERTIFIED.items():
        environment = factored_budget.MADE[name]()
        factors = len(environment.sizes) // 2
        how = {"variance": factors, "rule": "uniform"}
        values, _ = factored_budget.certified(environment, 0.05 * factors, runs, **how)
        in_time = values[values <= most].astype(float)

        share = np.array([100.0 * len(in_time) / runs])
        errors = share_errors(share, runs, share_there, 100)
        said = (f"{name}, all certified", factored_budget.UNIFORM, (f"% by {most}",))
        yield Figures(*said, share, share_there, errors, True)

        if median_there != "-":
            errors = quantile_errors(in_time, (0.5,), int(share_there))
            said = (f"{name}, all certified", factored_budget.UNIFORM, ("median of these",))
            yield Figures(*said, np.quantile(in_time, [0.5]), median_there, errors, False)


def ruled_out(runs: int, data: Path | None):
    """Levels of the tax plans that are out, of 25 that are not the best of their factor."""
    if data is None:
        return
    environment = factored_budget.taxes(data)
    counted = [factored_budget.levels_out(environment, calls, runs)[0] for calls in (3000, 10_000)]
    out = np.array(counted, dtype=float).T
    said = ("taxes, levels ruled out", factored_budget.TOP, ("3000", "10000"))
    yield Figures(*said, out.mean(axis=0), RULED_OUT, mean_errors(out, 40), True)
