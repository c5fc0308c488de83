"""What the writers count, for those who operate them; and an alarm if the clock jumps.

A decision expires by the clock. If that jumps ahead, everything that waits expires at once, as if
nobody had answered; so a jump is worth an alarm. It is seen against a clock that cannot jump.
"""

from __future__ import annotations

import bisect
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable

from factored_bandits.service.store import Event

LOGGER = logging.getLogger("factored_bandits.service")
JUMP = 5.0  # seconds within one minute; clocks that are set right by and by stay far below
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # requests in a batch


class Meter:
    """Counts of one engine; threads share it."""

    def __init__(self) -> None:
        self.events: Counter[tuple[str, str]] = Counter()  # by experiment and kind
        self.batches = [0] * (len(SIZES) + 1)  # by size; the last one is for larger ones
        self.requests = 0  # in all batches
        self.jumps = 0
        self.steady = True  # whether the clock is to go on by itself; False where it is simulated
        self._lock = threading.Lock()
        self._offset: float | None = None  # of the clock, against one that cannot jump
        self._looked = 0.0

    def batch(self, requests: int, logs: Iterable[tuple[str, list[Event]]]) -> None:
        """A transaction was committed, or had nothing to write."""
        with self._lock:
            self.batches[bisect.bisect_left(SIZES, requests)] += 1
            self.requests += requests
            for key, events in logs:
                for kind, amount in Counter([event.kind for event in events]).items():
                    self.events[key, kind] += amount

    def clock(self, microseconds: int) -> None:
        """The time of a transaction; a warning if it is not what is to be expected."""
        if not self.steady:
            return
        now = time.monotonic()
        offset = microseconds / 1e6 - now
        with self._lock:
            if self._offset is None:
                self._offset = offset
                self._looked = now
            jump = offset - self._offset
            jumped = abs(jump) > JUMP
            if jumped or now - self._looked > 60.0:
                self._offset = offset
                self._looked = now
            self.jumps += jumped
        if jumped:
            LOGGER.warning(
                "the clock jumped by %+.1f s: decisions expire by it, and may have expired too "
                "early; was it set, or did the machine sleep?",
                jump,
            )
