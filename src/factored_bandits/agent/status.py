"""What an agent knows of each level, as data and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from factored_bandits.core.arrays import Ints
from factored_bandits.policies import LevelReport

from .labels import Label, Labels

HEADINGS = ("factor", "level", "state", "plays", "gap", "at least", "returns")
NUMBERS_FROM = 3  # columns from here on are set flush right


class LevelStatus(NamedTuple):
    """One level; what the policy does not know is None."""

    factor: str  # "arm" in duels
    level: Label
    active: bool | None  # in or out
    # decisions given out with it; in duels, places taken, so a duel with itself counts twice
    plays: int
    gap: float | None  # estimated distance to the leader, in units of the reward
    lower: (
        float | None
    )  # what the gap is at least, as far as the policy's bounds hold; below 0 = could be the best
    reentry: int | None  # the round in which it comes back; None while it is in


@dataclass(frozen=True)
class Status:
    """What `Agent.status` tells; print it."""

    policy: str
    asked: int  # rounds given out
    learned: int  # rounds whose rewards are in the policy's state
    waiting: int  # rounds given out and not settled
    rows: tuple[LevelStatus, ...]

    def __str__(self) -> str:
        table = [HEADINGS, *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            f"{self.policy}: {self.asked:,} rounds asked, {self.learned:,} learned, "
            f"{self.waiting:,} waiting"
        ]
        return "\n".join([*lines, *(_line(cells, widths) for cells in table)])


def _cells(row: LevelStatus) -> tuple[str, ...]:
    state = {True: "in", False: "out", None: "-"}[row.active]
    gaps = ("-" if value is None else f"{value:.3f}" for value in (row.gap, row.lower))

    return (
        row.factor,
        str(row.level),
        state,
        f"{row.plays:,}",
        *gaps,
        "-" if row.reentry is None else f"{row.reentry:,}",
    )


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    numbered = enumerate(zip(cells, widths, strict=True))
    return "  ".join(
        cell.rjust(w) if i >= NUMBERS_FROM else cell.ljust(w) for i, (cell, w) in numbered
    )


def level_rows(
    labels: Labels, plays: list[Ints], level_reports: list[list[LevelReport]] | None, slope: float
) -> Iterator[LevelStatus]:
    """A row per factor and level; `slope` turns rewards into what the policy saw."""
    names = labels.names
    levels = labels.levels

    if labels.kind == "duel":
        names = ("arm",)
        levels = levels[:1]
        plays = [plays[0] + plays[1]]

    for factor, name in enumerate(names):
        for i, level in enumerate(levels[factor]):
            count = int(plays[factor][i])
            if level_reports is None:
                yield LevelStatus(name, level, None, count, None, None, None)
                continue
            known = level_reports[factor][i]
            gap, lower = (
                None if math.isnan(value) else value / slope for value in (known.gap, known.lower)
            )
            yield LevelStatus(name, level, known.active, count, gap, lower, known.reentry)
