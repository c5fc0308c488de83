"""Double Thompson Sampling with many arms: the sides of 63 pairs at a time.

A side is "i beats j" with probability p, i < j. It is drawn digit by digit: of a uniform number and
of p, both binary, the first digits that differ decide. One random word holds a digit for each of 63
pairs, the lanes: arm i, the row, against 63 arms in sequence, arm 1 in the first lane. Of p there
are N_ij + 1 digits and no more, one for a pair that has not met; later digits are drawn only where
a lane needs them. What is left after `DIGITS` digits is decided by a uniform number for each.

Wins and losses are counted by lanes as well. Exactly the distribution of sides that are drawn one
by one. Loops over rows go through memory in sequence and do not branch, so that the compiler takes
several rows at once.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.bits import BLOCK, GROUP, bit_sums, nonzero_words
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.core.words import fill_words, random_word

from ._met import lowest_lane
from ._state import BEATS, DIGITS, FULL, LANES, MEMBER, UNDECIDED, State

SCALE = 2.0**DIGITS
MANY_ROWS = 4  # a digit is drawn in all rows while more than one in so many needs it

# a sample of all sides takes as long as so many sides drawn alone, and one for so many pairs more
SIDES_ALONE = 40
PAIRS_A_SIDE = 175


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
    word = (j - 1) // LANES
    lane = 1 << (j - 1 - word * LANES)
    value = scaled(state, i, j)
    whole = kept(value)
    rest = 2 * whole + (value > whole)  # a last digit that stands for all that are not kept

    for b in range(DIGITS):
        state.digits[b, word, i] &= FULL - lane
        if (whole >> (DIGITS - 1 - b)) & 1 == 1:
            state.digits[b, word, i] |= lane

    for b in range(1, DIGITS):
        state.more[b - 1, word, i] &= FULL - lane
        if rest & ((1 << (DIGITS - b)) - 1) > 0:
            state.more[b - 1, word, i] |= lane


@kernel
def words_pay(state: State, least: int) -> bool:
    """Whether a sample of all sides takes less time than one by one, as far as they are needed.

    These would be about 2 l in each row of C, l being the fewest losses: those of the last winner.
    """
    beaten = state.beaten
    arms = len(beaten)
    champion = state.champion[0]

    in_question = 0
    for i in range(arms):
        in_question += beaten[i] == least

    fewest = float(arms)
    if beaten[champion] == least:
        fewest = state.expected[champion]
    alone = 2.0 * in_question * fewest
    return alone > SIDES_ALONE + arms * (arms - 1) // (2 * PAIRS_A_SIDE)


@kernel
def tournament_in_words(state: State, least: int, rng: np.random.Generator) -> int:
    """The arm of C that beats most others in a sample, ties at random.

    Duels between two arms outside of C are not needed, and not all of them are decided.
    """
    lost = state.lost
    member = state.lanes[MEMBER]
    arms = len(lost)

    # each loses to all later arms, but for those that it will be found to beat
    for i in range(arms):
        lost[i] = arms - 1 - i
        member[i] = FULL if state.beaten[i] == least else 0

    for word in range(state.digits.shape[1]):
        rows = rows_of(word, arms)
        draw_sides(state, word, rows, rng)
        count_losses(state, word, rows)

    return fewest_losses(state, least, rng)


@kernel
def rows_of(word: int, arms: int) -> int:
    """How many rows are drawn of this word: those that have a pair in it, in whole blocks."""
    needed = min((word + 1) * LANES, arms - 1)
    return -(-needed // BLOCK) * BLOCK


@kernel
def draw_sides(state: State, word: int, rows: int, rng: np.random.Generator) -> None:
    """Which arms of this word the first `rows` arms beat, into lanes[BEATS]."""
    undecided = state.lanes[UNDECIDED]
    number = draw_two_digits(state, word, rows, rng)

    # in all rows, while many of them need it
    b = 2
    while b < DIGITS and MANY_ROWS * number > rows:
        number = draw_digit(state, b, word, rows, rng)
        b += 1

    if number > 0:
        for start in range(0, rows, GROUP):
            left = nonzero_words(undecided, start)
            while left != 0:
                draw_later_digits(state, b, word, start + lowest_lane(left), rng)
                left &= left - 1


@kernel
def draw_two_digits(state: State, word: int, rows: int, rng: np.random.Generator) -> int:
    """The first two digits of the uniform numbers; returns in how many rows that is not enough."""
    bits = state.bits
    beats = state.lanes[BEATS]
    undecided = state.lanes[UNDECIDED]
    member = state.lanes[MEMBER]
    digits = state.digits[0, word]
    digits_2 = state.digits[1, word]
    more_2 = state.more[0, word]
    eligible = eligible_lanes(member, word)
    number = 0

    fill_words(rng, bits, 2 * rows)
    for i in range(rows):
        drawn = bits[i]
        # where the uniform number has a zero and p a one, it is smaller
        smaller = (FULL ^ drawn) & digits[i]
        # of those that agree, p has no more digits, so the uniform number is not smaller, or it has
        agree = (FULL ^ drawn ^ digits[i]) & (digits_2[i] | more_2[i])

        decided = (bits[rows + i] ^ digits_2[i]) & agree
        beats[i] = smaller | (decided & digits_2[i])
        left = (agree ^ decided) & more_2[i] & (eligible | member[i])
        undecided[i] = left
        number += left != 0

    return number


@kernel
def eligible_lanes(member: Ints, word: int) -> int:
    """The lanes of this word whose arm is in C."""
    start = 1 + word * LANES
    lanes = min(LANES, len(member) - start)
    eligible = 0

    for lane in range(lanes):
        eligible |= member[start + lane] & (1 << lane)

    return eligible


@kernel
def draw_digit(state: State, b: int, word: int, rows: int, rng: np.random.Generator) -> int:
    """Digit b of the uniform numbers; returns in how many rows that is not enough."""
    bits = state.bits
    beats = state.lanes[BEATS]
    undecided = state.lanes[UNDECIDED]
    digits = state.digits[b, word]
    more = state.more[b - 1, word]
    number = 0

    fill_words(rng, bits, rows)
    for i in range(rows):
        decided = (bits[i] ^ digits[i]) & undecided[i]
        beats[i] |= decided & digits[i]
        left = (undecided[i] ^ decided) & more[i]
        undecided[i] = left
        number += left != 0

    return number


@kernel
def draw_later_digits(state: State, b: int, word: int, i: int, rng: np.random.Generator) -> None:
    """Digit b and later ones in one row, as long as something is undecided."""
    undecided = state.lanes[UNDECIDED, i]
    beats = state.lanes[BEATS, i]

    while b < DIGITS and undecided != 0:
        digit = state.digits[b, word, i]
        decided = (random_word(rng) ^ digit) & undecided
        beats |= decided & digit
        undecided = (undecided ^ decided) & state.more[b - 1, word, i]
        b += 1

    # by a number each, the lanes in which all digits that are kept agree
    while undecided != 0:
        lane = lowest_lane(undecided)
        value = scaled(state, i, 1 + word * LANES + lane)
        if rng.random() < value - kept(value):
            beats |= 1 << lane
        undecided &= undecided - 1

    state.lanes[BEATS, i] = beats


@kernel
def count_losses(state: State, word: int, rows: int) -> None:
    """Take from the losses of these rows whom they beat, and add it to those of this word."""
    beats = state.lanes[BEATS]
    sums = state.sums
    lost = state.lost
    start = 1 + word * LANES

    for i in range(min(rows, len(lost))):
        lost[i] -= int(beats[i]).bit_count()

    bit_sums(beats, rows, sums)
    for lane in range(min(LANES, len(lost) - start)):
        lost[start + lane] += sums[lane]


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
