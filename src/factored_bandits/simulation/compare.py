"""`compare`: several policies on one problem, under the same seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from factored_bandits.core.checks import Form
from factored_bandits.environments import Environment

from .checkpoints import checkpoints_of, horizon_of
from .choosing import Written, chosen_policies
from .comparison import Comparison
from .compilers import COMPILERS
from .result import Result
from .runner import Runner, check_playable
from .simulate import simulate
from .tiers import can_be_elsewhere


def compare(
    policies: Written | Iterable[Written],
    environment: Environment,
    horizon: float,
    repetitions: int = 20,
    seed: int = 0,
    checkpoints: Sequence[int] | int | None = None,
    workers: int | None = None,
    progress: bool = True,
    certify: bool | Literal["checkpoints"] = False,
    compiled: Form = "auto",
) -> Comparison:
    """Run several policies on one problem; every one meets the same noise.

    After Ctrl-C, what is finished is returned, marked `interrupted`.

    Parameters
    ----------
    policies
        Labels, made policies or modules, or one text such as `"tea, flat_ucb1(alpha=0.5)"`.
    environment
        The problem, made by `fb.environments`.
    horizon
        The number of rounds of a repetition.
    repetitions
        How many independent repetitions to run of each policy.
    seed
        Same seed, same numbers.
    checkpoints
        The rounds at which regret is noted, or how many (log-spaced; 100 by default).
    workers
        The number of threads; by default one per processor.
    progress
        Show a progress bar for each policy that takes more than two seconds.
    certify
        Keep what `fb.certificate` needs; with "checkpoints" also how sure it was at each of them,
        which says how many rounds it took (`Result.certified_after`).
    compiled
        As in `fb.simulate`; policies are compiled side by side.

    Returns
    -------
    A `Comparison`, which prints as a table.

    Raises
    ------
    InvalidInputError
        If an argument is wrong, or one of the policies cannot play the problem.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.8)
    >>> comparison = fb.compare("uniform, flat_ucb1", problem, 2_000, 4, progress=False)
    >>> [row[0] for row in comparison.summary().rows]
    ['flat_ucb1', 'uniform']
    """
    chosen = chosen_policies(policies)
    rounds = horizon_of(horizon)
    for policy in chosen:
        check_playable(policy, environment, rounds)

    results: list[Result] = []
    points = checkpoints_of(checkpoints, rounds)
    later = [Runner(policy, environment, points, seed=0) for policy in chosen[1:]]
    with COMPILERS.ahead([runner for runner in later if can_be_elsewhere(runner)]):
        for policy in chosen:
            try:
                result = simulate(
                    policy,
                    environment,
                    rounds,
                    repetitions,
                    seed,
                    checkpoints,
                    workers,
                    progress=progress,
                    certify=certify,
                    compiled=compiled,
                )
            except KeyboardInterrupt:  # before the first repetition was finished
                break
            results.append(result)
            if result.interrupted:
                break

    if not results:
        raise KeyboardInterrupt
    not_run = [policy.label for policy in chosen[len(results) :]]
    return Comparison(environment, chosen, results, int(repetitions), not_run)
