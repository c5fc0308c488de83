"""What dueling policies share: who beat whom, bounds of pairs, refusals.

`wins[i, j]` counts the duels that arm i won against arm j, a tie one half for each. N = W + W' and
q = W / N, 1/2 where a pair has not met. Duels of an arm with itself carry no information and are
not recorded.

*Time-free.* The upper confidence bound u_ij = q_ij + sqrt(x / N_ij), x = alpha log t, lies below
1/2 iff q_ij < 1/2 and N_ij (1/2 - q_ij)^2 > x. The left side, the `deficit` of i against j, changes
only when the pair duels.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Bools, Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER

LARGEST = 2 * 2**30  # bytes of state


def check_size(policy: str, arms: int, matrices: int) -> None:
    """Refuse a problem where `matrices` numbers per pair of arms do not fit in two gibibytes."""
    if 8 * matrices * arms * arms > LARGEST:
        most = math.isqrt(LARGEST // (8 * matrices))
        raise InvalidInputError(
            f"{policy} keeps {8 * matrices} bytes for each of {arms:,} x {arms:,} pairs and takes "
            f"at most {LARGEST // 2**30} GiB, that is {most:,} arms. "
            "Use a policy with less to remember, such as 'dueling_tea'"
        )


def check_positive(policy: str, **values: float) -> None:
    """Refuse parameters that must be positive and are not."""
    for name, value in values.items():
        if value <= 0.0:
            raise InvalidInputError(f"{policy}: {name} must be positive, not {value!r}")


def check_horizon(policy: str, horizon: int) -> None:
    """Refuse an unknown horizon where the confidence of a policy depends on it."""
    if horizon == 0:
        raise InvalidInputError(
            f"{policy} sets its confidence by the horizon: say for how many rounds it will play"
        )


def eliminated_p_values(active: Bools, failure: float) -> list[Floats]:
    """An anytime p-value per arm of its being the best: `failure` where eliminated, else 1.

    Valid where the best arm is ever eliminated with probability at most `failure`: a p-value falls
    to `failure` only then.

    >>> eliminated_p_values(np.array([True, False]), 0.01)
    [array([1.  , 0.01])]
    """
    return [np.where(active, 1.0, failure)]


def met(wins: Floats) -> list[tuple[int, int]]:
    """The pairs i < j that have duelled.

    >>> met(np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    [(0, 2)]
    """
    return [(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(wins + wins.T, 1)), strict=True)]


@kernel
def record(wins: Floats, first: int, second: int, outcome: float) -> None:
    """One duel between two arms: 1 the first won, 0 the second did, 0.5 a tie."""
    wins[first, second] += outcome
    wins[second, first] += 1.0 - outcome


@kernel
def deficit(wins: Floats, i: int, j: int) -> float:
    """N_ij (1/2 - q_ij)^2 where arm i trails arm j, else 0."""
    behind = wins[j, i] - wins[i, j]
    if behind <= 0.0:
        return 0.0
    return behind * behind / (4.0 * (wins[i, j] + wins[j, i]))


@kernel
def divergence(won: float, lost: float) -> float:
    """N d(q) = N (q log 2q + (1 - q) log 2(1 - q)) of `won` <= `lost` duels.

    Accurate also for q close to 1/2.
    """
    if won >= lost:
        return 0.0
    lead = (lost - won) / (lost + won)
    value = lost * math.log1p(lead)
    if won > 0.0:
        value += won * math.log1p(-lead)
    return value


@kernel
def first_round(log_t: float) -> int:
    """A round before which log t < `log_t` for certain.

    It is earlier than the first round that reaches `log_t` by at most one part in 10^12.
    """
    if log_t <= 0.0:
        return 1
    if log_t > 40.0:
        return FOREVER
    return max(1, int(math.exp(log_t) * (1.0 - 1e-12)))


@kernel
def update_bounds(wins: Floats, rate: Floats, width: Floats, i: int, j: int) -> None:
    """Renew both sides of a pair that has just met: u_jc = rate[c, j] + sqrt(x) width[c, j]."""
    n = wins[i, j] + wins[j, i]
    rate[i, j] = wins[j, i] / n
    rate[j, i] = wins[i, j] / n
    width[i, j] = 1.0 / math.sqrt(n)
    width[j, i] = width[i, j]


@kernel
def strongest_rival(
    rate: Floats, width: Floats, c: int, root: float, rng: np.random.Generator
) -> int:
    """argmax_j u_jc, ties at random; root = sqrt(alpha log t).

    The bound of c against itself is 1/2; c is chosen only if all others are below.
    """
    best = 0.5
    choice = c
    ties = 0

    for j in range(rate.shape[0]):
        bound = rate[c, j] + root * width[c, j]
        if bound >= best and j != c:
            if bound > best:
                best = bound
                ties = 0
            ties += 1
            if tie_wins(rng, ties):
                choice = j

    return choice
