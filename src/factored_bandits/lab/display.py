"""Progress of several experiments: a bar for all and one each on a terminal; elsewhere a line now
and then.
"""

from __future__ import annotations

import sys
import time

from factored_bandits.core.progress import LINE_EVERY, WIDTH, duration


class ProgressDisplay:
    """`ProgressDisplay({"rank1": 12.0}).done("rank1", 3.0)`; figures are estimated seconds of work;
    writes to standard error.

    >>> ProgressDisplay({"rank1": 12.0}, enabled=False).done("rank1", 3.0)
    """

    def __init__(self, totals: dict[str, float], enabled: bool = True) -> None:
        self.totals = totals
        self.enabled = enabled
        self.finished = dict.fromkeys(totals, 0.0)
        self.here = 0.0  # of the work, what was done by this run
        self.began = time.monotonic()
        self.shown = 0.0
        self.height = 0
        self.terminal = sys.stderr.isatty()

    def found(self, name: str, seconds: float) -> None:
        """Work that was finished before this run."""
        self.finished[name] += seconds

    def done(self, name: str, seconds: float) -> None:
        """A unit of `name` is finished."""
        self.finished[name] += seconds
        self.here += seconds
        complete = self.finished[name] >= self.totals[name] * (1.0 - 1e-9)
        self.show(f"{name} is complete" if complete else "")

    def show(self, news: str = "") -> None:
        """Draw, if it is time to or there is something new."""
        now = time.monotonic()
        if not self.enabled or (
            not news and now - self.shown < (0.2 if self.terminal else LINE_EVERY)
        ):
            return

        self.shown = now
        if self.terminal:
            lines = [
                self._bar(
                    "all", sum(self.finished.values()), sum(self.totals.values()), self._left(now)
                )
            ]
            lines += [
                self._bar(name, self.finished[name], total) for name, total in self.totals.items()
            ]
            up = f"\x1b[{self.height}A" if self.height else ""
            sys.stderr.write(up + "".join(f"\x1b[2K{line}\n" for line in lines))
            self.height = len(lines)
        else:
            share = sum(self.finished.values()) / (sum(self.totals.values()) or 1.0)
            sys.stderr.write(
                f"{share:4.0%} of the work done, {self._left(now)}{'; ' if news else ''}{news}\n"
            )

        sys.stderr.flush()

    def _left(self, now: float) -> str:
        left = sum(self.totals.values()) - sum(self.finished.values())
        return (
            f"{duration((now - self.began) * left / self.here)} left"
            if self.here > 0.0
            else "time left unknown"
        )

    def _bar(self, name: str, done: float, total: float, tail: str = "") -> str:
        share = min(1.0, done / total) if total else 1.0
        bar = "━" * round(WIDTH * share) + "╌" * (WIDTH - round(WIDTH * share))
        return f"{name:<16} {bar} {share:4.0%} {tail}".rstrip()
