"""Which instances the words of the specification can mean: part `forms` of fixed_budget.py.

"bt12", "close two" and "cycles" are not defined there. Each form that fits the words is played by
policies that are not under test (`self_sparring`, `dts`, `rmed1`, uniform duels with a fit), and
the squared distances of their figures from the prototype's, in standard errors, are added up.
Those of `budget_instances.py` are among the best; which, and why, is in docs/decisions.md.
"""

from __future__ import annotations

from statistics import NormalDist

import budget_figures
import budget_instances as instances
import fixed_budget
import numpy as np
from late_duels import one_run

from factored_bandits.core.table import Table

OTHERS = ("self_sparring", "dts", "rmed1", fixed_budget.UNIFORM)


def quantiles(spread):
    normal = NormalDist(0.0, spread)
    return lambda arms: [normal.inv_cdf(1.0 - (k + 0.5) / arms) for k in range(arms)]


def lead(ahead, spread):
    return lambda arms: [0.0, *(-ahead - np.linspace(0.0, spread, arms - 1))]


def steps(ahead, step):
    return lambda arms: [0.0, *(-ahead - step * np.arange(arms - 1))]


def zipf(power):
    return lambda arms: -power * np.log(np.arange(1, arms + 1))


UTILITIES = {
    **{f"normal quantiles x {s:g}": quantiles(s) for s in (0.95, 1.0, 1.05, 1.1, 1.15)},
    **{f"lead {g:g}, rest over {s}": lead(g, s) for g in (0.7, 0.8) for s in (2, 3, 4, 5)},
    **{f"lead {g:g}, steps of {s:g}": steps(g, s) for g in (0.7, 0.8) for s in (0.2, 0.25, 0.3)},
    **{f"steps of {s:g}": steps(s, s) for s in (0.4, 0.5)},
    **{f"Zipf, power {p:g}": zipf(p) for p in (0.8, 1.0, 1.2)},
}
CLOSE = {
    **{
        f"{arms} arms, the rest loses {rest:g}": instances.close_two(arms, rest=rest)
        for arms in (4, 5, 6, 8)
        for rest in (0.65, 0.7, 0.75, 0.8)
    },
    **{
        f"{arms} arms, the rest {behind:g} behind": instances.by_utility(
            np.array([0.0, -np.log(0.53 / 0.47), *[-behind] * (arms - 2)])
        )
        for arms in (4, 5, 6, 8)
        for behind in (1.0, 1.5, 2.0)
    },
}
CYCLES = {
    f"wins {p:g} against the next five": instances.cycles(12, 0.62, p) for p in (0.6, 0.7, 0.8, 0.9)
}


def distance(name, duels, runs):
    """The sum of squares, in standard errors, over policies and budgets."""
    budgets, references = fixed_budget.FOUND[name]
    environment = duels.environment()
    total = 0.0
    for who in OTHERS:
        fitted = who == fixed_budget.UNIFORM
        label = fixed_budget.TOP if fitted else who
        rule = "uniform" if fitted else "late"
        ends = [
            one_run(label, environment, (5, run), budgets[-1], budgets, rule=rule)[0]
            for run in range(runs)
        ]
        share = 100.0 * np.mean([end.choices[:, 0] == 0 for end in ends], axis=0)
        before = budget_figures.there(name, who)
        errors = budget_figures.share_errors(share, runs, references[who], before)
        apart = (share - budget_figures.numbers(references[who])) / errors
        total += float((apart**2).sum())
    return total


def main(runs: int) -> None:
    rows = []
    for form, utilities in UTILITIES.items():
        sums = [
            distance(f"bt{arms}", instances.by_utility(np.array(utilities(arms))), runs)
            for arms in (8, 12, 32)
        ]
        rows.append((form, f"{sum(sums):.0f}", " + ".join(f"{one:.0f}" for one in sums)))
    rows.sort(key=lambda row: float(row[1]))
    columns = ("form", "sum", "bt8 + bt12 + bt32")
    print(Table(f"bt: 36 figures, {runs} runs", columns, rows, align="lrl"), "\n", flush=True)

    for name, forms in (("close two", CLOSE), ("cycles", CYCLES)):
        sums = sorted((distance(name, duels, runs), form) for form, duels in forms.items())
        rows = [(form, f"{total:.0f}") for total, form in sums]
        print(Table(f"{name}: 12 figures, {runs} runs", ("form", "sum"), rows), "\n", flush=True)
