"""The tables of the specification of fixed budgets beside ours: part `table` of fixed_budget.py.

A row per instance and policy: what was measured here, what the prototype had, and how far they are
apart, in standard errors of the difference, at each budget. Of shares the errors are binomial, from
both sides together; of regret and of medians ours is measured (medians by resampling), and that of
the prototype taken to be the same for as many runs as it had. That its figures are rounded counts,
too. "within 3 s.e." is "better" where ours differs by more only in the good direction.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import factored_budget
import fixed_budget
import fixed_budget_factors as factors
import numpy as np

from factored_bandits.core.table import Table

COLUMNS = ("instance", "policy", "at", "here", "prototype", "apart, s.e.", "within 3 s.e.")
LIMIT = 3.0
ROUNDING = 1.0 / math.sqrt(12.0)  # standard deviation: the prototype's figures are whole numbers
RESAMPLED = 200


class Figures(NamedTuple):
    """What one policy reached on one instance at several budgets."""

    instance: str
    policy: str
    at: tuple[str, ...]
    here: np.ndarray
    prototype: str  # "85/96/100"; "-" where it is not known
    errors: np.ndarray  # of the difference
    more_is_better: bool

    def row(self) -> tuple[str, ...]:
        """The row of the table."""
        theirs = numbers(self.prototype)
        known = ~np.isnan(theirs)
        apart = (self.here - theirs) / np.hypot(self.errors, ROUNDING)
        worse = -apart if self.more_is_better else apart
        within = "yes"
        if (np.abs(apart[known]) > LIMIT).any():
            within = "NO" if (worse[known] > LIMIT).any() else "better"
        shown = [f"{z:+.1f}" if is_known else "-" for z, is_known in zip(apart, known, strict=True)]
        ours = "/".join(short(value) for value in self.here)
        return (
            self.instance,
            self.policy,
            "/".join(self.at),
            ours,
            self.prototype,
            " ".join(shown),
            within,
        )


def short(value: float) -> str:
    """A figure as the specification writes it."""
    if math.isinf(value):
        return "-"
    return f"{value:.1f}".lstrip("0") if 0.0 < value < 1.0 else f"{value:.0f}"


def numbers(told: str) -> np.ndarray:
    """The figures of the prototype; nan where it has none."""
    return np.array([math.nan if one == "-" else float(one) for one in told.split("/")])


def share_errors(here, runs, prototype, there):
    """Standard errors of the difference of two shares in %, from both together.

    One run more with each outcome: a share of 100 % has an error, too.
    """
    theirs = np.nan_to_num(numbers(prototype))
    pooled = (here / 100 * runs + theirs / 100 * there + 1.0) / (runs + there + 2.0)
    return 100.0 * np.sqrt(pooled * (1.0 - pooled) * (1.0 / runs + 1.0 / there))


def mean_errors(values, there):
    """Of the difference of two means; the prototype's spread is taken to be ours."""
    runs = len(values)
    return values.std(axis=0, ddof=1) * math.sqrt(1.0 / runs + 1.0 / there)


def quantile_errors(values, shares, there):
    """Of the difference of two quantiles, by resampling ours."""
    rng = np.random.default_rng(1)
    runs = len(values)
    drawn = np.quantile(rng.choice(values, (RESAMPLED, runs)), shares, axis=1)
    with np.errstate(invalid="ignore"):
        return drawn.std(axis=1, ddof=1) * math.sqrt(1.0 + runs / there)


# ---------------------------------------------------------------- A: duels


def there(name: str, who: str) -> int:
    """How many runs of the prototype a figure of section A rests on."""
    few = name in ("bt32", "votes, all 59") and who not in ("rmed1", fixed_budget.UNIFORM)
    return 100 if few else 200


def duels(runs: int, data: Path | None):
    """How often the best is found, or what is lost."""
    for name in fixed_budget.chosen_of(fixed_budget.FOUND | fixed_budget.REGRET):
        budgets, references = (fixed_budget.FOUND | fixed_budget.REGRET)[name]
        problem = fixed_budget.instance(name, data, 0)
        if problem is None:
            continue
        for who, reference in references.items():
            chosen = fixed_budget.choices(who, name, data, runs, budgets)
            before = there(name, who)
            said = (name, who, tuple(map(str, budgets)))
            if name in fixed_budget.REGRET:
                lost = fixed_budget.lost(problem, chosen)
                errors = mean_errors(lost, before)
                yield Figures(*said, lost.mean(axis=0), reference, errors, False)
            else:
                share = 100.0 * (chosen == 0).mean(axis=0)
                errors = share_errors(share, runs, reference, before)
                yield Figures(*said, share, reference, errors, True)


def certificates(runs: int, data: Path | None):
    """Verdicts until the certificate, with each rule, and until the posterior names a winner."""
    shares = (0.5, 0.9)
    for name in fixed_budget.chosen_of(fixed_budget.STOP):
        most, reference_late = fixed_budget.STOP[name]
        before = 60 if name == "bt32" else 100
        for rule, reference in {"late": reference_late, **fixed_budget.OTHER_RULES[name]}.items():
            measured = fixed_budget.certified(name, data, runs, rule)
            if measured is None:
                break
            values = measured[0].astype(float)
            here = np.quantile(values, shares)
            # of a quantile beyond the most verdicts nothing is known, on either side
            errors = quantile_errors(values, shares, before)
            said = "posterior at 95 %" if rule == "posterior" else f"certificate, {rule}"
            here = np.where(here > most, math.inf, here)
            yield Figures(name, said, ("median", "90 %"), here, reference, errors, False)


# ---------------------------------------------------------------- B: factors


def combinations(runs: int):
    """How often the best combination is found, and what is lost at 300 and 1,000."""
    plays = [300, 1000, 3000]
    for problem in factors.PROBLEMS:
        for policy, reference in problem.known.items():
            if policy == factors.FLAT:
                losses = factors.flat_halving(problem, runs, plays)
            else:
                losses = factors.simulated(policy, problem, runs, plays)
            share = 100.0 * (losses <= 0.0).mean(axis=0)
            told = "/".join(map(str, reference.found))
            errors = share_errors(share, runs, told, 200)
            at = tuple(map(str, plays))
            yield Figures(problem.name, policy, at, share, told, errors, True)
            if reference.regret:
                lost = 1000.0 * losses[:, :2]
                told = "/".join(map(str, reference.regret))
                errors = mean_errors(lost, 200)
                said = (f"{problem.name}, regret", policy, at[:2])
                yield Figures(*said, lost.mean(axis=0), told, errors, False)


# ---------------------------------------------------------------- C: duels of combinations


def conjoint(runs: int, data: Path | None):
    """What the recommended combination lacks."""
    names = ("strong", "weak", "taxes", "held out")
    for name, of_run in factored_budget.problems(data).items():
        for label, late, references in factored_budget.ROWS:
            reference = references[names.index(name)]
            if not reference:
                continue
            budgets = factored_budget.BUDGETS[: len(reference.split("/"))]
            lost = 1000.0 * factored_budget.measured(label, late, of_run, runs, budgets)
            errors = mean_errors(lost, 200 if name == "held out" else 100)
            said = (f"{name}, regret", f"{label}{f' @{late}' * (late > 0)}")
            at = tuple(map(str, budgets))
            yield Figures(*said, at, lost.mean(axis=0), reference, errors, False)


def main(runs: int, data: Path | None) -> None:
    parts = {
        "A. Found, %, or regret x 1000, after so many verdicts": duels(runs, data),
        "A. Verdicts until the certificate": certificates(runs, data),
        "B. Combinations: found, %, or regret x 1000": combinations(runs),
        "C. Duels of combinations: regret x 1000": conjoint(runs, data),
    }
    for title, figures in parts.items():
        rows = []
        for one in figures:
            rows.append(one.row())
            print(f"{one.instance}, {one.policy} done", end="\r", flush=True)
        outside = [row for row in rows if row[-1] == "NO"]
        met = len(rows) - len(outside)
        caption = f"{runs} runs; {met} of {len(rows)} rows are within 3 s.e., or better"
        print(Table(title, COLUMNS, rows, caption, align="lllrrrl"), "\n", flush=True)
