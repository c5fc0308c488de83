"""Compiled steps: the same agent to the bit, also when something fails."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent import learner as _learner
from factored_bandits.agent import steps as _steps
from factored_bandits.agent import warm
from factored_bandits.agent.driver import Driver
from factored_bandits.core.kernel import compiles
from factored_bandits.errors import KernelError

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
# Quick to compile, and between them: draws of beta variables, semi-bandit feedback, duels.
QUICK = ["marginal_thompson", "cucb", "dueling_uniform"]
SLOW = [name for name in fb.policies.names() if name not in QUICK]

compiler = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")


def pair(name: str, seed: int = 3) -> tuple[fb.Agent, fb.Agent]:
    """The same agent in plain Python and compiled."""
    problem = problems.fitting(name)
    plain = problems.agent(name, problem, seed)
    text = plain.dump()
    plain, quick = (fb.Agent.load(text, compiled=choice) for choice in (False, True))
    assert (plain.compiled, quick.compiled) == (False, True)
    return plain, quick


def same(name: str, rounds: int) -> None:
    """Two agents told the same, late and out of order, with decisions that expire."""
    plain, quick = pair(name)
    rng = np.random.default_rng(1)
    for _ in range(rounds):
        for _ in range(int(rng.integers(4))):
            assert quick.ask() == plain.ask()
        for chosen in rng.permutation(plain.waiting)[: int(rng.integers(5))]:
            late = rng.random() < 0.1
            reward = problems.answer(plain, float(rng.integers(2)))
            for agent in (plain, quick):
                agent.expire(chosen) if late else agent.tell(chosen, reward)
        assert quick.best() == plain.best()

    assert quick.dump() == plain.dump()
    assert quick.waiting == plain.waiting
    assert quick.confidence() == plain.confidence()
    if plain.policy.certifies:
        assert fb.certificate(quick) == fb.certificate(plain)
    # Either goes on from the other's dump.
    crossed = fb.Agent.load(quick.dump(), compiled=False)
    assert [crossed.ask() for _ in range(9)] == [quick.ask() for _ in range(9)]


@compiler
@pytest.mark.parametrize("name", QUICK)
def test_a_compiled_agent_is_the_same_to_the_bit(name):
    same(name, rounds=60)


@compiler
@pytest.mark.full
@pytest.mark.parametrize("name", SLOW)
def test_every_other_compiled_agent_is_the_same_to_the_bit(name):
    same(name, rounds=100)


@compiler
def test_a_large_state_is_undone_by_repeating_compiled_steps(monkeypatch):
    monkeypatch.setattr(_learner, "SMALL", 0)
    monkeypatch.setattr(_learner, "BYTES_PER_STEP", 10)
    plain, quick = pair("marginal_thompson")
    original = quick._ledger.give_out

    def fails(now):
        raise MemoryError

    for number in range(60):
        if number % 7 == 3:
            quick._ledger.give_out = fails  # after the block was planned
            with pytest.raises(MemoryError):
                quick.ask()
            quick._ledger.give_out = original
        decision = quick.ask()
        assert decision == plain.ask()
        for agent in (plain, quick):
            agent.tell(decision.id, float(number % 2))
    assert quick.dump() == plain.dump()


# ---------------------------------------------------------------- policies of one's own

OWN = '''
"""One level after the other, with a slip from some round on."""
from typing import NamedTuple
import numpy as np
from factored_bandits.core.kernel import kernel
from factored_bandits.policies.base import Info

INFO = Info("Own", "factored", (0.0, 1.0), "none", "none", "none")

class Params(NamedTuple):
    slip: int = 10**9

class State(NamedTuple):
    counts: np.ndarray

def init(params, sizes, horizon):
    return State(np.zeros(4, dtype=np.int64))

@kernel
def plan(params, state, t, rng, actions):
    for l in range(actions.shape[1]):
        actions[0, l] = int(rng.random() * 2)
    return 1

@kernel
def learn(params, state, t, actions, rewards):
    state.counts[0] += 1
    state.counts[4 if t >= params.slip else 1] += actions[0, 0]

@kernel
def recommend(params, state, action):
    action[:] = 0
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of one's own."""
    (tmp_path / "own_steps.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    import own_steps

    yield own_steps
    del sys.modules["own_steps"]


@compiler
def test_a_slip_of_a_compiled_policy_changes_nothing(own):
    """An index outside an array, half way through `learn`, after it has changed the state."""
    agent = fb.Agent(own, factors=FACTORS, slip=5, compiled=True)
    assert agent.compiled
    for _ in range(4):
        agent.tell(agent.ask().id, 1.0)
    decision = agent.ask()

    before = agent.dump()
    with pytest.raises(IndexError) as caught:
        agent.tell(decision.id, 1.0)
    assert agent.dump() == before
    assert "as it was before this call" in caught.value.__notes__[0]

    loaded = fb.Agent.load(before, policy=own, compiled=True)
    assert loaded.compiled
    assert loaded.dump() == before


def test_kernels_that_are_not_marked_run_in_plain_python_unless_asked_for(own, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(_steps, "LOADING", 0.0)
    monkeypatch.setattr(_steps, "may_be_kept", lambda step, name: True)
    original = own.plan
    own.plan = lambda *arguments: original(*arguments)

    agent = fb.Agent(own, factors=FACTORS)
    agent.tell(agent.ask().id, 1.0)
    assert not agent.compiled
    with pytest.raises(KernelError, match="plan of 'own_steps' cannot be compiled: write @kernel"):
        fb.Agent(own, factors=FACTORS, compiled=True)


@compiler
def test_a_driver_need_not_wait_until_loading_pays():
    warm("marginal_thompson")
    agent = fb.Agent("marginal_thompson", factors=FACTORS)
    assert not agent.compiled
    Driver(agent).load_steps()
    assert agent.compiled


@compiler
def test_a_driver_loads_nothing_that_is_not_wanted_or_not_there(monkeypatch):
    warm("marginal_thompson")
    plain = fb.Agent("marginal_thompson", factors=FACTORS, compiled=False)
    Driver(plain).load_steps()
    assert not plain.compiled

    monkeypatch.setattr(_steps, "may_be_warm", lambda policy: False)
    auto = fb.Agent("marginal_thompson", factors=FACTORS)
    Driver(auto).load_steps()
    assert not auto.compiled
