"""Regret at the horizon: a dot with its interval per policy, the smallest at the top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from factored_bandits.core.table import number
from factored_bandits.report.chart import Axis, Chart, Dot, Panel
from factored_bandits.report.palette import Look, grey_note, looks, short, stressed_among

from ._measured import Measured, by_problem, describe, measured
from .curves import final_table, logarithmic, ranking

BARS = 3.0  # standard errors that an interval has on either side
HOW_TO_READ = "Dot: mean. Bar: three standard errors."
By = Literal["problem", "policy"]


def finals(
    frame: Any,
    name: str = "finals",
    title: str = "Final regret",
    *,
    by: By = "problem",
    stressed: Iterable[str] = (),
    caption: str | None = None,
) -> Chart:
    """Mean regret at the horizon as dots with intervals.

    Parameters
    ----------
    frame
        A tidy frame, or a sequence of results.
    name
        The name of the chart's files.
    title
        The title.
    by
        "problem": a panel for each problem, its policies sorted by regret. "policy": a panel for
        each policy, the problems in their own order.
    stressed
        Policies that have a colour, beside those of the paper and the three best.
    caption
        What was measured; by default found in the frame or the results.

    Returns
    -------
    Chart
        A panel per problem or policy.

    Raises
    ------
    InvalidInputError
        If there is nothing to draw, or the frame is not tidy.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"policy": ["tea", "uniform"], "round": 100, "regret": [9.0, 40.0]}
    >>> [dot.label for dot in finals(pd.DataFrame(rows)).panels[0].dots]
    ['uniform', 'tea']
    """
    every = measured(frame)
    problems = by_problem(every)
    order = ranking(list(problems.values()))
    also = tuple(stressed)
    seen = stressed_among(order, also)
    drawn = looks(order, seen)
    log = any(map(logarithmic, problems.values()))

    panels = []
    for heading, here in _groups(problems, by).items():
        rows = [
            _dot(each, label, drawn[each.policy], log, quiet=each.policy not in seen)
            for label, each in here
        ]
        panels.append(_panel(heading, rows, log, [each for _, each in here]))

    told = f"{HOW_TO_READ} {grey_note(order, seen, also)}"
    return Chart(
        name=name,
        title=title,
        caption=f"{caption or describe(every)}. {told}".strip(),
        panels=tuple(panels),
        numbers=tuple(final_table(problem, here) for problem, here in problems.items()),
    )


def interval(value: float, error: float, log: bool) -> tuple[float, float]:
    """Three standard errors on either side; on a logarithmic axis, of the logarithm.

    Such an interval is above zero, and so inside every frame.

    >>> interval(10.0, 1.0, log=False), interval(10.0, float("nan"), log=True)
    ((7.0, 13.0), (10.0, 10.0))
    >>> [round(end, 1) for end in interval(10.0, 5.0, log=True)]
    [2.2, 44.8]
    """
    if not np.isfinite(error):
        return value, value
    if log and value > 0.0:
        factor = float(np.exp(BARS * error / value))
        return value / factor, value * factor
    return max(0.0, value - BARS * error), value + BARS * error


def dots_axis(label: str, ends: Sequence[tuple[float, float]], log: bool) -> Axis:
    """An axis on which all intervals fit, with a little air."""
    low = min(end for end, _ in ends)
    high = max(end for _, end in ends)
    if log and low > 0.0:
        air = (high / low) ** 0.06 * 1.05
        return Axis(label, (low / air, high * air), log=True)
    return Axis(label, (0.0, 1.06 * high if high > 0 else 1.0))


def _groups(problems: dict[str, list[Measured]], by: By) -> dict[str, list[tuple[str, Measured]]]:
    """Per panel its rows (label and measurement), the first one at the bottom."""
    if by == "problem":
        return {
            problem: [
                (short(each.policy), each)
                for each in sorted(here, key=lambda each: -each.final_mean().value)
            ]
            for problem, here in problems.items()
        }

    found: dict[str, list[tuple[str, Measured]]] = {}
    for problem, here in reversed(problems.items()):
        for each in here:
            found.setdefault(each.policy, []).append((problem, each))
    return found


def _dot(each: Measured, label: str, look: Look, log: bool, *, quiet: bool) -> Dot:
    mean = each.final_mean()
    low, high = interval(mean.value, mean.error, log)
    told = f"{each.policy}: {mean}"
    return Dot(each.policy, label, look, mean.value, low, high, told=told, quiet=quiet)


def _panel(title: str, rows: list[Dot], log: bool, here: Sequence[Measured]) -> Panel:
    units = sorted({each.unit for each in here if each.unit})
    label = f"final regret (unit: {', '.join(units)})" if units else "final regret"
    ticks = tuple((float(i), row.label) for i, row in enumerate(rows))
    values = [(row.label, number(row.value, like=row.value)) for row in reversed(rows)]
    told = "; ".join(f"{name} {value}" for name, value in values)

    return Panel(
        title=title,
        x=dots_axis(label, [(row.low, row.high) for row in rows], log),
        y=Axis("", (-0.7, len(rows) - 0.3), ticks=ticks),
        dots=tuple(rows),
        alt=f"Mean regret at the end, {title or 'one problem'}: {told}.",
    )
