"""Regret with another value of a constant: what the constants of a policy were chosen by.

    python benchmarks/constants.py policies.leader.block.SETTLED=1,2,4 --policies leader_tea
    python benchmarks/constants.py policies.blocks.propensity_bets.CAUTION=0.25,1,4 \
        --policies lb_inf --problems "u*v*=0.5,additive" --horizons 1e5 --repetitions 12

A constant is named by the module that uses it. Each value is put in its place in turn; otherwise
everything is as in `regret.py`, options and tables. "ruled out" is the share of the wrong levels
that are certified at 95 % by the last horizon.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
from collections.abc import Iterator
from typing import NamedTuple

from regret import Benchmark, chosen, options
from regret_tables import Row

import factored_bandits as fb
from factored_bandits.policies import Policy


class Constant(NamedTuple):
    """A number in a module, and the values to put in its place."""

    module: str
    name: str
    values: tuple[float, ...]


def constant(text: str) -> Constant:
    """What "policies.leader.block.SETTLED=1,2" names; refused if there is no such number."""
    path, _, values = text.partition("=")
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(f"factored_bandits.{module}"), name)
        numbers = tuple(float(value) for value in values.split(","))
    except (ImportError, AttributeError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be module.NAME=value,value, as in policies.leader.block.SETTLED=1,2 "
            f"({error})"
        ) from error
    if not isinstance(found, float):
        raise argparse.ArgumentTypeError(f"{path} is {found!r}, and not a float")
    return Constant(f"factored_bandits.{module}", name, numbers)


@contextlib.contextmanager
def changed(constant: Constant, value: float) -> Iterator[None]:
    """The constant has this value; kernels that use it are compiled anew, by their digest."""
    module = importlib.import_module(constant.module)
    before = getattr(module, constant.name)
    setattr(module, constant.name, value)
    try:
        yield
    finally:
        setattr(module, constant.name, before)


class Changed(Benchmark):
    """`regret.py` with a row per value of the constant."""

    def simulate(self, policy: Policy, name: str, problem: fb.Environment, rows: list[Row]) -> None:
        constant: Constant = self.given.constant
        for value in constant.values:
            own: list[Row] = []
            try:
                with changed(constant, value):
                    super().simulate(policy, name, problem, own)
            finally:
                label = f"{policy.label}, {constant.name} = {value:g}"
                rows += [row._replace(policy=label) for row in own]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("constant", type=constant, metavar="MODULE.NAME=VALUES")
    parser.add_argument("--duels", action="store_true", help="the suite of duels")
    given = parser.parse_args()
    suite = fb.suites.duels() if given.duels else fb.suites.factored()
    Changed(chosen(suite, given.problems, parser), given).run()


if __name__ == "__main__":
    main()
