"""The report of several experiments: claims at the top, then a section with charts for each."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factored_bandits.report.charts import Chart, curves
from factored_bandits.report.claims import Claim
from factored_bandits.report.html.page import Section, write_page

from . import lookup as _lookup
from .results import Results


def claims_of(found: Sequence[Results]) -> list[Claim]:
    """What the experiments decide; an experiment from a file decides nothing."""
    return [
        claim
        for results in found
        if not results.spec.source
        for claim in _module(results).claims(results)
    ]


def write(folder: Path, found: Sequence[Results], claims: Sequence[Claim]) -> Path:
    """Write the page and its figures into the folder, and return the path of the page."""
    return write_page(folder, [section(results) for results in found], claims, facts(found))


def section(results: Results) -> Section:
    """One experiment: its own charts and table, or the curves of regret."""
    spec = results.spec
    charts = _lookup.charts_of(spec)
    table = _lookup.table_of(spec)

    if charts is None:
        drawn: list[Chart] = [curves(results.frame, f"{spec.name}-curves", spec.title)]
    else:
        drawn = charts(results)

    text = spec.text
    if results.missing:
        text += f"\n\n{results.missing} tasks are not finished; what is shown lacks them."

    return Section(spec.name, spec.title, text, drawn, table(results) if table else None)


def facts(found: Sequence[Results]) -> dict[str, str]:
    """How it was run."""
    frames = [results.frame for results in found if len(results.frame)]

    def every(column: str) -> str:
        values = [str(value) for frame in frames for value in frame[column].unique()]
        return ", ".join(dict.fromkeys(values))

    # a row per repetition
    last = [frame[frame["round"] == frame.horizon] for frame in frames]
    seconds = sum(float(frame.seconds.sum()) for frame in last)
    return {
        "experiments": ", ".join(results.spec.name for results in found),
        "preset": ", ".join(dict.fromkeys(results.preset for results in found)),
        "repetitions played": f"{sum(map(len, last)):,}",
        "seconds of one core": f"{seconds:,.0f}",
        "seed": every("seed"),
        "factored-bandits": every("version"),
        "numpy": every("numpy"),
        "numba": every("numba"),
        "machine": every("machine"),
        "written": datetime.datetime.now(tz=datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _module(results: Results) -> Any:
    return _lookup.load(results.spec.name)
