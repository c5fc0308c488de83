"""What certificates cost: regret, and the share of wrong levels that are ruled out at 95 %.

    python benchmarks/certificates.py factored
    python benchmarks/certificates.py duels
    python benchmarks/certificates.py soon --repetitions 100

The tables of docs/explanation/certificates.md; `soon`, two small problems at several horizons, is
that of docs/explanation/leader.md. Per problem of a suite and policy: mean, median and worst
regret, the standard error of the mean, the share of the levels that are not the best of which that
is certified, in how many repetitions all of them are, and how often a best one was ruled out.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from functools import partial
from typing import NamedTuple

import numpy as np

import factored_bandits as fb

POLICIES = {
    "factored": ("tea(bound=betting)", "lb_inf", "tsallis_inf", "exp3"),
    "duels": ("dueling_tea(bound=betting)", "vdb"),
    "soon": ("leader_tea", "tea(bound=betting)"),
}
HORIZONS = {"factored": (100_000,), "duels": (50_000,), "soon": (300, 1_000, 3_000, 10_000)}
# effects and base rate
SMALL = {
    "large gaps 3x2": ([[0.3, 0.0, 0.0], [0.3, 0.0]], 0.2),
    "small gaps 5x4": ([[0.1, 0.05, 0.0, 0.0, 0.0], [0.1, 0.05, 0.0, 0.0]], 0.1),
}
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


def instances(suite: str) -> list[fb.suites.Instance]:
    """The problems of a suite, or the small ones."""
    if suite != "soon":
        return list(getattr(fb.suites, suite)())
    return [
        fb.suites.Instance(
            name, partial(fb.environments.make, "additive", effects=effects, base=base), 10_000, ""
        )
        for name, (effects, base) in SMALL.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=POLICIES)
    parser.add_argument("--horizon", type=float, default=None)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--policies", nargs="*", default=None)
    given = parser.parse_args()
    horizons = (int(given.horizon),) if given.horizon else HORIZONS[given.suite]

    print(f"{given.repetitions} repetitions, certified at {1 - ALPHA:.0%}")
    print(
        f"{'problem':<31} {'policy':<27} {'rounds':>9} {'mean':>7} {'+-':>5} {'median':>7} "
        f"{'worst':>7} {'share':>6} {'all':>4} {'false':>5}"
    )
    for instance, horizon in itertools.product(instances(given.suite), horizons):
        for policy in given.policies or POLICIES[given.suite]:
            try:
                row = measured(policy, instance.problem(), horizon, given.repetitions)
            except fb.errors.InvalidInputError as error:
                print(f"{instance.name:<31} {policy:<27} {error}", file=sys.stderr)
                continue
            print(
                f"{instance.name:<31} {policy:<27} {horizon:>9,} {row.mean:>7.0f} "
                f"{row.error:>5.0f} {row.median:>7.0f} {row.worst:>7.0f} {row.share:>6.3f} "
                f"{row.complete:>4} {row.false:>5}",
                flush=True,
            )


if __name__ == "__main__":
    main()
