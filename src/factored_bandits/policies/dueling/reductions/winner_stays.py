"""Winner Stays (Chen & Frazier, ICML 2017): the winner of a duel meets the next challenger.

Every arm keeps its wins less its losses. The two arms with the largest difference duel; ties go to
those who have just played, then to a random arm. So a pair duels until one falls behind an arm that
has not yet played in this round, which is the next challenger; a round ends when every arm has
challenged. For strong regret, after the r-th round (not after every duel) its winner duels itself
floor(beta^r) times.

Within a round everyone who has not played has the same difference, everyone beaten one less; so the
next pair is known without a search.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(4, 0.9)
    >>> policy = "winner_stays"
    >>> result = fb.simulate(policy, environment, 10_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import FOREVER, Code, Info
from factored_bandits.policies.limits import COUNT, Within, index, slots

STRONG: Code = 0  # Params.regret
NOBODY = -1

# slots of State.clock
ROUND = 0  # 0 before the first
FIRST = 1  # the title holder, NOBODY before the first duel
SECOND = 2  # the challenger, NOBODY while one is to be chosen
WAITING = 3  # arms that have not played in this round
AWAKE = 4  # the rest after a round ends before this duel

INFO = Info(
    title="Winner Stays",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee=(
        "weak regret O(K^2), O(K log K) with a total order; strong regret O(K^2 + K log t), anytime"
    ),
    reference="Chen & Frazier, Dueling Bandits with Weak Regret, ICML 2017, Algorithms 1 and 2",
    self_duel="tie",
    cost=(5, 0.3),
    slowdown=(3, 3),
)


class Params(NamedTuple):
    """WS-S for `strong` regret with its `beta` > 1, or WS-W for `weak` regret.

    WS-W never duels an arm with itself.
    """

    regret: Literal["strong", "weak"] = "strong"
    beta: float = 1.1


class State(NamedTuple):
    """The title holder, the challenger, and who has not played in this round."""

    margin: Ints  # (K,) C_i: wins less losses
    pool: Ints  # (K,) the WAITING arms first
    clock: Ints  # (5,) ROUND, FIRST, SECOND, WAITING, AWAKE
    power: Floats  # (1,) beta^round, at most FOREVER

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.margin)
        arm = index(arms, nobody=True)
        awake = Within(0, FOREVER + 2 * MOST_ROUNDS)
        return {
            "margin": Within(-MOST_ROUNDS, MOST_ROUNDS),
            "pool": index(arms),
            "clock": slots(COUNT, arm, arm, index(arms), awake),
            "power": Within(1.0, float(FOREVER)),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """Two different arms duel, and neither of them nor any other waits twice."""
        _, first, second, waiting, awake = self.clock.tolist()
        if first == NOBODY and (second, waiting, awake) != (NOBODY, 0, 0):
            return "clock tells of a round without a title holder"
        present = [arm for arm in (first, second) if arm != NOBODY]
        present += self.pool[:waiting].tolist()
        if len(set(present)) != len(present):
            return "an arm stands twice in clock and pool"
        return None


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse a beta that does not exceed 1."""
    if not params.beta > 1.0:
        raise InvalidInputError(
            f"winner_stays: beta must exceed 1, not {params.beta:g}: the rests grow as beta^round"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """No round has begun."""
    arms = int(sizes[0])
    return State(
        margin=np.zeros(arms, dtype=np.int64),
        pool=np.zeros(arms, dtype=np.int64),
        clock=np.array([0, NOBODY, NOBODY, 0, 0]),
        power=np.ones(1),
    )


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm 1: the title holder against the challenger; while resting, against itself."""
    clock = state.clock

    # Algorithm 2: floor(beta^r) duels of the winner of round r with itself
    if t < clock[AWAKE]:
        actions[0, 0] = clock[FIRST]
        actions[0, 1] = clock[FIRST]
        return 1

    # Algorithm 1: i = argmax C, j = argmax of the rest; only among WAITING arms there is a choice
    if clock[SECOND] == NOBODY:
        if clock[WAITING] == 0:
            new_round(params, state)
        if clock[FIRST] == NOBODY:
            clock[FIRST] = challenger(state, rng)
        clock[SECOND] = challenger(state, rng)

    actions[0, 0] = clock[FIRST]
    actions[0, 1] = clock[SECOND]
    return 1


@kernel
def new_round(params: Params, state: State) -> None:
    """Everyone but the title holder is to play; a loser still in SECOND goes first."""
    clock = state.clock
    count = 0

    for arm in range(len(state.pool)):
        if arm != clock[FIRST] and arm != clock[SECOND]:
            state.pool[count] = arm
            count += 1

    clock[WAITING] = count
    clock[ROUND] += 1
    state.power[0] = min(state.power[0] * params.beta, float(FOREVER))


@kernel
def challenger(state: State, rng: np.random.Generator) -> int:
    """A random one of those who have not played in this round."""
    slot = randint(rng, state.clock[WAITING])
    arm = state.pool[slot]
    state.clock[WAITING] -= 1
    state.pool[slot] = state.pool[state.clock[WAITING]]
    return arm


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Win and loss; a tie changes nothing, nor does a late duel of a pair already decided."""
    clock = state.clock
    margin = state.margin
    first = actions[0, 0]
    second = actions[0, 1]
    if first == second or first != clock[FIRST] or second != clock[SECOND]:
        return

    gain = int(2.0 * rewards[0] - 1.0)
    margin[first] += gain
    margin[second] -= gain

    if margin[second] > margin[first]:
        clock[FIRST] = second
        clock[SECOND] = first

    # the loser has fallen behind the arms that have not played in this round
    if margin[clock[SECOND]] == -clock[ROUND]:
        if clock[WAITING] == 0 and params.regret == STRONG:
            clock[AWAKE] = t + 1 + int(state.power[0])
        if clock[WAITING] > 0 or params.regret == STRONG:
            clock[SECOND] = NOBODY
        else:
            # all others tie, and ties go to the arm that has just played
            new_round(params, state)


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """The rest after a round."""
    return max(0, state.clock[AWAKE] - t)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The title holder."""
    best = max(state.clock[FIRST], 0)
    action[0] = best
    action[1] = best
