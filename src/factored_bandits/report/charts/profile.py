"""Performance profiles: the share of problems on which a policy is near the best one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from factored_bandits.report.chart import Axis, Chart, Line, Panel
from factored_bandits.report.palette import grey_note, looks, stressed_among
from factored_bandits.simulation.profile import WIDEST, Regrets, factors, profile_table, rank, share

from ._measured import by_problem, describe, measured

TICKS = tuple((float(x), str(x)) for x in (1, 2, 5, 10, 20, 50, 100))
SHARES = tuple((x / 5, f"{20 * x} %") for x in range(6))


def profile(
    frame: Any,
    name: str = "profile",
    title: str = "Performance profile",
    *,
    stressed: Iterable[str] = (),
    caption: str | None = None,
) -> Chart:
    """On what share of the problems each policy's regret is within a factor x of the best, over x.

    Parameters
    ----------
    frame
        A tidy frame, a sequence of results, or a dict problem -> policy -> mean regret.
    name
        The name of the chart's files.
    title
        The title.
    stressed
        Policies that have a colour even if there are many, beside those of the paper and the three
        best.
    caption
        What was measured; by default found in the frame or the results.

    Returns
    -------
    The chart.

    Examples
    --------
    >>> easy = {"tea": 10.0, "flat_ucb1": 15.0}
    >>> hard = {"tea": 80.0, "flat_ucb1": 20.0}
    >>> chart = profile({"easy": easy, "hard": hard})
    >>> [line.label for line in chart.panels[0].lines]
    ['flat_ucb1', 'tea']
    """
    regrets, told = (frame, "") if isinstance(frame, dict) else _regrets(frame)
    multiples = factors(regrets)
    order = sorted(multiples, key=lambda each: rank(multiples[each]))
    also = tuple(stressed)
    seen = stressed_among(order, also)
    drawn = looks(multiples, seen)
    lines = []

    for policy in order:
        xs = [1.0, *sorted({x for x in multiples[policy] if 1.0 < x <= WIDEST}), WIDEST]
        ys = [share(multiples[policy], x) for x in xs]
        lines.append(
            Line(
                key=policy,
                label=policy,
                look=drawn[policy],
                x=np.array(xs),
                y=np.array(ys),
                steps=True,
                quiet=policy not in seen,
            )
        )

    shares = ", ".join(f"{line.key} {share(multiples[line.key], 2.0):.0%}" for line in lines)
    count = len(regrets)
    panel = Panel(
        title="",
        x=Axis(
            "factor x of the smallest mean regret on a problem",
            (1.0, WIDEST),
            log=True,
            ticks=TICKS,
        ),
        y=Axis("share of the problems within the factor", (0.0, 1.02), ticks=SHARES),
        lines=tuple(lines),
        alt=f"Share of {count} problems on which each policy is within twice the best: {shares}.",
    )
    if caption is None:
        caption = f"{told}. Higher is better; at the left, the share of wins."
    caption = f"{caption} {grey_note(order, seen, also)}".strip()

    return Chart(
        name=name,
        title=title,
        caption=caption,
        panels=(panel,),
        numbers=(profile_table(regrets),),
        order=(*seen, *order),
    )


def _regrets(frame: Any) -> tuple[Regrets, str]:
    every = measured(frame)
    means = {
        problem: {each.policy: each.final_mean().value for each in here}
        for problem, here in by_problem(every).items()
    }
    return means, describe(every)
