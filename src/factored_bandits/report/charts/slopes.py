"""Final regret against the size of the problem, on logarithmic axes, with fitted slopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.table import Table, number
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.measured import Measured, describe, measured, size
from factored_bandits.report.palette import Look, looks

from .curves import ranking


class Slope(NamedTuple):
    """Regret grows like K ** value."""

    value: float
    error: float  # standard error from the repetitions; nan of single ones
    level: float  # the natural logarithm of the fitted regret at K = 1

    def __str__(self) -> str:
        return f"slope {self.value:.2f}" + (
            f" +- {self.error:.2f}" if np.isfinite(self.error) else ""
        )


def slopes(
    frame: Any,
    name: str = "slopes",
    title: str = "Final regret against K",
    *,
    smallest: float = 0.0,
    caption: str | None = None,
) -> Chart:
    """Mean regret at the horizon against K with a straight line fitted to each policy; a panel per
    experiment.

    Lines are fitted to the problems with K >= `smallest`, for terms that show only there.

    >>> import pandas as pd
    >>> rows = [("tea", str(k), r, 10.0 * k + r) for k in (8, 16, 32) for r in (-1, 0, 1)]
    >>> frame = pd.DataFrame(rows, columns=["policy", "arms", "repetition", "regret"]).assign(round=100)
    >>> chart = slopes(frame.assign(problem=frame.arms))
    >>> chart.panels[0].lines[0].label
    'tea: slope 1.00 +- 0.01'
    """
    every = measured(frame)
    experiments: dict[str, list[Measured]] = {}
    for each in every:
        experiments.setdefault(each.experiment, []).append(each)
    drawn = looks(each.policy for each in every)
    rows = {experiment: _by_policy(here) for experiment, here in experiments.items()}
    alone = len(rows) == 1
    over = f" over K >= {smallest:g}" if smallest else ""

    return Chart(
        name=name,
        title=title,
        caption=f"{caption or describe(every)}. Points: means with three standard errors. Lines: least squares on "
        f"logarithms{over}; a slope of 1 is regret in proportion to K.",
        panels=tuple(
            _panel("" if alone else experiment, found, drawn, smallest)
            for experiment, found in rows.items()
        ),
        numbers=tuple(
            _table("" if alone else experiment, found, smallest)
            for experiment, found in rows.items()
        ),
        order=ranking(list(experiments.values())),
    )


def fitted(frame: Any, smallest: float = 0.0) -> dict[str, Slope]:
    """The slope of each policy, for a frame with one problem per K."""
    return {policy: fit(here, smallest) for policy, here in _by_policy(measured(frame)).items()}


def fit(every: Sequence[Measured], smallest: float = 0.0) -> Slope:
    """Least squares of the logarithm of the mean regret on that of K; nan for a single K, or
    without regret.
    """
    here = [each for each in every if size(each.arms) >= smallest]
    means = np.array([each.final().mean() for each in here])
    if len(here) < 2 or (means <= 0).any():
        return Slope(float("nan"), float("nan"), float("nan"))
    x = np.log([size(each.arms) for each in here])
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    value = float(weights @ np.log(means))
    errors = (
        np.array([each.standard_error() for each in here]) / means
    )  # of the logarithms, to first order

    return Slope(
        value,
        float(np.sqrt((weights**2 * errors**2).sum())),
        float(np.log(means).mean() - value * x.mean()),
    )


def _by_policy(here: Sequence[Measured]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for each in here:
        found.setdefault(each.policy, []).append(each)
    for policy, own in found.items():
        own.sort(key=lambda each: size(each.arms))
        sizes = [size(each.arms) for each in own]
        if len(set(sizes)) < len(sizes):
            raise InvalidInputError(
                f"{policy} has several problems with the same K; give a frame with one problem per "
                "K"
            )

    return found


def _panel(
    title: str, found: dict[str, list[Measured]], drawn: dict[str, Look], smallest: float
) -> Panel:
    lines = [
        line
        for policy, here in found.items()
        for line in _lines(policy, here, drawn[policy], smallest)
    ]
    sizes = sorted({size(each.arms) for here in found.values() for each in here})
    points = [line for line in lines if line.errors is not None]
    means = np.concatenate([line.y for line in points])
    bars = np.concatenate([line.errors for line in points if line.errors is not None])
    seen = np.concatenate(
        [means + bars, np.maximum(means - bars, means / 3.0)]
    )  # long bars may leave the picture
    seen = seen[seen > 0]
    units = sorted({each.unit for here in found.values() for each in here if each.unit})
    label = "final regret" + (f" (unit: {', '.join(units)})" if units else "")
    top = float(seen.max()) if len(seen) else 1.0
    y = (
        Axis(label, (float(seen.min()) / 1.2, 1.2 * top), True, (0.0, 1.05 * top))
        if len(seen)
        else Axis(label, (0, 1))
    )
    ticks = tuple((each, f"{each:g}") for each in sizes)
    x = Axis("K", (sizes[0] / 1.15, sizes[-1] * 1.15), True, ticks=ticks)
    told = " ".join(f"{policy}: {fit(here, smallest)}." for policy, here in found.items())

    return Panel(
        title, x, y, tuple(lines), alt=f"Final regret against K on logarithmic axes. {told}"
    )


def _lines(policy: str, here: list[Measured], look: Look, smallest: float) -> list[Line]:
    x = np.array([size(each.arms) for each in here])
    y = np.array([each.final().mean() for each in here])
    errors = np.nan_to_num(np.array([3.0 * each.standard_error() for each in here]))
    slope = fit(here, smallest)
    found = [
        Line(
            policy,
            f"{policy}: {slope}" if np.isfinite(slope.value) else policy,
            look,
            x,
            y,
            errors=errors,
        )
    ]

    if np.isfinite(slope.value):
        x = x[x >= smallest]
        found.append(Line(policy, "", look, x, np.exp(slope.level) * x**slope.value, width=1.4))

    return found


def _table(title: str, found: dict[str, list[Measured]], smallest: float) -> Table:
    sizes = sorted({size(each.arms) for here in found.values() for each in here})
    rows = []

    for policy, here in sorted(found.items(), key=lambda item: fit(item[1], smallest).value):
        slope = fit(here, smallest)
        own = {size(each.arms): float(each.final().mean()) for each in here}
        cells = [number(own[k], like=own[k]) if k in own else "-" for k in sizes]
        rows.append((policy, f"{slope.value:.3f}", f"{slope.error:.3f}", *cells))

    return Table(title, ("policy", "slope", "+- s.e.", *(f"K = {k:g}" for k in sizes)), rows)
