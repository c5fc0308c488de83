"""`effects`: what each level is worth, with the other factors as they were in the log."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.checks import probability, shown
from factored_bandits.core.markup import table_html
from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError
from factored_bandits.logs import Log

from .target import Target
from .weighting import check_weights, difference, value_of

HEADINGS = ("factor", "level", "plays", "reward", "from", "to", "effect", "from", "to")


class LevelEffect(NamedTuple):
    """One level.

    Attributes
    ----------
    factor
        The name of the factor.
    level
        The level.
    plays
        In how many rows it was played.
    reward
        The estimated mean reward if it were played in every row.
    lower, upper
        An interval for that mean reward.
    effect
        The same minus the mean reward of the log.
    effect_lower, effect_upper
        An interval for that difference; above 0 the level is better than what was played.
    """

    factor: str
    level: Any
    plays: int
    reward: float
    lower: float
    upper: float
    effect: float
    effect_lower: float
    effect_upper: float


@dataclass(frozen=True)
class Effects:
    """What `effects` found; print it.

    Attributes
    ----------
    rows
        How many rows the log has.
    alpha
        The probability that an interval is ever wrong, each of them.
    levels
        A row per factor and level.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> log = fb.load_log({"ad": ["A", "B"], "r": [1, 0], "p": [0.5, 0.5]}, ["ad"], "r", "p")
    >>> fb.effects(log).levels[0].plays
    1
    """

    rows: int
    alpha: float
    levels: tuple[LevelEffect, ...]

    def table(self) -> Table:
        """Give all of it as a table."""
        rows = [
            (
                one.factor,
                str(one.level),
                f"{one.plays:,}",
                *(f"{number:.3f}" for number in (one.reward, one.lower, one.upper)),
                *(f"{number:+.3f}" for number in one[6:]),
            )
            for one in self.levels
        ]
        sure = 100 * (1 - self.alpha)
        title = f"{self.rows:,} rows; each interval is valid at any time, at {sure:g} %"
        return Table(title, HEADINGS, rows, align="llrrrrrrr")

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return table_html(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON can hold it."""
        return {**dataclasses.asdict(self), "levels": [one._asdict() for one in self.levels]}


def effects(log: Log, *, alpha: float = 0.05, least: float | None = None) -> Effects:
    """Say what each level of each factor is worth.

    The mean reward that a level would have had in every row, with the other factors as they were
    drawn there; and how much more or less that is than what the log earned.

    Parameters
    ----------
    log
        What `fb.load_log` gave, with propensities for each factor; an agent's own decisions have
        them.
    alpha
        The probability that an interval is ever wrong, for each of them. Divide it by the number of
        levels if all are to hold together.
    least
        What the probability of every level was at least, in every row, if you know that.

    Returns
    -------
    Effects
        A row per level; print it.

    Raises
    ------
    InvalidInputError
        If there are no such propensities, or they do not fit what was played.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"ad": ["A", "B"], "size": [1, 2]}, seed=1)
    >>> written = []
    >>> for _ in range(4000):
    ...     decision = agent.ask()
    ...     written.append((decision, 0.8 if decision.levels["ad"] == "B" else 0.2))
    >>> print(fb.effects(fb.load_log(written)))
    4,000 rows; each interval is valid at any time, at 95 %
    factor  level  plays  reward   from     to  effect    from      to
    ad      B      1,993   0.800  0.796  0.804  +0.301  +0.294  +0.306
    ad      A      2,007   0.200  0.196  0.204  -0.299  -0.306  -0.294
    size    2      1,965   0.498  0.470  0.526  -0.001  -0.023  +0.021
    size    1      2,035   0.500  0.472  0.528  +0.001  -0.021  +0.023
    """
    if not isinstance(log, Log):
        raise InvalidInputError(f"log must be what fb.load_log returned, not {shown(log)}")
    alpha = probability("alpha", alpha)
    if least is not None:
        least = probability("least", least)

    found = []
    for column, (factor, levels) in enumerate(log.factors.items()):
        for index, level in enumerate(levels):
            found.append(_effect(log, column, index, f"{factor}={level}", alpha, least))
    return Effects(len(log), alpha, tuple(found))


def _effect(
    log: Log, column: int, index: int, name: str, alpha: float, least: float | None
) -> LevelEffect:
    only = np.zeros(log.sizes[column])
    only[index] = 1.0
    probabilities = [only if each == column else None for each in range(len(log.factors))]
    target = Target(name, tuple(probabilities))
    log, blocks = target.playable(log)
    weights = target.weights(log)
    cap, seen = target.caps(log, least)
    check_weights(weights, seen, name)

    low, high = log.reward_range
    value = value_of(weights, log.shares, cap, alpha, blocks)
    change = difference(weights, log.shares, cap, alpha, blocks)
    factor = list(log.factors)[column]
    return LevelEffect(
        factor,
        log.factors[factor][index],
        int((weights > 0.0).sum()),
        *(low + (high - low) * share for share in value),
        *((high - low) * share for share in change),
    )
