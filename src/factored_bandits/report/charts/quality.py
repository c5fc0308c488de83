"""What was found, against the calls: how often the best, and what the recommendation lacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import standard_error
from factored_bandits.core.table import Table, round_of
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.palette import Look, grey_note, looks, stressed_among
from factored_bandits.simulation.summaries import FOUND, found_cells

from ._measured import Measured, by_problem, describe, measured

SHARES = tuple((x / 5, f"{20 * x} %") for x in range(6))
HOW_TO_READ = "Band: two standard errors either way. Regret is not counted: calls are."
COLUMNS = ("policy", *FOUND, "calls", "repetitions")
SURE = 0.95  # of the certificate
FEWEST = 10.0  # calls at which the axis begins, unless it would be shorter than a decade


def quality(
    frame: Any,
    name: str = "quality",
    title: str | None = None,
    *,
    stressed: Iterable[str] = (),
    caption: str | None = None,
) -> Chart:
    """The share of the runs that recommend the best, and the simple regret, over calls.

    Two panels for each problem, the shares of all problems first. Simple regret is what a round
    with the recommendation would lose, in the mean over the repetitions. A policy that is given the
    horizon has made its plans for it: its line says what it would have recommended on the way. If
    it was noted how sure certificates were (`certify="checkpoints"`, `Spec.confidence`), a third
    panel shows the share of the runs that are certified at 95 % by so many calls, and the table the
    median of these calls.

    Parameters
    ----------
    frame
        A tidy frame with the columns correct and simple_regret, or a sequence of results.
    name
        The name of the chart's files.
    title
        The title; by default the problem.
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
        If there is nothing to draw, or the frame does not say what was recommended.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.4)
    >>> comparison = fb.compare("uniform, logistic_halving", problem, 500, 4, progress=False)
    >>> [panel.y.label for panel in quality(comparison.results).panels]
    ['runs that recommend the best', 'simple regret (unit: reward)']
    """
    every = measured(frame)
    for each in every:
        if each.correct is None or each.simple_regret is None:
            raise InvalidInputError(
                "the frame has no columns 'correct' and 'simple_regret': it does not say what was "
                "recommended"
            )

    problems = by_problem(every)
    order = _ranking(every)
    also = tuple(stressed)
    seen = stressed_among(order, also)
    drawn = looks(order, seen)
    # by what they show, not by problem: two problems stand side by side
    found: list[Panel] = []
    lost: list[Panel] = []
    proved: list[Panel] = []
    for problem, here in problems.items():
        heading = problem if len(problems) > 1 else ""
        share, regret = _pair(heading, here, drawn, seen)
        found.append(share)
        lost.append(regret)
        if any(_certifies(each) for each in here):
            proved.append(_certified(heading, here, drawn, seen))
    told = f"{HOW_TO_READ} {grey_note(order, seen, also)}"
    alone = every[0].problem if len(problems) == 1 else ""
    return Chart(
        name=name,
        title=title or alone or "What was found",
        caption=f"{caption or describe(every)}. {told}".strip(),
        panels=(*found, *lost, *proved),
        numbers=tuple(_table(problem, here) for problem, here in problems.items()),
        order=(*seen, *order),
    )


def _ranking(every: Sequence[Measured]) -> tuple[str, ...]:
    """The policies, the smallest simple regret at the end first, in the mean over the problems."""
    ends: dict[str, list[float]] = {}
    for each in every:
        ends.setdefault(each.policy, []).append(float(_simple(each)[:, -1].mean()))
    return tuple(sorted(ends, key=lambda policy: float(np.mean(ends[policy]))))


def _simple(each: Measured) -> Floats:
    assert each.simple_regret is not None  # `quality` has looked
    return each.simple_regret


def _correct(each: Measured) -> Floats:
    assert each.correct is not None  # `quality` has looked
    return each.correct


def _certifies(each: Measured) -> bool:
    """Whether it was noted how sure its certificate was."""
    return each.confidence is not None and not np.isnan(each.confidence).any()


def _sure(each: Measured) -> Floats:
    """(repetitions, C) 1 from the checkpoint on at which the certificate was sure."""
    assert each.confidence is not None  # `_certifies` has looked
    return np.maximum.accumulate(each.confidence >= SURE, axis=1).astype(np.float64)


def _calls_until_sure(each: Measured) -> str:
    """The median of the calls until the certificate, of those that have one."""
    if not _certifies(each):
        return "-"
    sure = _sure(each)
    first = np.where(sure[:, -1] > 0.0, each.rounds[sure.argmax(axis=1)], np.inf)
    return round_of(float(np.median(first)))


def _certified(
    problem: str, here: Sequence[Measured], drawn: dict[str, Look], seen: Sequence[str]
) -> Panel:
    """Which share of the runs has its certificate."""
    certifying = [each for each in here if _certifies(each)]
    told = "; ".join(f"{each.policy} {_calls_until_sure(each)}" for each in certifying)
    return Panel(
        title=problem,
        x=_calls_axis(here),
        y=Axis(f"runs certified at {SURE:.0%}", (0.0, 1.02), ticks=SHARES),
        lines=tuple(_line(each, _sure(each), drawn, seen, 1.0) for each in certifying),
        alt=f"Calls until the certificate, median: {told}.",
    )


def _calls_axis(here: Sequence[Measured]) -> Axis:
    horizon = max(each.horizon for each in here)
    begin = min(FEWEST, max(1.0, horizon / 10.0))
    return Axis("calls", (begin, float(max(2, horizon))), log=True)


def _pair(
    problem: str, here: Sequence[Measured], drawn: dict[str, Look], seen: Sequence[str]
) -> tuple[Panel, Panel]:
    """How often the best was found, and what was lost."""
    calls = _calls_axis(here)
    units = sorted({each.unit for each in here if each.unit})
    unit = f" (unit: {', '.join(units)})" if units else ""
    begin = calls.limits[0]
    highest = max(
        float(_simple(each).mean(axis=0)[each.rounds >= begin].max(initial=0.0)) for each in here
    )

    found = Panel(
        title=problem,
        x=calls,
        y=Axis("runs that recommend the best", (0.0, 1.02), ticks=SHARES),
        lines=tuple(_line(each, _correct(each), drawn, seen, 1.0) for each in here),
        alt=_in_words(problem, here),
    )
    lost = Panel(
        title=problem,
        x=calls,
        y=Axis(f"simple regret{unit}", (0.0, 1.1 * highest if highest > 0.0 else 1.0)),
        lines=tuple(_line(each, _simple(each), drawn, seen, np.inf) for each in here),
    )
    return found, lost


def _line(
    each: Measured, values: Floats, drawn: dict[str, Look], seen: Sequence[str], most: float
) -> Line:
    mean = values.mean(axis=0)
    error = 2.0 * np.nan_to_num(standard_error(values))
    return Line(
        key=each.policy,
        label=each.policy,
        look=drawn[each.policy],
        x=each.rounds.astype(np.float64),
        y=mean,
        low=np.maximum(mean - error, 0.0),
        high=np.minimum(mean + error, most),
        quiet=each.policy not in seen,
    )


def _table(title: str, here: Sequence[Measured]) -> Table:
    """What was found by the last round, the smallest simple regret first."""
    rows = []
    certified = any(map(_certifies, here))

    for each in sorted(here, key=lambda each: float(_simple(each)[:, -1].mean())):
        cells = found_cells(_correct(each)[:, -1], _simple(each)[:, -1])
        after = [_calls_until_sure(each)] if certified else []
        rows.append((each.policy, *cells, f"{each.rounds[-1]:,}", str(each.repetitions), *after))

    return Table(title, (*COLUMNS, *(["certified after"] if certified else [])), rows)


def _in_words(problem: str, here: Sequence[Measured]) -> str:
    ends = sorted((-float(_correct(each)[:, -1].mean()), each.policy) for each in here)
    told = "; ".join(f"{policy} {-share:.0%}" for share, policy in ends)
    return (
        f"Share of the runs that recommend the best over calls, {problem or 'one problem'}. "
        f"At the end: {told}."
    )
