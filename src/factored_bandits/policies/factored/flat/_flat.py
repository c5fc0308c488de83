"""Every combination an arm of its own, numbered with the last factor running fastest."""

from __future__ import annotations

import math

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError

# combinations; beyond that a step would look at millions of indices and learn nothing for long
LARGEST = 10**6


def combinations(sizes: Ints) -> int:
    """How many there are."""
    return math.prod(int(size) for size in sizes)


def check_combinations(name: str, sizes: Ints) -> None:
    """Refuse too many."""
    number = combinations(sizes)
    if number > LARGEST:
        raise InvalidInputError(
            f"{name} looks at every combination at every step and takes at most {LARGEST:,} of "
            f"them; this problem has {number:,}. Use a policy that works factor by factor, such "
            "as 'tea'"
        )


@kernel
def most_played(plays: Floats) -> int:
    """The combination with the most plays, the first of equals."""
    best = 0
    for arm in range(1, len(plays)):
        if plays[arm] > plays[best]:
            best = arm
    return best
