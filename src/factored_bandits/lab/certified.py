"""The chart of what could be signed in the end, for the suites."""

from __future__ import annotations

from factored_bandits.lab.results import Results
from factored_bandits.report.charts import Chart, certified


def certified_charts(results: Results, title: str) -> list[Chart]:
    """One chart; none as long as no policy with p-values has finished."""
    found = results.certified()
    return [certified(found, f"{results.spec.name}-certified", title)] if found else []
