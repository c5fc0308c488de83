"""What one repetition left."""

from __future__ import annotations

from typing import NamedTuple

from factored_bandits.core.arrays import Floats, Ints


class Record(NamedTuple):
    """One repetition."""

    regret: Floats  # (C,) at the checkpoints
    plays: Ints  # (levels,) of all factors, one after the other
    events: Ints  # (E, 3) round, level among those of all factors, 1 in or 0 out
