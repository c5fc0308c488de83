"""Self-Sparring (Sui, Zhuang, Burdick & Yue, UAI 2017): Thompson sampling draws both arms.

One Beta distribution per arm. Two independent samples of all of them, the largest of each goes into
the duel; the winner gains a win, the loser a loss. Very small regret in most runs. But where arms
are close to the best one, a run in a hundred or so settles on one of those for long if duels of an
arm with itself are skipped, since these are then all it plays: look at the worst run, not at the
mean only. Counting them costs two to four times the median regret, and showed no such run in 600.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> policy = "self_sparring"
    >>> result = fb.simulate(policy, environment, 5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.base_bandits import thompson_pick
from factored_bandits.policies.limits import COUNT, WINS, Within

COUNTED: Code = 1  # Params.same_arm

INFO = Info(
    title="Self-Sparring",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="utility, approximately linear link",
    guarantee="O(K log(t) / smallest gap) asymptotically, anytime",
    reference=(
        "Sui, Zhuang, Burdick & Yue, Multi-dueling Bandits with Dependent Arms, UAI 2017, "
        "Algorithm 1"
    ),
    self_duel="tie",
    cost=(1900, 1.1),
)


class Params(NamedTuple):
    """Duels of an arm with itself are `skipped`, or `counted` as one win and one loss."""

    same_arm: Literal["skipped", "counted"] = "skipped"


class State(NamedTuple):
    """What each arm has won."""

    wins: Floats  # (K,) a tie counts one half
    plays: Floats  # (K,) in either position

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        return {"wins": WINS, "plays": COUNT}

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """Nobody wins more often than it plays."""
        return "wins exceed plays" if (self.wins > self.plays).any() else None


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    arms = int(sizes[0])
    return State(wins=np.zeros(arms), plays=np.zeros(arms))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1 with two arms per duel: the best of one sample against the best of another."""
    actions[0, 0] = thompson_pick(state.wins, state.plays, rng)
    actions[0, 1] = thompson_pick(state.wins, state.plays, rng)
    return 1


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Algorithm 1, the update: one win, one loss."""
    first = actions[0, 0]
    second = actions[0, 1]

    if first != second or params.same_arm == COUNTED:
        state.wins[first] += rewards[0]
        state.plays[first] += 1.0
        state.wins[second] += 1.0 - rewards[0]
        state.plays[second] += 1.0


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm with the largest expected share of wins."""
    best = 0
    highest = -1.0

    for arm in range(len(state.wins)):
        share = (state.wins[arm] + 1.0) / (state.plays[arm] + 2.0)
        if share > highest:
            best = arm
            highest = share

    action[0] = best
    action[1] = best


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    state.wins[:] += wins.sum(axis=1)
    state.plays[:] += wins.sum(axis=1) + wins.sum(axis=0)
