"""CUCB, combinatorial UCB (Chen, Wang, Yuan & Wang 2016), with the outcome of each factor.

Semi-bandit feedback: besides the reward one sees how each chosen level did (the user looked, the
advertisement pleased). Every level keeps its own mean; play in each factor the level with the
largest mean + sqrt(alpha log t / plays), those never played first, ties at random. The best
combination is the best level of each factor wherever the reward grows with each outcome. Far easier
than learning from the reward alone, and so a floor for what the others can hope for. It plays
problems that show the outcomes: `rank1`.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "cucb", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Info
from factored_bandits.policies.blocks.level_means import best_mean_per_factor
from factored_bandits.policies.limits import COUNT, SUM, Within, fixed, level_index

INFO = Info(
    title="Combinatorial UCB",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="the outcome of each factor is seen (semi-bandit feedback), and the reward grows "
    "with each",
    guarantee="O(sum over levels of log(t) / gap), anytime",
    reference="Chen, Wang, Yuan & Wang, Combinatorial multi-armed bandit, JMLR 17, 2016",
    feedback="semi-bandit",
    cost=(330, 0.6),
    slowdown=(15,),
)


class Params(NamedTuple):
    """`alpha` under the root: 1.5 in the paper."""

    alpha: float = 1.5


class State(NamedTuple):
    """What each level has brought."""

    offsets: Ints  # (L + 1,) first level of each factor
    total: Floats  # (levels,) sum of its outcomes
    plays: Ints  # (levels,)
    tied: Ints  # (levels,) scratch: per factor, packed at its offset, those with the largest index
    tied_count: Ints  # (L,) how many they were at the last plan

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {
            "offsets": fixed(self.offsets),
            "total": SUM,
            "plays": COUNT,
            "tied": level_index(self.offsets),
            "tied_count": Within(0, np.diff(self.offsets)),
        }


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse a negative alpha."""
    if params.alpha < 0.0:
        raise InvalidInputError(f"cucb: alpha must be at least 0, not {params.alpha}")


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    levels = int(sum(sizes))
    return State(
        offsets=offsets_of(sizes),
        total=np.zeros(levels),
        plays=np.zeros(levels, dtype=np.int64),
        tied=np.zeros(levels, dtype=np.int64),
        tied_count=np.zeros(len(sizes), dtype=np.int64),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Per factor the level with the largest index."""
    offsets = state.offsets
    tied = state.tied
    bonus = params.alpha * math.log(t)

    for l in range(len(offsets) - 1):
        first = offsets[l]
        best = -math.inf
        ties = 0

        for level in range(first, offsets[l + 1]):
            # Chen et al., Algorithm 1 (CUCB): mu_i + sqrt(3 ln t / (2 T_i)), there capped at 1
            n = state.plays[level]
            index = math.inf if n == 0 else state.total[level] / n + math.sqrt(bonus / n)
            if index > best:
                best = index
                ties = 0
            if index == best:
                tied[first + ties] = level - first
                ties += 1

        # The oracle of a reward that grows with each outcome: each factor on its own.
        state.tied_count[l] = ties
        actions[0, l] = tied[first + randint(rng, ties)]

    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, outcomes: Floats) -> None:
    """Sum and count of each level played, from its own outcome."""
    for l in range(actions.shape[1]):
        level = state.offsets[l] + actions[0, l]
        state.total[level] += outcomes[0, l]
        state.plays[level] += 1


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """Per factor the level with the best mean; one that was never played counts as worst."""
    best_mean_per_factor(state.total, state.plays, state.offsets, action)


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Per factor, each of those that tied for the largest index is as likely."""
    probabilities = []
    for l, ties in enumerate(state.tied_count):
        first = state.offsets[l]
        probability = np.zeros(state.offsets[l + 1] - first)
        probability[state.tied[first : first + ties]] = 1.0 / ties
        probabilities.append(probability)
    return probabilities
