"""Duels by utility: arm a beats arm b with chance link(u(a) - u(b)).

The link is linear, (1 + x) / 2 as in the paper, or logistic.

>>> import factored_bandits as fb
>>> fb.environments.make("duel_utility", utilities=[0.4, 0.0, 0.0]).mean([0, 1])
0.7
"""

from __future__ import annotations

from typing import Any, Literal

from ..errors import InvalidInput
from ._duel import LINEAR, LOGISTIC, Unit, build
from ._factored import parts
from ._problem import Problem


def init(utilities: Any, link: Literal["linear", "logistic"] = "linear", unit: Unit = "average") -> Problem:
    """`utilities[i]` of arm i; with the linear link they may differ by at most 1."""
    values = parts("utilities", [utilities])[0]
    if link not in ("linear", "logistic"):
        raise InvalidInput(f"link must be 'linear' or 'logistic', not {link!r}")
    if link == "linear" and values.max() - values.min() > 1.0:
        high, low = int(values.argmax()), int(values.argmin())
        raise InvalidInput(
            f"utilities[{high}] - utilities[{low}] = {values[high] - values[low]:g}; with the linear link they may "
            "differ by at most 1, or the chance of winning would exceed 1"
        )
    code = LINEAR if link == "linear" else LOGISTIC
    return build("duel_utility", utilities=values, link=code, unit=unit, params={"utilities": values, "link": link})


def identical_gap(arms: int = 16, p: float = 0.7, unit: Unit = "average") -> Problem:
    """One arm beats every other with chance p; all other duels are even (the paper's experiments).

    >>> identical_gap(16, 0.7).mean([0, 5])
    0.7
    """
    _check_arms(arms)
    if not 0.5 <= p <= 1.0:
        raise InvalidInput(f"p, the best arm's chance to win, must lie in [0.5, 1], not {p!r}")
    return init(utilities=[2.0 * p - 1.0] + [0.0] * (arms - 1), unit=unit)


def arithmetic(arms: int = 8, step: float = 0.05, unit: Unit = "average") -> Problem:
    """Arm i beats arm j with chance 1/2 + step (j - i) (Komiyama et al. 2015).

    >>> round(arithmetic(8).mean([0, 7]), 9)
    0.85
    """
    _check_arms(arms)
    return init(utilities=[-2.0 * step * i for i in range(arms)], unit=unit)


def _check_arms(arms: int) -> None:
    if not (isinstance(arms, int) and arms >= 2):
        raise InvalidInput(f"arms must be a whole number from 2, not {arms!r}")


GENERATORS = {"identical_gap": identical_gap, "arithmetic": arithmetic}
