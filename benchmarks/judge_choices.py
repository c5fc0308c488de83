"""The measurements behind some choices of `fb.arena` and `fb.tune` (docs/decisions.md).

    python benchmarks/judge_choices.py retries [--runs 40]
    python benchmarks/judge_choices.py tune [--runs 8]
    python benchmarks/judge_choices.py likely [--runs 40]

retries: a judge that fails in 40 % of its calls, at random. Answers until the certificate reaches
0.95, if a call that failed is repeated as it was (8 tries), or is replaced by a new decision: the
old one is taken back by `duel_top_two`, and by the others, which cannot, learned as a tie at once
(1 try). Six candidates, 0.5 log-odds apart, 20 % ties, 8 calls in flight.

tune: calls until the certificate of all factors reaches 0.95, at most 3,000, for policies that
certify. 3 x 3 levels, a rate of 0.2 and 0.3 more for the best level of each factor.

likely: `duel_top_two` stopped by the certificate or by the posterior, both at 0.95: calls, in how
many runs a candidate was named, and in how many a wrong one. The six candidates of above, without
failures; and two equal ones, at most 600 calls, of which neither is the best.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
from unittest import mock

import numpy as np

import factored_bandits as fb
from factored_bandits.core.stats import mean_of
from factored_bandits.core.table import Table
from factored_bandits.judges.fold import Fold

STRENGTHS = {name: 0.5 * rank for rank, name in enumerate("abcdef")}
FACTORS = {"prompt": ["plain", "kind", "rude"], "temperature": [0.0, 0.5, 1.0]}
BEST = {"prompt": "kind", "temperature": 0.5}


def answers_until_certain(policy: str, repeated: bool, seed: int) -> int:
    drops = fb.policies.make(policy).info.drops
    rng = random.Random(seed)

    async def judge(a, b):
        if rng.random() < 0.4:
            raise ValueError("no verdict in the text")
        if rng.random() < 0.2:
            return 0.5
        return int(rng.random() < 1 / (1 + math.exp(STRENGTHS[b] - STRENGTHS[a])))

    with mock.patch.object(Fold, "can_drop", return_value=drops and not repeated):
        run = fb.arena(
            list(STRENGTHS),
            judge,
            budget=6000,
            policy=policy,
            seed=seed,
            tries=8 if repeated or drops else 1,
            backoff=0.0,
            progress=False,
        )
        return len(asyncio.run(run).answers)


def calls_until_certain(policy: str, seed: int) -> tuple[int, bool]:
    rng = random.Random(seed)

    async def score(levels):
        rate = 0.2 + 0.3 * sum(levels[name] == BEST[name] for name in BEST)
        return float(rng.random() < rate)

    run = fb.tune(FACTORS, score=score, budget=3000, policy=policy, seed=seed, progress=False)
    result = asyncio.run(run)
    return result.calls, result.best == BEST


def named(strengths: dict[str, float], how: dict[str, float | None], calls: int, seed: int):
    """Calls, whether the run ended by naming somebody, and whether that was the strongest."""
    rng = random.Random(seed)

    async def judge(a, b):
        if rng.random() < 0.2:
            return 0.5
        return int(rng.random() < 1 / (1 + math.exp(strengths[b] - strengths[a])))

    names = list(strengths)
    run = fb.arena(names, judge, budget=calls, seed=seed, concurrency=1, progress=False, **how)
    result = asyncio.run(run)
    strongest = [name for name in names if strengths[name] == max(strengths.values())]
    right = len(strongest) == 1 and result.best == strongest[0]
    return result.calls, result.stopped in ("certificate", "likely"), right


def likely(runs: int) -> Table:
    rows = []
    rules = {"certificate": {"stop_at": 0.95}, "posterior": {"stop_at": None, "likely_at": 0.95}}
    problems = {"six candidates": (STRENGTHS, 6000), "two equal": ({"a": 0.0, "b": 0.0}, 600)}
    for problem, (strengths, calls) in problems.items():
        for rule, how in rules.items():
            found = [named(strengths, how, calls, seed) for seed in range(runs)]
            ended = sum(end for _, end, _ in found) / runs
            wrong = sum(end and not right for _, end, right in found) / runs
            counts = [count for count, _, _ in found]
            rows.append(row(f"{problem}, {rule}", counts, f"{ended:.0%}", f"{wrong:.0%}"))
    return Table("Calls", ("stopped by", "mean", "median", "worst", "named", "wrong"), rows)


def row(name: str, counts: list[int], *more: str) -> tuple[str, ...]:
    mean = mean_of(np.array(counts, dtype=float))
    return (name, str(mean), f"{np.median(counts):,.0f}", f"{max(counts):,}", *more)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["retries", "tune", "likely"])
    parser.add_argument("--runs", type=int)
    given = parser.parse_args()

    if given.what == "likely":
        print(likely(given.runs or 40))
        return

    rows = []
    if given.what == "retries":
        for policy in ("duel_top_two", "dueling_leader_tea", "dueling_tea(bound=betting)"):
            for repeated, name in ((True, "repeated"), (False, "a new decision")):
                seeds = range(given.runs or 40)
                counts = [answers_until_certain(policy, repeated, seed) for seed in seeds]
                rows.append(row(f"{policy}, {name}", counts))
        print(Table("Answers", ("policy", "mean", "median", "worst"), rows))
        return

    for policy in ("tea(bound=betting)", "lb_inf", "leader_tea", "tsallis_inf"):
        found = [calls_until_certain(policy, seed) for seed in range(given.runs or 8)]
        share = sum(best for _, best in found) / len(found)
        rows.append(row(policy, [calls for calls, _ in found], f"{share:.0%}"))
    print(Table("Calls", ("policy", "mean", "median", "worst", "best found"), rows))


if __name__ == "__main__":
    main()
