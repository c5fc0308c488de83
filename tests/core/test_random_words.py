"""Words of random bits: against SplitMix64 and NumPy's SFC64, and by statistics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from factored_bandits.core.words import STREAMS, WORD, fill_words, random_word

MASK = 2**64 - 1


class SplitMix64:
    """As published, one number after another."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)


def filled(count, seed):
    words = np.zeros(count, dtype=np.int64)
    fill_words(np.random.default_rng(seed), words, count)
    return words


def test_splitmix64_is_the_published_one():
    """The first numbers of seed 1234567, as printed with the generator's description."""
    numbers = SplitMix64(1234567)
    assert numbers() == 6457827717110365317
    assert numbers() == 3203168211198807973


def test_streams_are_those_of_numpy():
    steps = 40
    words = filled(STREAMS * steps, seed=3).reshape(steps, STREAMS)

    numbers = SplitMix64(random_word(np.random.default_rng(3)))
    states = np.array([numbers() for _ in range(3 * STREAMS)], dtype=np.uint64).reshape(3, STREAMS)
    for k in range(STREAMS):
        stream = np.random.SFC64(0)
        state = stream.state
        state["state"]["state"] = np.append(states[:, k], np.uint64(1))
        stream.state = state
        expected = stream.random_raw(steps) >> np.uint64(64 - WORD)
        np.testing.assert_array_equal(words[:, k], expected.astype(np.int64))


@pytest.mark.parametrize("apart", [1, STREAMS, 64])
def test_bits_of_different_words_are_independent(apart):
    """Every bit with every bit of the word so many later: Hoeffding's inequality, at 1e-6."""
    count = 1 << 14
    words = np.concatenate([filled(1024, seed) for seed in range(count // 1024)])
    bits = (words[:, None] >> np.arange(WORD)) & 1
    signs = 1.0 - 2.0 * bits

    single = np.abs(signs.sum(axis=0))
    joint = np.abs(signs[apart:].T @ signs[:-apart])
    tests = single.size + joint.size
    assert max(single.max(), joint.max()) < np.sqrt(2.0 * count * np.log(2.0 * tests / 1e-6))


def test_first_words_of_many_seeds():
    """A chi-squared test of their highest bits, and of those of neighbours together; at 1e-6."""
    rng = np.random.default_rng(4)
    words = np.zeros((20_000, STREAMS), dtype=np.int64)
    for row in words:
        fill_words(rng, row, STREAMS)

    high = words >> (WORD - 4)
    for cells in (high[:, 0], high[:, 0] * 16 + high[:, 1], high[:, 2] * 16 + high[:, -1]):
        size = 16 if cells.max() < 16 else 256
        assert stats.chisquare(np.bincount(cells, minlength=size)).pvalue > 1e-6
