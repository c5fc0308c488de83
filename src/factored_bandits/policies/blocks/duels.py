"""What dueling policies share: who beat whom, numbers of a pair that know no time, and how many
pairs fit in memory.

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

from factored_bandits.core.arrays import Floats
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER

LARGEST = 2 * 2**30  # bytes of state
RATE, WIDTH = 0, 1  # rows of rivals[c]


def check_size(policy: str, arms: int, matrices: int) -> None:
    """Refuse a problem for which `matrices` numbers per pair of arms do not fit in two gibibytes."""
    if 8 * matrices * arms * arms > LARGEST:
        raise InvalidInputError(
            f"{policy} keeps {8 * matrices} bytes for each of {arms:,} x {arms:,} pairs and takes "
            "at most "
            f"{LARGEST // 2**30} GiB, that is {math.isqrt(LARGEST // (8 * matrices)):,} arms. "
            "Use a policy with less to remember, such as 'dueling_tea'"
        )


def check_positive(policy: str, **values: float) -> None:
    """Refuse parameters that must be positive and are not."""
    for name, value in values.items():
        if value <= 0.0:
            raise InvalidInputError(f"{policy}: {name} must be positive, not {value!r}")


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
    """N d(q) = N (q log 2q + (1 - q) log 2(1 - q)) of `won` <= `lost` duels; accurate also for q
    close to 1/2.
    """
    if won >= lost:
        return 0.0
    lead = (lost - won) / (lost + won)
    value = lost * math.log1p(lead)
    if won > 0.0:
        value += won * math.log1p(-lead)
    return value


@kernel
def first_round(level: float) -> int:
    """A round up to which log t < level for certain, at most one in 10^12 before the first that is
    not.
    """
    if level <= 0.0:
        return 1
    if level > 40.0:
        return FOREVER
    return max(1, int(math.exp(level) * (1.0 - 1e-12)))


def new_rivals(arms: int, unplayed: float) -> Floats:
    """(K, 2, K): what the others can do to arm c, u_jc = rivals[c, RATE, j] + sqrt(x) rivals[c,
    WIDTH, j].
    """
    rivals = np.zeros((arms, 2, arms))
    rivals[:, RATE, :] = unplayed
    return rivals


@kernel
def update_rivals(wins: Floats, rivals: Floats, i: int, j: int) -> None:
    """q and 1 / sqrt(N) of a pair that has just met."""
    n = wins[i, j] + wins[j, i]
    rivals[i, RATE, j] = wins[j, i] / n
    rivals[j, RATE, i] = wins[i, j] / n
    rivals[i, WIDTH, j] = rivals[j, WIDTH, i] = 1.0 / math.sqrt(n)


@kernel
def strongest_rival(rivals: Floats, c: int, root: float, rng: np.random.Generator) -> int:
    """argmax_j u_jc, root = sqrt(alpha log t); c itself stands at 1/2 and is chosen only if all
    others are below.
    """
    best = 0.5
    choice = c
    ties = 0

    for j in range(rivals.shape[0]):
        bound = rivals[c, RATE, j] + root * rivals[c, WIDTH, j]
        if bound >= best and j != c:
            if bound > best:
                best = bound
                ties = 0
            ties += 1
            if ties == 1 or randint(rng, ties) == 0:
                choice = j

    return choice
