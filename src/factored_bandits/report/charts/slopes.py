"""Final regret against the size of the problem, on logarithmic axes, with fitted slopes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from factored_bandits.core.stats import Slope, log_log_slope
from factored_bandits.core.table import Table, number
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.palette import MARKERS, Look, grey_note, looks, short, stressed_among

from ._measured import Measured, describe, measured
from .curves import ranking
from .finals import interval

HOW_TO_READ = "Points: means with three standard errors. Lines: least squares on logarithms"


def slopes(
    frame: Any,
    name: str = "slopes",
    title: str = "Final regret against K",
    *,
    smallest: float = 0.0,
    stressed: Iterable[str] = (),
    caption: str | None = None,
) -> Chart:
    """Mean regret at the horizon against K, a straight line per policy, a panel per experiment.

    Parameters
    ----------
    frame
        A tidy frame with a column `arms` ("64" or "16x16"), and one problem per K.
    name
        The name of the chart's files.
    title
        The title.
    smallest
        Lines are fitted to the problems with at least this K, for terms that show only there.
    stressed
        Policies that have a colour even if there are many, beside those of the paper and the three
        best.
    caption
        What was measured; by default found in the frame.

    Returns
    -------
    The chart.

    Raises
    ------
    InvalidInputError
        If a policy has several problems of the same K.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("tea", str(k), r, 10.0 * k + r) for k in (8, 16, 32) for r in (-1, 0, 1)]
    >>> frame = pd.DataFrame(rows, columns=["policy", "arms", "repetition", "regret"])
    >>> chart = slopes(frame.assign(problem=frame.arms, round=100))
    >>> chart.panels[0].lines[0].label
    'tea: slope 1.00 +- 0.01'
    """
    every = measured(frame)
    experiments: dict[str, list[Measured]] = {}
    for each in every:
        experiments.setdefault(each.experiment, []).append(each)

    order = ranking(list(experiments.values()))
    also = tuple(stressed)
    seen = stressed_among(order, also)
    drawn = _marked(looks(order, seen), seen)
    alone = len(experiments) == 1
    panels = []
    tables = []
    for experiment, here in experiments.items():
        own = _by_policy(here)
        shown = "" if alone else experiment
        panels.append(_panel(shown, own, drawn, smallest, seen))
        tables.append(_table(shown, own, smallest))

    over = f" over K >= {smallest:g}" if smallest else ""
    told = f"{HOW_TO_READ}{over}; a slope of 1 is regret in proportion to K."
    told = f"{told} {grey_note(order, seen, also)}".strip()
    return Chart(
        name=name,
        title=title,
        caption=f"{caption or describe(every)}. {told}",
        panels=tuple(panels),
        numbers=tuple(tables),
        order=(*seen, *order),
    )


def fitted(frame: Any, smallest: float = 0.0) -> dict[str, Slope]:
    """The slope of each policy, for a frame with one problem per K: what `slopes` draws.

    Parameters
    ----------
    frame
        As for `slopes`.
    smallest
        Only problems with at least this K count.

    Returns
    -------
    The slopes by the label of the policy.
    """
    return {policy: _fit(here, smallest) for policy, here in _by_policy(measured(frame)).items()}


def _marked(drawn: dict[str, Look], seen: Sequence[str]) -> dict[str, Look]:
    """A mark of its own for each policy that has a colour."""
    marks = {policy: MARKERS[i % len(MARKERS)] for i, policy in enumerate(seen)}
    return {policy: look._replace(marker=marks.get(policy, "o")) for policy, look in drawn.items()}


def _fit(every: Sequence[Measured], smallest: float = 0.0) -> Slope:
    here = [each for each in every if each.size >= smallest]
    return log_log_slope(np.array([each.size for each in here]), [each.final() for each in here])


def _by_policy(here: Sequence[Measured]) -> dict[str, list[Measured]]:
    """The measurements of each policy, in ascending order of K."""
    found: dict[str, list[Measured]] = {}
    for each in here:
        found.setdefault(each.policy, []).append(each)

    for policy, own in found.items():
        own.sort(key=lambda each: each.size)
        if len({each.size for each in own}) < len(own):
            raise InvalidInputError(
                f"{policy} has several problems with the same K; give a frame with one problem per "
                "K"
            )

    return found


def _panel(
    title: str,
    found: dict[str, list[Measured]],
    drawn: dict[str, Look],
    smallest: float,
    seen: Sequence[str],
) -> Panel:
    lines = []
    for policy, here in found.items():
        slope = _fit(here, smallest)
        points = _points(policy, here, drawn[policy], slope, quiet=policy not in seen)
        lines.append(points)
        if np.isfinite(slope.value):
            lines.append(_fitted_line(points, slope, smallest))

    sizes = sorted({each.size for here in found.values() for each in here})
    ticks = tuple((each, f"{each:g}") for each in sizes)
    told = " ".join(f"{policy}: {_fit(here, smallest)}." for policy, here in found.items())

    return Panel(
        title,
        x=Axis("K", (sizes[0] / 1.15, sizes[-1] * 1.15), log=True, ticks=ticks),
        y=_regret_axis(found, lines),
        lines=tuple(lines),
        alt=f"Final regret against K on logarithmic axes. {told}",
    )


def _points(policy: str, here: list[Measured], look: Look, slope: Slope, *, quiet: bool) -> Line:
    means = [each.final_mean() for each in here]
    ends = np.array([interval(mean.value, mean.error, log=True) for mean in means])
    known = np.isfinite(slope.value)
    return Line(
        key=policy,
        label=f"{policy}: {slope}" if known else policy,
        look=look,
        x=np.array([each.size for each in here]),
        y=np.array([mean.value for mean in means]),
        bars=(ends[:, 0], ends[:, 1]),
        quiet=quiet,
        end=f"{short(policy)}: {slope.value:.2f}" if known else "",
    )


def _fitted_line(points: Line, slope: Slope, smallest: float) -> Line:
    x = points.x[points.x >= smallest]
    y = np.exp(slope.intercept) * x**slope.value
    bare = points.look._replace(marker="")  # marks are for what was measured
    return Line(points.key, "", bare, x, y, width=1.4, quiet=points.quiet)


def _regret_axis(found: dict[str, list[Measured]], lines: list[Line]) -> Axis:
    """Points, bars and fits are inside, on both scales."""
    units = sorted({each.unit for here in found.values() for each in here if each.unit})
    label = f"final regret (unit: {', '.join(units)})" if units else "final regret"

    parts = [line.y for line in lines]
    parts += [end for line in lines if line.bars is not None for end in line.bars]
    seen = np.concatenate(parts)
    seen = seen[seen > 0]
    if not len(seen):
        return Axis(label, (0, 1))

    top = float(seen.max())
    return Axis(label, (float(seen.min()) / 1.2, 1.2 * top), log=True, other=(0.0, 1.05 * top))


def _table(title: str, found: dict[str, list[Measured]], smallest: float) -> Table:
    sizes = sorted({each.size for here in found.values() for each in here})
    fits = {policy: _fit(here, smallest) for policy, here in found.items()}
    rows = []

    for policy in sorted(found, key=lambda policy: fits[policy].value):
        slope = fits[policy]
        own = {each.size: each.final_mean().value for each in found[policy]}
        cells = [number(own[k], like=own[k]) if k in own else "-" for k in sizes]
        rows.append((policy, f"{slope.value:.3f}", f"{slope.error:.3f}", *cells))

    return Table(title, ("policy", "slope", "+- s.e.", *(f"K = {k:g}" for k in sizes)), rows)
