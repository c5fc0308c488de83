"""Factored problems: the paper's family, and one problem for each assumption that can hold or fail."""

from __future__ import annotations

import math
from functools import partial

from factored_bandits.environments import Environment, make, spiked

from .instance import Instance

ROUNDS = 10**5


def factored() -> tuple[Instance, ...]:
    """The suite of factored problems.

    >>> len(factored()), [instance.name for instance in factored()][5:8]
    (12, ['low click rate 5^4', 'additive 6^5', 'logistic 4x8'])
    """
    return (
        Instance(
            "rank1 16x16 u*v*=0.0625",
            partial(spiked, 16, 0.0625),
            ROUNDS,
            "the paper's figure, rewards rare",
        ),
        Instance(
            "rank1 16x16 u*v*=0.25",
            partial(spiked, 16, 0.25),
            ROUNDS,
            "the paper's figure; known from elsewhere",
        ),
        Instance(
            "rank1 16x16 u*v*=0.5",
            partial(spiked, 16, 0.5),
            ROUNDS,
            "the paper's figure, noise at its largest",
        ),
        Instance(
            "rank1 16x16 u*v*=0.75",
            partial(spiked, 16, 0.75),
            ROUNDS,
            "the paper's figure; known from elsewhere",
        ),
        Instance(
            "rank1 16x16 u*v*=1",
            partial(spiked, 16, 1.0),
            ROUNDS,
            "the paper's figure, a best without noise",
        ),
        Instance(
            "low click rate 5^4",
            low_click_rate,
            ROUNDS,
            "2 to 5 %: what advertisers have; small gaps, small means",
        ),
        Instance("additive 6^5", _additive, ROUNDS, "many factors: 7776 combinations, 30 levels"),
        Instance(
            "logistic 4x8", _logistic, ROUNDS, "logistic models are right here; gaps of every size"
        ),
        Instance(
            "interaction 8x8 kappa=3",
            partial(make, "interaction"),
            ROUNDS,
            "identifiable, but no sum, no product",
        ),
        Instance(
            "trap 2x16",
            partial(make, "trap"),
            ROUNDS,
            "a big factor hides a small one: sparring locks in",
        ),
        Instance(
            "stochastically constrained 8x8",
            _constrained,
            ROUNDS,
            "means of different times must not be compared",
        ),
        Instance(
            "rank1 20^3",
            partial(spiked, 20, 0.75, 0.2, 3),
            ROUNDS,
            "8000 combinations: too many for flat ones",
        ),
    )


def low_click_rate() -> Environment:
    """Four factors of five levels, equal steps in the log-odds from 2 % to 5 %.

    >>> problem = low_click_rate()
    >>> round(problem.mean([0] * 4), 9), round(problem.mean([4] * 4), 9)
    (0.02, 0.05)
    """
    low, high = (math.log(rate / (1.0 - rate)) for rate in (0.02, 0.05))
    step = (high - low) / 16.0
    return make("logistic", effects=[[step * level for level in range(5)]] * 4, base=low)


_additive = partial(make, "additive", effects=[[0.08] + [0.0] * 5] * 5, base=0.3)
_logistic = partial(
    make, "logistic", effects=[[0.5 * i for i in range(4)], [0.25 * i for i in range(8)]], base=-2.5
)
_constrained = partial(
    make, "stochastically_constrained", effects=[[0.15] + [0.0] * 7] * 2, base=0.1, swing=0.5
)
