"""Algorithms 1, 2 and 3 of the paper, line by line: slow on purpose, the oracle for the fast form.

`State` is TEM with the paper's own bookkeeping. The functions make a policy module of it (Algorithm
1), so that the simulator can run and compile it; it draws its randomness in the same order as the
fast form.
"""

from __future__ import annotations

import math
import types
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.kernel import kernel
from factored_bandits.core.rng import randint, shuffle_column
from factored_bandits.policies.base import Info
from factored_bandits.policies.dueling import dueling_tea
from factored_bandits.policies.factored import tea

INFO = Info(**{**tea.INFO.__dict__, "title": "TEA, literally"})
Params = tea.Params


class State(NamedTuple):
    """Globals of Algorithm 3 for each factor, padded to the largest."""

    sizes: Any  # (L,)
    D: Any  # (L, K, K)
    N: Any  # (L, K, K)
    active: Any  # (L, K) K*
    B: Any  # (L, K)
    order: Any  # (K,) scratch
    plays: Any  # (K,) scratch N_s
    sums: Any  # (K,) scratch R_s


def init(params, sizes, horizon):
    """Lines 1-3 of Algorithm 3."""
    factors = len(sizes)
    largest = int(max(sizes))
    inside = np.arange(largest)[None, :] < np.asarray(sizes)[:, None]
    return State(
        np.asarray(sizes),
        np.zeros((factors, largest, largest)),
        np.zeros((factors, largest, largest), dtype=np.int64),
        inside.copy(),
        inside.copy(),
        np.zeros(largest, dtype=np.int64),
        np.zeros(largest, dtype=np.int64),
        np.zeros(largest),
    )


@kernel
def f(t):
    return (t + 1.0) * math.log(t + 1.0) ** 2


@kernel
def get_active_set(state, l, delta):
    """Lines 5-17."""
    size = state.sizes[l]

    # lines 6-7
    for i in range(size):
        for j in range(size):
            if state.N[l, i, j] == 0:
                for k in range(size):
                    state.active[l, k] = True
                return size

    # lines 9-11
    count = 0
    for i in range(size):
        largest = -math.inf
        for j in range(size):
            if j != i:
                n = state.N[l, j, i]
                radius = math.sqrt(12.0 * math.log(2.0 * size * f(n) / delta) / n)
                largest = max(largest, state.D[l, j, i] / n - radius)
        state.active[l, i] = largest <= 0.0
        if largest <= 0.0:
            count += 1

    # lines 12-13
    if count == 0:
        for i in range(size):
            state.active[l, i] = True
        count = size

    # lines 14-16
    left = 0
    for i in range(size):
        state.B[l, i] = state.B[l, i] and state.active[l, i]
        if state.B[l, i]:
            left += 1
    if left == 0:
        for i in range(size):
            state.B[l, i] = state.active[l, i]

    return count


@kernel
def schedule_next(state, l, length, rng, actions):
    """Lines 19-26; the last, partial round over B goes to a random part of it."""
    row = 0
    in_B = 0

    # lines 20-22
    for i in range(state.sizes[l]):
        if state.active[l, i]:
            actions[row, l] = i
            row += 1
            if state.B[l, i]:
                state.order[in_B] = i
                in_B += 1
    active = row

    # lines 23-26
    while row + in_B <= length:
        for k in range(in_B):
            actions[row, l] = state.order[k]
            row += 1
    for k in range(length - row):
        pick = k + randint(rng, in_B - k)
        arm = state.order[pick]
        state.order[pick] = state.order[k]
        state.order[k] = arm
        actions[row + k, l] = arm

    if active > 1:
        shuffle_column(rng, actions, l, length)


@kernel
def give_feedback(state, l, actions, rewards):
    """Lines 28-35."""
    size = state.sizes[l]
    for i in range(size):
        state.plays[i] = 0
        state.sums[i] = 0.0

    # lines 30-32
    for row in range(len(rewards)):
        state.sums[actions[row, l]] += rewards[row]
        state.plays[actions[row, l]] += 1

    # lines 33-35
    for i in range(size):
        for j in range(size):
            if state.plays[i] > 0 and state.plays[j] > 0:
                least = min(state.plays[i], state.plays[j])
                gain = least * (state.sums[i] / state.plays[i] - state.sums[j] / state.plays[j])
                state.D[l, i, j] += gain
                state.N[l, i, j] += least


@kernel
def plan(params, state, t, rng, actions):
    """Lines 4-7 of Algorithm 1."""
    longest = get_active_set(state, 0, 1.0 / f(float(t)))
    for l in range(1, len(state.sizes)):
        longest = max(longest, get_active_set(state, l, 1.0 / f(float(t))))
    for l in range(len(state.sizes)):
        schedule_next(state, l, longest, rng, actions)
    return longest


@kernel
def learn(params, state, t, actions, rewards):
    """Lines 10-11 of Algorithm 1."""
    for l in range(len(state.sizes)):
        give_feedback(state, l, actions, rewards)


@kernel
def recommend(params, state, action):
    """Any active arm: the oracle is asked for plays, not for advice."""
    for l in range(len(state.sizes)):
        for i in range(state.sizes[l]):
            if state.active[l, i]:
                action[l] = i


@kernel
def duel_recommend(params, state, action):
    """Any active arm, in both positions."""
    recommend(params, state, action[:1])
    action[1] = action[0]


@kernel
def duel_plan(params, state, t, rng, actions):
    """Algorithm 2, lines 4-7."""
    length = get_active_set(state, 0, 1.0 / f(float(t)))
    schedule_next(state, 0, length, rng, actions)
    row = 0
    for arm in range(state.sizes[0]):
        if state.active[0, arm]:
            actions[row, 1] = arm
            row += 1
    shuffle_column(rng, actions, 1, length)
    return length


def duel(name, learn=learn):
    """Algorithm 2 as a policy module: the paper's, or one that learns otherwise."""
    module = types.ModuleType(name)
    vars(module).update(INFO=dueling_tea.INFO, Params=Params, State=State)
    vars(module).update(plan=duel_plan, learn=learn, recommend=duel_recommend)
    module.init = lambda params, sizes, horizon: init(params, sizes[:1], horizon)
    return module
