"""What an agent knows of each level, as data and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from factored_bandits.core.arrays import Ints
from factored_bandits.core.markup import Bar, joined, table_html
from factored_bandits.core.table import Table
from factored_bandits.policies import LevelReport

from .labels import Label, Labels

HEADINGS = ("factor", "level", "state", "plays", "gap", "at least", "re-enters")
STATES = {True: "active", False: "eliminated", None: "-"}


class LevelStatus(NamedTuple):
    """One level; what the policy does not know is None.

    Attributes
    ----------
    factor
        The name of the factor; "arm" in duels.
    level
        The level by name.
    active
        Whether it is played; False if it is eliminated.
    plays
        How many decisions were given out with it; a duel of an arm with itself counts twice.
    gap
        The estimated distance to the leader, in units of the reward.
    lower
        What the gap is at least, as long as the policy's bounds hold; below 0 the level could be
        the best one.
    reentry
        The round in which it re-enters; None while it is active.
    """

    factor: str
    level: Label
    active: bool | None
    plays: int
    gap: float | None
    lower: float | None
    reentry: int | None


@dataclass(frozen=True)
class Status:
    """What `Agent.status` tells; print it.

    Attributes
    ----------
    policy
        The label of the policy.
    asked
        How many rounds were given out.
    learned
        How many rounds have their rewards in the policy's state.
    waiting
        How many rounds were given out and are not settled.
    rows
        A row per factor and level.
    oldest
        The id of the oldest decision that is not settled; None if there is none.
    oldest_age
        For how long that decision has been open; None if it is not known when it was asked.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
    >>> decision = agent.ask()
    >>> status = agent.status()
    >>> status.asked, status.waiting, status.backlog, status.oldest
    (1, 1, 1, 1)
    >>> [(row.level, row.plays) for row in status.rows]
    [('red', 1), ('blue', 0)]
    """

    policy: str
    asked: int
    learned: int
    waiting: int
    rows: tuple[LevelStatus, ...]
    oldest: int | None = None
    oldest_age: timedelta | None = field(default=None, compare=False)

    @property
    def backlog(self) -> int:
        """How many rounds were given out and are not learned.

        Returns
        -------
        int
            Those that wait for their reward, and those that are settled and held back by them.
        """
        return self.asked - self.learned

    @property
    def oldest_rounds(self) -> int | None:
        """How many rounds were given out after the oldest decision that is not settled.

        Returns
        -------
        int or None
            None if every decision is settled.
        """
        return None if self.oldest is None else self.asked - self.oldest

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        # a bar is full where a level was played most of its factor
        most: dict[str, int] = {}
        for row in self.rows:
            most[row.factor] = max(row.plays, most.get(row.factor, 1))
        bars = [Bar(row.plays / most[row.factor], row.active is False) for row in self.rows]
        return joined(table_html(self._table(), {"plays": bars}))

    def _table(self) -> Table:
        title = (
            f"{self.policy}: {self.asked:,} rounds asked, {self.learned:,} learned, "
            f"{self.waiting:,} waiting"
        )
        if self.backlog > self.waiting:
            title += f"\n{self._held_back()}"
        return Table(title, HEADINGS, [_cells(row) for row in self.rows], align="lllrrrr")

    def _held_back(self) -> str:
        said = f"answers not learned yet: {self.backlog - self.waiting:,}"
        if self.oldest is None:
            return said

        time = _duration(self.oldest_age)
        rounds = f"{self.oldest_rounds:,} rounds{time}"
        return f"{said}; decision {self.oldest} has been open for {rounds}"


def _duration(age: timedelta | None) -> str:
    """An age in its largest unit, if it is worth the words.

    >>> _duration(timedelta(hours=26)), _duration(timedelta(seconds=3)), _duration(None)
    (' (1.1 days)', '', '')
    """
    seconds = 0.0 if age is None else age.total_seconds()
    for unit, length in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= length:
            return f" ({seconds / length:.1f} {unit})"
    return ""


def _cells(row: LevelStatus) -> tuple[str, ...]:
    gaps = ("-" if value is None else f"{value:.3f}" for value in (row.gap, row.lower))
    reentry = "-" if row.reentry is None else f"{row.reentry:,}"
    return (row.factor, str(row.level), STATES[row.active], f"{row.plays:,}", *gaps, reentry)


def level_rows(
    labels: Labels, plays: list[Ints], reports: list[list[LevelReport]] | None, slope: float
) -> Iterator[LevelStatus]:
    """A row per factor and level; `slope` is that of the map from rewards to the policy's scale."""
    if labels.kind == "duel":
        # a column per factor and side
        half = len(plays) // 2
        plays = [one + other for one, other in zip(plays[:half], plays[half:], strict=True)]

    for factor, name in enumerate(labels.factor_names):
        for i, level in enumerate(labels.levels[factor]):
            count = int(plays[factor][i])
            if reports is None:
                yield LevelStatus(name, level, None, count, None, None, None)
                continue

            known = reports[factor][i]
            gap = _in_rewards(known.gap, slope)
            lower = _in_rewards(known.lower, slope)
            yield LevelStatus(name, level, known.active, count, gap, lower, known.reentry)


def _in_rewards(value: float, slope: float) -> float | None:
    return None if math.isnan(value) else value / slope
