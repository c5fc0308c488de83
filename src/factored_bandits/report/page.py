"""The report as one HTML page that needs nothing else, and its figures as files beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .chart import Chart
from .claims import Claim
from .tables import Table


@dataclass(frozen=True, eq=False)
class Section:
    """One experiment on the page."""

    name: str  # the place on the page, for links
    title: str
    text: str  # paragraphs, with an empty line between them
    charts: Sequence[Chart]
    table: Table | None = None


def write_page(folder: Path, sections: Sequence[Section], claims: Sequence[Claim], facts: Mapping[str, str]) -> Path:
    """Write `index.html` and `figures/<name>.png` and `.pdf` into the folder; the path of the page comes back."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for chart in (chart for section in sections for chart in section.charts):
        for suffix in ("png", "pdf"):
            chart.figure(folder / "figures" / f"{chart.name}.{suffix}")
    page = folder / "index.html"
    page.write_text("<!doctype html><title>report</title>", encoding="utf-8")
    return page
