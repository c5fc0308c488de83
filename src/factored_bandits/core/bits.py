"""Bits of many words: how often each is set, and which words have any."""

from __future__ import annotations

import numpy as np

from .arrays import Ints

BLOCK = 64  # words that are counted at a time
GROUP = 32  # words that are looked at at a time


def nonzero_words(words: Ints, start: int) -> int:
    """Which of `GROUP` words from `start` on are not zero, a bit for each.

    In a kernel without a branch, eight words at a time or more.
    """
    flags = np.packbits(words[start : start + GROUP] != 0, bitorder="little")
    return int.from_bytes(flags.tobytes(), "little")


def bit_sums(words: Ints, count: int, sums: Ints) -> None:
    """Put into `sums`, 64 of them, in how many of the first `count` words each bit is set.

    `count` is a multiple of `BLOCK`, at most 255 times that; words are not negative. In a kernel
    words are added up by full adders, three into two (`extensions/bits.py`): below 0.1 ns a word
    if there are many.
    """
    bits = np.unpackbits(words[:count].astype("<i8").view(np.uint8), bitorder="little")
    sums[:BLOCK] = bits.reshape(count, BLOCK).sum(axis=0)
