"""What certificates cost: regret, and the share of wrong levels that are ruled out at 95 %.

    python benchmarks/certificates.py factored
    python benchmarks/certificates.py duels

The tables of docs/explanation/certificates.md. Per problem of a suite and policy: mean, median and
worst regret, the standard error of the mean, the share of the levels that are not the best of which
that is certified, in how many repetitions all of them are, and how often a best one was ruled out.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import numpy as np

import factored_bandits as fb

POLICIES = {
    "factored": ("tea(bound=betting)", "lb_inf", "tsallis_inf", "exp3"),
    "duels": ("dueling_tea(bound=betting)", "vdb"),
}
HORIZONS = {"factored": 100_000, "duels": 50_000}
ALPHA = 0.05


class Row(NamedTuple):
    """What is printed of a policy on a problem."""

    mean: float
    error: float
    median: float
    worst: float
    share: float  # of wrong levels certified
    complete: int  # repetitions in which all of them are
    false: int  # best levels ruled out


def measured(policy: str, problem: fb.environments.Environment, horizon: int, runs: int) -> Row:
    """Play a policy on a problem."""
    result = fb.simulate(
        policy, problem, horizon, repetitions=runs, seed=1, certify=True, progress=False
    )
    final = result.regret[:, -1]
    certified: list[np.ndarray] = []
    false = 0
    for p_values, best in zip(result.p_values or [], problem.best, strict=False):
        ruled_out = p_values <= ALPHA
        false += int(ruled_out[:, best].sum())
        certified.append(np.delete(ruled_out, best, axis=1))

    wrong = np.concatenate(certified, axis=1)
    return Row(
        mean=final.mean(),
        error=final.std(ddof=1) / np.sqrt(runs),
        median=float(np.median(final)),
        worst=final.max(),
        share=wrong.mean(),
        complete=int(wrong.all(axis=1).sum()),
        false=false,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=POLICIES)
    parser.add_argument("--horizon", type=float, default=None)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--policies", nargs="*", default=None)
    given = parser.parse_args()
    horizon = int(given.horizon or HORIZONS[given.suite])

    print(f"{horizon:,} rounds, {given.repetitions} repetitions, certified at {1 - ALPHA:.0%}")
    print(
        f"{'problem':<31} {'policy':<27} {'mean':>7} {'+-':>5} {'median':>7} {'worst':>7} "
        f"{'share':>6} {'all':>4} {'false':>5}"
    )
    for instance in getattr(fb.suites, given.suite)():
        for policy in given.policies or POLICIES[given.suite]:
            try:
                row = measured(policy, instance.problem(), horizon, given.repetitions)
            except fb.errors.InvalidInputError as error:
                print(f"{instance.name:<31} {policy:<27} {error}", file=sys.stderr)
                continue
            print(
                f"{instance.name:<31} {policy:<27} {row.mean:>7.0f} {row.error:>5.0f} "
                f"{row.median:>7.0f} {row.worst:>7.0f} {row.share:>6.3f} {row.complete:>4} "
                f"{row.false:>5}",
                flush=True,
            )


if __name__ == "__main__":
    main()
