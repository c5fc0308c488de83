"""Measured regret between the bounds of the theory, over time."""

from __future__ import annotations

import numpy as np

from factored_bandits.environments import Environment
from factored_bandits.simulation.result import Result
from factored_bandits.simulation.summaries import describe
from factored_bandits.theory import check

from .chart import Chart
from .charts import curves
from .charts.overlay import with_bounds


def bounds_chart(
    result: Result, environment: Environment, name: str = "bounds", title: str | None = None
) -> Chart:
    """The regret of a policy with its upper bound, if it has one, and the lower, once it applies.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", problem, horizon=10_000, repetitions=2, seed=1, progress=False)
    >>> [line.label for line in bounds_chart(result, problem).panels[0].lines]
    ['tea', 'upper bound', 'lower bound']
    """
    verdict = check(result, environment)
    lower = np.where(verdict.late & (verdict.lower > 0.0), verdict.lower, np.nan)
    rounds = verdict.rounds.astype(np.float64)
    caption = "; ".join([describe([result]), *verdict.verdicts()])
    base = curves([result], name, title, y="log", caption=caption)

    return with_bounds(
        base, [{"upper bound": (rounds, verdict.upper), "lower bound": (rounds, lower)}]
    )
