"""Words of random bits, many at a time.

One word of the policy's generator is the seed of 16 streams, and the streams are taken by turns.
They are SFC64 (Doty-Humphrey; as `numpy.random.SFC64`), which takes nothing but additions, shifts
and exclusive ors: a processor does several at once. Their states come from the seed by SplitMix64
(Steele, Lea and Flood, OOPSLA 2014), every word of them another one.
"""

from __future__ import annotations

import numpy as np

from .arrays import Ints

WORD = 63  # random bits in a word: as many as an integer that is not negative has
STREAMS = 16

# SplitMix64: words that are GAMMA apart; each is shifted and multiplied three times, the last by 1
GAMMA = 0x9E3779B97F4A7C15
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))

# SFC64: three words a, b, c and a counter
SHIFT_RIGHT = 11
SHIFT_LEFT = 3
ROTATION = 24

_SHIFTS = np.array([SHIFT_RIGHT, SHIFT_LEFT, ROTATION, 64 - ROTATION], dtype=np.uint64)
_UNUSED = np.uint64(64 - WORD)


def random_word(rng: np.random.Generator) -> int:
    """`WORD` random bits of the generator itself; in a kernel without a call."""
    return int(rng.integers(0, 2**WORD))


def fill_words(rng: np.random.Generator, words: Ints, count: int) -> None:
    """Put `WORD` random bits into each of the first `count` words, a multiple of `STREAMS`.

    In a kernel 0.1 to 0.2 ns a word (`extensions/words.py`).
    """
    a, b, c = _states(random_word(rng))
    drawn = np.empty((count // STREAMS, STREAMS), dtype=np.uint64)
    right, left, high, low = _SHIFTS

    for step, numbers in enumerate(drawn, start=1):
        np.add(a, b, out=numbers)
        numbers += step
        a = b ^ (b >> right)
        b = c + (c << left)
        c = (c << high | c >> low) + numbers

    words[:count] = drawn.ravel() >> _UNUSED


def _states(seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """The words a, b and c of all streams."""
    found = np.uint64(seed) + np.uint64(GAMMA) * np.arange(1, 3 * STREAMS + 1, dtype=np.uint64)
    for shift, factor in MIXING:
        found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
    return found.reshape(3, STREAMS)
