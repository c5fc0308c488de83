"""Whether a dump could have come from an agent: it may be a forgery with a right checksum.

What is checked before anything large is allocated: the sizes that a dump claims. Afterwards: its
counters, its open plays, and its state (`policies/limits.py`). A dump that passes gives an agent
that goes on; it need not be one that was ever asked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.agent.ledger import DROPPED
from factored_bandits.core.arrays import Ints
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.errors import DumpError
from factored_bandits.policies import Policy
from factored_bandits.policies.limits import SHARE

if TYPE_CHECKING:
    from factored_bandits.agent.parts import Parts

# zlib makes 1032 bytes of one at the most, and base64 makes four characters of three bytes
EXPANSION = 1032 * 3 / 4
SLACK = 4096  # bytes, for small arrays


def check_claims(packed: dict[str, Any]) -> dict[str, list[int]]:
    """The shapes of the arrays of a dump, none of which can be larger than its text allows."""
    shapes: dict[str, list[int]] = {}
    for name, array in packed.items():
        found: dict[str, Any] = array if isinstance(array, dict) else {}
        shape: Any = found.get("shape")
        data = found.get("data")
        whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
        if not whole or not isinstance(data, str):
            raise DumpError(f"the dump is damaged: {name!r} is no array of numbers")

        # no array holds less than a byte per entry
        if math.prod(shape) > EXPANSION * len(data) + SLACK:
            raise DumpError(
                f"the dump is damaged: the array {name!r} claims {math.prod(shape):,} entries, "
                f"which cannot be in {len(data):,} characters"
            )
        shapes[name] = shape

    return shapes


def check_shapes(policy: Policy, sizes: Ints, horizon: int, shapes: dict[str, list[int]]) -> None:
    """Refuse a small dump of a large problem before the state of that problem is made.

    States grow with the sizes. So one begins with a small problem and doubles one size after the
    other, as long as the state does not exceed what the dump claims.
    """
    params = policy.encoded()
    smallest = 2 if policy.info.kind == "duel" else 1
    reached = np.minimum(sizes, smallest)

    while not np.array_equal(reached, sizes):
        try:
            state = policy.module.init(params, reached.copy(), horizon)
        except (ValueError, ArithmeticError):
            state = None  # a policy may refuse a problem that is too small
        if state is not None:
            _check_not_larger(state, shapes)

        if policy.info.kind == "duel":
            reached = np.minimum(2 * reached, sizes)
        else:
            l = int(np.argmax(reached < sizes))
            reached[l] = min(2 * reached[l], sizes[l])


def _check_not_larger(state: Any, shapes: dict[str, list[int]]) -> None:
    for name, array in state._asdict().items():
        claimed = shapes[name]
        fits = len(claimed) == array.ndim
        if not fits or any(n > most for n, most in zip(array.shape, claimed, strict=True)):
            raise DumpError(
                f"the dump does not fit its policy: the array {name!r} cannot be of shape {claimed}"
            )


def check_counters(agent: Parts) -> None:
    """Rounds, expired ids and plays are numbers that can be."""
    ledger = agent._ledger
    if agent._past + ledger.asked > MOST_ROUNDS:
        raise DumpError(
            f"the dump is damaged: it tells of {agent._past + ledger.asked:,} rounds, "
            f"2^53 = {MOST_ROUNDS:,} are the most"
        )

    if not all(1 <= identifier <= ledger.asked for identifier in ledger.expired):
        raise DumpError("the dump is damaged: a decision expired that was never given out")
    if any(((plays < 0) | (plays > ledger.asked)).any() for plays in agent._plays):
        raise DumpError("the dump is damaged: its plays are not those of the rounds asked")


def planned(agent: Parts) -> Ints:
    """The plays that were planned and are not learned, (plays, columns)."""
    ledger = agent._ledger
    count = ledger.planned - ledger.learned
    if count == 0:
        return np.zeros((0, len(agent._plays)), dtype=np.int64)
    return np.asarray(ledger.actions.read(ledger.learned + 1, count), dtype=np.int64)


def check_open_plays(agent: Parts) -> None:
    """Open blocks are as long as a plan can be, with rewards and probabilities that can be."""
    ledger = agent._ledger
    first = ledger.learned + 1
    count = ledger.planned - ledger.learned
    if count == 0:
        return

    counters = ledger.counters
    lengths = ledger.lengths.read(counters.first_block, counters.next_block - counters.first_block)
    longest = agent._policy.longest_block(agent._labels.sizes)
    if lengths.max() > longest:
        raise DumpError(
            f"the dump is damaged: {agent._policy.name} plans at most {longest} plays at once"
        )
    # a new block is planned only when all plays before are given out
    if ledger.asked < ledger.planned - lengths[-1]:
        raise DumpError("the dump is damaged: its counters contradict its blocks")

    rewards = ledger.rewards.read(first, count)
    dropped = (rewards == DROPPED) & agent._policy.info.drops
    for reward in np.unique(rewards[~np.isnan(rewards) & ~dropped]):
        agent._rewards.checked(reward)

    if ledger.probabilities is not None:
        known = ledger.probabilities.read(first, count)
        if not ((known >= SHARE.low) & (known <= SHARE.high)).all():
            raise DumpError("the dump is damaged: its propensities are no probabilities")
