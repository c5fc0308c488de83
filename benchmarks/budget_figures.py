"""The tables of the specification of fixed budgets beside ours: part `table` of fixed_budget.py.

A row per instance and policy: what was measured here, what the prototype had, and how far they are
apart, in standard errors of the difference, at each budget (`budget_rows.py`).
"""

from __future__ import annotations

import math
from pathlib import Path

import budget_lines as lines
import factored_budget
import fixed_budget
import fixed_budget_factors as factors
import numpy as np
from budget_rows import COLUMNS, Figures, mean_errors, quantile_errors, share_errors

from factored_bandits.core.table import Table

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
            losses = factors.losses(policy, problem, runs, plays)
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


def main(runs: int, data: Path | None, section: str = "") -> None:
    parts = {
        "A. Found, %, or regret x 1000, after so many verdicts": duels(runs, data),
        "A. Verdicts until the certificate": certificates(runs, data),
        "B. Combinations: found, %, or regret x 1000": combinations(runs),
        "B. Beside the table": lines.combinations(runs, data),
        "C. Duels of combinations: regret x 1000": conjoint(runs, data),
        "C. Beside the regret": lines.duels_of_combinations(runs, data),
    }
    for title, figures in parts.items():
        if not title.startswith(section):
            continue
        rows = []
        for one in figures:
            rows.append(one.row())
            print(f"{one.instance}, {one.policy} done", end="\r", flush=True)
        outside = [row for row in rows if row[-1] == "NO"]
        met = len(rows) - len(outside)
        caption = f"{runs} runs; {met} of {len(rows)} rows are within 3 s.e., or better"
        print(Table(title, COLUMNS, rows, caption, align="lllrrrl"), "\n", flush=True)
