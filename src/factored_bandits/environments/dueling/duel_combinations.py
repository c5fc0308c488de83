"""Duels of combinations: two whole combinations are shown, and one of them is chosen (conjoint).

The utility of a combination is the sum of one effect per factor; the log-odds that the first wins
are the difference of the two utilities. An action has two sides: the levels of the first
combination, then those of the second.

>>> import factored_bandits as fb
>>> problem = fb.environments.make("duel_combinations", effects=[[0.0, 1.0], [0.5, 0.0, 0.0]])
>>> problem.sizes, problem.best
((2, 3, 2, 3), (1, 0, 1, 0))
>>> round(problem.mean([1, 0, 0, 0]), 3)  # they differ in the first factor, by 1
0.731
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.checks import finite, integer
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import level_values, log_odds, room_for_levels
from factored_bandits.environments.preferences import checked_tie
from factored_bandits.errors import InvalidInputError


class CombinationData(NamedTuple):
    """The effects of all levels, and what the best combination is worth."""

    effects: Floats  # (d,) factor l occupies offsets[l] to offsets[l + 1]
    offsets: Ints  # (L + 1,)
    best: float  # the largest utility
    tie: float  # the probability that a duel ends in a tie, whoever is shown


@kernel
def utility(env: CombinationData, action: Ints, side: int) -> float:
    """The sum of the effects of one side of an action, 0 or 1."""
    factors = len(env.offsets) - 1
    total = 0.0
    for l in range(factors):
        total += env.effects[env.offsets[l] + action[side * factors + l]]
    return float(total)


@kernel
def mean(env: CombinationData, t: int, action: Ints) -> float:
    """The probability that the first combination wins a duel that is no tie."""
    return sigmoid(utility(env, action, 0) - utility(env, action, 1))


@kernel
def sample(env: CombinationData, t: int, action: Ints, rng: np.random.Generator) -> float:
    """1.0 if the first combination wins, 0.0 if the second does, 0.5 for a tie."""
    u = rng.random()
    if u < env.tie:
        return 0.5
    return 1.0 if u < env.tie + (1.0 - env.tie) * mean(env, t, action) else 0.0


@kernel
def regret(env: CombinationData, t: int, action: Ints) -> float:
    """Half the sum of what both combinations lose against the best."""
    first = sigmoid(env.best - utility(env, action, 0)) - 0.5
    second = sigmoid(env.best - utility(env, action, 1)) - 0.5
    return max(0.0, 0.5 * (first + second))


def init(effects: Any, tie: float = 0.0) -> Environment:
    """Duels of whole combinations, whose utility is a sum of effects.

    Parameters
    ----------
    effects
        `effects[l][i]` is what level i of factor l adds to the utility; at least two factors. Of a
        single one the levels are arms: use `duel_utility`.
    tie
        The probability of a tie.

    Returns
    -------
    The problem.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> problem = init([[0.0, 1.0], [0.5, 0.0]], tie=0.2)
    >>> round(problem.regret([0, 0, 1, 0]), 3)  # half of 0.731 - 0.5
    0.116
    """
    values = level_values("effects", effects)
    if len(values) < 2:
        raise InvalidInputError(
            "effects needs at least two factors; with one, its levels are arms: use duel_utility"
        )
    if all(len(value) == 1 for value in values):
        raise InvalidInputError("effects needs a factor with at least two levels")
    spread = float(sum(value.max() - value.min() for value in values))
    log_odds(low=-spread, high=spread)

    best = tuple(int(value.argmax()) for value in values)
    data = CombinationData(
        effects=np.concatenate(values),
        offsets=offsets_of([len(value) for value in values]),
        best=float(sum(value.max() for value in values)),
        tie=checked_tie(tie),
    )
    # the sum in the order of the kernel, so that the best has no regret by rounding
    data = data._replace(best=utility(data, np.array([*best, *best]), 0))
    sizes = tuple(len(value) for value in values)
    ties = {"tie": data.tie} if data.tie else {}

    return Environment(
        name="duel_combinations",
        kind="duel",
        module=sys.modules[__name__],
        data=data,
        sizes=(*sizes, *sizes),
        reward_range=(0.0, 1.0),
        unit="average",
        best=(*best, *best),
        params={"effects": values, **ties},
    )


def conjoint(
    levels: int = 4, factors: int = 5, lead: float = 0.5, spread: float = 0.5, tie: float = 0.0
) -> Environment:
    """In every factor the best level leads, and the others are spread evenly below it.

    Parameters
    ----------
    levels
        How many levels each factor has.
    factors
        How many factors there are.
    lead
        By how much the best level of a factor leads the next, in log-odds.
    spread
        From the second to the last.
    tie
        The probability of a tie.

    Returns
    -------
    The problem, the first levels the best.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> [values.tolist() for values in conjoint(3, 2).params["effects"]]
    [[0.0, -0.5, -1.0], [0.0, -0.5, -1.0]]
    """
    levels = integer("levels", levels, low=2)
    factors = integer("factors", factors, low=2)
    room_for_levels(levels, factors)
    lead = finite("lead", lead)
    spread = finite("spread", spread)
    if lead <= 0.0 or spread < 0.0:
        raise InvalidInputError(
            f"lead must be positive and spread not negative, not {lead:g} and {spread:g}"
        )

    others = -lead - np.linspace(0.0, spread, levels - 1)
    effects = [np.concatenate([[0.0], others]) for _ in range(factors)]
    return init(effects, tie)


GENERATORS = {"conjoint": conjoint}
