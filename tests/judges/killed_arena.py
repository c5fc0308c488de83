"""A run for the tests that kill it: python killed_arena.py JOURNAL LOG BUDGET [CONCURRENCY]

Every call of the judge leaves a line in LOG, so that one can count what would have been paid.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys

import factored_bandits as fb

STRENGTHS = {"a": 0, "b": 1, "c": 2, "d": 6}


async def judge(first: str, second: str, item: int) -> fb.Verdict:
    with open(sys.argv[2], "a", encoding="utf-8") as log:
        log.write(f"{first} {second} {item}\n")
    await asyncio.sleep(0.002)
    # a verdict that depends on the call alone, so that the order of arrival does not matter
    drawn = int(hashlib.sha256(f"{first}{second}{item}".encode()).hexdigest(), 16) % 100
    share = 50 + 10 * (STRENGTHS[first] - STRENGTHS[second])
    return fb.Verdict(int(drawn < share), cost=0.01)


def main() -> None:
    journal, _, budget = sys.argv[1:4]
    concurrency = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    run = fb.arena if os.environ.get("ASYNC") else fb.arena_sync
    result = run(
        list(STRENGTHS),
        judge,
        items=list(range(40)),
        budget=int(budget),
        stop_at=None,
        journal=journal,
        concurrency=concurrency,
        progress=False,
    )
    if os.environ.get("ASYNC"):
        result = asyncio.run(result)
    print(result.best, result.stopped, result.calls, flush=True)


if __name__ == "__main__":
    main()
