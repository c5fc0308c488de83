"""Progress that appears only when one would start to wonder.

A bar of tqdm on a terminal and in a notebook; elsewhere, as in a log file, a line now and then.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 2.0  # seconds before anything is shown
LINE_EVERY = 15.0  # seconds between lines where there is no terminal
BAR_EVERY = 0.1  # seconds between two drawings of a bar
WIDTH = 28  # letters of a bar
FORMAT = f"{{desc}} {{bar:{WIDTH}}} {{percentage:3.0f}}%{{postfix}}"


class Progress:
    """A context manager that shows how much of a total is done, on standard error.

    Parameters
    ----------
    title
        What is running.
    total
        What `update` counts to.
    enabled
        Nothing is shown if False.

    Examples
    --------
    >>> with Progress("quick", 10, enabled=True) as bar:
    ...     bar.update(10)
    """

    def __init__(self, title: str, total: float, enabled: bool = True) -> None:
        self.title = title
        self.total = total
        self.enabled = enabled
        self.began = time.monotonic()
        self.shown = 0.0
        self.bar: Any = None  # of tqdm, once it is shown

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close()

    def update(self, done: float, note: str = "", seen: str = "") -> None:
        """Show that `done` of the total is finished, if it is time to.

        Parameters
        ----------
        done
            How much is finished by now, in all.
        note
            What to say instead of the time that is left.
        seen
            What is known by now, said after that.
        """
        now = time.monotonic()
        if not self.enabled or now - self.began < PATIENCE:
            return

        bars = shows_bars()
        if now - self.shown < (BAR_EVERY if bars else LINE_EVERY):
            return

        self.shown = now
        share = min(1.0, done / self.total) if self.total else 1.0
        said = "; ".join(filter(None, [note or time_left(now - self.began, share), seen]))

        if bars:
            if self.bar is None:
                self.bar = new_bar(self.title, self.total)
            set_bar(self.bar, share * self.total, said)
        else:
            sys.stderr.write(f"{self.title}: {share:.0%} {said}".rstrip() + "\n")
            sys.stderr.flush()


def shows_bars() -> bool:
    """Whether there is a terminal or a notebook, which can draw a bar over itself."""
    return sys.stderr.isatty() or _in_notebook()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def new_bar(title: str, total: float, position: int = 0) -> Any:
    """A bar of tqdm at `position` lines from the first; it is erased when it is closed."""
    # Imported when the first bar is drawn: most runs draw none, and imports stay quick.
    from tqdm.auto import tqdm

    return tqdm(
        desc=title,
        total=total,
        position=position,
        leave=False,
        file=sys.stderr,
        bar_format=FORMAT,
        ascii="╌━",
    )


def set_bar(bar: Any, done: float, note: str = "") -> None:
    """Draw the bar with this much done, and a note behind it."""
    bar.n = done
    bar.set_postfix_str(note, refresh=False)
    bar.refresh()


def time_left(elapsed: float, share: float) -> str:
    """How long it will take if it goes on like this; empty before anything is done.

    >>> time_left(30.0, 0.25), time_left(30.0, 0.0)
    ('1 min 30 s left', '')
    """
    return f"{duration(elapsed * (1.0 - share) / share)} left" if share > 0.0 else ""


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(75)
    '1 min 15 s'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
