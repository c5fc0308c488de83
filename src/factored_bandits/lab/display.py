"""Progress of several experiments: a bar for all and one each, or a line now and then."""

from __future__ import annotations

import sys
import time
from typing import Any

from factored_bandits.core.progress import LINE_EVERY, duration, new_bar, set_bar, shows_bars

BARS_EVERY = 0.2  # seconds between two drawings of the bars
NAME_WIDTH = 16  # letters of the names before the bars


class ProgressDisplay:
    """Shows on standard error how much of each experiment is done.

    Parameters
    ----------
    totals
        Estimated seconds of work per experiment.
    enabled
        Nothing is shown if False.

    Examples
    --------
    >>> ProgressDisplay({"rank1": 12.0}, enabled=False).done("rank1", 3.0)
    """

    def __init__(self, totals: dict[str, float], enabled: bool = True) -> None:
        self.totals = totals
        self.enabled = enabled
        self.finished = dict.fromkeys(totals, 0.0)
        self.here = 0.0  # of the work, what was done by this run
        self.began = time.monotonic()
        self.shown = 0.0
        self.bars: list[Any] = []  # of tqdm: one for all, one for each experiment

    def start(self) -> None:
        """Tasks begin now: what went before, such as compiling, says nothing of their speed."""
        self.began = time.monotonic()

    def found(self, name: str, seconds: float) -> None:
        """Work that was finished before this run."""
        self.finished[name] += seconds

    def done(self, name: str, seconds: float) -> None:
        """A task of `name` is finished."""
        self.finished[name] += seconds
        self.here += seconds
        # sums of many estimates are rounded
        complete = self.finished[name] >= self.totals[name] * (1.0 - 1e-9)
        self.show(f"{name} is complete" if complete else "")

    def show(self, news: str = "") -> None:
        """Draw, if it is time to or there is something new."""
        if not self.enabled:
            return

        now = time.monotonic()
        bars = shows_bars()
        if not news and now - self.shown < (BARS_EVERY if bars else LINE_EVERY):
            return

        self.shown = now
        if bars:
            self._draw(self._left(now))
        else:
            self._write(self._left(now), news)

    def close(self) -> None:
        """Leave the bars as they are, and go on below them."""
        for bar in self.bars:
            bar.leave = True
            bar.close()
        self.bars = []

    def _draw(self, left: str) -> None:
        names = ["all", *self.totals]
        totals = [sum(self.totals.values()), *self.totals.values()]
        finished = [sum(self.finished.values()), *self.finished.values()]
        notes = [left] + [""] * len(self.totals)

        if not self.bars:
            self.bars = [
                new_bar(f"{name:<{NAME_WIDTH}}", total, position)
                for position, (name, total) in enumerate(zip(names, totals, strict=True))
            ]
        for bar, total, done, note in zip(self.bars, totals, finished, notes, strict=True):
            set_bar(bar, min(total, done), note)

    def _write(self, left: str, news: str) -> None:
        total = sum(self.totals.values())
        share = sum(self.finished.values()) / total if total else 1.0
        told = f"; {news}" if news else ""
        sys.stderr.write(f"{share:4.0%} of the work done, {left}{told}\n")
        sys.stderr.flush()

    def _left(self, now: float) -> str:
        if self.here <= 0.0:
            return "time left unknown"
        left = sum(self.totals.values()) - sum(self.finished.values())
        return f"{duration((now - self.began) * left / self.here)} left"
