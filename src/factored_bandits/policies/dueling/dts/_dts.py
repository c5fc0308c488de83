"""Double Thompson Sampling (Wu & Liu, NeurIPS 2016): what D-TS and D-TS+ share.

Exact shortcuts, equal in distribution to drawing every theta:

- *C.* Arm i is beaten with high confidence by j iff its deficit against j exceeds alpha log t. A
  row is counted anew only when a deficit that exceeds it has changed, or alpha log t has reached
  the smallest one that counted.
- *First arm.* Only sides of 1/2 matter, and they are independent, so they may be drawn in any order
  and only as needed: row by row of C, the last winner first, each as far as it can still reach the
  best score so far. An arm that beats all others ends it; with one arm in C nothing is drawn. With
  many arms of which none stands out, all sides are drawn, 63 at a time (_words).
- *Second arm.* phi_first = 1/2, so only arms whose phi exceeds 1/2 compete, and phi itself is drawn
  only if two do.
"""

from __future__ import annotations

import math

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.select import tie_wins
from factored_bandits.policies.blocks.duels import deficit
from factored_bandits.policies.blocks.posterior import (
    draw_above_half,
    likely_winner,
    update_posterior,
    warm_start_posterior,
)

from ._met import challenger_of_many, write_met
from ._state import NEVER, NOBODY, Params, State, met_words
from ._words import tournament_in_words, words_pay, write_digits


@kernel
def candidates(state: State, threshold: float) -> int:
    """By how many the arms of C are beaten with high confidence, threshold = alpha log t.

    C = {i: beaten[i] is this}, the maximisers of the upper Copeland score #{j: u_ij >= 1/2}.
    """
    lowest = state.lowest
    beaten = state.beaten
    arms = len(lowest)

    outdated = 0
    for i in range(arms):
        outdated += lowest[i] <= threshold
    if outdated > 0:
        for i in range(arms):
            if lowest[i] <= threshold:
                count_beaten(state, i, threshold)

    least = arms
    for i in range(arms):
        least = min(least, beaten[i])
    return least


@kernel
def count_beaten(state: State, i: int, threshold: float) -> None:
    """By how many arm i is beaten with high confidence, and the smallest deficit among those."""
    deficits = state.deficits
    number = 0
    smallest = math.inf

    for j in range(len(deficits)):
        if deficits[i, j] > threshold:
            number += 1
            smallest = min(smallest, deficits[i, j])

    state.beaten[i] = number
    state.lowest[i] = smallest


@kernel
def only_candidate(state: State, least: int) -> int:
    """The arm of C if it has but one, else NOBODY."""
    found = NOBODY

    for i in range(len(state.beaten)):
        if state.beaten[i] == least:
            if found != NOBODY:
                return NOBODY
            found = i

    return found


@kernel
def tournament(state: State, least: int, rng: np.random.Generator) -> int:
    """The arm of C that beats most others in a sample of theta, ties at random."""
    if len(state.digits) > 0 and words_pay(state, least):
        state.champion[0] = tournament_in_words(state, least, rng)
        return state.champion[0]

    beaten = state.beaten
    lost = state.lost
    seen = state.seen
    arms = len(beaten)
    for i in range(arms):
        lost[i] = 0
        seen[i] = 0

    # the last winner first: a small number of losses ends the rows of the others soon
    choice = state.champion[0]
    fewest = arms
    if beaten[choice] == least:
        fewest = play_row(state, choice, arms, rng)
    ties = 1

    for i in range(arms):
        in_question = beaten[i] == least and seen[i] == 0 and lost[i] <= fewest
        if fewest > 0 and in_question:
            losses = play_row(state, i, fewest, rng)
            if losses < fewest:
                choice = i
                ties = 1
                fewest = losses
            elif losses == fewest:
                ties += 1
                if tie_wins(rng, ties):
                    choice = i

    state.champion[0] = choice
    return choice


@kernel
def play_row(state: State, i: int, fewest: int, rng: np.random.Generator) -> int:
    """The duels of arm i in the sample, up to more than `fewest` losses; returns its losses."""
    lost = state.lost
    seen = state.seen
    sides = state.sides

    for j in range(len(lost)):
        if j != i and seen[j] <= i:
            wins = rng.random() < state.probability[i, j]
            loser = j if wins else i
            lost[loser] += 1
            if len(sides) > 0:
                sides[i, j] = wins
                sides[j, i] = not wins
        seen[i] = j + 1
        if lost[i] > fewest:
            break

    return lost[i]


@kernel
def challenger(state: State, first: int, threshold: float, rng: np.random.Generator) -> int:
    """argmax phi_i over {i: l_i,first <= 1/2}, phi_i ~ Beta(W_i,first + 1, W_first,i + 1).

    phi_first is 1/2.
    """
    if len(state.digits) > 0:
        return challenger_of_many(state, first, threshold, rng)

    probability = state.probability
    deficits = state.deficits
    choice = first
    largest = 0.5
    rivals = 0

    for i in range(probability.shape[0]):
        allowed = i != first and deficits[first, i] <= threshold
        if allowed and rng.random() >= probability[first, i]:
            rivals += 1
            if rivals == 1:
                choice = i
            else:
                # the phi of the first rival is drawn only when there is a second one
                if rivals == 2:
                    largest = draw_above_half(state.wins, choice, first, rng)
                phi = draw_above_half(state.wins, i, first, rng)
                if phi > largest:
                    choice = i
                    largest = phi

    return choice


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Floats) -> None:
    """The pair's record, posterior and deficits."""
    first = actions[0, 0]
    second = actions[0, 1]
    if first != second:
        before = state.probability[first, second]
        update_posterior(state.wins, state.probability, state.mass, first, second, rewards[0])
        threshold = params.alpha * math.log(t)
        update_deficit(state, first, second, threshold)
        update_deficit(state, second, first, threshold)
        if len(state.digits) > 0:
            change = state.probability[first, second] - before
            state.expected[first] -= change
            state.expected[second] += change
            write_digits(state, min(first, second), max(first, second))
            write_met(state, first, second)


@kernel
def update_deficit(state: State, i: int, j: int, threshold: float) -> None:
    """The deficit of i against j; its row is counted anew if one that counts came or changed.

    The threshold only grows: a deficit that does not exceed it now will not until it changes.
    """
    before = state.deficits[i, j]
    after = deficit(state.wins, i, j)
    state.deficits[i, j] = after
    if max(before, after) > threshold:
        state.lowest[i] = NEVER


@kernel
def recommend(params: Params, state: State, action: Ints) -> None:
    """The arm that is expected to beat most others."""
    best = likely_winner(state.probability)
    action[0] = best
    action[1] = best


def warm_start(params: Params, state: State, wins: Floats) -> None:
    """Past duels count like duels played."""
    warm_start_posterior(state.wins, state.probability, state.mass, wins)
    for i in range(len(wins)):
        for j in range(len(wins)):
            state.deficits[i, j] = deficit(state.wins, i, j)
            if i < j and len(state.digits) > 0:
                write_digits(state, i, j)
    state.lowest[:] = NEVER
    if len(state.digits) > 0:
        state.met[:] = met_words(state.wins)
        state.expected[:] = len(wins) - 0.5 - state.probability.sum(axis=1)
