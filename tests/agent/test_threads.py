"""An agent that several threads share, and copies of agents."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.errors import AgentError, DumpError

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}


@pytest.fixture
def restless():
    """Threads that take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_share_an_agent(restless):
    """Every decision is given out once and learned, while others look and save."""
    agent = fb.Agent("tea", factors=FACTORS, seed=1, diagnostics=True)
    seen = []
    errors = []

    def visitors():
        try:
            for number in range(150):
                decision = agent.ask()
                seen.append(decision.id)
                if number % 10 == 0:
                    agent.expire(decision.id)
                else:
                    agent.tell(decision.id, float(decision.action[0] == 1))
                if number % 50 == 0:
                    fb.Agent.load(agent.dump())
                    agent.status()
                    agent.confidence()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=visitors) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert sorted(seen) == list(range(1, 601))
    assert agent.waiting == ()
    assert agent.backlog < 3  # the last block may have a play that nobody asked for
    assert fb.Agent.load(agent.dump()).dump() == agent.dump()


def test_what_threads_left_is_what_one_thread_leaves(restless):
    """The calls of several threads have an order; one thread that repeats it has the same agent."""
    shared = fb.Agent("flat_ucb1", factors=FACTORS, seed=3)
    done = []
    both = threading.Lock()

    def visitors(seed):
        rng = np.random.default_rng(seed)
        for _ in range(60):
            with both:
                done.append(("ask", shared.ask().id))
            waiting = shared.waiting
            if waiting:
                chosen = int(rng.choice(waiting))
                reward = float(rng.integers(2))
                with both:
                    if shared.is_waiting(chosen):
                        shared.tell(chosen, reward)
                        done.append((chosen, reward))

    threads = [threading.Thread(target=visitors, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    alone = fb.Agent("flat_ucb1", factors=FACTORS, seed=3)
    for what, value in done:
        if what == "ask":
            assert alone.ask().id == value
        else:
            alone.tell(what, value)
    assert alone.dump() == shared.dump()


def test_a_call_from_inside_a_call_is_refused():
    """As a signal handler would make it, which runs in the middle of another call."""
    module = problems.variant("uniform")
    original = module.learn

    def learn(params, state, t, actions, rewards):
        original(params, state, t, actions, rewards)
        agent.dump()

    module.learn = learn
    agent = fb.Agent(module, factors=FACTORS)
    decision = agent.ask()
    before = agent.dump()
    with pytest.raises(AgentError, match="in the middle of another call"):
        agent.tell(decision.id, 1.0)
    assert agent.dump() == before
    module.learn = original
    agent.tell(decision.id, 1.0)
    assert agent.backlog == 0


@pytest.mark.parametrize("damage", ["asked", "learned", "planned", "waiting", "next_block"])
def test_a_damaged_agent_gives_no_dump(damage):
    agent = fb.Agent("tea", factors=FACTORS)
    agent.ask()
    setattr(agent._ledger.counters, damage, getattr(agent._ledger.counters, damage) + 2)
    with pytest.raises(DumpError, match="damaged"):
        agent.dump()


def test_plays_are_counted_with_the_decisions():
    agent = fb.Agent("tea", factors=FACTORS)
    agent.ask()
    agent._plays[1][0] += 1
    with pytest.raises(DumpError, match=r"1 decisions were given out, but the plays.*1, 2"):
        agent.dump()


def in_the_middle(policy, **more):
    agent = fb.Agent(policy, factors=FACTORS, seed=2, **more)
    for id in [agent.ask().id for _ in range(40)][::-2]:
        agent.tell(id, float(id % 3 == 0))
    return agent


def test_copies_go_on_alike_and_apart():
    agent = in_the_middle("tea", expire_after=100)
    for other in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert type(other) is fb.Agent
        assert other.dump() == agent.dump()
        other.expire(other.waiting[0])
        assert other.dump() != agent.dump()
    other = copy.deepcopy({"agents": [agent]})["agents"][0]
    assert other.ask() == agent.ask()


def test_a_copy_of_an_agent_with_a_policy_of_ones_own():
    module = problems.variant("tea")
    agent = in_the_middle(module)
    assert copy.deepcopy(agent).dump() == agent.dump()
    with pytest.raises(pickle.PicklingError, match=r"'mine'.*cannot be imported.*dump\(\)"):
        pickle.dumps(agent)


def test_pickle_finds_a_policy_of_ones_own_by_its_name(tmp_path, monkeypatch):
    original = Path(fb.policies.load("uniform").__file__).read_text()
    (tmp_path / "my_uniform.py").write_text(original)
    monkeypatch.syspath_prepend(tmp_path)
    import my_uniform

    agent = in_the_middle(my_uniform)
    pickled = pickle.dumps(agent)
    assert pickle.loads(pickled).dump() == agent.dump()

    (tmp_path / "agent.pickle").write_bytes(pickled)
    (tmp_path / "agent.json").write_text(agent.dump())
    code = (
        "import pickle, pathlib; "
        "agent = pickle.loads(pathlib.Path('agent.pickle').read_bytes()); "
        "assert agent.dump() == pathlib.Path('agent.json').read_text()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)

    del sys.modules["my_uniform"]
    (tmp_path / "my_uniform.py").unlink()
    with pytest.raises(DumpError, match="'my_uniform', which cannot be imported here"):
        pickle.loads(pickled)
