"""Stationary duels: who beats whom with which probability, from utilities or from a matrix.

One data type and one pair of kernels for all of them, so that a policy is compiled once.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.checks import finite
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .base import Environment
from .checks import TOLERANCE

# DuelData.link: from the difference of two utilities, or a matrix
LINEAR = 0
LOGISTIC = 1
MATRIX = 2

# DuelData.combine: of the losses of the two arms
AVERAGE = 0
BETTER = 1  # the smaller
WORSE = 2  # the larger

UNITS = ("average", "paper", "weak", "strong", "copeland")
Unit = Literal["average", "paper", "weak", "strong", "copeland"]


class DuelData(NamedTuple):
    """Who beats whom, and what each arm costs."""

    link: int  # LINEAR, LOGISTIC or MATRIX
    combine: int  # AVERAGE, BETTER or WORSE
    tie: float  # the probability that a duel ends in a tie, whoever plays
    utilities: Floats  # (K,) empty with a matrix
    preferences: Floats  # (K * K,) probability that row beats column; or empty
    losses: Floats  # (K,) of each arm, 0 for the best


@kernel
def mean(env: DuelData, t: int, action: Ints) -> float:
    """The probability that the first arm wins a duel that is no tie."""
    i = action[0]
    j = action[1]
    if env.link == MATRIX:
        return env.preferences[i * len(env.losses) + j]
    difference = env.utilities[i] - env.utilities[j]
    if env.link == LINEAR:
        return 0.5 + 0.5 * difference
    return 1.0 / (1.0 + math.exp(-difference))


@kernel
def sample(env: DuelData, t: int, action: Ints, rng: np.random.Generator) -> float:
    """1.0 if the first arm wins, 0.0 if the second does, 0.5 for a tie."""
    # one draw, as many as without ties: policies compared under one seed meet the same noise
    u = rng.random()
    if u < env.tie:
        return 0.5
    return 1.0 if u < env.tie + (1.0 - env.tie) * mean(env, t, action) else 0.0


@kernel
def regret(env: DuelData, t: int, action: Ints) -> float:
    """What this duel costs, in the unit of the problem."""
    first = env.losses[action[0]]
    second = env.losses[action[1]]
    if env.combine == AVERAGE:
        return 0.5 * (first + second)
    if env.combine == BETTER:
        return min(first, second)
    return max(first, second)


def build(
    name: str,
    *,
    utilities: Floats | None = None,
    link: int = MATRIX,
    preferences: Floats | None = None,
    tie: float,
    unit: Unit,
    params: dict[str, Any],
) -> Environment:
    """The problem with the losses of its unit.

    Ties tell nothing of the arms, so losses are those of decided duels.
    """
    tie = checked_tie(tie)
    if not isinstance(unit, str) or unit not in UNITS:
        raise UnknownNameError.of("regret unit", unit, UNITS)

    arms = len(utilities) if utilities is not None else len(preferences)  # type: ignore[arg-type]
    data = DuelData(
        link=link,
        combine={"weak": BETTER, "strong": WORSE}.get(unit, AVERAGE),
        tie=tie,
        utilities=np.zeros(0) if utilities is None else utilities.copy(),
        preferences=np.zeros(0) if preferences is None else preferences.flatten(),
        losses=np.zeros(arms),
    )
    losses = _losses(data, unit, name)
    ties = {"tie": tie} if tie else {}

    best = int(losses.argmin())

    return Environment(
        name=name,
        kind="duel",
        module=sys.modules[__name__],
        data=data._replace(losses=losses),
        sizes=(arms, arms),
        reward_range=(0.0, 1.0),
        unit=unit,
        best=(best, best),
        params={**params, **ties, "unit": unit},
    )


def checked_tie(tie: float) -> float:
    """A probability of a tie below 1, or an error."""
    if not 0.0 <= finite("tie", tie) < 1.0:
        raise InvalidInputError(f"tie, the probability of a tie, must lie in [0, 1), not {tie!r}")
    return float(tie)


def _losses(data: DuelData, unit: Unit, name: str) -> Floats:
    # the paper's equation (3): half the distance in utility of each arm, added; combined as an
    # average
    if unit == "paper":
        if data.link == MATRIX:
            raise InvalidInputError(
                "the unit 'paper' is defined by utilities, which a preference matrix does not "
                "give; use duel_utility, or the unit 'average'"
            )
        return np.asarray(data.utilities.max() - data.utilities)

    if unit == "copeland":
        scores = _wins(data)
        return np.asarray((scores.max() - scores) / max(1, len(scores) - 1))

    losses = _against_the_best(data, name) - 0.5
    return np.where(losses > TOLERANCE, losses, 0.0)


def _wins(data: DuelData) -> Ints:
    """How many others each arm beats."""
    if data.link == MATRIX:
        return np.asarray((_matrix(data) > 0.5 + TOLERANCE).sum(axis=1))
    return np.searchsorted(np.sort(data.utilities), data.utilities)


def _against_the_best(data: DuelData, name: str) -> Floats:
    """The probability that the best arm beats each arm; the largest, if several are unbeaten."""
    if data.link != MATRIX:
        best = int(data.utilities.argmax())
        # Equal utilities are looked at once: with millions of equal arms it matters.
        _, first, which = np.unique(data.utilities, return_index=True, return_inverse=True)
        return np.array([mean(data, 1, np.array([best, j])) for j in first])[which]

    matrix = _matrix(data)
    unbeaten = (matrix >= 0.5 - TOLERANCE).all(axis=1)

    if not unbeaten.any():
        candidate = int(_wins(data).argmax())
        rival = int(matrix[candidate].argmin())
        raise InvalidInputError(
            f"{name}: no Condorcet winner, every arm loses to some other (arm {candidate} wins "
            f"most often but preferences[{candidate}][{rival}] = {matrix[candidate, rival]:g} < "
            "0.5); use unit='copeland'"
        )

    return np.asarray(matrix[unbeaten].max(axis=0))


def _matrix(data: DuelData) -> Floats:
    return data.preferences.reshape(len(data.losses), len(data.losses))


def check_preferences(matrix: Floats) -> None:
    """Refuse a matrix that is not square, of probabilities, and consistent; name the entry."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidInputError(f"preferences must be a square matrix, not of shape {matrix.shape}")
    if len(matrix) < 2:
        raise InvalidInputError("preferences needs at least two arms")

    outside = ~((matrix >= 0.0) & (matrix <= 1.0))
    if outside.any():
        i, j = (int(x) for x in np.argwhere(outside)[0])
        raise InvalidInputError(
            f"preferences[{i}][{j}] = {matrix[i, j]:g} is not a probability between 0 and 1"
        )

    uneven = np.abs(np.diag(matrix) - 0.5) > TOLERANCE
    if uneven.any():
        i = int(uneven.argmax())
        raise InvalidInputError(
            f"preferences[{i}][{i}] = {matrix[i, i]:g}; an arm against itself must be 0.5"
        )

    wrong = np.abs(matrix + matrix.T - 1.0) > TOLERANCE
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InvalidInputError(
            f"preferences[{i}][{j}] + preferences[{j}][{i}] = {matrix[i, j]:g} + {matrix[j, i]:g} "
            f"= {matrix[i, j] + matrix[j, i]:g}; the two must add up to 1"
        )
