"""Double Thompson Sampling with many arms: whom an arm has met, and the second arm.

Most arms have not met the first one, and their phi are uniform. So the largest of these is drawn by
one number, and whose it is by another; of those that have met it, those compete whose phi exceeds
1/2.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.core.bits import GROUP, nonzero_words
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.core.words import WORD, fill_words
from factored_bandits.policies.blocks.posterior import (
    draw_above,
    draw_above_half_quickly,
    logs_of,
)

from ._state import FULL, LANES, UNDECIDED, State

STRANGER = -1  # some arm that has not met the first one


@kernel
def lowest_lane(word: int) -> int:
    """The index of the lowest bit that is set."""
    return int((word & -word) - 1).bit_count()


@kernel
def write_met(state: State, i: int, j: int) -> None:
    """Arms i and j have met."""
    state.met[i, j // LANES] |= 1 << (j % LANES)
    state.met[j, i // LANES] |= 1 << (i % LANES)


@kernel
def challenger_of_many(state: State, first: int, threshold: float, rng: np.random.Generator) -> int:
    """What `challenger` gives."""
    competes = state.lanes[UNDECIDED]
    deficits = state.deficits[first]
    choice = first
    largest = 0.5  # it stays so while the phi of a first rival is not drawn

    # the largest of n uniform numbers has the distribution function x^n
    strangers = mark_competitors(state, first, rng)
    if strangers > 0:
        phi = rng.random() ** (1.0 / strangers)
        if phi > largest:
            choice = STRANGER
            largest = phi
    logs = logs_of(largest)

    for start in range(0, len(competes), GROUP):
        left = nonzero_words(competes, start)
        while left != 0:
            i = start + lowest_lane(left)
            left &= left - 1
            if choice == first:
                if deficits[i] <= threshold:
                    choice = i
                continue

            if largest == 0.5:
                largest = draw_above_half_quickly(state.wins, choice, first, rng)
                logs = logs_of(largest)
            phi = draw_above(state.wins, i, first, largest, logs, rng)
            # few come so far that it matters whether they are allowed to compete
            if phi > largest and deficits[i] <= threshold:
                choice = i
                largest = phi
                logs = logs_of(largest)

    return stranger(state, first, strangers, rng) if choice == STRANGER else choice


@kernel
def mark_competitors(state: State, first: int, rng: np.random.Generator) -> int:
    """In lanes[UNDECIDED], which of the arms that have met the first one have phi > 1/2.

    Returns how many have not met it.
    """
    competes = state.lanes[UNDECIDED]
    probability = state.probability[first]
    met = state.met[first]
    bits = state.bits
    arms = len(probability)

    strangers = arms - 1
    for word in range(len(met)):
        strangers -= int(met[word]).bit_count()

    for i in range(len(competes)):
        competes[i] = 0

    if strangers == 0:
        fill_words(rng, bits, len(competes))
        for i in range(arms):
            competes[i] = (bits[i] >> (WORD - 53)) * 2.0**-53 >= probability[i]
        competes[first] = 0
        return 0

    for word in range(len(met)):
        left = met[word]
        while left != 0:
            i = word * LANES + lowest_lane(left)
            left &= left - 1
            competes[i] = rng.random() >= probability[i]

    return strangers


@kernel
def stranger(state: State, first: int, strangers: int, rng: np.random.Generator) -> int:
    """One of the arms that have not met the first one, at random."""
    met = state.met[first]
    rank = randint(rng, strangers)

    for word in range(len(met)):
        lanes = min(LANES, len(state.met) - word * LANES)
        free = (FULL >> (LANES - lanes)) ^ met[word]
        if word == first // LANES:
            free ^= 1 << (first % LANES)

        number = int(free).bit_count()
        if rank < number:
            for _ in range(rank):
                free &= free - 1
            return word * LANES + lowest_lane(free)
        rank -= number

    return first
