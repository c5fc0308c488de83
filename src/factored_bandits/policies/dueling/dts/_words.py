"""Double Thompson Sampling with many arms: the sides of 53 pairs at a time.

A side is "i beats j" with probability p. It is drawn digit by digit: of a uniform number and of p,
both binary, the first digits that differ decide. One random number holds a digit for each of 53
pairs, and N_ij + 1 digits are all that p has: one of a pair that has not met. The second and later
digits are needed by few pairs, so several words share the bits of one random number, none of which
is used twice. Digits beyond `DIGITS` are drawn at once, by a uniform number.

Losses are counted 53 at a time as well: `counts[b]` holds digit b of 53 counters in each word.
Exactly the distribution of sides that are drawn one by one.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins

from ._state import BEYOND, DIGITS, LANES, LONGER, LOWEST, State

UNIT = 2.0**LANES
FULL = 2**LANES - 1
SCALE = 2.0**DIGITS
GROUP = 2**LOWEST - 1  # rows that the lowest digits of a counter can hold


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
            digits[b, i, word] |= lane
            last = max(last, b + 1)
        else:
            digits[b, i, word] &= FULL - lane

    state.depth[i, word] = max(state.depth[i, word], last)
    if last > 1:
        digits[LONGER, i, word] |= lane
    else:
        digits[LONGER, i, word] &= FULL - lane


@kernel
def draw_sides(
    state: State, i: int, word: int, asked: int, spare: int, unused: int, rng: np.random.Generator
) -> tuple[int, int, int]:
    """Which of the arms `asked` for, a set of lanes of this word, arm i beats in the sample.

    `spare` holds random bits, those in the lanes `unused` have decided nothing yet. Both are
    returned as they are left.
    """
    digits = state.digits
    digit = digits[0, i, word]
    bits = int(rng.random() * UNIT)

    # where the uniform number has a zero and p a one, it is smaller
    beats = (FULL ^ bits) & digit & asked
    # of those that agree, p has no more digits, so the uniform number is not smaller, or it has
    undecided = (FULL ^ bits ^ digit) & digits[LONGER, i, word] & asked
    if undecided == 0:
        return beats, spare, unused

    deepest = state.depth[i, word]
    for b in range(1, min(deepest, DIGITS)):
        if undecided & unused != undecided:
            spare = int(rng.random() * UNIT)
            unused = FULL
        unused ^= undecided

        digit = digits[b, i, word]
        decided = (spare ^ digit) & undecided
        beats |= decided & digit
        undecided ^= decided
        if undecided == 0:
            return beats, spare, unused

    if deepest == BEYOND:
        for lane in range(LANES):
            if (undecided >> lane) & 1 == 1:
                value = scaled(state, i, word * LANES + lane)
                if rng.random() < value - kept(value):
                    beats |= 1 << lane

    return beats, spare, unused


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

    # who is left to be asked for, of all arms and of those in C: `first` is not, nor those done
    present = state.seen
    for word in range(len(eligible)):
        present[word] = 0
        eligible[word] = 0
        for b in range(len(counts)):
            counts[b, word] = 0
    for i in range(arms):
        if i != first:
            present[i // LANES] |= 1 << (i % LANES)
            if beaten[i] == least:
                eligible[i // LANES] |= 1 << (i % LANES)

    spare = 0
    unused = 0
    rows = 0
    for i in range(arms):
        if i != first:
            own_word = i // LANES
            others = FULL - (1 << (i - own_word * LANES))
            present[own_word] &= others
            eligible[own_word] &= others
            in_question = beaten[i] == least

            losses = 0
            for word in range(own_word, len(eligible)):
                asked = present[word] if in_question else eligible[word]
                beats, spare, unused = draw_sides(state, i, word, asked, spare, unused, rng)
                count_lowest(counts, word, beats)
                losses += int(asked ^ beats).bit_count()
            lost[i] += losses

            rows += 1
            if rows == GROUP:
                fold(counts)
                rows = 0

    fold(counts)
    add_counts(counts, lost)
    return fewest_losses(state, least, rng)


@kernel
def count_lowest(counts: Ints, word: int, lanes: int) -> None:
    """One more for each of these lanes, in the lowest digits: they must not overflow."""
    for b in range(LOWEST):
        carried = counts[b, word] & lanes
        counts[b, word] ^= lanes
        lanes = carried


@kernel
def fold(counts: Ints) -> None:
    """Add the lowest digits to the counters above them, and begin again at zero."""
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
    for word in range(counts.shape[1]):
        start = word * LANES
        lanes = min(LANES, len(lost) - start)
        for b in range(LOWEST, counts.shape[0]):
            digit = counts[b, word]
            for lane in range(lanes):
                lost[start + lane] += ((digit >> lane) & 1) << (b - LOWEST)


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
