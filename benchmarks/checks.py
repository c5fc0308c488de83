"""What the checks of the loop cost, and those of every index: `python benchmarks/checks.py`.

The loop as it is against one that trusts every plan, and against one in which every index of every
kernel is checked, as in policies of one's own. Processor time per round, the least of several runs
that alternate, on one worker.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import factored_bandits as fb
from factored_bandits.core import loop
from factored_bandits.core.kernel import bind, kernel
from factored_bandits.simulation.runner import Runner

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

ROUNDS = 1_000_000
TRIES = 9
TARGET = 0.02


@kernel
def any_length(length, longest):
    return True


@kernel
def any_level(level, first, end):
    return True


def jobs() -> dict[str, Runner]:
    import epsilon_greedy

    equal = fb.environments.make("rank1", factors=[[0.7] * 16] * 2)
    spiked = fb.environments.spiked(16, 0.75, 0.2)
    equal_duel = fb.environments.make("duel_utility", utilities=[0.0] * 16)
    duel = fb.environments.identical_gap(16, 0.7)
    chosen = {
        "tea, all levels active": ("tea", equal),
        "tea, one best level": ("tea", spiked),
        "dueling_tea, all arms active": ("dueling_tea", equal_duel),
        "dueling_tea, one best arm": ("dueling_tea", duel),
        "uniform, 16 x 16": ("uniform", spiked),
        "flat_ucb1, 16 x 16": ("flat_ucb1", spiked),
        "rmed1, K = 16": ("rmed1", duel),
        "epsilon_greedy of the examples": (epsilon_greedy, spiked),
    }
    points = np.array([ROUNDS])
    return {
        label: Runner(fb.policies.make(policy), problem, points, seed=1)
        for label, (policy, problem) in chosen.items()
    }


def forms(runner: Runner) -> dict[str, Callable[..., object]]:
    name = runner.policy.name
    kernels = runner.kernels()
    without = {**kernels, "is_length": any_length, "exists": any_level}
    return {
        "trusting": bind(loop.play, name, **without),
        "checked": bind(loop.play, name, **kernels),
        "every index": bind(loop.play, name, bounds_checked=True, **kernels),
    }


def main() -> None:
    print(f"ns per round, {ROUNDS:,} rounds, least of {TRIES}; in brackets: seconds to compile")
    for label, runner in jobs().items():
        bound = forms(runner)
        least = dict.fromkeys(bound, float("inf"))
        compiling = {}

        for attempt in range(TRIES + 1):
            for form, play in bound.items():
                runner.loop = play
                began = time.process_time()
                runner.repetition(0, lambda index, t: False)
                spent = time.process_time() - began
                if attempt:
                    least[form] = min(least[form], spent)
                else:
                    compiling[form] = spent

        shown = ", ".join(
            f"{form} {least[form] / ROUNDS * 1e9:.1f} ({compiling[form]:.0f} s)" for form in bound
        )
        checks = least["checked"] / least["trusting"] - 1
        indices = least["every index"] / least["checked"] - 1
        print(
            f"  {label:<32} checks {checks:+.1%} (at most {TARGET:.0%}), every index {indices:+.1%}"
            f"   {shown}",
            flush=True,
        )


if __name__ == "__main__":
    main()
