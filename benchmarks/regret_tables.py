"""What `regret.py` and `real_data.py` print: regret per problem, and how far each policy is off."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.files import draft_of
from factored_bandits.core.stats import finite_or_none, mean_of
from factored_bandits.core.table import Table, number
from factored_bandits.errors import InvalidInputError

LEVEL = 0.05  # at which a level counts as ruled out
GOAL_MEAN = 2.5
GOAL_WORST = 4.0


class Row(NamedTuple):
    """One policy on one problem at one horizon."""

    problem: str
    horizon: int
    policy: str
    certifies: bool
    repetitions: int
    mean: float
    error: float
    median: float
    worst: float
    found: float  # the share of runs that recommend a best action
    ruled_out: float  # the share of the other levels that are ruled out; nan where not known
    lower: float  # regret_lower; nan where there is none
    leader: float  # leader_lower
    runs: tuple[float, ...]


def row_of(result: fb.Result, name: str, horizon: int, certifies: bool) -> Row:
    """What the repetitions have lost by one of the checkpoints."""
    at = result.checkpoints.tolist().index(horizon)
    regret = result.regret[:, at]
    mean = mean_of(regret)
    last = horizon == result.horizon

    return Row(
        problem=name,
        horizon=horizon,
        policy=result.label,
        certifies=certifies,
        repetitions=result.repetitions,
        mean=mean.value,
        error=mean.error,
        median=float(np.median(regret)),
        worst=float(regret.max()),
        found=float(result.correct[:, at].mean()),
        ruled_out=ruled_out(result) if certifies and last else math.nan,
        lower=reference(fb.theory.regret_lower, result, horizon),
        leader=reference(fb.theory.leader_lower, result, horizon),
        runs=tuple(regret.tolist()),
    )


def ruled_out(result: fb.Result) -> float:
    """The share of the levels that are not the best with a p-value of at most 5 %, over all runs.

    P-values are kept at the end of a run only.
    """
    counts = []
    for record in result.records:
        assert record.p_values is not None
        for best, p_values in zip(result.best, record.p_values, strict=False):
            counts += [p <= LEVEL for level, p in enumerate(p_values) if level != best]
    return sum(counts) / len(counts) if counts else math.nan


def reference(
    bound: Callable[[fb.Environment, int], float], result: fb.Result, horizon: int
) -> float:
    """A reference of `fb.theory`; nan where it says nothing: moving means, several optima."""
    try:
        found = bound(result.environment, horizon)
    except InvalidInputError:
        return math.nan
    return found if found > 0.0 else math.nan


def ratio(value: float, reference: float) -> str:
    """How many times the reference; a dash where there is none."""
    if math.isnan(value) or math.isnan(reference) or reference <= 0.0:
        return "-"
    return f"{value / reference:.2f}"


def problem_table(rows: Iterable[Row], why: str = "") -> Table:
    """One problem at one horizon, the smallest mean first."""
    ordered = sorted(rows, key=lambda row: row.mean)
    first = ordered[0]
    cells = [
        (
            row.policy,
            *(number(value, row.mean) for value in (row.mean, row.error, row.median, row.worst)),
            ratio(row.mean, first.mean),
            ratio(row.mean, row.lower),
            ratio(row.mean, row.leader),
            f"{row.found:.0%}",
            "-" if math.isnan(row.ruled_out) else f"{row.ruled_out:.0%}",
            str(row.repetitions),
        )
        for row in ordered
    ]

    lower = number(first.lower, first.lower if first.lower > 0.0 else 1.0)
    leader = number(first.leader, first.leader if first.leader > 0.0 else 1.0)
    title = f"{first.problem}, {first.horizon:,} rounds" + (f" ({why})" if why else "")
    columns = ("policy", "mean", "s.e.", "median", "worst", "/ best", "/ lower", "/ LR")
    columns += ("found", "ruled out", "runs")
    return Table(title, columns, cells, f"regret_lower {lower}, LR (leader_lower) {leader}")


def means_table(rows: list[Row], horizon: int) -> Table:
    """Mean regret of every policy on every problem, the smallest largest ratio first."""
    here = [row for row in rows if row.horizon == horizon]
    problems = list(dict.fromkeys(row.problem for row in here))
    smallest = {name: min(r.mean for r in here if r.problem == name) for name in problems}

    found = []
    for policy in sorted({row.policy for row in here}):
        own = {row.problem: row.mean for row in here if row.policy == policy}
        largest = max(multiple(mean, smallest[name]) for name, mean in own.items())
        cells = [f"{own[name]:,.0f}" if name in own else "-" for name in problems]
        found.append(((len(problems) - len(own), largest), (policy, *cells)))

    numbered = [str(number) for number in range(1, len(problems) + 1)]
    named = ", ".join(f"{n} {name}" for n, name in zip(numbered, problems, strict=True))
    ordered = [cells for _, cells in sorted(found)]
    title = f"Mean regret at {horizon:,} rounds"
    return Table(title, ("policy", *numbered), ordered, named)


def summary_table(rows: list[Row], horizon: int) -> Table:
    """Per policy the worst of its ratios over all problems: of means, and of worst runs."""
    here = [row for row in rows if row.horizon == horizon]
    problems = sorted({row.problem for row in here})
    smallest = {name: min(r.mean for r in here if r.problem == name) for name in problems}
    mildest = {name: min(r.worst for r in here if r.problem == name) for name in problems}

    found = []
    for policy in sorted({row.policy for row in here}):
        own = [row for row in here if row.policy == policy]
        means = [multiple(row.mean, smallest[row.problem]) for row in own]
        worsts = [multiple(row.worst, mildest[row.problem]) for row in own]
        against = [multiple(row.worst, smallest[row.problem]) for row in own]
        leaders = [row.mean / row.leader for row in own if not math.isnan(row.leader)]
        hardest = own[means.index(max(means))].problem
        goal = max(means) <= GOAL_MEAN and max(worsts) <= GOAL_WORST and len(own) == len(problems)
        order = (len(problems) - len(own), max(means))
        cells = (
            policy,
            "yes" if own[0].certifies else "no",
            *(f"{value:.2f}" for value in (max(means), max(worsts), max(against))),
            f"{max(leaders):.2f}" if leaders else "-",
            f"{min(row.found for row in own):.0%}",
            f"{len(own)} of {len(problems)}",
            "yes" if goal else "no",
            hardest,
        )
        found.append((order, cells))

    title = f"Over {len(problems)} problems at {horizon:,} rounds, the largest ratio of each policy"
    columns = ("policy", "certifies", "mean / best", "worst / best worst", "worst / best mean")
    columns += ("mean / LR", "found", "problems", "goal", "hardest")
    caption = (
        f"goal: mean within {GOAL_MEAN:g} times the smallest mean and worst run within "
        f"{GOAL_WORST:g} times the smallest worst run, on every problem"
    )
    ordered = [cells for _, cells in sorted(found)]
    return Table(title, columns, ordered, caption, align="ll" + "r" * 6 + "ll")


def multiple(value: float, best: float) -> float:
    """How many times the best; infinite where the best has lost nothing and this has."""
    if best > 0.0:
        return value / best
    return 1.0 if value <= best else math.inf


def write_csv(rows: list[Row], path: Path) -> None:
    """All rows, without the single runs."""
    text = io.StringIO()
    writer = csv.writer(text)
    fields = [field for field in Row._fields if field != "runs"]
    writer.writerow(fields)
    for row in rows:
        writer.writerow([getattr(row, field) for field in fields])
    with draft_of(path) as draft:
        draft.write_text(text.getvalue())


def read_json(path: Path) -> list[Row]:
    """What `write_json` has written."""
    rows = []
    for given in json.loads(path.read_text()):
        values = {name: math.nan if value is None else value for name, value in given.items()}
        rows.append(Row(**{**values, "runs": tuple(given["runs"])}))
    return rows


def write_json(rows: list[Row], path: Path) -> None:
    """All rows with the regret of every run; null where there is no number."""
    document = [
        {
            name: finite_or_none(value) if isinstance(value, float) else value
            for name, value in row._asdict().items()
        }
        for row in rows
    ]
    with draft_of(path) as draft:
        draft.write_text(json.dumps(document, indent=1))
