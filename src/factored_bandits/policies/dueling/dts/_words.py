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
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import fill_words
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.blocks.posterior import draw_above_half_quickly

from ._state import BEATS, BITS, DIGITS, LANES, LISTED, MEMBER, UNDECIDED, State

FULL = 2**LANES - 1
SCALE = 2.0**DIGITS

# a side drawn alone takes as long as so many of those that are drawn 63 at a time: about 20 with
# 64 arms, 80 with 1024
ADVANTAGE = 60


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
        state.more[b, word, i] &= FULL - lane
        if (whole >> (DIGITS - 1 - b)) & 1 == 1:
            state.digits[b, word, i] |= lane
        if rest & ((1 << (DIGITS - b)) - 1) > 0:
            state.more[b, word, i] |= lane


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
    return 4 * ADVANTAGE * in_question * fewest > arms * arms


@kernel
def tournament_in_words(state: State, least: int, rng: np.random.Generator) -> int:
    """The arm of C that beats most others in a sample, ties at random.

    Duels between two arms outside of C are not needed, and their losses are not all counted.
    """
    lost = state.lost
    member = state.lanes[MEMBER]
    beats = state.lanes[BEATS]
    arms = len(lost)

    # each loses to all later arms, but for those that it will be found to beat
    for i in range(arms):
        lost[i] = arms - 1 - i
        member[i] = FULL if state.beaten[i] == least else 0

    for word in range(state.digits.shape[1]):
        rows = min((word + 1) * LANES, arms - 1)
        draw_sides(state, word, rows, rng)
        for i in range(rows):
            lost[i] -= int(beats[i]).bit_count()
        count_lanes(state, word, rows)

    return fewest_losses(state, least, rng)


@kernel
def draw_sides(state: State, word: int, rows: int, rng: np.random.Generator) -> None:
    """Which arms of this word the first `rows` arms beat, into lanes[BEATS]."""
    bits = state.lanes[BITS]
    beats = state.lanes[BEATS]
    undecided = state.lanes[UNDECIDED]
    member = state.lanes[MEMBER]
    digits = state.digits[0, word]
    more = state.more[0, word]
    present, eligible = asked_for(member, word)

    fill_words(rng, bits, rows)
    for i in range(rows):
        asked = eligible | (present & member[i])
        digit = digits[i]
        drawn = bits[i]
        # where the uniform number has a zero and p a one, it is smaller
        beats[i] = (FULL ^ drawn) & digit & asked
        # of those that agree, p has no more digits, so the uniform number is not smaller, or it has
        undecided[i] = (FULL ^ drawn ^ digit) & more[i] & asked

    # row i is against later arms only
    for i in range(word * LANES, rows):
        later = FULL ^ ((1 << (i - word * LANES)) - 1)
        beats[i] &= later
        undecided[i] &= later

    draw_later_digits(state, word, rows, rng)


@kernel
def asked_for(member: Ints, word: int) -> tuple[int, int]:
    """The lanes of this word that have an arm, and those whose arm is in C."""
    start = 1 + word * LANES
    lanes = min(LANES, len(member) - start)
    present = FULL >> (LANES - lanes)
    eligible = 0

    for lane in range(lanes):
        eligible |= member[start + lane] & (1 << lane)

    return present, eligible


@kernel
def draw_later_digits(state: State, word: int, rows: int, rng: np.random.Generator) -> None:
    """Decide what the first digit has left undecided."""
    undecided = state.lanes[UNDECIDED]
    listed = state.lanes[LISTED]

    # in all rows, while most of them need it
    b = 1
    while b < DIGITS and 2 * rows_undecided(undecided, rows) > rows:
        draw_digit(state, b, word, rows, rng)
        b += 1

    # the rows in which something is: written down without a branch, which nobody could predict
    length = 0
    for i in range(rows):
        listed[length] = i
        length += undecided[i] != 0

    while b < DIGITS and length > 0:
        length = draw_digit_of_listed(state, b, word, length, rng)
        b += 1

    for k in range(length):
        draw_rest(state, word, listed[k], rng)


@kernel
def rows_undecided(undecided: Ints, rows: int) -> int:
    """In how many rows something is undecided."""
    number = 0
    for i in range(rows):
        number += undecided[i] != 0
    return number


@kernel
def draw_digit(state: State, b: int, word: int, rows: int, rng: np.random.Generator) -> None:
    """Digit b of the uniform numbers in all rows."""
    bits = state.lanes[BITS]
    beats = state.lanes[BEATS]
    undecided = state.lanes[UNDECIDED]
    digits = state.digits[b, word]
    more = state.more[b, word]

    fill_words(rng, bits, rows)
    for i in range(rows):
        decided = (bits[i] ^ digits[i]) & undecided[i]
        beats[i] |= decided & digits[i]
        undecided[i] = (undecided[i] ^ decided) & more[i]


@kernel
def draw_digit_of_listed(
    state: State, b: int, word: int, length: int, rng: np.random.Generator
) -> int:
    """Digit b in the rows that are listed; returns how many of them stay on the list."""
    bits = state.lanes[BITS]
    beats = state.lanes[BEATS]
    undecided = state.lanes[UNDECIDED]
    listed = state.lanes[LISTED]
    left = 0

    fill_words(rng, bits, length)
    for k in range(length):
        i = listed[k]
        digit = state.digits[b, word, i]
        decided = (bits[k] ^ digit) & undecided[i]
        beats[i] |= decided & digit
        undecided[i] = (undecided[i] ^ decided) & state.more[b, word, i]
        listed[left] = i
        left += undecided[i] != 0

    return left


@kernel
def draw_rest(state: State, word: int, i: int, rng: np.random.Generator) -> None:
    """Decide, by a number each, the lanes of a row in which all digits that are kept agree."""
    undecided = state.lanes[UNDECIDED, i]

    for lane in range(LANES):
        if (undecided >> lane) & 1 == 1:
            value = scaled(state, i, 1 + word * LANES + lane)
            if rng.random() < value - kept(value):
                state.lanes[BEATS, i] |= 1 << lane


@kernel
def count_lanes(state: State, word: int, rows: int) -> None:
    """Add to the losses of the arms of this word in how many rows of lanes[BEATS] each is."""
    words = state.lanes[BEATS]
    carries = state.lanes[BITS]
    lost = state.lost
    start = 1 + word * LANES
    lanes = min(LANES, len(lost) - start)

    weight = 0
    while rows > 0:
        rows = add_up(words, carries, rows)
        digit = words[0]
        for lane in range(lanes):
            lost[start + lane] += ((digit >> lane) & 1) << weight

        weight += 1
        words, carries = carries, words


@kernel
def add_up(words: Ints, carries: Ints, rows: int) -> int:
    """Leave one word, the last digits of the sums in all lanes; returns how many carries it made.

    Full adders: three words of one weight become one of it, and one of twice that weight.
    """
    made = 0

    while rows > 2:
        third = rows // 3
        for k in range(third):
            a = words[k]
            b = words[k + third]
            c = words[k + 2 * third]
            carries[made + k] = (a & b) | ((a ^ b) & c)
            words[k] = a ^ b ^ c
        made += third

        # the one or two that are left over
        for k in range(3 * third, rows):
            words[k - 2 * third] = words[k]
        rows -= 2 * third

    if rows == 2:
        carries[made] = words[0] & words[1]
        words[0] ^= words[1]
        made += 1

    return made


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


@kernel
def challenger_of_many(state: State, first: int, threshold: float, rng: np.random.Generator) -> int:
    """What `challenger` gives; most arms have not met `first`, and their phi is uniform."""
    probability = state.probability
    deficits = state.deficits
    choice = first
    largest = 0.5  # it stays so while the phi of a first rival is not drawn

    for i in range(probability.shape[0]):
        if i != first and deficits[first, i] <= threshold:
            p = probability[first, i]
            if p == 0.5 and state.wins[first, i] == 0.0:
                phi = rng.random()
                competes = phi > largest
            else:
                phi = 0.0
                competes = rng.random() >= p

            if competes:
                if choice != first and largest == 0.5:
                    largest = draw_above_half_quickly(state.wins, choice, first, rng)
                if choice != first and phi == 0.0:
                    phi = draw_above_half_quickly(state.wins, i, first, rng)
                if choice == first or phi > largest:
                    choice = i
                    largest = max(phi, 0.5)

    return choice
