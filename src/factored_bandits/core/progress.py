"""Progress that appears only when one would start to wonder: a bar on a terminal, now and then a
line elsewhere.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

PATIENCE = 2.0  # seconds before anything is shown
LINE_EVERY = 15.0  # seconds between lines where there is no terminal
WIDTH = 28


class Progress:
    """`with Progress("tea", total) as bar: bar.update(done, note)`; writes to standard error.

    >>> with Progress("quick", 10, enabled=True) as bar:
    ...     bar.update(10)
    """

    def __init__(self, title: str, total: float, enabled: bool = True) -> None:
        self.title = title
        self.total = total
        self.enabled = enabled
        self.began = time.monotonic()
        self.shown = 0.0
        self.terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.shown and self.terminal:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def update(self, done: float, note: str = "") -> None:
        """Show that `done` of the total is finished, if it is time to."""
        now = time.monotonic()
        interval = 0.1 if self.terminal else LINE_EVERY
        if not self.enabled or now - self.began < PATIENCE or now - self.shown < interval:
            return
        self.shown = now
        share = min(1.0, done / self.total) if self.total else 1.0
        left = (now - self.began) * (1.0 - share) / share if share > 0 else float("inf")
        tail = note or (f"{duration(left)} left" if left < float("inf") else "")

        if self.terminal:
            bar = "━" * round(WIDTH * share) + "╌" * (WIDTH - round(WIDTH * share))
            sys.stderr.write(f"\r\x1b[2K{self.title} {bar} {share:4.0%} {tail}")
        else:
            sys.stderr.write(f"{self.title}: {share:.0%} {tail}\n")

        sys.stderr.flush()


def duration(seconds: float) -> str:
    """
    >>> duration(75)
    '1 min 15 s'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
