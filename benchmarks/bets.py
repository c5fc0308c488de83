"""What bets cost: CPU time of a round of the policies that certify by them, with and without.

    python benchmarks/bets.py

Least of several alternating runs; what a run of one round takes is taken off. Figures of
docs/explanation/certificates.md.
"""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Iterator
from typing import Any

import factored_bandits as fb
from factored_bandits.core.kernel import kernel

ROUNDS = 100_000
TRIES = 8
FTRL = "factored_bandits.policies.factored.ftrl"
# per policy the modules whose kernels bet, and by which names
BETTING = {
    "lb_inf": {f"{FTRL}.lb_inf": ("bet", "await_reward")},
    "tsallis_inf": {f"{FTRL}.tsallis_inf": ("bet", "await_reward")},
    "exp3": {f"{FTRL}._exponential": ("bet",), f"{FTRL}.exp3": ("await_reward",)},
    "vdb": {"factored_bandits.policies.dueling.vdb": ("bet_on_duel",)},
}


@kernel
def bet(bets: Any, queue: Any, drawn: Any, offsets: Any, t: Any, action: Any, reward: Any) -> None:
    return


@kernel
def await_reward(queue: Any, drawn: Any, t: Any, probabilities: Any) -> None:
    return


@kernel
def bet_on_duel(bets: Any, first: Any, second: Any, reward: Any) -> None:
    return


@contextlib.contextmanager
def without_bets(policy: str) -> Iterator[None]:
    """The policy as it would be if it did not bet."""
    places = [
        (importlib.import_module(module), name)
        for module, names in BETTING[policy].items()
        for name in names
    ]
    kept = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, globals()[name])
    try:
        yield
    finally:
        for (module, name), function in zip(places, kept, strict=True):
            setattr(module, name, function)


def seconds(policy: str, problem: fb.environments.Environment, rounds: int) -> float:
    """CPU time of one run."""
    began = time.process_time()
    fb.simulate(
        policy, problem, rounds, repetitions=1, workers=1, checkpoints=2, seed=3, progress=False
    )
    return time.process_time() - began


def nanoseconds(policy: str, problem: fb.environments.Environment) -> tuple[float, float]:
    """Of a round with and without bets."""
    least: dict[tuple[bool, int], float] = {}
    for _ in range(TRIES + 1):  # the first one compiles
        for betting in (True, False):
            with contextlib.nullcontext() if betting else without_bets(policy):
                for rounds in (1, ROUNDS):
                    taken = seconds(policy, problem, rounds)
                    least[betting, rounds] = min(least.get((betting, rounds), taken), taken)
    with_bets, plain = (
        (least[betting, ROUNDS] - least[betting, 1]) / ROUNDS * 1e9 for betting in (True, False)
    )
    return with_bets, plain


def main() -> None:
    factored = {"16 x 16": fb.environments.spiked(16, 0.75, 0.2)}
    factored |= {"3 x 3": fb.environments.spiked(3, 0.75, 0.2)}
    duels = {f"{arms} arms": fb.environments.identical_gap(arms, 0.7) for arms in (16, 128)}
    print(f"{'policy':<12} {'problem':<9} {'with bets':>10} {'without':>9} {'ratio':>6}")
    for policy in BETTING:
        for label, problem in (duels if policy == "vdb" else factored).items():
            with_bets, plain = nanoseconds(policy, problem)
            print(
                f"{policy:<12} {label:<9} {with_bets:>7.0f} ns {plain:>6.0f} ns "
                f"{with_bets / plain:>6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
