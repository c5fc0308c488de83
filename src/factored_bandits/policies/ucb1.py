"""UCB1 over all combinations (Auer, Cesa-Bianchi & Fischer 2002): what one would do without factors.

Every combination is an arm of its own: play the one with the largest mean + sqrt(alpha log t / plays), unplayed ones
first, ties at random. The simplest neighbour: it assumes nothing, and pays for every combination.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("table", means=[[0.2, 0.8], [0.3, 0.4]])
    >>> result = fb.simulate("ucb1", environment, horizon=5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..errors import InvalidInput
from ..kernel import kernel
from ..randomness import below
from ._contract import Info

LARGEST = 10**6  # combinations; beyond that a step would look at millions of indices and learn nothing for long

INFO = Info(
    title="UCB1 over all combinations",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="none",
    guarantee="O(sum over combinations of log(t) / gap), anytime",
    reference="Auer, Cesa-Bianchi & Fischer, Machine Learning 47, 2002",
)


class Params(NamedTuple):
    """`alpha` under the root: 2 in the textbook, 0.5 tuned."""

    alpha: float = 2.0


class State(NamedTuple):
    """Statistics of each combination, the last factor running fastest."""

    sizes: Ints  # (L,)
    total: Floats  # (combinations,) sum of rewards
    plays: Ints  # (combinations,)
    tied: Ints  # (combinations,) scratch: those with the largest index
    tied_count: Ints  # (1,) how many they were at the last plan


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    arms = math.prod(int(size) for size in sizes)
    if arms > LARGEST:
        raise InvalidInput(
            f"ucb1 looks at every combination at every step and takes at most {LARGEST:,} of them; this problem has "
            f"{arms:,}. Use a policy that works factor by factor, such as 'tea'"
        )
    integers = np.zeros((2, arms), dtype=np.int64)
    return State(np.asarray(sizes), np.zeros(arms), integers[0], integers[1].copy(), np.zeros(1, dtype=np.int64))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The combination with the largest index."""
    bonus, best, ties = params.alpha * math.log(t), -math.inf, 0
    for arm in range(len(state.total)):
        n = state.plays[arm]
        index = math.inf if n == 0 else state.total[arm] / n + math.sqrt(bonus / n)
        if index > best:
            best, ties = index, 0
        if index == best:
            state.tied[ties] = arm
            ties += 1
    state.tied_count[0] = ties
    spread(state, state.tied[below(rng, ties)], actions[0])
    return 1


@kernel
def spread(state: State, arm: int, action: Ints) -> None:
    """The levels of a combination."""
    for l in range(len(state.sizes) - 1, -1, -1):
        action[l] = arm % state.sizes[l]
        arm //= state.sizes[l]


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Sum and count of the combination played."""
    arm = 0
    for l in range(len(state.sizes)):
        arm = arm * state.sizes[l] + actions[0, l]
    state.total[arm] += rewards[0]
    state.plays[arm] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The combination with the best mean among those played."""
    best, best_mean = 0, -math.inf
    for arm in range(len(state.total)):
        if state.plays[arm] > 0 and state.total[arm] / state.plays[arm] > best_mean:
            best, best_mean = arm, state.total[arm] / state.plays[arm]
    spread(state, best, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Among the combinations that tied for the largest index, the share with each level."""
    tied = np.unravel_index(state.tied[: state.tied_count[0]], tuple(state.sizes))
    return [np.bincount(levels, minlength=size) / len(levels) for levels, size in zip(tied, state.sizes, strict=True)]
