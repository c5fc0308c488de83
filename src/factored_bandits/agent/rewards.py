"""What a reward may be, what a missing one is worth, and what the policy sees of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import shown
from factored_bandits.core.limits import LARGEST_REWARD
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.policies import Policy, scaling
from factored_bandits.policies.base import FROM_ENVIRONMENT, Range
from factored_bandits.policies.parameters import checked_range

# The default range. The object itself tells a range that was given from one that was not.
UNIT: Range = (0.0, 1.0)
TIE = 0.5


@dataclass(frozen=True)
class Rewards:
    """The rewards that one agent takes; made by `rewards`."""

    range: Range | None
    allowed: tuple[float, ...] | None  # of a duel: the only rewards there are
    default: float | None  # None: a missing reward has no value
    shift: float
    slope: float
    # semi-bandit feedback: each of these factors gives an outcome of its own
    factors: tuple[str, ...] | None = None

    @property
    def outcomes(self) -> int:
        """How many outcomes a play has; 0: one reward."""
        return len(self.factors or ())

    def taken(self, reward: Any) -> float | Floats:
        """What was told of a decision: a reward, or with semi-bandit feedback the outcomes.

        An error says what would be allowed.
        """
        if self.factors is None:
            return self.checked(reward)
        return self._outcomes(reward, self.factors)

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

        if not math.isfinite(value):
            raise RewardOutOfRangeError(f"a reward must be a finite number, not {shown(reward)}")

        if self.allowed and value not in self.allowed:
            tie = "0.5 for a tie" if TIE in self.allowed else "the policy does not learn from ties"
            raise RewardOutOfRangeError(
                f"the reward of a duel is 1 if the first won, 0 if the second did ({tie}), not "
                f"{value:g}"
            )

        if abs(value) > LARGEST_REWARD:
            raise RewardOutOfRangeError(
                f"the reward {value:.6g} is too large to be summed; unbounded rewards must lie "
                f"within -{LARGEST_REWARD:g} and {LARGEST_REWARD:g}. Use a larger unit"
            )

        low, high = self.range or (-math.inf, math.inf)
        if not low <= value <= high:
            raise RewardOutOfRangeError(
                f"the reward {value:.6g} lies outside the declared range ({low:g}, {high:g})"
            )

        return value

    def missing(self) -> float:
        """What stands in for an answer that never came."""
        if self.default is None:
            no_ties = "the policy does not learn from ties"
            reason = no_ties if self.allowed else "unbounded rewards have no low end"
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
    allowed = None

    if policy.info.kind == "duel":
        allowed = (0.0, TIE, 1.0) if policy.info.ties else (0.0, 1.0)
        if chosen not in (UNIT, None):
            raise InvalidInputError(
                f"duels have rewards 0, 0.5 and 1: the reward_range must be (0, 1), not {chosen}"
            )

    shift, slope = scaling(chosen, policy.info.scale)
    made = Rewards(chosen, allowed, None, shift, slope)
    value = _default(made) if default is None else _checked_default(made, default)
    with_outcomes = tuple(factors) if policy.info.feedback == "semi-bandit" else None
    return Rewards(chosen, allowed, value, shift, slope, with_outcomes)


def _default(made: Rewards) -> float | None:
    """The low end of the range, in duels a tie, where there are such."""
    if made.allowed:
        return TIE if TIE in made.allowed else None
    return made.range[0] if made.range else None


def _checked_default(made: Rewards, default: Any) -> float:
    try:
        return made.checked(default)
    except RewardOutOfRangeError as error:
        raise RewardOutOfRangeError(f"default={shown(default)}: {error}") from None


def _range(policy: Policy, given: Any) -> Range | None:
    """The agent's range or the one that the policy was made with, if they agree."""
    own = policy.reward_range
    if own == FROM_ENVIRONMENT:
        return checked_range(given)

    if given is not UNIT and checked_range(given) != own:
        raise InvalidInputError(
            f"{policy.label} was made with reward_range={own}; the agent cannot have {given!r}"
        )

    return own
