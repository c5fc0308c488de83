"""An arena, compiled: every dueling policy with calls in flight, as `fb.arena` plays it.

`late_duels.py` plans one duel at a time, which is enough for the policies made for a budget. Here a
policy plans blocks of any length, and what `fb.arena` does beside asking is done, too: a block is
learned when the last of its verdicts has arrived, in the order of planning; a duel of an arm with
itself is settled without a call; and when a policy has asked for nothing else for so long that an
arena would end, the run is over, and its last recommendation stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.kernel import bind, kernel

ROOM = 2**15  # plays that are planned and not learned; a power of two
# as in `agent/self_duels.py` and `judges/run.py`
MOST_SKIPPED = 1000
SETTLED = 10

# rows of `Run.at`
PLANNED, ASKED, LEARNED, FIRST_BLOCK, NEXT_BLOCK, BEGUN, ARRIVED, SKIPPED, IN_VAIN = range(9)


class Run(NamedTuple):
    """The arrays of one run; plays and blocks are counted from 0, in rings of `ROOM`."""

    at: np.ndarray  # counters, see above
    planned: np.ndarray  # (longest block, 2) what `plan` fills
    plays: np.ndarray  # (ROOM, 2)
    verdicts: np.ndarray  # (ROOM,)
    lengths: np.ndarray  # (ROOM,) of blocks
    calls: np.ndarray  # (in flight + 1,) ring of plays that wait for their verdict
    actions: np.ndarray  # (longest block, 2) a block as `learn` gets it
    rewards: np.ndarray  # (longest block,)
    action: np.ndarray  # (2,)
    permutation: np.ndarray  # (arms,) from the policy's numbers to the environment's
    checkpoints: np.ndarray  # numbers of calls
    choices: np.ndarray  # (checkpoints,) in the environment's numbers


# The next four kernels are placeholders that `bind` replaces.


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
def learn_blocks(params, state, run):
    """Learn the oldest blocks, as long as all of their verdicts have arrived."""
    at = run.at
    # the oldest play that waits
    known = at[ASKED]
    if at[ARRIVED] < at[BEGUN]:
        known = run.calls[at[ARRIVED] % len(run.calls)]

    while at[FIRST_BLOCK] < at[NEXT_BLOCK]:
        length = run.lengths[at[FIRST_BLOCK] % ROOM]
        if at[LEARNED] + length > known:
            return

        for row in range(length):
            play = (at[LEARNED] + row) % ROOM
            run.actions[row, 0] = run.plays[play, 0]
            run.actions[row, 1] = run.plays[play, 1]
            run.rewards[row] = run.verdicts[play]
        t = at[LEARNED] + 1
        learn(params, state, t, run.actions[:length], run.rewards[:length])
        at[LEARNED] += length
        at[FIRST_BLOCK] += 1


@kernel
def next_play(params, state, rng, run):
    """The next play, planned if need be."""
    at = run.at
    if at[ASKED] == at[PLANNED]:
        length = plan(params, state, at[PLANNED] + 1, rng, run.planned)
        for row in range(length):
            play = (at[PLANNED] + row) % ROOM
            run.plays[play, 0] = run.planned[row, 0]
            run.plays[play, 1] = run.planned[row, 1]
        run.lengths[at[NEXT_BLOCK] % ROOM] = length
        at[PLANNED] += length
        at[NEXT_BLOCK] += 1

    at[ASKED] += 1
    return (at[ASKED] - 1) % ROOM


@kernel
def arrive(params, state, run):
    """The verdict of the oldest call; what is recommended is noted at checkpoints."""
    run.at[ARRIVED] += 1
    learn_blocks(params, state, run)
    for c in range(len(run.checkpoints)):
        if run.checkpoints[c] == run.at[ARRIVED]:
            recommend(params, state, run.action)
            run.choices[c] = run.permutation[run.action[0]]


@kernel
def race(params, state, env, policy_rng, rng, run, calls, in_flight, tie, counts):
    """Make so many calls, of which so many are in flight at a time."""
    at = run.at
    while at[ARRIVED] < calls:
        if at[BEGUN] == calls or at[BEGUN] - at[ARRIVED] == in_flight:
            arrive(params, state, run)
            continue

        play = next_play(params, state, policy_rng, run)
        first = run.plays[play, 0]
        second = run.plays[play, 1]
        if first != second:
            run.action[0] = run.permutation[first]
            run.action[1] = run.permutation[second]
            run.verdicts[play] = sample(env, 1, run.action, rng)
            run.calls[at[BEGUN] % len(run.calls)] = at[ASKED] - 1
            at[BEGUN] += 1
            at[SKIPPED] = 0
            at[IN_VAIN] = 0
            continue

        run.verdicts[play] = 0.5
        if not tie:
            run.verdicts[play] = 1.0 if rng.random() < 0.5 else 0.0
        learn_blocks(params, state, run)
        at[SKIPPED] += 1
        waits = at[ARRIVED] < at[BEGUN]
        if at[SKIPPED] > MOST_SKIPPED or (counts and waits):
            at[SKIPPED] = 0
            if waits:
                arrive(params, state, run)
            else:
                at[IN_VAIN] += 1
                if at[IN_VAIN] == SETTLED:
                    break

    # an arena that has ended says what it said last
    recommend(params, state, run.action)
    for c in range(len(run.checkpoints)):
        if run.checkpoints[c] > at[ARRIVED]:
            run.choices[c] = run.permutation[run.action[0]]


def choices(label, environment, seed, calls, checkpoints, in_flight):
    """The arm that is recommended after each of these numbers of calls, and how many were made.

    Arms are renumbered at random; the seed is any tuple of numbers.
    """
    sequence = np.random.SeedSequence(list(seed))
    policy_rng, rng = (np.random.default_rng(child) for child in sequence.spawn(2))
    permutation = rng.permutation(environment.sizes[0])
    run = one_run(label, environment, (policy_rng, rng), permutation, calls, checkpoints, in_flight)
    return run.choices, int(run.at[ARRIVED])


def one_run(
    label, environment, generators, permutation, calls, checkpoints, in_flight, compiled=True
):
    """The arrays of a run after its end; the generators are the policy's and the environment's."""
    policy = fb.policies.make(label)
    module = policy.module
    kernels = {name: getattr(module, name) for name in ("plan", "learn", "recommend")}
    kernels["sample"] = environment.module.sample
    loop = bind(race, f"{policy.name}_{environment.name}_calls", compiled=compiled, **kernels)

    sizes = np.array(environment.sizes)
    params = policy.encoded()
    policy.check(sizes, calls)
    longest = policy.longest_block(sizes)
    run = Run(
        at=np.zeros(9, dtype=np.int64),
        planned=np.zeros((longest, 2), dtype=np.int64),
        plays=np.zeros((ROOM, 2), dtype=np.int64),
        verdicts=np.zeros(ROOM),
        lengths=np.zeros(ROOM, dtype=np.int64),
        calls=np.zeros(in_flight + 1, dtype=np.int64),
        actions=np.zeros((longest, 2), dtype=np.int64),
        rewards=np.zeros(longest),
        action=np.zeros(2, dtype=np.int64),
        permutation=permutation,
        checkpoints=np.array(checkpoints, dtype=np.int64),
        choices=np.full(len(checkpoints), -1),
    )
    state = module.init(params, sizes, calls)
    tie = policy.info.self_duel == "tie" and policy.info.ties
    counts = policy.info.self_duel_counts
    loop(params, state, environment.data, *generators, run, calls, in_flight, tie, counts)
    return run
