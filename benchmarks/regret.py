"""Regret of every policy on the suites: mean, median, worst, standard error; against the best mean,
`regret_lower` and LR (`fb.theory.leader_lower`); and the largest ratio of each over all problems.

    python benchmarks/regret.py                                  12 factored problems, 10^5 and 10^6
    python benchmarks/regret.py --horizons 1e5 --policies "tea, lb_inf" --problems trap,logistic
    python benchmarks/regret.py --duels --horizons 5e4 --csv duels.csv

A table is printed as soon as its problem is finished, and files are written then. Ctrl-C ends it
with what there is. Runs to several horizons are one run with several checkpoints, except for
policies that need to know the horizon. A policy over all combinations takes long where there are
thousands of them: --most-combinations leaves it out there, and says so.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from regret_tables import (
    Row,
    means_table,
    problem_table,
    read_json,
    row_of,
    summary_table,
    write_csv,
    write_json,
)

import factored_bandits as fb
from factored_bandits.core.progress import Progress
from factored_bandits.policies import Policy
from factored_bandits.simulation.choosing import suitable

# beside one of each with its defaults
VARIANTS = {"factored": "tea(bound=betting)", "duel": "dueling_tea(bound=betting)"}


class Benchmark:
    """Plays policies on problems and keeps what they lose."""

    def __init__(self, instances: Sequence[fb.suites.Instance], given: argparse.Namespace) -> None:
        self.instances = instances
        self.given = given
        self.horizons = sorted({int(float(text)) for text in given.horizons.split(",")})
        self.rows: list[Row] = []
        self.earlier = [row for path in given.beside or [] for row in read_json(path)]
        self.left_out: dict[tuple[str, str], list[str]] = {}  # problems by policy and reason

    def run(self) -> None:
        """All problems, until Ctrl-C."""
        total = len(self.instances)
        with Progress("regret", total, sys.stderr.isatty() or not self.given.quiet) as self.bar:
            try:
                for index, instance in enumerate(self.instances):
                    self.play(index, instance)
            except KeyboardInterrupt:
                print("interrupted; what follows is what there is\n")

        for horizon in self.horizons:
            if any(row.horizon == horizon for row in self.rows):
                print(f"{means_table(self.rows, horizon)}\n")
                print(f"{summary_table(self.rows, horizon)}\n")
        for (label, reason), names in self.left_out.items():
            print(f"{label} left out of {', '.join(names)}: {reason}")

    def play(self, index: int, instance: fb.suites.Instance) -> None:
        """One problem; what is finished when Ctrl-C comes is kept and printed."""
        problem = instance.problem()
        rows = [
            row
            for row in self.earlier
            if row.problem == instance.name and row.horizon in self.horizons
        ]
        known = {(row.policy, row.horizon) for row in rows}
        policies = [
            policy
            for policy in self.able(instance, problem)
            if not known.issuperset((policy.label, horizon) for horizon in self.horizons)
        ]
        try:
            for number, policy in enumerate(policies):
                self.before = index + number / len(policies)
                self.share = 1.0 / len(policies)
                self.simulate(policy, instance.name, problem, rows)
        finally:
            self.rows += rows
            for horizon in self.horizons:
                here = [row for row in rows if row.horizon == horizon]
                if here:
                    print(f"{problem_table(here, instance.why)}\n", flush=True)
            self.write()

    def able(self, instance: fb.suites.Instance, problem: fb.Environment) -> list[Policy]:
        """The policies that can play the problem, without those that would take too long."""
        wanted = self.given.policies
        if wanted is None:
            wanted = ", ".join([*fb.policies.names(problem.kind), VARIANTS[problem.kind]])

        able, refused = suitable(problem, self.horizons[-1], wanted)
        most = self.given.most_combinations
        if problem.kind == "factored" and math.prod(problem.sizes) > most:
            slow = f"more than {most:,} combinations (--most-combinations)"
            refused |= {policy.label: slow for policy in able if policy.info.flat}

        for label, reason in refused.items():
            self.left_out.setdefault((label, reason), []).append(instance.name)
        return [policy for policy in able if policy.label not in refused]

    def simulate(self, policy: Policy, name: str, problem: fb.Environment, rows: list[Row]) -> None:
        """Add a row per horizon; after Ctrl-C of the repetitions that are finished."""
        proves = certifies(policy, problem)
        if policy.info.needs_horizon:
            ends = [[horizon] for horizon in self.horizons]
        else:
            ends = [self.horizons]

        for checkpoints in ends:
            result = fb.simulate(
                policy,
                problem,
                checkpoints[-1],
                self.given.repetitions,
                self.given.seed,
                checkpoints,
                self.given.workers,
                progress=False,
                certify=proves,
                watch=self.watch,
            )
            rows += [row_of(result, name, horizon, proves) for horizon in checkpoints]
            if result.interrupted:
                raise KeyboardInterrupt

    def watch(self, result: fb.Result) -> str:
        """Move the bar; called twice a second."""
        done = result.repetitions / self.given.repetitions
        self.bar.update(self.before + self.share * done, seen=f"{result.label}, {result.problem}")
        return ""

    def write(self) -> None:
        if self.given.csv:
            write_csv(self.rows, self.given.csv)
        if self.given.json:
            write_json(self.rows, self.given.json)


def certifies(policy: Policy, problem: fb.Environment) -> bool:
    """Whether it gives p-values with these parameters."""
    if not policy.certifies:
        return False
    params = policy.encoded()
    state = policy.module.init(params, np.array(problem.sizes), 1)
    return policy.module.p_values(params, state) is not None


def options(description: str | None) -> argparse.ArgumentParser:
    """Those that `real_data.py` has, too."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policies", help="comma-separated labels; by default all")
    parser.add_argument("--problems", default="", help="comma-separated parts of their names")
    parser.add_argument("--horizons", default="1e5,1e6", help="rounds, comma-separated")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, help="threads; by default one per processor")
    parser.add_argument("--most-combinations", type=int, default=1000)
    parser.add_argument("--csv", type=Path, help="write the rows into this file")
    parser.add_argument("--json", type=Path, help="the same, with every run")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        metavar="FILE",
        help="rows that --json has written: shown too, and not played again",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress outside a terminal")
    return parser


def chosen(
    instances: Sequence[fb.suites.Instance], parts: str, parser: argparse.ArgumentParser
) -> list[fb.suites.Instance]:
    """The instances whose name contains one of the parts."""
    wanted = [part.strip() for part in parts.split(",") if part.strip()]
    found = [one for one in instances if any(part in one.name for part in wanted or [""])]
    if not found:
        parser.error(f"no problem of that name; there are {', '.join(i.name for i in instances)}")
    return found


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--duels", action="store_true", help="the suite of duels")
    given = parser.parse_args()
    suite = fb.suites.duels() if given.duels else fb.suites.factored()
    Benchmark(chosen(suite, given.problems, parser), given).run()


if __name__ == "__main__":
    main()
