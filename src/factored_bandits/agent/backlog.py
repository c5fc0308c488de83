"""When answers pile up behind a decision that was forgotten, somebody should know."""

from __future__ import annotations

import logging
import warnings

from factored_bandits.errors import BacklogWarning

from .ledger import Ledger

LOGGER = logging.getLogger("factored_bandits")
LOGGER.addHandler(logging.NullHandler())  # silent until somebody listens

EVERY = 64  # rounds between two looks
HELD_BACK = 1000  # answers; fewer are not worth a warning
HELD_BACK_AT_ANY_RATE = 10_000
# below that, a warning is due if few decisions hold back many answers, and the oldest one is
# older than answers ever were: with a steady delay neither is so
PER_DECISION = 10
PATIENCE = 2


def held_back(ledger: Ledger) -> int:
    """How many answers wait for the oldest open decision."""
    oldest = ledger.oldest()
    return 0 if oldest is None else ledger.asked - oldest + 1 - ledger.counters.waiting


class Watch:
    """Warns once; and again only after the backlog was small in between."""

    def __init__(self) -> None:
        self._warned = False

    def look(self, ledger: Ledger) -> str | None:
        """What there is to say, if it has not been said."""
        count = held_back(ledger)
        if count < HELD_BACK:
            self._warned = False
            return None

        oldest = ledger.oldest()
        assert oldest is not None, "something holds the answers back"
        age = ledger.asked - oldest
        unusual = (
            count >= PER_DECISION * ledger.counters.waiting
            and age > PATIENCE * ledger.counters.longest_delay
        )
        if self._warned or not (unusual or count >= HELD_BACK_AT_ANY_RATE):
            return None

        self._warned = True
        return (
            f"decision {oldest} was asked {age:,} rounds ago and is not settled; {count:,} answers "
            "wait for it and are not learned. Tell its reward or expire it; "
            "Agent(..., expire_after=...) does that by itself"
        )


def warn(message: str) -> None:
    """Say it as a warning where `ask` was called, and to the log."""
    LOGGER.warning("%s", message)
    warnings.warn(message, BacklogWarning, stacklevel=3)
