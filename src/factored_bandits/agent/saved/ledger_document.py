"""A ledger as JSON can hold it, and a ledger made of that again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from factored_bandits.agent.ledger import Ledger
from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.packing import pack, unpack
from factored_bandits.errors import DumpError

FLOATS = np.dtype(np.float64)


def document(ledger: Ledger, *, timed: bool) -> dict[str, Any]:
    """Everything; when decisions were given out only if it is `timed`."""
    _check(ledger)
    counters = ledger.counters
    first = counters.learned + 1
    count = counters.planned - counters.learned
    lengths = ledger.lengths.read(counters.first_block, counters.next_block - counters.first_block)

    probabilities = None
    if count > 0 and ledger.probabilities is not None:
        probabilities = pack(ledger.probabilities.read(first, count))

    content = {
        "asked": counters.asked,
        "learned": counters.learned,
        "lengths": lengths.tolist(),
        "actions": None,
        "rewards": None,
        "probabilities": probabilities,
        "expired": list(ledger.expired),
    }
    if count > 0:
        content["actions"] = pack(ledger.actions.read(first, count).astype(np.int64))
        content["rewards"] = pack(ledger.rewards.read(first, count))
    if timed:
        times = ledger.times.read(first, count).copy()
        times[counters.asked - counters.learned :] = math.nan
        content["times"] = pack(times)
    return content


def _check(ledger: Ledger) -> None:
    """Raise an error if the counters contradict what is kept: such a dump would not load."""
    counters = ledger.counters
    blocks = counters.next_block - counters.first_block
    fits = 0 <= counters.learned <= counters.asked <= counters.planned and blocks >= 0

    if fits:
        lengths = ledger.lengths.read(counters.first_block, blocks)
        fits = counters.learned + int(lengths.sum()) == counters.planned and bool(lengths.all())
    if fits:
        fits = sum(1 for _ in ledger.waiting()) == counters.waiting

    if not fits:
        raise DumpError(
            "this agent is damaged, its dump could not be loaded: its counters "
            f"({counters.asked} asked, {counters.learned} learned, {counters.planned} planned, "
            f"{counters.waiting} waiting) contradict the decisions that it keeps. Load its last "
            "dump"
        )


def restored(document: dict[str, Any], sizes: Ints, outcomes: int, now: float) -> Ledger:
    """The ledger that `document` describes, of plays with this many outcomes.

    Decisions of which it is not known when they were given out have the time `now`; NaN leaves it
    unknown.
    """
    asked = document["asked"]
    learned = document["learned"]
    lengths = document["lengths"]
    expired = document["expired"]

    numbers = (asked, learned, *lengths, *expired)
    if not all(isinstance(n, int) for n in numbers) or min([1, *lengths]) < 1:
        raise DumpError("the dump is damaged: its counters are not whole numbers")

    total = sum(lengths)
    if not 0 <= learned <= asked <= learned + total:
        raise DumpError("the dump is damaged: its counters contradict its blocks")

    ledger = Ledger(sizes, outcomes)
    ledger.expired.extend(expired)
    ledger.counters.asked = asked
    ledger.counters.learned = learned
    ledger.counters.planned = learned
    ledger.counters.oldest = learned + 1
    if not lengths:
        return ledger

    columns = (total, len(sizes))
    shape = (total, outcomes) if outcomes else (total,)
    actions = unpack(document["actions"], "actions", np.dtype(np.int64), columns)
    rewards = unpack(document["rewards"], "rewards", FLOATS, shape)
    probabilities = None
    if document["probabilities"] is not None:
        probabilities = unpack(document["probabilities"], "probabilities", FLOATS, columns)

    possible = ((actions >= 0) & (actions < sizes)).all()
    if not possible or not np.isnan(rewards[asked - learned :]).all():
        raise DumpError("the dump is damaged: its open blocks hold plays that cannot be")

    _refill(ledger, lengths, actions, probabilities)
    _settle(ledger, rewards)
    ledger.times.write(learned + 1, _times(document, asked - learned, total, now))
    return ledger


def _refill(
    ledger: Ledger, lengths: list[int], actions: Ints, probabilities: Floats | None
) -> None:
    first = 0
    for length in lengths:
        rows = slice(first, first + length)
        ledger.open(actions[rows], None if probabilities is None else probabilities[rows])
        first += length


def _settle(ledger: Ledger, rewards: Floats) -> None:
    """Put the rewards in; a row with a gap waits, as a whole."""
    rows = rewards.reshape(len(rewards), -1)
    unsettled: Bools = np.asarray(np.isnan(rows).any(axis=1))
    rows[unsettled] = math.nan
    ledger.rewards.write(ledger.learned + 1, rewards)
    ledger.counters.waiting = int(unsettled[: ledger.asked - ledger.learned].sum())
    ledger.recount()


def _times(document: dict[str, Any], given_out: int, total: int, now: float) -> Floats:
    """When each play was given out: ascending, and NaN for those that were not."""
    times = np.full(total, math.nan)
    if "times" not in document:
        times[:given_out] = now
        return times

    times[:] = unpack(document["times"], "times", FLOATS, (total,))
    known = times[:given_out]
    if not np.isfinite(known).all() or (np.diff(known) < 0.0).any():
        raise DumpError("the dump is damaged: the times of its decisions are not in order")
    return times
