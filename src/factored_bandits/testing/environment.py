"""`check_environment`: what every environment must keep, whoever wrote it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from factored_bandits import environments
from factored_bandits.environments import Environment
from factored_bandits.simulation.simulate import simulate

from .problems import require

MOST = 2_000  # combinations that are looked at; of larger problems, that many at random
DUEL_UNITS = ("average", "paper", "weak", "strong", "copeland")


def check_environment(environment: Environment) -> None:
    """Run every check on an environment; the first one that fails raises an error.

    Parameters
    ----------
    environment
        A problem, of the library or of your own.

    Raises
    ------
    AssertionError
        If the environment breaks the contract; the message says in what.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> check_environment(fb.environments.spiked(levels=3, best=0.8, gap=0.3))
    """
    for check in ENVIRONMENT_CHECKS:
        check(environment)


def combinations(environment: Environment) -> Iterator[tuple[int, ...]]:
    """All combinations, or the best one and many others at random."""
    sizes = environment.sizes
    if math.prod(sizes) <= MOST:
        yield from itertools.product(*(range(size) for size in sizes))
        return

    rng = np.random.default_rng(0)
    yield environment.best
    for _ in range(MOST):
        yield tuple(int(rng.integers(size)) for size in sizes)


def rewards_stay_in_their_range(environment: Environment) -> None:
    """Rewards are finite and lie in the declared range."""
    rng = np.random.default_rng(1)
    low, high = environment.reward_range or (-math.inf, math.inf)
    for action in combinations(environment):
        for _ in range(5):
            reward = environment.module.sample(environment.data, 1, np.array(action), rng)
            require(math.isfinite(reward), f"the reward of {action} is {reward}")
            inside = low <= reward <= high
            require(inside, f"the reward {reward} of {action} lies outside ({low:g}, {high:g})")


def regret_is_never_negative_and_zero_at_the_best(environment: Environment) -> None:
    """The best action has no regret, some other one has."""
    best = environment.regret(environment.best)
    require(best == 0.0, f"the best action {environment.best} has regret {best}")

    largest = 0.0
    for action in combinations(environment):
        regret = environment.regret(action)
        require(regret >= 0.0, f"the regret of {action} is {regret}")
        largest = max(largest, regret)
    require(largest > 0.0, "no action has any regret")


def means_fit_the_noise(environment: Environment) -> None:
    """Means of bounded rewards lie in [0, 1], of unbounded ones in [-1, 1]."""
    low = 0.0 if environment.reward_range else -1.0
    for action in combinations(environment):
        mean = environment.mean(action)
        require(low <= mean <= 1.0, f"the mean of {action} is {mean}")


def str_gives_name_and_size(environment: Environment) -> None:
    """`str` tells what tables and figures call it; the unit fits the kind."""
    sizes = environment.sizes
    duel = environment.kind == "duel"
    shape = " x ".join(map(str, environment.factor_sizes)) + " levels"
    if duel and not environment.compares_combinations:
        shape = f"{sizes[0]} arms"
    expected = f"{environment.name} ({shape})"
    require(str(environment) == expected, f"str gives {str(environment)!r}, not {expected!r}")

    units = DUEL_UNITS if duel else ("reward",)
    require(environment.unit in units, f"the unit of the regret is {environment.unit!r}")


def params_make_the_same_problem_again(environment: Environment) -> None:
    """`environments.make(name, **params)` gives an equal problem; only for those of the library."""
    if environment.name not in environments.names():
        return

    again = environments.make(environment.name, **environment.params)
    for field in ("sizes", "best", "unit", "reward_range"):
        same = getattr(again, field) == getattr(environment, field)
        require(same, f"made again from its params, {field} is {getattr(again, field)!r}")
    for own, other in zip(environment.data, again.data, strict=True):
        require(np.array_equal(own, other), "made again from its params, the data differ")
    require(again.params.keys() == environment.params.keys(), "made again, the params differ")


def a_simulation_charges_the_regret_of_what_it_played(environment: Environment) -> None:
    """One round of uniform play: the regret noted is that of the combination played."""
    policy = "dueling_uniform" if environment.kind == "duel" else "uniform"
    result = simulate(policy, environment, horizon=1, repetitions=5, seed=3, progress=False)

    for record in result.records:
        action = tuple(int(plays.argmax()) for plays in record.plays)
        expected = environment.regret(action)
        charged = float(record.regret[0])
        close = abs(charged - expected) <= 1e-12
        require(close, f"{action} was charged {charged}, its regret is {expected}")


Check = Callable[[Environment], None]
ENVIRONMENT_CHECKS: tuple[Check, ...] = (
    str_gives_name_and_size,
    rewards_stay_in_their_range,
    regret_is_never_negative_and_zero_at_the_best,
    means_fit_the_noise,
    params_make_the_same_problem_again,
    a_simulation_charges_the_regret_of_what_it_played,
)
