"""Where the leaders together hardly fail, factors take turns: a block tests levels of one of them.

A level is tested beside candidates of other factors, which make its leader fail as well. That
matters where the leaders alone would hardly ever fail: there a failure of the level tells most.
Whether factors take turns is decided before a block is planned, from the blocks before it, and so
are the length of the block and the weights of the bets: nothing that a proof rests on changes.
"""

from __future__ import annotations

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel

from .state import State

# Factors begin to take turns where the leaders together fail in less than this share of their
# plays, and end it where they fail in more than that one
BEGIN = 0.05
END = 0.1
# failures and plays that count as seen before any, against a lucky beginning
ASSUMED_FAILURES = 2.0
ASSUMED_PLAYS = 2.0
# plays of the leaders that are remembered: means may drift
MOST_REMEMBERED = 10_000.0

# Slots of the leader: as many as let it fail so often, at most so many, and at most this share of
# the rounds before, so that tests are not put off for long
ENOUGH_FAILURES = 2.0
MOST_SLOTS = 128.0
SHARE_OF_ROUNDS = 1.0 / 16.0


@kernel
def leaders_rate(state: State) -> float:
    """The mean reward of the leaders together, never 0 or 1."""
    return (state.leaders_sum[0] + 0.5) / (state.leaders_plays[0] + 1.0)


@kernel
def slots_in_turn(state: State, t: int) -> float:
    """How often a leader stands at least in a block of its factor alone.

    Even a wrong leader loses less than it fails: no other level can do better than never to fail.
    """
    slots = ENOUGH_FAILURES / (1.0 - leaders_rate(state))
    return min(slots, MOST_SLOTS, SHARE_OF_ROUNDS * t)


@kernel
def take_turns(state: State) -> int:
    """Leave the candidates of one factor, the next one that has some; returns the plays it needs.

    1 if no factor has a candidate in this block.
    """
    columns = len(state.leader)
    turn = state.turn[0]
    for _ in range(columns):
        turn = (turn + 1) % columns
        if state.planned_count[turn] > 0:
            break

    state.turn[0] = turn
    for l in range(columns):
        if l != turn:
            state.planned_count[l] = 0
    return max(1, state.needed[turn])


@kernel
def record_leaders(state: State, actions: Ints, rewards: Floats) -> None:
    """Add the plays in which every factor was at its leader."""
    columns = len(state.leader)
    for row in range(len(rewards)):
        l = 0
        while l < columns and actions[row, l] == state.leader[l]:
            l += 1
        if l == columns:
            state.leaders_plays[0] += 1.0
            state.leaders_sum[0] += min(1.0, max(0.0, rewards[row]))

    if state.leaders_plays[0] > MOST_REMEMBERED:
        state.leaders_sum[0] *= MOST_REMEMBERED / state.leaders_plays[0]
        state.leaders_plays[0] = MOST_REMEMBERED


@kernel
def forget_leaders(state: State) -> None:
    """A leader has changed: nothing is known of all of them together."""
    state.leaders_plays[0] = 0.0
    state.leaders_sum[0] = 0.0


@kernel
def turns_pay(state: State) -> bool:
    """Whether factors take turns from now on: the leaders hardly fail, two factors are open."""
    failures = state.leaders_plays[0] - state.leaders_sum[0]
    share = (failures + ASSUMED_FAILURES) / (state.leaders_plays[0] + ASSUMED_PLAYS)
    if state.taking_turns[0]:
        return share < END

    open_factors = 0
    for l in range(len(state.leader)):
        if state.active_count[l] > 1:
            open_factors += 1
    return share < BEGIN and open_factors > 1
