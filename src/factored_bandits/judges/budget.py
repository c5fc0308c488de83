"""What a run may spend, and what it has spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from factored_bandits.core.checks import finite, integer, shown
from factored_bandits.errors import InvalidInputError


@dataclass(frozen=True)
class Budget:
    """What a run may spend at most.

    Parameters
    ----------
    calls
        Calls of the judge. Every call counts that may have been paid for: those that failed, too,
        unless the service refused them (HTTP 429, no connection) or the judge returned None.
    cost
        Money, in the currency in which the judge states the cost of its verdicts. No call begins
        if those in flight are expected to spend the rest; what a call costs is known only
        afterwards, so that the last ones may exceed the limit a little.

    Raises
    ------
    InvalidInputError
        If there is no limit at all, or one is not positive.

    Examples
    --------
    >>> Budget(calls=500, cost=2.0)
    Budget(calls=500, cost=2.0)
    """

    calls: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if self.calls is None and self.cost is None:
            raise InvalidInputError(
                "a budget needs a limit, or a run among equal candidates would never end: give "
                "calls=..., cost=... or both"
            )
        if self.calls is not None:
            object.__setattr__(self, "calls", integer("calls", self.calls, 1))
        if self.cost is not None and finite("cost", self.cost) <= 0.0:
            raise InvalidInputError(f"cost must be a positive number, not {shown(self.cost)}")


def checked_budget(given: Any) -> Budget:
    """A budget; a number alone is a number of calls.

    >>> checked_budget(300)
    Budget(calls=300, cost=None)
    """
    return given if isinstance(given, Budget) else Budget(calls=integer("budget", given, 1))


@dataclass
class Spending:
    """What was spent so far, and whether the budget allows another call."""

    budget: Budget
    answered: int = 0  # calls with a verdict
    failed: int = 0  # calls without one that may have been paid for
    refused: int = 0  # tries that cannot have been: rate limits, no connection, None
    given_up: int = 0  # calls that were tried as often as is allowed, in vain
    cost: float = 0.0
    in_flight: int = 0

    @property
    def calls(self) -> int:
        """All calls that may have been paid for."""
        return self.answered + self.failed

    def limit(self, retry: bool = False) -> str | None:
        """Which limit forbids another call; None if none does.

        A `retry` is of a call that is counted among those in flight already.

        >>> spending = Spending(Budget(cost=1.0), answered=8, cost=0.8, in_flight=1)
        >>> spending.limit()
        >>> spending.in_flight = 2  # of 0.1 each
        >>> spending.limit()
        'cost'
        """
        most_calls = math.inf if self.budget.calls is None else self.budget.calls
        in_flight = self.in_flight - retry
        if self.calls + in_flight >= most_calls:
            return "calls"

        if self.budget.cost is not None:
            usual = self.cost / self.calls if self.calls else 0.0
            # sums of prices such as 0.1 are not exact; a limit that is reached but for that is
            if self.cost + usual * in_flight >= self.budget.cost * (1.0 - 1e-9):
                return "cost"
        return None

    def share(self) -> float:
        """How much of the budget is spent, from 0 to 1."""
        calls = self.calls / self.budget.calls if self.budget.calls else 0.0
        cost = self.cost / self.budget.cost if self.budget.cost else 0.0
        return min(1.0, max(calls, cost))
