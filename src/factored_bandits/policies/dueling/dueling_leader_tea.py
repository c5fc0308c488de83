"""Leader duels: one arm leads and meets the others, with one e-process per arm.

For every arm k money is bet against H_k = "arm k is the best", that is, it beats every other arm
with probability at least 1/2. In a duel of the leader with arm k the bet is a share p < 1/2 of wins
of k, fixed before the duel; the money is multiplied by 2 (p x + (1 - p) (1 - x)), x the outcome
for k. If H_k is true the mean of that factor is at most 1, so the money ever exceeds 1 / alpha with
probability at most alpha, also where the probabilities of winning change and H_k stays true. Only
one arm is the best, so that no union over arms or opponents is needed. The leader is bet against
in the same way, with the same outcome.

Arm k is a candidate in round t while the log of its money is at most log t. The leader meets the
candidate that has had the fewest duels with it for how well it does: an arm ahead of the leader
comes sooner. An arm that is clearly ahead becomes the leader at once. A candidate that a former
leader beats more clearly than the present one does meets that one instead, where this is cheaper.
Without candidates the leader duels itself. Which arm comes first is drawn at random, so that a
preference for the first or the second position does no harm.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.identical_gap(8, 0.9)
    >>> result = fb.simulate(
    ...     "dueling_leader_tea", environment, 20_000, repetitions=4, seed=1, progress=False
    ... )
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.base import FOREVER, Info, LevelReport
from factored_bandits.policies.blocks.duels import divergence, first_round

from ._leader_bets import bet_with_beater, bet_with_leader, wealth_of_history
from ._leader_order import next_candidate, opponent_of, update_turn, update_turns
from ._leader_record import (
    DUELS,
    NOBODY,
    WON,
    State,
    enthrone,
    flag,
    new_state,
    record,
    record_with_beater,
    wait_for,
)

# An arm takes over when it leads the leader by log K + TAKE_OVER. Among K arms one that is no
# better gets so far by luck about e^-TAKE_OVER times.
TAKE_OVER = 2.0

INFO = Info(
    title="Leader duels with e-processes",
    kind="duel",
    scale=(0.0, 1.0),
    assumption="Condorcet winner",
    guarantee=(
        "the best arm's p-value ever falls to alpha with probability at most alpha, anytime; "
        "logarithmic regret is measured, not proved"
    ),
    reference="docs/explanation/leader-duels.md; the bets are those of Waudby-Smith & Ramdas 2024",
    self_duel="tie",
    style=("sky", "long"),
    cost=(6, 1.9),
    slowdown=(8, 10),
)


class Params(NamedTuple):
    """No parameters."""


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known."""
    return new_state(int(sizes[0]))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """The leader and the next candidate, in random order; the leader twice if there is none."""
    if state.leader[0] == NOBODY:
        state.leader[0] = randint(rng, len(state.wealth))
    choice = state.leader[0]
    opponent = choice

    # nothing is drawn where there is nothing to choose
    first = 0
    if candidates(state, math.log(t)) > 0:
        choice = next_candidate(state, rng)
        opponent = opponent_of(state, choice)
        wait_for(state, choice, opponent, 1)
        update_turn(state, choice)
        update_turn(state, opponent)
        first = randint(rng, 2)

    state.pair[0] = choice
    state.pair[1] = opponent
    actions[0, first] = choice
    actions[0, 1 - first] = opponent
    return 1


@kernel
def candidates(state: State, log_t: float) -> int:
    """How many arms beside the leader are active in round t."""
    count = -1
    for k in range(len(state.active)):
        if flag(state, k, log_t):
            count += 1
    return count


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The bets, the record, and perhaps another leader.

    A late duel that was planned under another leader changes nothing, unless there is a record of
    its two arms.
    """
    first = actions[0, 0]
    second = actions[0, 1]
    outcome = rewards[0]
    if first != second:
        wait_for(state, first, second, -1)

        if state.leader[0] == second:
            learn_with_leader(state, first, outcome)
        elif state.leader[0] == first:
            learn_with_leader(state, second, 1.0 - outcome)
        elif state.beater[first] == second:
            learn_with_beater(state, first, outcome)
        elif state.beater[second] == first:
            learn_with_beater(state, second, 1.0 - outcome)

        update_turn(state, first)
        update_turn(state, second)
        # what the next round will find, so that rounds without candidates change nothing
        flag(state, first, math.log(t + 1.0))
        flag(state, second, math.log(t + 1.0))

    state.pair[0] = state.leader[0]
    state.pair[1] = state.leader[0]


@kernel
def learn_with_leader(state: State, k: int, outcome: float) -> None:
    """A duel of arm k with the leader, which it may replace."""
    bet_with_leader(state, k, outcome)
    record(state, k, outcome)

    lead = divergence(state.duels[k] - state.won[k], state.won[k])
    if lead >= math.log(len(state.wealth)) + TAKE_OVER:
        enthrone(state, k)
        update_turns(state)


@kernel
def learn_with_beater(state: State, k: int, outcome: float) -> None:
    """A duel of arm k with the former leader that beat it."""
    bet_with_beater(state, k, outcome)
    record_with_beater(state, k, outcome)


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """Without candidates the leader duels itself until log t reaches the smallest wealth."""
    if state.leader[0] == NOBODY:
        return 0

    smallest = math.inf
    for k in range(len(state.wealth)):
        if k != state.leader[0]:
            smallest = min(smallest, state.wealth[k])

    if smallest == math.inf:
        return FOREVER
    return max(0, first_round(smallest) - t)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The leader, in both positions."""
    action[0] = max(state.leader[0], 0)
    action[1] = action[0]


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """The leader and the candidates, and how often these flags changed."""
    return state.active, state.changes[0]


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Per position: the two arms of the round with probability one half each."""
    known = np.zeros(len(state.wealth))
    known[state.pair[0]] += 0.5
    known[state.pair[1]] += 0.5
    return [known, known.copy()]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per arm: active or not, by how much it trails the leader, and its re-entry round."""
    return [[_report(state, k, t) for k in range(len(state.wealth))]]


def _report(state: State, k: int, t: int) -> LevelReport:
    if k == state.leader[0]:
        return LevelReport(True, 0.0, 0.0, None)

    active = bool(state.wealth[k] <= math.log(max(t, 1)))
    reentry = None if active else max(t, int(first_round(state.wealth[k])))
    gap = float(0.5 - state.won[k] / state.duels[k]) if state.duels[k] > 0 else math.nan
    # betting decides whether an arm is behind, and bounds no distance
    return LevelReport(active, gap, math.nan, reentry)


def p_values(params: Params, state: State) -> list[Floats]:
    """Per arm an anytime p-value of its being the best: one over the most money ever won."""
    return [np.exp(-state.peak)]


def log_wealth(params: Params, state: State) -> list[Floats]:
    """Per arm the log of the money that was won by betting against it."""
    return [state.wealth.copy()]


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Bet on past duels with stakes fixed beforehand; the arm that trails least leads."""
    arms = len(wins)
    if arms == 1:
        return

    state.wealth[:] = wealth_of_history(wins)
    state.peak[:] = np.maximum(state.wealth, 0.0)

    trails = [max(divergence(wins[k, j], wins[j, k]) for j in range(arms)) for k in range(arms)]
    net = (wins - wins.T).sum(axis=1)
    leader = min(range(arms), key=lambda k: (trails[k], -net[k]))
    state.leader[0] = leader
    state.pair[:] = leader
    state.won[:] = wins[:, leader]
    state.duels[:] = wins[:, leader] + wins[leader]
    state.reign[WON] = wins[leader].sum()
    state.reign[DUELS] = state.duels.sum()
    update_turns(state)
