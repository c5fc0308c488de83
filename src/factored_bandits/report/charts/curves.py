"""Regret over time: mean and middle 80 % of the repetitions, every run on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from factored_bandits.core.table import Table, number
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.palette import FEW, Look, grey_note, looks, stressed_among

from ._measured import Measured, by_problem, describe, measured

Scale = Literal["auto", "linear", "log"]
# Ratio of the largest to the smallest final regret beyond which a linear axis hides the smaller.
RATIO = 6.0
DECADE = 10.0  # that the axis of rounds has at least
MIDDLE = (0.1, 0.9)  # quantiles of the band
HOW_TO_READ = "Line: mean. Band: the middle 80 % of the repetitions."
REGRETS = ("mean regret", "+- s.e.", "median", "10 %", "90 %", "worst")
COLUMNS = ("policy", *REGRETS, "rounds", "repetitions")


def curves(
    frame: Any,
    name: str = "regret",
    title: str | None = None,
    *,
    y: Scale = "auto",
    stressed: Iterable[str] = (),
    caption: str | None = None,
) -> Chart:
    """Cumulative regret over rounds, a panel for each problem.

    The axis of rounds is logarithmic, and begins where the lines part.

    Parameters
    ----------
    frame
        A tidy frame, or a sequence of results.
    name
        The name of the chart's files.
    title
        The title; by default the problem.
    y
        The scale of the regret; "auto": logarithmic where the final regrets lie far apart.
    stressed
        Policies that have a colour even if there are many, beside those of the paper and the three
        best.
    caption
        What was measured; by default found in the frame or the results.

    Returns
    -------
    The chart.

    Raises
    ------
    InvalidInputError
        If there is nothing to draw, or the frame is not tidy.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.8)
    >>> comparison = fb.compare("uniform, flat_ucb1", problem, 2_000, 4, progress=False)
    >>> curves(comparison.to_frame()).caption
    "rank1 (3 x 3 levels); regret in unit 'reward'; horizon 2,000; 4 repetitions; seed 0.
    Line: mean. Band: the middle 80 % of the repetitions."
    """
    if y not in ("auto", "linear", "log"):
        raise InvalidInputError(f"y must be 'auto', 'linear' or 'log', not {y!r}")
    every = measured(frame)
    problems = by_problem(every)
    order = ranking(list(problems.values()))
    also = tuple(stressed)
    seen = stressed_among(order, also)
    drawn = looks(order, seen)
    log = any(map(logarithmic, problems.values())) if y == "auto" else y == "log"
    panels = [_panel(here, drawn, seen, log, problem) for problem, here in problems.items()]
    told = f"{HOW_TO_READ} {grey_note(order, seen, also)}"
    return Chart(
        name=name,
        title=title or (every[0].problem if len(problems) == 1 else "Regret over time"),
        caption=f"{caption or describe(every)}. {told}".strip(),
        panels=tuple(panels),
        numbers=tuple(final_table(problem, here) for problem, here in problems.items()),
        order=(*seen, *order),
    )


def _panel(
    here: Sequence[Measured],
    drawn: dict[str, Look],
    seen: Sequence[str],
    log: bool,
    title: str,
) -> Panel:
    begin = beginning(here)
    lines = [regret_line(each, drawn[each.policy], quiet=each.policy not in seen) for each in here]
    return Panel(
        title=title,
        x=rounds_axis(begin, max(each.horizon for each in here)),
        y=regret_axis(here, begin, log),
        lines=tuple(lines),
        alt=_in_words(title, here),
    )


def ranking(problems: Sequence[Sequence[Measured]]) -> tuple[str, ...]:
    """The policies, the smallest average logarithm of the final regret first."""
    ends: dict[str, list[float]] = {}
    for here in problems:
        for each in here:
            final = max(0.0, each.final_mean().value)
            ends.setdefault(each.policy, []).append(float(np.log1p(final)))

    return tuple(sorted(ends, key=lambda policy: float(np.mean(ends[policy]))))


def rounds_axis(begin: float, horizon: int) -> Axis:
    """Logarithmic, to the horizon."""
    return Axis("round", (begin, float(max(2, horizon))), log=True)


def regret_line(each: Measured, look: Look, *, quiet: bool = False) -> Line:
    """The mean with its band and its runs."""
    low, high = np.quantile(each.regret, MIDDLE, axis=0)
    return Line(
        key=each.policy,
        label=each.policy,
        look=look,
        x=each.rounds.astype(np.float64),
        y=each.mean(),
        low=low,
        high=high,
        runs=each.regret,
        quiet=quiet,
    )


def logarithmic(here: Sequence[Measured]) -> bool:
    """Whether final regrets lie so far apart that a linear axis would hide the smaller ones."""
    finals = [each.final_mean().value for each in here]
    return min(finals) > 0 and max(finals) > RATIO * min(finals)


def regret_axis(here: Sequence[Measured], begin: float, log: bool) -> Axis:
    """From zero, or the smallest mean in view, to a little above the highest band."""
    top = max(float(np.quantile(each.final(), MIDDLE[1])) for each in here)
    seen = np.concatenate([each.mean()[each.rounds >= begin] for each in here])
    seen = seen[seen > 0]
    units = sorted({each.unit for each in here if each.unit})
    label = f"cumulative regret (unit: {', '.join(units)})" if units else "cumulative regret"
    linear = (0.0, 1.05 * top if top > 0 else 1.0)
    if not len(seen) or top <= 0:
        return Axis(label, linear)
    logged = (float(seen.min()) / 1.2, 1.3 * max(top, float(seen.max())))
    return Axis(label, logged, True, linear) if log else Axis(label, linear, False, logged)


def beginning(here: Sequence[Measured]) -> float:
    """Where the axis of rounds begins: where the first line leaves the highest one.

    Of more than a few lines, where half of them have left: most share a diagonal until then. A line
    has left once its mean is a fifth below the highest, for good. A round number (1, 2 or 5 times a
    power of ten), at least a decade before the horizon; 1 if no line leaves.
    """
    rounds = np.unique(np.concatenate([each.rounds for each in here]))
    means = np.array([np.interp(rounds, each.rounds, each.mean()) for each in here])
    together = 1.25 * means >= means.max(axis=0)
    # the column of the last round in which a line is still with the highest; -1 if it never is
    last = np.where(
        together.any(axis=1), together.shape[1] - 1 - together[:, ::-1].argmax(axis=1), -1
    )
    left = np.sort(last[last + 1 < len(rounds)]) + 1
    if not len(left):
        return 1.0

    which = 0 if len(here) <= FEW else (len(left) - 1) // 2
    parted = float(min(rounds[left[which]], rounds[-1] / DECADE))
    power = 10.0 ** np.floor(np.log10(max(1.0, parted)))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if power * step <= max(1.0, parted)))


def final_table(title: str, here: Sequence[Measured]) -> Table:
    """Regret at the horizon, the smallest mean first."""
    rows = []

    for each in sorted(here, key=lambda each: each.final_mean().value):
        last = each.final()
        mean = each.final_mean()
        low, median, high = np.quantile(last, [MIDDLE[0], 0.5, MIDDLE[1]])
        values = (mean.value, mean.error, median, low, high, last.max())
        cells = [number(float(value), like=mean.value) for value in values]
        rows.append((each.policy, *cells, f"{each.rounds[-1]:,}", str(each.repetitions)))

    return Table(title, COLUMNS, rows)


def _in_words(problem: str, here: Sequence[Measured]) -> str:
    ends = sorted((each.final_mean().value, each.policy) for each in here)
    told = "; ".join(f"{policy} {number(mean, like=mean)}" for mean, policy in ends)
    return (
        f"Regret over rounds, {problem or 'one problem'}. "
        f"Mean regret at the end, smallest first: {told}."
    )
