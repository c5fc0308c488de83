"""Duels by utility: arm a beats arm b with probability link(u(a) - u(b)).

The link is linear, (1 + x) / 2 as in the paper, or logistic.

>>> import factored_bandits as fb
>>> fb.environments.make("duel_utility", utilities=[0.4, 0.0, 0.0]).mean([0, 1])
0.7
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from factored_bandits.core.checks import finite, integer, one_of
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import TOLERANCE, log_odds, numbers, room_for_levels
from factored_bandits.environments.preferences import LINEAR, LOGISTIC, Unit, build
from factored_bandits.errors import InvalidInputError

Link = Literal["linear", "logistic"]


def init(
    utilities: Any, link: Link = "linear", unit: Unit = "average", tie: float = 0.0
) -> Environment:
    """Duels whose winners are drawn by the difference of two utilities.

    Parameters
    ----------
    utilities
        One number per arm; with the linear link they may differ by at most 1.
    link
        "linear": the first arm wins with probability (1 + x) / 2, x the difference; "logistic":
        with 1 / (1 + exp(-x)).
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "paper" (the paper's equation (3), in utilities), "weak" (the smaller loss), "strong" (the
        larger), "copeland" (by the number of arms beaten).
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
    >>> init([0.4, 0.0, 0.0]).mean([0, 1])
    0.7
    """
    values = numbers("utilities", utilities)
    if len(values) < 2:
        raise InvalidInputError("utilities needs at least two arms")
    one_of("link", link, ("linear", "logistic"))
    if link == "linear" and values.max() - values.min() > 1.0 + TOLERANCE:
        high = int(values.argmax())
        low = int(values.argmin())
        raise InvalidInputError(
            f"utilities[{high}] - utilities[{low}] = {values[high] - values[low]:g}; with the "
            "linear link they may differ by at most 1, or the probability of winning would "
            "exceed 1"
        )

    if link == "logistic":
        spread = float(values.max() - values.min())
        log_odds(low=-spread, high=spread)

    code = LINEAR if link == "linear" else LOGISTIC
    params = {"utilities": values, "link": link}
    return build("duel_utility", utilities=values, link=code, tie=tie, unit=unit, params=params)


def identical_gap(arms: int = 16, p: float = 0.7, unit: Unit = "average") -> Environment:
    """One arm beats every other with probability p; all other duels are even (as in the paper).

    Parameters
    ----------
    arms
        How many arms there are.
    p
        The probability that arm 0 beats any other.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "paper" (the paper's equation (3), in utilities), "weak" (the smaller loss), "strong" (the
        larger), "copeland" (by the number of arms beaten).

    Returns
    -------
    The problem, arm 0 the best.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> identical_gap(16, 0.7).mean([0, 5])
    0.7
    """
    arms = integer("arms", arms, low=2)
    room_for_levels(arms, what="arms")
    if not 0.5 <= finite("p", p) <= 1.0:
        raise InvalidInputError(
            f"p, the best arm's probability to win, must lie in [0.5, 1], not {p!r}"
        )
    utilities = np.zeros(arms)
    utilities[0] = 2.0 * p - 1.0
    return init(utilities=utilities, unit=unit)


def arithmetic(arms: int = 8, step: float = 0.05, unit: Unit = "average") -> Environment:
    """Arm i beats arm j with probability 1/2 + step (j - i) (Komiyama et al. 2015).

    Parameters
    ----------
    arms
        How many arms there are.
    step
        How much more probable a win is against the next arm.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "paper" (the paper's equation (3), in utilities), "weak" (the smaller loss), "strong" (the
        larger), "copeland" (by the number of arms beaten).

    Returns
    -------
    The problem, arm 0 the best.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> round(arithmetic(8).mean([0, 7]), 9)
    0.85
    """
    arms = integer("arms", arms, low=2)
    room_for_levels(arms, what="arms")
    step = finite("step", step)

    if abs(step) * (arms - 1) > 0.5 + TOLERANCE:
        raise InvalidInputError(
            f"step = {step:g} makes the first of {arms} arms beat the last with probability "
            f"{0.5 + abs(step) * (arms - 1):g}; use a step of at most {0.5 / (arms - 1):.6g}"
        )

    return init(utilities=-2.0 * step * np.arange(arms), unit=unit)


def random_utilities(
    arms: int = 16, scale: float = 1.0, link: Link = "linear", draw: int = 0, unit: Unit = "average"
) -> Environment:
    """Utilities drawn uniformly: the best arm leads by about scale / (arms + 1).

    Parameters
    ----------
    arms
        How many arms there are.
    scale
        Utilities lie between 0 and this.
    link
        "linear" or "logistic", from the difference of two utilities to a probability.
    draw
        Another number gives another problem.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "paper" (the paper's equation (3), in utilities), "weak" (the smaller loss), "strong" (the
        larger), "copeland" (by the number of arms beaten).

    Returns
    -------
    The problem.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> random_utilities(4, draw=1).params["utilities"].round(3).tolist()
    [0.512, 0.95, 0.144, 0.949]
    """
    arms = integer("arms", arms, low=2)
    room_for_levels(arms, what="arms")
    scale = finite("scale", scale)
    draw = integer("draw", draw, low=0)
    if scale <= 0.0:
        raise InvalidInputError(f"scale must be positive, not {scale!r}")
    return init(utilities=scale * np.random.default_rng(draw).random(arms), link=link, unit=unit)


def ties(arms: int = 8, p: float = 0.7, tie: float = 0.3, unit: Unit = "average") -> Environment:
    """Many duels end in a tie; in the others one arm beats every other, all others are even.

    Parameters
    ----------
    arms
        How many arms there are.
    p
        The probability that arm 0 wins a duel that is no tie.
    tie
        The probability of a tie.
    unit
        The unit of the regret: "average" (half the sum of what both arms lose against the best),
        "paper" (the paper's equation (3), in utilities), "weak" (the smaller loss), "strong" (the
        larger), "copeland" (by the number of arms beaten).

    Returns
    -------
    The problem, arm 0 the best.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> ties().params["tie"], ties().mean([0, 5])
    (0.3, 0.7)
    """
    return init(utilities=identical_gap(arms, p).params["utilities"], unit=unit, tie=tie)


GENERATORS = {
    "arithmetic": arithmetic,
    "identical_gap": identical_gap,
    "random_utilities": random_utilities,
    "ties": ties,
}
