"""What a reward may be, what a missing one is worth, and what the policy sees of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.policies import Policy, scaling
from factored_bandits.policies.base import FROM_ENVIRONMENT, Range
from factored_bandits.policies.parameters import checked_range

UNIT: Range = (
    0.0,
    1.0,
)  # the default; the object itself, so that a range given and one left alone can be told apart
TIE = 0.5


@dataclass(frozen=True)
class Rewards:
    """The rewards that one agent takes; made by `rewards`."""

    range: Range | None
    outcomes: tuple[float, ...] | None  # of a duel: the only rewards there are
    default: float | None  # None: a missing reward has no value
    shift: float
    slope: float
    factors: tuple[str, ...] | None = (
        None  # each gives an outcome of its own, instead of one reward
    )

    def taken(self, reward: Any) -> float | Floats:
        """What was told of a decision: a reward, or the outcome of each factor; an error says what
        would be allowed.
        """
        return (
            self.checked(reward) if self.factors is None else self._outcomes(reward, self.factors)
        )

    def _outcomes(self, given: Any, factors: tuple[str, ...]) -> Floats:
        if isinstance(given, Mapping) and set(given) == set(factors):
            given = [given[name] for name in factors]
        try:
            listed = [] if isinstance(given, (str, bytes, Mapping)) else list(given)
        except TypeError:
            listed = []

        if len(listed) != len(factors):
            wanted = ", ".join(f"{name!r}: ..." for name in factors)
            raise RewardOutOfRangeError(
                f"the policy learns from the outcome of each factor: give {{{wanted}}}, not "
                f"{given!r}"
            )

        return np.array([self.checked(outcome) for outcome in listed])

    def checked(self, reward: Any) -> float:
        """`reward` as a float, or an error that says what would be allowed."""
        try:
            value = math.nan if isinstance(reward, (str, bytes)) else float(reward)
        except (TypeError, ValueError, OverflowError):
            value = math.nan

        low, high = self.range or (-math.inf, math.inf)
        if not math.isfinite(value):
            raise RewardOutOfRangeError(f"a reward must be a finite number, not {reward!r}")
        if self.outcomes and value not in self.outcomes:
            tie = "0.5 for a tie" if TIE in self.outcomes else "the policy does not learn from ties"
            raise RewardOutOfRangeError(
                f"the reward of a duel is 1 if the first won, 0 if the second did ({tie}), not "
                f"{value:g}"
            )

        if not low <= value <= high:
            raise RewardOutOfRangeError(
                f"the reward {value:.6g} lies outside the declared range ({low:g}, {high:g})"
            )

        return value

    def missing(self) -> float:
        """What stands in for an answer that never came."""
        if self.default is None:
            reason = (
                "the policy does not learn from ties"
                if self.outcomes
                else "raw rewards have no low end"
            )
            raise InvalidInputError(
                f"what is a missing answer worth? {reason}: make the agent with default=..."
            )

        return self.default

    def share(self, given: Floats) -> Floats:
        """Rewards as shares of their range, from 0 to 1."""
        low, high = self.range or (0.0, 1.0)
        return (given - low) / (high - low)

    def mapped(self, given: Floats) -> Floats:
        """Rewards as the policy sees them."""
        return self.shift + self.slope * given


def rewards(
    policy: Policy, reward_range: Any, default: Any, factors: Sequence[str] = ()
) -> Rewards:
    """The rewards that an agent with this policy and these factors takes.

    >>> from factored_bandits import policies
    >>> rewards(policies.make("tea"), (-1, 3), None).default
    -1.0
    """
    chosen = _range(policy, reward_range)
    outcomes = None

    if policy.info.kind == "duel":
        outcomes = (0.0, TIE, 1.0) if policy.info.ties else (0.0, 1.0)
        if chosen not in (UNIT, None):
            raise InvalidInputError(
                f"duels have rewards 0, 0.5 and 1: the reward_range must be (0, 1), not {chosen}"
            )

    made = Rewards(chosen, outcomes, None, *scaling(chosen, policy.info.scale))
    if default is None:
        value = (TIE if TIE in outcomes else None) if outcomes else (chosen[0] if chosen else None)
    else:
        try:
            value = made.checked(default)
        except RewardOutOfRangeError as error:
            raise RewardOutOfRangeError(f"default={default!r}: {error}") from None

    with_outcomes = tuple(factors) if policy.info.feedback == "semi-bandit" else None
    return Rewards(chosen, outcomes, value, made.shift, made.slope, with_outcomes)


def _range(policy: Policy, given: Any) -> Range | None:
    """The agent's range or the one that the policy was made with; an error if they contradict each
    other.
    """
    own = policy.reward_range
    if own == FROM_ENVIRONMENT:
        return checked_range(given)
    if given is not UNIT and checked_range(given) != own:
        raise InvalidInputError(
            f"{policy.label} was made with reward_range={own}; the agent cannot have {given!r}"
        )

    return own
