"""OSSB, optimal sampling for structured bandits (Combes, Magureanu & Proutiere, NIPS 2017), in its
unimodal form.

OSSB plays each arm a in proportion to c_a, the solution of the lower bound's optimisation problem
at the estimated means. For the full factored class that problem is a semi-infinite program over all
tables of means that are uniformly identifiable, which the paper rightly calls intractable; it is
not solved here, nor approximated. Uniform identifiability implies unimodality, and for that larger
class c has a closed form: 1 / kl(mean, best mean) for the neighbours of the best combination (one
level changed), 0 elsewhere.

First every combination is played once. Then: if every neighbour has (1 + gamma) c log(t) plays, the
best is played. Otherwise, in the s-th such round, the least played combination if it has at most
epsilon s / combinations plays (so that a share epsilon of these rounds is forced), else the
neighbour with the smallest plays / c. `explore="neighbours"` restricts the first plays and the
forced ones to neighbours of the leader: for problems with more combinations than one can afford to
try (at most 2^19 with `explore="all"`, 2^16 if the horizon is unknown).

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate("ossb", environment, horizon=5_000, repetitions=4, seed=1, progress=False)
    >>> bool(result.correct[:, -1].all())
    True
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.combinations import (
    MOST_ROWS,
    MOST_ROWS_UNKNOWN_HORIZON,
    SIZE,
    STRIDE,
    enter,
    find,
    full,
    unravel,
)

from ._unimodal import (
    CENTRE,
    OWN_TALLY,
    State,
    anywhere,
    begin,
    evidence,
    evidence_at_least,
    lead,
    learn,
    mean,
    plays,
    recommend,
    step,
)

__all__ = ["INFO", "Params", "State", "init", "learn", "plan", "recommend"]

INFO = Info(
    title="Optimal sampling for structured bandits, unimodal form",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal for unimodal problems as gamma, epsilon -> 0; one play of everything at first",
    reference="Combes, Magureanu & Proutiere, Minimal exploration in structured stochastic bandits, NIPS 2017",
    cost=(1100, 1.2),
)
ALL: Code = 0  # Params.explore
EXPLORED, SWEPT, TRIPS, FIRST, STEP = range(OWN_TALLY, OWN_TALLY + 5)  # places in State.tally


class Params(NamedTuple):
    """`epsilon`: the share of exploring rounds that is forced (the authors' epsilon times the
    number of combinations);
    `gamma`: the surplus asked of the plays of the neighbours."""

    explore: Literal["all", "neighbours"] = "all"
    epsilon: float = 0.1
    gamma: float = 0.01


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited."""
    if params.epsilon < 0.0 or params.gamma < 0.0:
        raise InvalidInputError(
            f"ossb: epsilon and gamma must be at least 0, not {params.epsilon} and {params.gamma}"
        )

    combinations = math.prod(np.asarray(sizes).tolist())
    most = MOST_ROWS if horizon else MOST_ROWS_UNKNOWN_HORIZON

    if params.explore == ALL and combinations > most:
        unknown = "" if horizon else " if the horizon is unknown"
        raise InvalidInputError(
            f"ossb first plays every combination once and takes at most {most:,} of them{unknown}; "
            "this problem has "
            f"{combinations:,}. explore='neighbours' tries only neighbours of the leader"
        )

    return begin(sizes, horizon, "ossb")


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Explore or exploit, by the number of plays that the neighbours have."""
    leader = lead(state, rng)
    everywhere = params.explore == ALL

    if everywhere:
        number = least_played(state, rng)
        if state.tally[TRIPS] == 0:  # every combination once
            visit(state, number, actions[0])
            return 1
    elif leader < 0:
        anywhere(state, rng, actions[0])
        return 1

    weakest, least, rarest, fewest = look(state, leader, rng)
    if least < 0.0 and not everywhere:  # a neighbour never played
        step(state, weakest, actions[0])
    elif least >= (1.0 + params.gamma) * math.log(t):
        step(state, -1, actions[0])
    else:
        state.tally[EXPLORED] += 1
        forced = params.epsilon * state.tally[EXPLORED]
        if (
            everywhere
            and state.tally[TRIPS] * state.shape[STRIDE, 0] * state.shape[SIZE, 0] <= forced
        ):
            visit(state, number, actions[0])
        elif not everywhere and fewest * (len(state.around) - actions.shape[1]) <= forced:
            step(state, rarest, actions[0])
        else:
            step(state, weakest, actions[0])

    return 1


@kernel
def visit(state: State, number: int, action: Ints) -> None:
    """Play the combination with this number; it may be a new neighbour of the leader."""
    unravel(state, enter(state, number), action)
    state.tally[CENTRE] = -1


@kernel
def look(state: State, leader: int, rng: np.random.Generator) -> tuple[int, float, int, int]:
    """The neighbour with the least evidence plays / c = plays * kl (-1 if never played), and the
    one least played.
    """
    top = mean(state, leader)
    no_more = full(state)
    weakest = -1
    least = math.inf
    equal = 0
    rarest = -1
    fewest = plays(state, leader)
    level = 0

    for other in range(len(state.around)):
        row = state.around[other]
        if row == leader or (row < 0 and no_more):
            continue
        n = plays(state, row)
        if n < fewest or level == 0:
            rarest = other
            fewest = n
            level = 0
        if n == fewest:
            level += 1
            if rng.random() * level < 1.0:
                rarest = other
        if evidence_at_least(state, other, top) > least:
            continue
        mine = evidence(state, other, top, 0.0) if n > 0 else -1.0
        if mine < least:
            weakest = other
            least = mine
            equal = 0
        if mine == least:
            equal += 1
            if rng.random() * equal < 1.0:
                weakest = other

    return weakest, least, rarest, fewest


@kernel
def least_played(state: State, rng: np.random.Generator) -> int:
    """The number of a least played combination; it has tally[TRIPS] plays.

    All combinations are gone through again and again in an order drawn at the start (an arithmetic
    progression); those before the present place have more than TRIPS plays, so nobody has to be
    looked at twice in one trip.
    """
    tally = state.tally
    total = state.shape[STRIDE, 0] * state.shape[SIZE, 0]

    while tally[STEP] == 0:
        tally[FIRST], step_width = randint(rng, total), 1 + randint(rng, total)
        if coprime(step_width, total):
            tally[STEP] = step_width

    while True:
        number = (tally[FIRST] + tally[SWEPT] * tally[STEP]) % total
        if plays(state, find(state, number)) <= tally[TRIPS]:
            return int(number)
        tally[SWEPT] += 1
        if tally[SWEPT] == total:
            tally[SWEPT] = 0
            tally[TRIPS] += 1


@kernel
def coprime(one: int, other: int) -> bool:
    """Whether nothing but 1 divides both."""
    while other > 0:
        one, other = other, one % other
    return one == 1
