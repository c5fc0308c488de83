"""OSSB, optimal sampling for structured bandits, in its unimodal form.

OSSB (Combes, Magureanu & Proutiere, NIPS 2017) plays each arm a in proportion to c_a, the solution
of the lower bound's optimisation problem at the estimated means. For the full factored class that
problem is a semi-infinite program over all tables of means that are uniformly identifiable, which
the paper rightly calls intractable; it is not solved here, nor approximated. Uniform
identifiability implies unimodality, and for that larger class c has a closed form: 1 / kl(mean,
best mean) for the neighbours of the best combination (one level changed), 0 elsewhere.

First every combination is played once. Then: if every neighbour has (1 + gamma) c log(t) plays, the
best is played. Otherwise, in the s-th such round, the least played combination if it has at most
epsilon s / combinations plays (so that a share epsilon of these rounds is forced), else the
neighbour with the smallest plays / c. `explore="neighbours"` restricts the first plays and the
forced ones to neighbours of the leader: for problems with more combinations than one can afford to
try (at most 2^19 with `explore="all"`, 2^16 if the horizon is unknown).

    >>> import factored_bandits as fb
    >>> environment = fb.environments.make("rank1", factors=[[0.9, 0.3, 0.2], [0.9, 0.4]])
    >>> result = fb.simulate(
    ...     "ossb", environment, horizon=5_000, repetitions=4, seed=1, progress=False
    ... )
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
from factored_bandits.core.select import unravel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Code, Info
from factored_bandits.policies.blocks.combinations import (
    MOST_ROWS,
    MOST_ROWS_UNKNOWN_HORIZON,
    check_combinations,
    enter,
    find,
    full,
)

from ._leader import (
    CENTRE,
    NOBODY,
    OWN,
    State,
    begin,
    learn,
    mean,
    plays_of,
    random_combination,
    recommend,
)
from ._neighbourhood import LEADER, evidence, evidence_at_least, lead, play_neighbour

__all__ = ["INFO", "Params", "State", "check", "init", "learn", "plan", "recommend"]

INFO = Info(
    title="Optimal sampling for structured bandits, unimodal form",
    kind="factored",
    scale=(0.0, 1.0),
    assumption="unimodal (follows from uniform identifiability), 0/1 rewards",
    guarantee="asymptotically optimal for unimodal problems as gamma, epsilon -> 0; one play of "
    "everything at first",
    reference="Combes, Magureanu & Proutiere, Minimal exploration in structured stochastic "
    "bandits, NIPS 2017",
    cost=(1100, 1.2),
)
ALL: Code = 0  # Params.explore

# indices in State.counters
EXPLORED = OWN  # s(t): rounds that were not exploitation
TRIPS = OWN + 1  # how often all combinations have been gone through
SWEPT = OWN + 2  # combinations gone through in the present trip
FIRST = OWN + 3  # the number of the combination with which each trip begins
STRIDE = OWN + 4  # from one number to the next; 0: not yet drawn


class Params(NamedTuple):
    """How to explore.

    `epsilon`: the share of exploring rounds that is forced (the authors' epsilon times the number
    of combinations); `gamma`: the surplus asked of the plays of the neighbours.
    """

    explore: Literal["all", "neighbours"] = "all"
    epsilon: float = 0.1
    gamma: float = 0.01


def check(params: Params, sizes: Ints, horizon: int) -> None:
    """Refuse parameters out of range, and more combinations than can be played once each."""
    if params.epsilon < 0.0 or params.gamma < 0.0:
        raise InvalidInputError(
            f"ossb: epsilon and gamma must be at least 0, not {params.epsilon} and {params.gamma}"
        )

    check_combinations("ossb", sizes)
    combinations = math.prod(np.asarray(sizes).tolist())
    most = MOST_ROWS if horizon else MOST_ROWS_UNKNOWN_HORIZON

    if params.explore == ALL and combinations > most:
        unknown = "" if horizon else " if the horizon is unknown"
        raise InvalidInputError(
            f"ossb first plays every combination once and takes at most {most:,} of them{unknown}; "
            f"this problem has {combinations:,}. explore='neighbours' tries only neighbours of the "
            "leader"
        )


def init(params: Params, sizes: Ints, horizon: int) -> State:
    """Nothing visited; to play every combination once takes a row for each, beyond any horizon."""
    if params.explore == ALL:
        return begin(sizes, math.prod(np.asarray(sizes).tolist()))
    return begin(sizes, horizon)


@kernel
def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
    """Algorithm OSSB: explore or exploit, by the number of plays that the neighbours have."""
    leader = lead(state, rng)
    everywhere = params.explore == ALL
    rarest_key = -1

    # first every combination once
    if everywhere:
        rarest_key = least_played(state, rng)
        if state.counters[TRIPS] == 0:
            visit(state, rarest_key, actions[0])
            return 1
    elif leader < 0:
        random_combination(state, rng, actions[0])
        return 1

    weakest, least, rarest, fewest = look_around(state, leader, rng)

    # a neighbour never played: its c is unknown
    if least < 0.0 and not everywhere:
        play_neighbour(state, weakest, actions[0])
        return 1

    # exploitation: N(x) >= (1 + gamma) c(x) log t for all x, with c = 1 / kl
    if least >= (1.0 + params.gamma) * math.log(t):
        play_neighbour(state, LEADER, actions[0])
        return 1

    # s(t) = s(t - 1) + 1; estimation: the least played if min N <= epsilon s(t)
    state.counters[EXPLORED] += 1
    forced = params.epsilon * state.counters[EXPLORED]
    degree = len(state.neighbours) - actions.shape[1]
    if everywhere and state.counters[TRIPS] * combinations_of(state) <= forced:
        visit(state, rarest_key, actions[0])
    elif not everywhere and fewest * degree <= forced:
        play_neighbour(state, rarest, actions[0])
    # exploration: the arg min of N(x) / c(x)
    else:
        play_neighbour(state, weakest, actions[0])
    return 1


@kernel
def combinations_of(state: State) -> int:
    """How many combinations there are."""
    total = 1
    for size in state.sizes:
        total *= size
    return total


@kernel
def visit(state: State, key: int, action: Ints) -> None:
    """Play the combination with this number; it may be a new neighbour of the leader."""
    enter(state, key)
    unravel(state.sizes, key, action)
    state.counters[CENTRE] = NOBODY


@kernel
def look_around(state: State, leader: int, rng: np.random.Generator) -> tuple[int, float, int, int]:
    """The neighbour with the least evidence N / c = N kl, and that; the least played, and its N.

    The evidence is -1 for a neighbour never played. Ties are broken at random; the first of equals
    draws too, which `tie_wins` would not.
    """
    highest_mean = mean(state, leader)
    is_full = full(state)
    weakest = -1
    least = math.inf
    equally_weak = 0
    rarest = -1
    fewest = plays_of(state, leader)
    equally_rare = 0

    for neighbour in range(len(state.neighbours)):
        row = state.neighbours[neighbour]
        if row == leader or (row < 0 and is_full):
            continue

        n = plays_of(state, row)
        if n < fewest or equally_rare == 0:
            fewest = n
            equally_rare = 0
        if n == fewest:
            equally_rare += 1
            if randint(rng, equally_rare) == 0:
                rarest = neighbour

        if evidence_at_least(state, neighbour, highest_mean) > least:
            continue
        found = evidence(state, neighbour, highest_mean, 0.0) if n > 0 else -1.0
        if found < least:
            least = found
            equally_weak = 0
        if found == least:
            equally_weak += 1
            if randint(rng, equally_weak) == 0:
                weakest = neighbour

    return weakest, least, rarest, fewest


@kernel
def least_played(state: State, rng: np.random.Generator) -> int:
    """The number of a least played combination; it has as many plays as there were trips.

    All combinations are gone through again and again in an order drawn at the start (an arithmetic
    progression); those before the present one have more plays than there were trips, so none has
    to be looked at twice in one trip. After a trip without a find, as when many rewards came at
    once, the trips that would find nothing either are left out.
    """
    counters = state.counters
    total = combinations_of(state)
    passed = 0

    while counters[STRIDE] == 0:
        counters[FIRST] = randint(rng, total)
        stride = 1 + randint(rng, total)
        if coprime(stride, total):
            counters[STRIDE] = stride

    while True:
        key = (counters[FIRST] + counters[SWEPT] * counters[STRIDE]) % total
        if plays_of(state, find(state, key)) <= counters[TRIPS]:
            return int(key)

        counters[SWEPT] += 1
        passed += 1
        if counters[SWEPT] == total:
            counters[SWEPT] = 0
            counters[TRIPS] += 1
            if passed > total:
                counters[TRIPS] = max(counters[TRIPS], fewest_plays(state, total))


@kernel
def fewest_plays(state: State, total: int) -> int:
    """The plays of a least played combination of all."""
    if state.known[0] < total:
        return 0
    fewest = state.plays[0]
    for row in range(total):
        fewest = min(fewest, state.plays[row])
    return int(fewest)


@kernel
def coprime(one: int, other: int) -> bool:
    """Whether nothing but 1 divides both."""
    while other > 0:
        one, other = other, one % other
    return one == 1
