"""CPU seconds of the report of a finished laboratory, part by part.

    factored-bandits reproduce --quick          # into ./laboratory
    python benchmarks/report.py [FOLDER]        # by default laboratory

It reads whatever results the folder has, also those of other code, so that two versions of the
report can be compared on the same results; the page goes to a folder that is removed.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from factored_bandits import lab
from factored_bandits.lab.page import claims_of, write
from factored_bandits.lab.results import Results
from factored_bandits.lab.store import Store
from factored_bandits.report.chart import Chart
from factored_bandits.report.html import page

TARGET = 10.0  # CPU seconds for everything but reading


class AnyCode(Store):
    """A folder whose results are taken by their number, whatever code they are of."""

    def path(self, frame, task):
        own = super().path(frame, task)
        preset, number, _ = own.name.split("-")
        return next(iter(sorted(own.parent.glob(f"{preset}-{number}-*"))), own)


@contextlib.contextmanager
def timed(spent: dict[str, float], part: str) -> Iterator[None]:
    began = time.process_time()
    yield
    spent[part] = spent.get(part, 0.0) + time.process_time() - began


def counted(spent, part, function):
    """The function, with its time noted."""

    def run(*args, **kwargs):
        with timed(spent, part):
            return function(*args, **kwargs)

    return run


def main(folder: Path) -> None:
    spent: dict[str, float] = {}
    with timed(spent, "reading"):
        specs = [lab.load(name).SPEC for name in lab.names()]
        found = [Results.read(AnyCode(folder), spec, "quick") for spec in specs]
    found = [results for results in found if not results.missing]
    if not found:
        sys.exit(
            f"no experiment in {folder} is finished: factored-bandits reproduce --out {folder}"
        )

    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as out, contextlib.ExitStack() as stack:
        drawn = counted(figures, "figures drawn", Chart.figure)
        saved = counted(figures, "figures saved", page.save)
        stack.enter_context(mock.patch.object(Chart, "figure", drawn))
        stack.enter_context(mock.patch.object(page, "save", saved))
        with timed(spent, "claims"):
            told = claims_of(found)
        with timed(spent, "charts and page"):
            write(Path(out), found, told)
    spent["charts and page"] -= sum(figures.values())
    spent |= figures

    print(f"Report of {len(found)} experiments, {len(told)} claims: CPU seconds")
    for part, seconds in spent.items():
        print(f"  {part:<28} {seconds:6.2f}")
    total = sum(spent.values()) - spent["reading"]
    print(f"  {'all but reading':<28} {total:6.2f}   below {TARGET:g}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "laboratory"))
