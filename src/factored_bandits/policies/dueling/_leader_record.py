"""What `dueling_leader_tea` keeps: wealth, and records against one or two opponents of each arm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.limits import (
    COUNT,
    NOT_NEGATIVE,
    SUM,
    WINS,
    Within,
    index,
)

NOBODY = -1

# slots of State.reign, the record of the leader against all others since it leads
WON = 0
DUELS = 1

# Duels that the prior of an arm's share of wins is worth.
PRIOR = 8.0


class State(NamedTuple):
    """Wealth, records against the leader, and what is open; memory grows with K, not K^2."""

    wealth: Floats  # (K,) log of the money won by betting against "this arm is the best"
    peak: Floats  # (K,) the largest wealth so far, at least 0
    won: Floats  # (K,) decided duels that the arm won against the present leader
    duels: Floats  # (K,) decided duels of the arm and the present leader
    reign: Floats  # (2,) see WON and DUELS
    leader: Ints  # (1,) the arm that meets all others, or NOBODY before the first round
    beater: Ints  # (K,) the former leader that beat the arm most clearly, or NOBODY
    beater_won: Floats  # (K,) decided duels that the arm won against it
    beater_duels: Floats  # (K,) decided duels of the arm and it
    pair: Ints  # (2,) the arms of the round just planned; NOBODY before the first round
    pending: Ints  # (K,) duels of two different arms that are planned and not learned
    turn: Floats  # (K,) of the candidates, the one with the smallest value is next
    active: Bools  # (K,) the leader, and the arms that may still be the best
    changes: Ints  # (1,) of `active`, counted

    def limits(self, params: Any) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.wealth)
        return {
            "wealth": SUM,
            "peak": NOT_NEGATIVE,
            "won": WINS,
            "duels": WINS,
            "reign": WINS,
            "leader": index(arms, nobody=True),
            "beater": index(arms, nobody=True),
            "beater_won": WINS,
            "beater_duels": WINS,
            "pair": index(arms, nobody=True),
            "pending": COUNT,
            "turn": SUM,
            "changes": COUNT,
        }

    def contradiction(self, params: Any, planned: Ints) -> str | None:
        """Nobody won more than was played, peaks are above wealth, and what is open is counted."""
        if (self.won > self.duels).any() or self.reign[WON] > self.reign[DUELS]:
            return "more duels are won than were played"
        if (self.beater_won > self.beater_duels).any():
            return "more duels are won than were played"
        if (self.wealth > self.peak).any():
            return "a wealth lies above its peak"

        different = planned[planned[:, 0] != planned[:, 1]]
        counts = np.bincount(different.ravel(), minlength=len(self.pending))
        if not np.array_equal(counts, self.pending):
            return "pending does not count the duels that are planned and not learned"
        if self.leader[0] == NOBODY and (self.duels > 0).any():
            return "there are duels, and no leader"
        if ((self.beater_duels > 0) & (self.beater == NOBODY)).any():
            return "there are duels, and no arm that they were played with"
        return None


def new_state(arms: int) -> State:
    """Nothing known, nobody leads."""
    return State(
        wealth=np.zeros(arms),
        peak=np.zeros(arms),
        won=np.zeros(arms),
        duels=np.zeros(arms),
        reign=np.zeros(2),
        leader=np.array([NOBODY]),
        beater=np.full(arms, NOBODY),
        beater_won=np.zeros(arms),
        beater_duels=np.zeros(arms),
        pair=np.array([NOBODY, NOBODY]),
        pending=np.zeros(arms, dtype=np.int64),
        turn=np.zeros(arms),
        active=np.ones(arms, dtype=np.bool_),
        changes=np.zeros(1, dtype=np.int64),
    )


@kernel
def wait_for(state: State, first: int, second: int, number: int) -> None:
    """Count a duel as planned (1) or as learned (-1)."""
    state.pending[first] += number
    state.pending[second] += number


@kernel
def record(state: State, k: int, outcome: float) -> None:
    """A duel of arm k with the leader; a tie tells nothing about who is better."""
    if outcome != 0.5:
        state.won[k] += outcome
        state.duels[k] += 1.0
        state.reign[WON] += 1.0 - outcome
        state.reign[DUELS] += 1.0


@kernel
def record_with_beater(state: State, k: int, outcome: float) -> None:
    """A duel of arm k with the former leader that beat it."""
    if outcome != 0.5:
        state.beater_won[k] += outcome
        state.beater_duels[k] += 1.0


@kernel
def smoothed(won: float, duels: float, prior: float) -> float:
    """A share of wins, by a record and by a prior that is worth PRIOR duels."""
    return (won + PRIOR * prior) / (duels + PRIOR)


@kernel
def enthrone(state: State, k: int) -> None:
    """Arm k leads. The old leader keeps its record against it; others keep theirs if they lost."""
    old = state.leader[0]
    won = state.duels[k] - state.won[k]
    duels = state.duels[k]

    for i in range(len(state.won)):
        if i != old and i != k:
            keep_record(state, i, old)
        state.won[i] = 0.0
        state.duels[i] = 0.0
    state.won[old] = won
    state.duels[old] = duels

    state.reign[WON] = 0.0
    state.reign[DUELS] = 0.0
    state.leader[0] = k


@kernel
def keep_record(state: State, i: int, old: int) -> None:
    """The old leader becomes the beater of arm i if nobody has beaten it more clearly."""
    share = smoothed(state.won[i], state.duels[i], 0.5)
    if share < smoothed(state.beater_won[i], state.beater_duels[i], 0.5):
        state.beater[i] = old
        state.beater_won[i] = state.won[i]
        state.beater_duels[i] = state.duels[i]


@kernel
def flag(state: State, k: int, log_t: float) -> bool:
    """Set and return whether arm k is active in round t."""
    active = k == state.leader[0] or state.wealth[k] <= log_t
    if active != state.active[k]:
        state.active[k] = active
        state.changes[0] += 1
    return active
