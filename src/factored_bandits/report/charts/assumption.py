"""Where the assumption holds: identifiability and unimodality of groups of problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from factored_bandits import theory
from factored_bandits.core.table import Table
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.chart import Axis, Chart, Dot, Panel
from factored_bandits.report.palette import COLOURS, Look
from factored_bandits.theory.views import view

SHARES = tuple((x / 4, f"{25 * x}%") for x in range(5))
LOOK = Look(COLOURS["blue"], (), "o")
COLUMNS = ("", "problems", "contexts", "identifiable", "unimodal", "local optima")
CAPTION = (
    "Left: share of contexts in which the level of the best combination is the best one of its "
    "factor, of duels the share of opponents that the best arm beats; mean over the problems, and "
    "from the smallest to the largest; beside it how many problems are identifiable, that is have "
    "100 %. Right: share of problems in which only the best combination is such that no change of "
    "one factor improves it."
)


class Structure(NamedTuple):
    """What holds of one problem."""

    contexts: float  # share in which the level of the best combination is the best of its factor
    identifiable: bool
    optima: int | None  # local optima; None of duels


def structure_of(problem: Environment) -> Structure:
    """Measure one problem, of which all means are known.

    >>> import factored_bandits as fb
    >>> structure_of(fb.environments.make("table", means=[[0.9, 0.1], [0.2, 0.8]]))
    Structure(contexts=0.5, identifiable=False, optima=2)
    """
    seen = view(problem).table()
    if problem.kind == "duel":
        others = ~np.eye(len(seen.means), dtype=bool)
        beaten = ((seen.means > 0.5) & others).sum(axis=1).max() / (len(seen.means) - 1)
        return Structure(float(beaten), bool(beaten == 1.0), None)

    shares = [
        float((seen.rows(l)[problem.best[l]] >= seen.rows(l).max(axis=0)).mean())
        for l in range(len(problem.sizes))
        if problem.sizes[l] > 1
    ]
    return Structure(
        float(np.mean(shares)),
        theory.identifiability(problem).holds,
        len(theory.unimodality(problem).optima),
    )


def assumption(
    problems: Mapping[str, Sequence[Environment]],
    name: str = "assumption",
    title: str = "Where the assumption holds",
) -> Chart:
    """How far problems are identifiable and unimodal, a row per group of them.

    Parameters
    ----------
    problems
        Problems by the name of their group, such as the tables of one data set.
    name
        The name of the chart's files.
    title
        The title.

    Returns
    -------
    Chart
        Two panels: the share of contexts in which the assumption holds, with the number of
        identifiable problems, and the share of unimodal problems.

    Raises
    ------
    InvalidInputError
        If there is no problem.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> crossing = fb.environments.make("table", means=[[0.9, 0.1], [0.2, 0.8]])
    >>> chart = assumption({"sums": [fb.environments.spiked(3)], "crossing": [crossing]})
    >>> [(dot.label, dot.value) for dot in chart.panels[0].dots]
    [('crossing', 0.5), ('sums', 1.0)]
    """
    if not problems or not all(problems.values()):
        raise InvalidInputError("problems is empty, or one of its groups: there is nothing to draw")

    found = {group: [structure_of(one) for one in members] for group, members in problems.items()}
    # the group in which it holds most at the top
    order = sorted(found, key=lambda group: np.mean([one.contexts for one in found[group]]))
    modal = [group for group in order if all(one.optima is not None for one in found[group])]
    panels = [
        _panel("contexts in which the best levels are best", order, found, _contexts),
    ]
    if modal:
        panels.append(_panel("unimodal problems", modal, found, _unimodal))
    return Chart(name, title, CAPTION, tuple(panels), numbers=(_table(order[::-1], found),))


def _panel(
    label: str,
    order: Sequence[str],
    found: Mapping[str, Sequence[Structure]],
    dot: Callable[[str, Sequence[Structure]], Dot],
) -> Panel:
    dots = tuple(dot(group, found[group]) for group in order)
    listed = "; ".join(dot.told for dot in reversed(dots))
    return Panel(
        title="",
        x=Axis(label, (-0.03, 1.06), ticks=SHARES),
        y=Axis("", (-0.7, len(dots) - 0.3), ticks=tuple((i, d.label) for i, d in enumerate(dots))),
        dots=dots,
        alt=f"{label.capitalize()}: {listed}.",
    )


def _contexts(group: str, members: Sequence[Structure]) -> Dot:
    shares = [one.contexts for one in members]
    mean = float(np.mean(shares))
    held = sum(one.identifiable for one in members)
    text = f"{mean:.0%}, {held} of {len(members)}"
    told = f"{group} {mean:.0%}, {held} of {len(members)} identifiable"
    return Dot(group, group, LOOK, mean, min(shares), max(shares), text, told)


def _unimodal(group: str, members: Sequence[Structure]) -> Dot:
    held = sum(one.optima == 1 for one in members)
    share = held / len(members)
    text = f"{held} of {len(members)}"
    return Dot(group, group, LOOK, share, share, share, text, f"{group} {text}")


def _table(order: Sequence[str], found: Mapping[str, Sequence[Structure]]) -> Table:
    rows = []
    for group in order:
        members = found[group]
        optima = [one.optima for one in members if one.optima is not None]
        rows.append(
            (
                group,
                f"{len(members)}",
                f"{np.mean([one.contexts for one in members]):.2f}",
                f"{sum(one.identifiable for one in members)}",
                f"{sum(one == 1 for one in optima)}" if optima else "-",
                f"{np.median(optima):.0f} ({min(optima)} to {max(optima)})" if optima else "-",
            )
        )
    return Table("", COLUMNS, rows)
