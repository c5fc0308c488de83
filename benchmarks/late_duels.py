"""Duels within a budget, compiled, with verdicts outstanding: what the benchmarks of budgets share.

`fb.simulate` learns a verdict before it plans the next duel. Here `late` further duels are planned
first, as in an arena with so many calls in flight, and what is noted is what a buyer of verdicts
asks: what would be recommended after n verdicts, and with which verdict the certificate was
complete.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.arrays import offsets_of
from factored_bandits.core.kernel import bind, kernel
from factored_bandits.core.loop import no_active_sets
from factored_bandits.policies.dueling.fixed_budget._state import ASKED, SURE
from factored_bandits.policies.dueling.fixed_budget.duel_top_two import plan as plan_top_two

NEVER = 0


# The next five kernels are placeholders that `bind` replaces.


@kernel
def plan(params, state, t, rng, actions):
    return 1


@kernel
def learn(params, state, t, actions, rewards):
    return


@kernel
def recommend(params, state, action):
    return


@kernel
def sample(env, t, action, rng):
    return 0.0


@kernel
def active_sets(params, state):
    return no_active_sets(params, state)


@kernel
def likely(state):
    """Whether the posterior names a winner; of `duel_top_two` only."""
    return False


@kernel
def likely_leader(state):
    """The flag that `duel_top_two` keeps."""
    return state.clock[SURE] == 1


@kernel
def plan_mixed(params, state, t, rng, actions):
    """`duel_top_two` if every second duel certifies, from the beginning."""
    sure = state.clock[SURE]
    state.clock[SURE] = (state.clock[ASKED] + 1) % 2
    length = plan_top_two(params, state, t, rng, actions)
    state.clock[SURE] = sure
    return length


@kernel
def plan_without(params, state, t, rng, actions):
    """`duel_top_two` without duels that certify."""
    sure = state.clock[SURE]
    state.clock[SURE] = 0
    length = plan_top_two(params, state, t, rng, actions)
    state.clock[SURE] = sure
    return length


@kernel
def another(rng, first, size):
    """A level at random that is not the first one."""
    return (first + 1 + int(rng.random() * (size - 1))) % size


@kernel
def plan_uniform(params, state, t, rng, actions):
    """Two arms, or two combinations, at random, of which the posterior of `duel_top_two` learns."""
    factors = len(state.turn)
    for l in range(factors):
        size = state.offsets[l + 1] - state.offsets[l]
        first = int(rng.random() * size)
        second = int(rng.random() * size)
        if factors == 1:  # another arm; combinations hardly ever are the same
            second = another(rng, first, size)
        actions[0, l] = first
        actions[0, factors + l] = second
    return 1


@kernel
def plan_apart(params, state, t, rng, actions):
    """The same, but the two levels of every factor are different."""
    factors = len(state.turn)
    for l in range(factors):
        size = state.offsets[l + 1] - state.offsets[l]
        first = int(rng.random() * size)
        actions[0, l] = first
        actions[0, factors + l] = another(rng, first, size)
    return 1


@kernel
def race(params, state, env, policy_rng, rng, run, calls, late, stop):
    """Ask `calls` duels, learn each after `late` more; stop at the certificate if asked to."""
    columns = run.action.shape[0]
    learned = 0
    checkpoint = 0

    for t in range(1, calls + late + 1):
        slot = t % (late + 1)
        if t <= calls:
            plan(params, state, t, policy_rng, run.actions)
            for c in range(columns):
                run.waiting[slot, c] = run.actions[0, c]
                run.action[c] = run.permutation[run.offsets[c] + run.actions[0, c]]
            run.verdicts[slot] = sample(env, t, run.action, rng)

        if t > late:
            due = (t - late) % (late + 1)
            learn(params, state, t - late, run.waiting[due : due + 1], run.verdicts[due : due + 1])
            learned += 1

            if checkpoint < len(run.checkpoints) and learned == run.checkpoints[checkpoint]:
                recommend(params, state, run.action)
                for c in range(columns):
                    run.choices[checkpoint, c] = run.permutation[run.offsets[c] + run.action[c]]
                checkpoint += 1

            if run.likely[0] == NEVER and likely(state):
                recommend(params, state, run.action)
                run.likely[0] = learned
                run.likely[1] = run.permutation[run.action[0]]

            flags, _ = active_sets(params, state)
            left = 0
            for k in range(len(flags)):
                left += 1 if flags[k] else 0
            if left == columns // 2 and run.certified[0] == NEVER:
                run.certified[0] = learned
                for k in range(len(flags)):
                    # how many of those left are not the best, which have number 0
                    if flags[k] and run.permutation[k] != 0:
                        run.certified[1] += 1
                if stop:
                    return


class Run(NamedTuple):
    """The arrays of one run."""

    actions: np.ndarray
    waiting: np.ndarray
    verdicts: np.ndarray
    action: np.ndarray
    permutation: np.ndarray
    offsets: np.ndarray
    checkpoints: np.ndarray
    choices: np.ndarray  # (checkpoints, columns), in the numbers of the environment
    certified: (
        np.ndarray
    )  # the verdict with which one level per factor was left; how many of these are wrong
    likely: np.ndarray  # the same for the posterior


# when duels certify; "uniform": pairs at random, then the fit; "apart": of different levels
RULES = {
    "late": None,
    "mix": plan_mixed,
    "none": plan_without,
    "uniform": plan_uniform,
    "apart": plan_apart,
}


def start(label, environment, rule="late"):
    """The loop of a policy on an environment, and its module."""
    policy = fb.policies.make(label)
    module = policy.module
    kernels = {name: getattr(module, name) for name in ("plan", "learn", "recommend")}
    kernels["sample"] = environment.module.sample
    kernels["active_sets"] = module.active_sets if policy.eliminates else no_active_sets
    if policy.name == "duel_top_two":
        kernels["likely"] = likely_leader
    if RULES[rule] is not None:
        kernels["plan"] = RULES[rule]
    return policy, bind(race, f"{policy.name}_{environment.name}_{rule}_race", **kernels)


def one_run(label, environment, seed, calls, checkpoints=(), late=0, stop=False, rule="late"):
    """One run with the levels renumbered at random; the seed is any tuple of numbers."""
    policy, loop = start(label, environment, rule)
    sizes = np.array(environment.sizes)
    params = policy.encoded()
    policy.check(sizes, calls)
    sequence = np.random.SeedSequence(list(seed))
    policy_rng, rng = (np.random.default_rng(child) for child in sequence.spawn(2))

    half = sizes[: len(sizes) // 2]
    permutation = np.concatenate([rng.permutation(size) for size in half])
    run = Run(
        actions=np.zeros((policy.longest_block(sizes), len(sizes)), dtype=np.int64),
        waiting=np.zeros((late + 1, len(sizes)), dtype=np.int64),
        verdicts=np.zeros(late + 1),
        action=np.zeros(len(sizes), dtype=np.int64),
        permutation=np.concatenate([permutation, permutation]),
        offsets=offsets_of(sizes),
        checkpoints=np.array(checkpoints or [0], dtype=np.int64),
        choices=np.full((max(len(checkpoints), 1), len(sizes)), -1),
        certified=np.zeros(2, dtype=np.int64),
        likely=np.zeros(2, dtype=np.int64),
    )
    state = policy.module.init(params, sizes, calls)
    loop(params, state, environment.data, policy_rng, rng, run, calls, late, stop)
    return run, policy.module, params, state
