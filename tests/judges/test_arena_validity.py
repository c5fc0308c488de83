"""Two equal candidates are told apart no oftener than the certificate allows."""

from __future__ import annotations

import asyncio
import random

import pytest

import factored_bandits as fb
from factored_bandits.core.distributions.binomial import at_least

ALPHA = 0.05
RARE = 1e-4


def eliminated(runs: int, calls: int) -> dict[str, int]:
    """How often each of two equal candidates was ruled out, by a judge with every vice.

    It likes the first side, has ties, answers late and out of order, and fails; none of that
    depends on the verdict.
    """
    counts = {"a": 0, "b": 0}
    for seed in range(runs):
        rng = random.Random(seed)

        async def judge(first, second, rng=rng):
            for _ in range(rng.randrange(6)):
                await asyncio.sleep(0)
            if rng.random() < 0.2:
                raise ValueError("cannot be read")
            if rng.random() < 0.2:
                return 0.5
            return int(rng.random() < 0.7)

        result = asyncio.run(
            fb.arena(
                list(counts),
                judge,
                budget=calls,
                seed=seed,
                stop_at=1.0 - ALPHA,
                backoff=0.0,
                tries=3,
                progress=False,
            )
        )
        for name in counts:
            counts[name] += name not in result.top
    return counts


def test_equal_candidates_are_rarely_told_apart():
    for count in eliminated(runs=12, calls=40).values():
        assert at_least(count, 12, ALPHA) > RARE


@pytest.mark.full
def test_equal_candidates_are_told_apart_as_rarely_as_is_said():
    for count in eliminated(runs=400, calls=400).values():
        assert at_least(count, 400, ALPHA) > RARE
