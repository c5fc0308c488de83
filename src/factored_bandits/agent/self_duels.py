"""Duels of an arm with itself, settled without asking.

Many dueling algorithms play an arm against itself: most of them when they are sure of a winner,
some from the start. Nobody can answer such a question; what it teaches, if anything, is known
beforehand: each side wins with probability one half. `INFO.self_duel` of the policy says what
stands in for the answer, a tie or one of the two outcomes at random.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy

from .labels import Labels

ASK = "ask"
SKIP = "skip"
# Duels of an arm with itself that one `ask` skips. A policy that has found its winner may play
# nothing else for ever, or until the logarithm of the round has grown.
MOST_SKIPPED = 1000
SALT = 7  # of the outcomes; any number


class SelfDuels(NamedTuple):
    """What an agent does with them; made by `self_duels`."""

    skipped_at_most: int  # by one `ask`; 0: they are asked like all others
    tie: bool  # what stands in for the answer; otherwise 0 or 1 at random
    counts: bool = False  # what is skipped must be learned before the next choice

    @property
    def choice(self) -> str:
        """The argument of `Agent`."""
        return SKIP if self.skipped_at_most else ASK

    def outcome(self, identifier: int) -> float:
        """What stands in for the answer to this decision.

        It depends on the number of the decision alone, so that an agent that was saved, or returns
        to an earlier state, draws the same again.

        >>> outcomes = [SelfDuels(1000, tie=False).outcome(i) for i in range(1000)]
        >>> set(outcomes), 450 < sum(outcomes) < 550
        ({0.0, 1.0}, True)
        """
        if self.tie:
            return 0.5
        return float(np.random.default_rng([SALT, identifier]).integers(2))


def self_duels(given: Any, policy: Policy, labels: Labels) -> SelfDuels:
    """What an agent with this policy does, checked.

    >>> from factored_bandits import policies
    >>> from factored_bandits.agent.labels import labels
    >>> self_duels("skip", policies.make("dueling_tea"), labels(None, ["A", "B"]))
    SelfDuels(skipped_at_most=1000, tie=True, counts=False)
    """
    if given not in (ASK, SKIP):
        raise InvalidInputError(f"self_duels must be {ASK!r} or {SKIP!r}, not {given!r}")
    if given == SKIP and labels.kind != "duel":
        raise InvalidInputError(
            "self_duels is about duels of an arm with itself; an agent with factors has none"
        )

    tie = policy.info.self_duel == "tie" and policy.info.ties
    return SelfDuels(MOST_SKIPPED if given == SKIP else 0, tie, policy.info.self_duel_counts)
