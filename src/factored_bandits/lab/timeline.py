"""The elimination timeline of an algorithm, as a chart."""

from __future__ import annotations

from factored_bandits.report.charts import Chart, timeline
from factored_bandits.simulation.eliminations import factor_titles

from .results import Results


def elimination_timeline(results: Results, problem: str, policy: str, title: str) -> list[Chart]:
    """Which level was active when, in the first repetition; no chart without eliminations."""
    every = results.eliminations
    chosen = every[(every.problem == problem) & (every.policy == policy)]
    if chosen.empty:
        return []
    made = results.spec.instance(problem).problem()
    horizon = int(results.rounds(problem)[-1])
    name = f"{results.spec.name}-timeline"
    chart = timeline(
        chosen,
        name,
        title,
        sizes=made.factor_sizes,
        horizon=horizon,
        best=made.best,
        factors=factor_titles(made),
    )
    return [chart]
