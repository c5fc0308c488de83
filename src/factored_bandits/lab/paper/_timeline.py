"""One life of an algorithm that eliminates, as a chart."""

from __future__ import annotations

from factored_bandits.report.charts import Chart, timeline
from factored_bandits.lab.results import Results


def life(results: Results, problem: str, policy: str, title: str) -> list[Chart]:
    """Which level was in when, in the first repetition; no chart if none was ruled out."""
    every = results.eliminations
    chosen = every[(every.problem == problem) & (every.policy == policy)]
    if chosen.empty:
        return []
    [case] = [case for case in results.spec.cases(results.size) if case.name == problem]
    made, horizon = case.problem(), int(results.rounds(problem)[-1])
    name = f"{results.spec.name}-timeline"
    return [timeline(chosen, name, title, sizes=made.sizes, horizon=horizon, best=made.best)]
