"""TEA with a leader: random blocks that are mostly its plays, and a bet against every other level.

As in TEA, levels are compared only within a block in random order, an eliminated level re-enters
when the confidence asked for has grown, and nothing is assumed about how factors combine. Two
things are new. A level stands at most once in a block; all other slots go to the leader, which
costs no regret if it is the best. And there is one bet per level, against "this level is the best",
with the leader as its opponent: no union over pairs or levels is to be paid for. A level is
eliminated in round t while its bets have multiplied their stake by more than f(t), which grows to
20 per factor, stays there, and grows like t later (policies/leader/thresholds.py).

The p-values (1 / the largest wealth) are valid for rewards in a declared range, whatever drifts,
and with every rule (docs/explanation/leader.md). `rule` says when a level is a candidate: by its
"wealth", or by "likelihood", which is EXPERIMENTAL: less regret, nothing proved about it, rare runs
that stay with a wrong level for long, and too few plays of other levels to certify much. "guarded"
is "likelihood" with an end to such runs: levels that the wealth would not eliminate are still
tested, rarely.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "leader_tea", environment, 20_000, repetitions=4, seed=1, progress=False, certify=True
    ... )
    >>> [certificate.best() for certificate in fb.certificate(result)][0]
    {'0': 0, '1': 0}
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info, LevelReport
from factored_bandits.policies.leader.bet import bet
from factored_bandits.policies.leader.block import choose_candidates, fill_column, most_plays
from factored_bandits.policies.leader.evidence import (
    accumulate,
    forget_block,
    record_pairs,
    shorten_records,
)
from factored_bandits.policies.leader.posterior import follow_posterior, update_posterior
from factored_bandits.policies.leader.report import level_reports, p_value, propensity
from factored_bandits.policies.leader.state import GUARDED, NOBODY, WEALTH, State, new_state
from factored_bandits.policies.leader.thresholds import (
    begin_era,
    idle_rounds,
    note_test,
    record_era,
    update_thresholds,
)
from factored_bandits.policies.leader.turns import (
    forget_leaders,
    record_leaders,
    take_turns,
    turns_pay,
)

INFO = Info(
    title="TEA with a leader and bets",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="uniform identifiability",
    guarantee="in round t the best level is eliminated with probability at most 1 / f(t), f(t) = "
    "max(min(t / K, 20 L), t / (24 C)) with K levels, L factors, C levels in all; anytime-valid "
    "p-values; that regret is logarithmic is sketched, not proved",
    reference="this library, docs/explanation/leader.md; blocks after Zimmert & Seldin, Factored "
    "Bandits, NeurIPS 2018",
    shuffled=True,
    style=("orange", "long"),
    cost=(200, 1),
)


class Params(NamedTuple):
    """When a level is a candidate: by its wealth, or (experimental, no proof) by likelihood.

    "guarded" is by likelihood, and rarely as long as its wealth would not eliminate it.
    """

    rule: Literal["wealth", "likelihood", "guarded"] = "wealth"


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing known, and nobody leads."""
    return new_state(sizes, params.rule)


def longest_block(sizes: Ints) -> int:
    """The plays that the largest factor can need."""
    return most_plays(int(max(sizes)))


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Lines 1-5: as many plays as the factor needs that needs most, or the one whose turn it is."""
    length = 1
    for l in range(len(state.leader)):
        state.needed[l] = choose_candidates(state, l, t, rng)
        length = max(length, state.needed[l])
    if state.taking_turns[0]:
        length = take_turns(state)

    for l in range(len(state.leader)):
        fill_column(state, l, length, rng, actions)
    return length


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """Lines 6-13: bets first, with what was known before the block."""
    # one play is no comparison, there is nothing to learn
    if len(rewards) < 2:
        return

    update_posterior(state, actions, rewards)
    changed = 0
    mover = NOBODY
    for l in range(len(state.leader)):
        count = accumulate(state, l, actions, rewards)
        if count > 1:
            leader = state.leader[l]
            bet_on_block(params, state, l, count, t)
            record_pairs(state, l, count)
            state.leader[l] = follow_posterior(state, l)
            if state.leader[l] != leader:
                changed += 1
                mover = l
            update_thresholds(params.rule, state, l)
        forget_block(state, l, count)

    if changed > 0:
        forget_leaders(state)
        change_context(params, state, mover if changed == 1 else NOBODY)
    else:
        record_leaders(state, actions, rewards)
    decide_on_turns(params, state)


@kernel
def bet_on_block(params: Params, state: State, l: int, count: int, t: int) -> None:
    """Line 8: bets against the levels of factor l that stand once in the block, if its leader does.

    Rewards that come late bring blocks that were planned under another leader.
    """
    base = state.offsets[l]
    leader = state.leader[l]
    if leader == NOBODY or state.block_plays[base + leader] == 0:
        return

    for position in range(count):
        k = state.block_levels[base + position]
        if k != leader:
            if state.block_plays[base + k] == 1:
                bet(state, l, k, leader)
            if params.rule == GUARDED:
                note_test(state, l, k, t)
            if params.rule != WEALTH:
                record_era(state, l, k, leader)


@kernel
def change_context(params: Params, state: State, mover: int) -> None:
    """Line 12: a leader is part of the context of all other factors."""
    begin_era(state)
    for l in range(len(state.leader)):
        if l != mover:
            shorten_records(state, l)
        if state.leader[l] != NOBODY:
            update_thresholds(params.rule, state, l)


@kernel
def decide_on_turns(params: Params, state: State) -> None:
    """Line 13: with turns another era begins, as all other factors stay at their leaders."""
    turns = turns_pay(state)
    if turns and not state.taking_turns[0] and params.rule != WEALTH:
        begin_era(state)
        for l in range(len(state.leader)):
            update_thresholds(params.rule, state, l)
    state.taking_turns[0] = turns


@kernel
def idle(params: Params, state: State, t: int) -> int:
    """No candidates: nothing changes until log t reaches the smallest threshold."""
    return idle_rounds(state, t)


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The leaders."""
    for l in range(len(action)):
        action[l] = max(0, state.leader[l])


@kernel
def active_sets(params: Params, state: State) -> tuple[Bools, int]:
    """Leaders and candidates, and how often a flag has changed."""
    return state.active, state.changes[0]


def propensities(params: Params, state: State, length: int) -> list[Floats]:
    """Per factor the probability of each level in any round of the block just planned."""
    return [propensity(state, l, length) for l in range(len(state.leader))]


def status(params: Params, state: State, t: int) -> list[list[LevelReport]]:
    """Per factor and level: active or not, estimated gap to the leader, re-entry round."""
    return [level_reports(state, l, t) for l in range(len(state.leader))]


def p_values(params: Params, state: State) -> list[Floats]:
    """Per factor and level an anytime p-value of its being the best; valid with every rule."""
    return [p_value(state, l) for l in range(len(state.leader))]
