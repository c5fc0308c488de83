"""What one repetition found: regret, plays, and the levels that were eliminated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from factored_bandits.core.arrays import Bools, Floats, Ints

ELIMINATED = "eliminated"
RE_ENTERED = "re-entered"


class Elimination(NamedTuple):
    """A level of a factor was eliminated, or re-entered, at the beginning of a round."""

    repetition: int
    round: int
    factor: int
    level: int
    event: str  # "eliminated" or "re-entered"


@dataclass(frozen=True, eq=False)
class RunRecord:
    """One repetition; levels are numbered as the environment numbers them.

    Attributes
    ----------
    repetition
        Its number, which with the seed decides everything that is random in it.
    regret
        Cumulative pseudo-regret (C,) at the checkpoints.
    correct
        Whether the recommendation at each checkpoint (C,) was a best action.
    plays
        Per factor how often each level was played.
    events
        A row (round, factor, level, active) per event: active is 1 where the level re-entered, 0
        where it was eliminated.
    simple_regret
        What a round with the recommendation at each checkpoint (C,) would lose; None where nobody
        computed it.
    p_values
        Per factor the p-value of each level at the horizon; None unless asked for.
    confidence
        Of the certificate at each checkpoint (C,); None unless asked for.
    seconds
        Processor time of the repetition; nan where nobody measured it.
    """

    repetition: int
    regret: Floats
    correct: Bools
    plays: tuple[Ints, ...]
    events: Ints
    simple_regret: Floats | None = None
    p_values: tuple[Floats, ...] | None = None
    confidence: Floats | None = None
    seconds: float = math.nan

    def eliminations(self) -> list[Elimination]:
        """The events, in the order in which they happened."""
        return [
            Elimination(self.repetition, t, factor, level, RE_ENTERED if active else ELIMINATED)
            for t, factor, level, active in self.events.tolist()
        ]
