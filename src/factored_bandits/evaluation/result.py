"""What an evaluation found."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

Method = Literal["replay", "weighting"]


@dataclass(frozen=True)
class Evaluation:
    """What a policy would have earned per row of a log; print it.

    Attributes
    ----------
    policy
        What was evaluated.
    method
        "replay" or "weighting".
    rows
        How many rows the log has.
    used
        How many of them told something: rounds that were replayed, or rows with a weight.
    effective
        By weighting: how many rows of equal weight would tell as much, (sum w)^2 / sum w^2. By
        replay the same as `used`.
    estimate
        The estimated mean reward; nan if no row told anything.
    lower, upper
        An interval that holds the true mean at all times, with probability 1 - alpha.
    alpha
        The probability that it ever does not.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> log = fb.load_log({"ad": ["A", "B"], "r": [1, 0], "p": [0.5, 0.5]}, ["ad"], "r", "p")
    >>> print(fb.evaluate({"ad": "B"}, log))
    ad=B by weighting: 0, between 0 and 1 at 95 % (1 of 2 rows)
    """

    policy: str
    method: Method
    rows: int
    used: int
    effective: float
    estimate: float
    lower: float
    upper: float
    alpha: float

    def __str__(self) -> str:
        return (
            f"{self.policy} by {self.method}: {self.estimate:.4g}, between {self.lower:.4g} and "
            f"{self.upper:.4g} at {100 * (1 - self.alpha):g} % ({self.used:,} of {self.rows:,} "
            "rows)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON can hold it."""
        return dataclasses.asdict(self)
