"""Results as a notebook shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from factored_bandits.core.markup import bars_of, table_html
from factored_bandits.core.stats import standard_error
from factored_bandits.core.table import Table, number, round_of

if TYPE_CHECKING:
    from .result import Result

SHOWN = 5  # rounds, a power of ten apart


def regret_html(results: Sequence[Result], table: Table) -> str:
    """A table of `regret_table` with a bar for each mean."""
    means = {result.label: float(result.regret[:, -1].mean()) for result in results}
    bars = bars_of([means[row[0]] for row in table.rows])
    return table_html(table, {"mean regret": bars})


def result_html(result: Result) -> str:
    """Regret over time, with a bar for each mean."""
    apart = result.horizon * 10.0 ** -np.arange(SHOWN)
    shown = np.unique(np.searchsorted(result.checkpoints, apart[apart >= 1.0]))
    means = result.regret.mean(axis=0)[shown]
    errors = standard_error(result.regret)[shown]
    worst = result.regret.max(axis=0)[shown]
    found = result.correct.mean(axis=0)[shown]

    rows = []
    for index, at in enumerate(shown):
        values = (means[index], errors[index], worst[index])
        cells = [number(float(value), like=float(means[index])) for value in values]
        rows.append((f"{result.checkpoints[at]:,}", *cells, f"{found[index]:.0%}"))

    summary = result.summary()
    title = f"{result.label} on {result.problem}"
    stopped = ", interrupted" if result.interrupted else ""
    caption = (
        f"{result.repetitions} repetitions{stopped}; seed {result.seed}; unit: {result.unit}; "
        f"best found after (median): {round_of(summary.settled)}"
    )
    columns = ("round", "mean regret", "+- s.e.", "worst", "best found")
    table = Table(title, columns, rows, caption, align="rrrrr")
    return table_html(table, {"mean regret": bars_of(means.tolist())})
