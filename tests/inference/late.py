"""Late and lost rewards at the speed of compiled code: what an agent does, without the agent.

A block of one play is planned in every round and learned when it is answered and all before it are.
All levels are alike, but failures of the first one are reported late; some rewards are lost and
count as the default.
"""

from __future__ import annotations

import numpy as np

import factored_bandits as fb
from factored_bandits.core.kernel import bind, kernel
from factored_bandits.core.rng import generators

QUICK = 20  # rounds that other rewards take at most
LOST = 0.1  # share of rewards that never come


@kernel
def plan(params, state, t, rng, actions):
    return 1


@kernel
def learn(params, state, t, actions, rewards):
    return


@kernel
def play(params, state, slow, default, actions, rewards, due, block, one, policy_rng, rng):
    """Rounds 1, 2, ... to the end of `rewards`; returns how many were learned."""
    learned = 0
    for t in range(1, len(rewards)):
        plan(params, state, t, policy_rng, block)
        for column in range(block.shape[1]):
            actions[t, column] = block[0, column]
        reward = 1.0 if rng.random() < 0.5 else 0.0
        due[t] = t + (slow if reward == 0.0 and block[0, 0] == 0 else int(QUICK * rng.random()))
        rewards[t] = default if rng.random() < LOST else reward

        while learned < t and due[learned + 1] <= t:
            learned += 1
            for column in range(block.shape[1]):
                block[0, column] = actions[learned, column]
            one[0] = rewards[learned]
            learn(params, state, learned, block, one)
    return learned


def smallest_p_values(label, levels, slow, rounds, runs):
    """An array (runs, levels): p-values of one factor, or of the arms, at the end."""
    policy = fb.policies.make(label)
    module, params = policy.module, policy.encoded()
    duel = policy.info.kind == "duel"
    sizes = np.array([levels] * (2 if duel else 1))
    compiled = bind(play, policy.name, plan=module.plan, learn=module.learn)
    found = np.empty((runs, levels))
    actions = np.zeros((rounds + 1, len(sizes)), dtype=np.int64)
    rewards, due = np.zeros(rounds + 1), np.zeros(rounds + 1, dtype=np.int64)
    block, one = np.zeros((1, len(sizes)), dtype=np.int64), np.zeros(1)

    for run in range(runs):
        state = module.init(params, sizes, rounds)
        default = 0.5 if duel else 0.0
        arrays = (actions, rewards, due, block, one)
        learned = compiled(params, state, slow, default, *arrays, *generators(5, run))
        assert learned >= rounds - slow - QUICK
        found[run] = policy.p_values(params, state, (0.0, 1.0))[0]
    return found
