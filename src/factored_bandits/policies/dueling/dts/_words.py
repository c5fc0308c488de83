"""Double Thompson Sampling with many arms: the sides of 53 pairs at a time.

A side is "i beats j" with probability p. It is drawn digit by digit: of a uniform number and of p,
both binary, the first digits that differ decide. One random number holds a digit for each of 53
pairs, and as N_ij + 1 digits are all that p has, two or three random numbers mostly do for 53 sides
while pairs have hardly met. Digits beyond `DIGITS` are drawn at once, by a uniform number.

Losses are counted 53 at a time as well: `counts[b]` holds digit b of 53 counters in each word.
Exactly the distribution of sides that are drawn one by one.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins

from ._state import BEYOND, DIGITS, LANES, LOWEST, State

UNIT = 2.0**LANES
FULL = 2**LANES - 1
SCALE = 2.0**DIGITS
GROUP = 2**LOWEST - 1  # rows that the lowest digits of a counter can hold

# to count the bits of a word by adding neighbours
EVERY_SECOND = 0x15555555555555
EVERY_FOURTH = 0x33333333333333
EVERY_EIGHTH = 0x0F0F0F0F0F0F0F


@kernel
def bits_set(word: int) -> int:
    """How many of the 53 digits are one.

    >>> bits_set(0b1011), bits_set(FULL)
    (3, 53)
    """
    word = (word & EVERY_SECOND) + ((word >> 1) & EVERY_SECOND)
    word = (word & EVERY_FOURTH) + ((word >> 2) & EVERY_FOURTH)
    word = (word + (word >> 4)) & EVERY_EIGHTH
    word += word >> 8
    word += word >> 16
    word += word >> 32
    return word & 127


@kernel
def scaled(state: State, i: int, j: int) -> float:
    """P(theta_ij > 1/2) 2^DIGITS, from 0 to 2^DIGITS.

    A multiple of 2^-(N + 1): whole as long as N + 1 <= DIGITS, and rounding errors are taken away.
    """
    value = min(max(state.probability[i, j] * SCALE, 0.0), SCALE)
    if state.wins[i, j] + state.wins[j, i] < DIGITS:
        value = float(math.floor(value + 0.5))
    return value


@kernel
def kept(value: float) -> int:
    """The digits that are kept of a scaled probability; all ones for 1, which leaves one over."""
    return int(min(value, SCALE - 1.0))


@kernel
def write_digits(state: State, i: int, j: int) -> None:
    """The digits of P(theta_ij > 1/2), i < j, from which sides are drawn."""
    digits = state.digits
    word = j // LANES
    lane = 1 << (j - word * LANES)
    value = scaled(state, i, j)
    whole = kept(value)
    last = 0 if value == whole else BEYOND

    for b in range(DIGITS):
        if (whole >> (DIGITS - 1 - b)) & 1 == 1:
            digits[i, b, word] |= lane
            last = max(last, b + 1)
        else:
            digits[i, b, word] &= FULL - lane

    state.depth[i, word] = max(state.depth[i, word], last)


@kernel
def draw_sides(state: State, i: int, word: int, asked: int, rng: np.random.Generator) -> int:
    """Which of the arms `asked` for, a set of lanes of this word, arm i beats in the sample."""
    digits = state.digits
    deepest = state.depth[i, word]
    undecided = asked
    beats = 0

    for b in range(min(deepest, DIGITS)):
        digit = digits[i, b, word]
        decided = (int(rng.random() * UNIT) ^ digit) & undecided
        # the uniform number has a zero where p has a one: it is smaller
        beats |= decided & digit
        undecided ^= decided
        if undecided == 0:
            return beats

    # where p has no more digits the uniform number is not smaller
    if deepest == BEYOND:
        for lane in range(LANES):
            if (undecided >> lane) & 1 == 1:
                value = scaled(state, i, word * LANES + lane)
                if rng.random() < value - kept(value):
                    beats |= 1 << lane

    return beats


@kernel
def tournament_in_words(state: State, least: int, first: int, rng: np.random.Generator) -> int:
    """The arm of C that beats most others in a sample, ties at random.

    The duels of `first` are drawn already and counted in `lost`; duels between two arms outside of
    C are not needed.
    """
    beaten = state.beaten
    lost = state.lost
    counts = state.counts
    eligible = state.eligible
    arms = len(lost)

    for word in range(len(eligible)):
        eligible[word] = 0
        for b in range(len(counts)):
            counts[b, word] = 0
    for i in range(arms):
        if beaten[i] == least:
            eligible[i // LANES] |= 1 << (i % LANES)

    rows = 0
    for i in range(arms):
        if i != first:
            losses = 0
            for word in range(i // LANES, len(eligible)):
                asked = lanes_after(word, i, first, arms)
                if beaten[i] != least:
                    asked &= eligible[word]
                if asked != 0:
                    beats = draw_sides(state, i, word, asked, rng)
                    losses += bits_set(asked ^ beats)
                    count_lowest(counts, word, beats)
            lost[i] += losses

            rows += 1
            if rows % GROUP == 0:
                fold(counts)

    fold(counts)
    add_counts(counts, lost)
    return fewest_losses(state, least, rng)


@kernel
def lanes_after(word: int, i: int, first: int, arms: int) -> int:
    """The lanes of a word that belong to arms after i, without `first`.

    >>> bin(lanes_after(0, 2, 4, 6)), bin(lanes_after(1, 2, 4, 56))
    ('0b101000', '0b111')
    """
    start = word * LANES
    lanes = FULL
    if arms - start < LANES:
        lanes = (1 << (arms - start)) - 1
    if i >= start:
        lanes &= FULL - ((2 << (i - start)) - 1)
    if start <= first < start + LANES:
        lanes &= FULL - (1 << (first - start))
    return lanes


@kernel
def count_lowest(counts: Ints, word: int, lanes: int) -> None:
    """One more for each of these lanes, in the lowest digits: they must not overflow."""
    for b in range(LOWEST):
        carried = counts[b, word] & lanes
        counts[b, word] ^= lanes
        lanes = carried


@kernel
def fold(counts: Ints) -> None:
    """Add the three lowest digits to the counters above them, and begin again at zero."""
    for word in range(counts.shape[1]):
        carried = 0
        for b in range(LOWEST, counts.shape[0]):
            added = 0
            if b < 2 * LOWEST:
                added = counts[b - LOWEST, word]
                counts[b - LOWEST, word] = 0
            elif carried == 0:
                break
            old = counts[b, word]
            counts[b, word] = old ^ added ^ carried
            carried = (old & added) | (carried & (old ^ added))


@kernel
def add_counts(counts: Ints, lost: Ints) -> None:
    """The counters, as numbers, into the losses of all arms."""
    for b in range(LOWEST, counts.shape[0]):
        for j in range(len(lost)):
            word = j // LANES
            lost[j] += ((counts[b, word] >> (j - word * LANES)) & 1) << (b - LOWEST)


@kernel
def fewest_losses(state: State, least: int, rng: np.random.Generator) -> int:
    """The arm of C with the fewest losses, ties at random."""
    lost = state.lost
    choice = 0
    fewest = len(lost)
    ties = 0

    for i in range(len(lost)):
        if state.beaten[i] == least and lost[i] <= fewest:
            if lost[i] < fewest:
                fewest = lost[i]
                ties = 0
            ties += 1
            if tie_wins(rng, ties):
                choice = i

    return choice
