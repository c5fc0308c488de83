"""Bits of many words, interpreted and compiled, against sums of the bits one by one."""

from __future__ import annotations

import numpy as np
import pytest

from factored_bandits.core.bits import BLOCK, GROUP, bit_sums, nonzero_words
from factored_bandits.core.kernel import bind, kernel


@kernel
def sums_of(words, sums):
    bit_sums(words, len(words), sums)


@kernel
def nonzero_of(words, start):
    return nonzero_words(words, start)


def random_words(count):
    words = np.random.default_rng(count).integers(0, 2**63, count)
    words[::5] = 2**63 - 1
    words[1::7] = 0
    return words


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("blocks", [1, 2, 3, 17, 255])
def test_bits_are_counted(blocks, compiled):
    words = random_words(blocks * BLOCK)
    sums = np.full(64, -1, dtype=np.int64)
    bind(sums_of, "sums", compiled=compiled)(words, sums)
    assert sums.tolist() == [int(((words >> lane) & 1).sum()) for lane in range(64)]


@pytest.mark.parametrize("compiled", [False, True])
def test_bytes_do_not_overflow(compiled):
    words = np.full(255 * BLOCK, 2**63 - 1)
    sums = np.zeros(64, dtype=np.int64)
    bind(sums_of, "sums", compiled=compiled)(words, sums)
    assert sums.tolist() == [255 * BLOCK] * 63 + [0]


@pytest.mark.parametrize("compiled", [False, True])
def test_words_that_are_not_zero(compiled):
    words = random_words(3 * GROUP) * (np.arange(3 * GROUP) % 3 == 1)
    words[2 * GROUP] = 1
    words[-1] = 1 << 62
    for start in (0, GROUP, 2 * GROUP):
        expected = sum(1 << k for k in range(GROUP) if words[start + k] != 0)
        assert bind(nonzero_of, "nonzero", compiled=compiled)(words, start) == expected
