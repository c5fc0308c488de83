"""What every policy must keep, whoever wrote it: each check runs over everything discovered."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core import kernel, loop
from factored_bandits.core.rng import generators
from factored_bandits.policies import Info

NAMES = fb.policies.names()


def play_blocks(policy, rounds, seed=0, after_plan=None):
    """Play a policy by hand, interpreted: yields (t, state, actions, rewards) before each block is
    learned.
    """
    problem = problems.fitting(policy)
    job = problems.job(policy, problem, rounds)
    module, state = job.policy.module, job.new_state()
    policy_rng, rng = generators(seed)
    run, t = job.prepare(rng, state), 1
    while t <= rounds:
        length = module.plan(job.params, state, t, policy_rng, run.actions)
        if after_plan:
            after_plan(job, state, t, length, run.actions)
        rewards = problems.played(job, run, t, length, rng)
        yield t, job, state, run.actions[:length], rewards
        module.learn(job.params, state, t, run.actions[:length], rewards)
        t += length


def check_interpreted_equals_compiled(name, monkeypatch):
    """The same numbers, bit for bit, with and without the compiler."""
    problem = problems.fitting(name)
    records = []
    runs = []
    for disabled in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
        job = problems.job(name, problem)
        records.append(job.repetition(1, problems.never))
        runs.append(problems.first_slice(job))

    compiled, interpreted = records
    for field in ("regret", "correct", "events"):
        assert np.array_equal(getattr(compiled, field), getattr(interpreted, field)), field
    assert problems.same_plays(compiled, interpreted)

    compiled_run, interpreted_run = runs
    for field in ("regret", "plays", "correct", "clock", "shown", "events"):
        assert np.array_equal(getattr(compiled_run, field), getattr(interpreted_run, field)), field


def check_plans_are_legal(name, monkeypatch):
    """Blocks have at least one play, fit the buffer, and name levels that exist."""
    for _, job, _, actions, _ in play_blocks(name, 300):
        assert len(actions) >= 1
        assert (actions >= 0).all()
        assert (actions < job.sizes).all()


def check_state_is_arrays_only(name, monkeypatch):
    """State is data: arrays of numbers or flags, each described, and no two fields share memory."""
    job = problems.job(name, problems.fitting(name))
    state = job.new_state()
    assert state._fields == type(state)._fields
    source = inspect.getsource(type(state))
    for field, array in zip(state._fields, state, strict=True):
        assert isinstance(array, np.ndarray), field
        assert array.dtype.kind in "fib", field
        assert f"{field}:" in source
        assert "#" in source.split(f"{field}:")[1].splitlines()[0], f"{field} has no comment"
        assert field not in ("count", "index"), "hides a method of tuple"
    arrays = list(state)
    for i, one in enumerate(arrays):
        assert not any(
            np.shares_memory(one, other) for other in arrays[i + 1 :] if one.size and other.size
        )


def check_learning_ignores_scratch(name, monkeypatch):
    """A policy copied between any two calls goes on the same: nothing hides outside State."""
    job, original = None, None
    for t, job, state, actions, rewards in play_blocks(name, 120):
        copy = type(state)(*(array.copy() for array in state))
        original = (t, state, copy, actions.copy(), rewards.copy())
        job.policy.module.learn(job.params, copy, t, actions.copy(), rewards.copy())
        last = copy
    t, state, _, _, _ = original
    for field, mine, theirs in zip(state._fields, state, last, strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True), field


def check_idle_keeps_its_promise(name, monkeypatch):
    """In rounds called idle there is one play, the same as before, no chance, and no reward changes
    the state.
    """
    module = fb.policies.make(name).module
    if not hasattr(module, "idle"):
        pytest.skip(f"{name} has no idle")
    problem = problems.fitting(name)
    job = problems.job(name, problem, 10**6)
    state, (policy_rng, rng) = job.new_state(), generators(5)
    run, t, recall, kept = job.prepare(rng, state), 1, 0, 0
    while kept < 50 and t < 10**5:
        idle = module.idle(job.params, state, t)
        assert idle >= recall - 1
        before, probability = [array.copy() for array in state], policy_rng.bit_generator.state
        length = module.plan(job.params, state, t, policy_rng, run.actions)
        for row in range(length):
            reward = (
                problem.module.sample(problem.data, t + row, run.actions[row], rng)
                if not idle
                else kept % 2
            )
            run.rewards[row] = run.limits[loop.SHIFT] + run.limits[loop.SLOPE] * reward
        module.learn(job.params, state, t, run.actions[:length], run.rewards[:length])
        if idle:
            assert length == 1
            assert policy_rng.bit_generator.state == probability
            assert all(np.array_equal(a, b) for a, b in zip(before, state, strict=True))
            kept += 1
        t, recall = t + length, idle
    assert kept == 50, "the policy never came to rest on an easy problem"


def check_recommendation_is_legal_from_the_start(name, monkeypatch):
    """`recommend` answers with levels that exist, also before anything is known."""
    job = problems.job(name, problems.fitting(name))
    action = np.full(len(job.sizes), -1)
    job.policy.module.recommend(job.params, job.new_state(), action)
    assert ((action >= 0) & (action < job.sizes)).all()
    if job.environment.kind == "duel":
        assert action[0] == action[1]


def check_finds_the_best_or_says_nothing(name, monkeypatch):
    """On an easy problem the recommendation after 20,000 rounds is right in most of 10 repetitions."""
    problem = problems.fitting(name)
    result = fb.simulate(name, problem, 20_000, repetitions=10, seed=3, progress=False)
    assert result.correct[:, -1].mean() >= 0.7


def check_regret_is_at_most_uniform(name, monkeypatch):
    """No policy loses to uniform play on an easy problem, 4 standard errors aside."""
    problem = problems.fitting(name)
    floor = "dueling_uniform" if problem.kind == "duel" else "uniform"
    mine = fb.simulate(name, problem, 20_000, repetitions=10, seed=3, progress=False).summary()
    uniform = fb.simulate(floor, problem, 20_000, repetitions=10, seed=3, progress=False).summary()
    slack = 4 * np.hypot(mine.standard_error, uniform.standard_error)
    assert mine.mean <= uniform.mean + slack


def check_propensities(name, monkeypatch):
    """Chances add up to one, and what was played had a chance."""
    module = fb.policies.make(name).module
    if not hasattr(module, "propensities"):
        pytest.skip(f"{name} states no propensities")

    def look(job, state, t, length, actions):
        probabilities = module.propensities(job.params, state, length)
        assert len(probabilities) == len(job.sizes)
        for column, probability in enumerate(probabilities):
            assert probability.sum() == pytest.approx(1.0)
            assert (probability >= 0).all()
            assert (probability[actions[:length, column]] > 0).all()

    for _ in play_blocks(name, 300, after_plan=look):
        pass


def check_active_sets_version(name, monkeypatch):
    """Whenever the standing changes, its version does."""
    module = fb.policies.make(name).module
    if not hasattr(module, "active_sets"):
        pytest.skip(f"{name} eliminates nothing")
    seen = {}
    for _, job, state, _, _ in play_blocks(name, 2500):
        flags, version = module.active_sets(job.params, state)
        assert seen.setdefault(int(version), flags.tolist()) == flags.tolist()


def check_described(name, monkeypatch):
    """Everybody says what they are, with an example that ends in a number."""
    description = fb.policies.describe(name)
    assert isinstance(description.info, Info)
    assert description.text
    assert all(
        getattr(description.info, field)
        for field in ("title", "assumption", "guarantee", "reference")
    )
    module = fb.policies.make(name).module
    assert ">>>" in module.__doc__
    assert name in str(description)
    assert set(module.Params._fields) == set(module.Params._field_defaults), (
        "every parameter has a default"
    )


def check_kernels_are_marked(name, monkeypatch):
    """plan, learn, recommend and their optional fellows can be compiled."""
    module = fb.policies.make(name).module
    for part in ("plan", "learn", "recommend", "idle", "active_sets"):
        if hasattr(module, part):
            assert getattr(module, part) in kernel._KERNELS


CHECKS = [value for key, value in list(globals().items()) if key.startswith("check_")]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_contract(name, check, monkeypatch):
    check(name, monkeypatch)


def test_checks_notice_a_policy_that_cheats(monkeypatch):
    """The checks can fail: a standing that changes in silence is caught."""
    module = fb.policies.make("tea").module
    monkeypatch.setattr(module, "active_sets", lambda params, state: (state.active, 0))
    with pytest.raises(AssertionError):
        check_active_sets_version("tea", monkeypatch)
    assert loop.always_busy(None, None, 1) == 0
