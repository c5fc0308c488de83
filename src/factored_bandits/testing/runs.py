"""What whole runs of a policy show: the same numbers when compiled, and that it learns."""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.policies import Policy
from factored_bandits.simulation.simulate import simulate

from . import problems
from .problems import require


def interpreted_equals_compiled(policy: Policy) -> None:
    """The same numbers, bit for bit, with and without the compiler."""
    problem = problems.fitting(policy)
    records = []
    runs = []
    for disabled in (False, True):
        with problems.compiler(disabled):
            runner = problems.runner(policy, problem)
            records.append(runner.repetition(1, problems.never))
            runs.append(problems.first_slice(runner))

    for field in ("regret", "simple_regret", "events", "plays"):
        compiled, interpreted = (getattr(record, field) for record in records)
        require(_equal(compiled, interpreted), f"{field} of a repetition differs when compiled")
    for field in ("regret", "plays", "shortfall", "clock", "shown", "events"):
        compiled, interpreted = (getattr(run, field) for run in runs)
        require(_equal(compiled, interpreted), f"{field} in the loop differs when compiled")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    return np.array_equal(one, other)


def finds_the_best(policy: Policy) -> None:
    """On an easy problem the recommendation after 20,000 rounds is right in most repetitions."""
    problem = problems.fitting(policy)
    result = simulate(policy, problem, 20_000, repetitions=10, seed=3, progress=False)
    share = result.correct[:, -1].mean()
    require(share >= 0.7, f"the best of {problem} was found in {share:.0%} of 10 repetitions")


def regret_is_at_most_that_of_uniform_play(policy: Policy) -> None:
    """No policy loses to uniform play on an easy problem, 4 standard errors aside."""
    problem = problems.fitting(policy)
    floor = "dueling_uniform" if problem.kind == "duel" else "uniform"
    options: dict[str, Any] = {"repetitions": 10, "seed": 3, "progress": False}
    own = simulate(policy, problem, 20_000, **options).summary()
    uniform = simulate(floor, problem, 20_000, **options).summary()
    slack = 4 * np.hypot(own.standard_error, uniform.standard_error)
    require(
        own.mean <= uniform.mean + slack,
        f"regret {own.mean:.4g} on {problem}, {uniform.mean:.4g} of uniform play",
    )
