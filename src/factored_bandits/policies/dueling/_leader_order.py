"""Whom `dueling_leader_tea` asks about next: a candidate, and the opponent that tells most."""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.policies.blocks.duels import divergence

from ._leader_bets import share_of
from ._leader_record import NOBODY, State

# Evidence against a candidate delays it by at most e^PATIENCE times the duels of another one.
PATIENCE = 3.0
# Evidence that a former leader must have against an arm, which may be luck, before it counts; and
# evidence that the present leader may have missed.
LUCK = 2.0
MISSED = 1.0
# the least that an arm is taken to lack against the leader
LEAST_LACK = 0.01


@kernel
def next_candidate(state: State, rng: np.random.Generator) -> int:
    """The candidate with the fewest duels for how well it does against the leader."""
    arms = len(state.active)
    offset = randint(rng, arms)
    choice = NOBODY
    least = math.inf

    for step in range(arms):
        # from a random arm on, so that none of equals is preferred
        k = step + offset if step + offset < arms else step + offset - arms
        if state.turn[k] < least and state.active[k] and k != state.leader[0]:
            least = state.turn[k]
            choice = k

    return choice


@kernel
def update_turn(state: State, k: int) -> None:
    """Renew the turn of arm k, after a duel of it was planned or learned."""
    state.turn[k] = math.log(1.0 + state.duels[k] + state.pending[k]) - evidence_for(state, k)


@kernel
def update_turns(state: State) -> None:
    """Renew the turns of all arms, whose records are others under another leader."""
    for k in range(len(state.turn)):
        update_turn(state, k)


@kernel
def evidence_for(state: State, k: int) -> float:
    """Evidence that arm k is better than the leader; below 0, that it is not the best."""
    won = state.won[k]
    lost = state.duels[k] - won
    if won > lost:
        return divergence(lost, won)
    return -min(PATIENCE, max(state.wealth[k], divergence(won, lost)))


@kernel
def opponent_of(state: State, k: int) -> int:
    """The leader, or the former leader that beats candidate k, where evidence is cheaper there.

    A duel costs half of what both arms lack, and the leader lacks nothing.
    """
    won = state.won[k]
    lost = state.duels[k] - won
    beater = state.beater[k]
    if beater == NOBODY or beater == state.leader[0] or won > lost:
        return state.leader[0]

    beater_won = state.beater_won[k]
    evidence = divergence(beater_won, state.beater_duels[k] - beater_won) - LUCK
    if evidence <= 0.0:
        return state.leader[0]

    per_duel = evidence / state.beater_duels[k]
    with_leader = (divergence(won, lost) + MISSED) / (state.duels[k] + 1.0)
    lack = max(LEAST_LACK, 0.5 - share_of(state, k))
    beater_lack = max(LEAST_LACK, 0.5 - share_of(state, beater))
    cheaper = per_duel * lack > with_leader * (lack + beater_lack)
    return beater if cheaper else state.leader[0]
