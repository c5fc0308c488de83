"""How often somebody may try a key that does not exist."""

from __future__ import annotations

import time
from collections import OrderedDict

ALLOWED = 10  # attempts in a row
EVERY = 6.0  # seconds after which there is one more
MOST = 10_000  # addresses that are remembered; the one not heard of for longest is forgotten


class Limiter:
    """Attempts by address: so many in a row, then one from time to time.

    Parameters
    ----------
    allowed
        How many in a row.
    every
        Seconds after which there is one more.

    Examples
    --------
    >>> limiter = Limiter(allowed=2, every=6.0)
    >>> for now in (0.0, 1.0):
    ...     limiter.failed("here", now)
    >>> limiter.wait("here", 2.0), limiter.wait("elsewhere", 2.0), limiter.wait("here", 6.0)
    (4.0, 0.0, 0.0)
    """

    def __init__(self, allowed: int = ALLOWED, every: float = EVERY) -> None:
        self._patience = allowed * every
        self._every = every
        # when each address has all of its attempts again
        self._whole: OrderedDict[str, float] = OrderedDict()

    def failed(self, address: str, now: float | None = None) -> None:
        """An attempt has failed."""
        time_now = time.monotonic() if now is None else now
        whole = max(self._whole.pop(address, time_now), time_now)
        self._whole[address] = whole + self._every
        if len(self._whole) > MOST:
            self._whole.popitem(last=False)

    def wait(self, address: str, now: float | None = None) -> float:
        """Seconds until this address may try again; 0 if it may now."""
        time_now = time.monotonic() if now is None else now
        left = self._whole.get(address, time_now) - time_now
        return max(0.0, left - self._patience + self._every)
