"""A call that fails or is interrupted changes nothing, whatever the policy had changed by then."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.agent import learner as _learner
from factored_bandits.agent import playing as _playing
from factored_bandits.errors import AgentError, InvalidInputError

NAMES = fb.policies.names()
FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
SOURCE = str(Path(fb.__file__).parent)


class Interruption:
    """Ctrl-C at the n-th line of the library that is executed, but for the lines of the lock."""

    def __init__(self, line):
        self.left = line

    def __enter__(self):
        self.before = sys.gettrace()  # that of `make coverage`
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def _trace(self, frame, event, argument):
        path = frame.f_code.co_filename
        if not path.startswith(SOURCE) or path.endswith("calls.py"):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self._trace


def interrupted(line, call, *args):
    """The answer of a call that is interrupted, and then made again."""
    try:
        with Interruption(line):
            return call(*args)
    except KeyboardInterrupt:
        return call(*args)


@pytest.fixture
def large(monkeypatch):
    """States that are too large to be copied before every step."""
    monkeypatch.setattr(_learner, "SMALL", 0)
    monkeypatch.setattr(_learner, "BYTES_PER_STEP", 10)


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_call_can_be_made_again(name):
    """Wherever it was: two agents, one of which is interrupted all the time, remain the same."""
    disturb(name)


@pytest.mark.parametrize("name", ["tea", "uniform", "cucb", "dts", "marginal_thompson"])
def test_an_interrupted_call_with_a_large_state_can_be_made_again(name, large):
    disturb(name)


def disturb(name):
    problem = problems.fitting(name)
    calm = problems.agent(name, problem, seed=3)
    disturbed = problems.agent(name, problem, seed=3)
    rng = np.random.default_rng(7)
    for _ in range(25):
        for _ in range(int(rng.integers(4))):
            assert interrupted(int(rng.integers(1, 90)), disturbed.ask) == calm.ask()
        for chosen in rng.permutation(calm.waiting)[: int(rng.integers(4))]:
            answer = problems.answer(calm, float(rng.integers(2)))
            line = int(rng.integers(1, 120))
            if rng.random() < 0.1:
                calm.expire(chosen)
                interrupted(line, disturbed.expire, chosen)
            else:
                calm.tell(chosen, answer)
                interrupted(line, disturbed.tell, chosen, answer)
    assert disturbed.dump() == calm.dump()
    assert disturbed.waiting == calm.waiting


def failing(kernel, error, *, after):
    """TEA, of which a kernel fails once it has done its work, from some call on."""
    module = problems.variant("tea")
    original = getattr(module, kernel)
    module.calls = 0
    module.fails = True

    def replaced(*arguments):
        result = original(*arguments)
        module.calls += 1
        if module.fails and module.calls > after:
            raise error
        return result

    setattr(module, kernel, replaced)
    return module


@pytest.mark.parametrize("error", [ZeroDivisionError("in the policy"), KeyboardInterrupt()])
@pytest.mark.parametrize("kernel", ["plan", "learn", "propensities"])
def test_a_policy_that_fails_leaves_the_agent_as_it_was(kernel, error):
    after = 60
    module = failing(kernel, error, after=after)
    agent = fb.Agent(module, factors=FACTORS, seed=2, diagnostics=True)
    sound = fb.Agent("tea", factors=FACTORS, seed=2, diagnostics=True)
    rng = np.random.default_rng(1)

    caught = None
    while caught is None:
        before = agent.dump() if module.calls >= after else None
        try:
            decision = agent.ask()
            assert decision == sound.ask()
            before = agent.dump() if module.calls >= after else None
            reward = float(rng.integers(2))
            agent.tell(decision.id, reward)
            sound.tell(decision.id, reward)
        except (ZeroDivisionError, KeyboardInterrupt) as raised:
            caught = raised

    assert caught is error
    assert agent.dump() == before
    assert "as it was before this call" in caught.__notes__[0]
    loaded = fb.Agent.load(before, policy=module)
    assert loaded.dump() == before

    module.fails = False
    for other in (agent, loaded):
        if other.waiting:
            other.tell(other.waiting[0], reward)
    if sound.waiting:
        sound.tell(sound.waiting[0], reward)
    for _ in range(60):
        decision = sound.ask()
        assert agent.ask() == loaded.ask() == decision
        for other in (agent, loaded, sound):
            other.tell(decision.id, float(decision.action[0] == 1))
    assert agent.dump() == loaded.dump()
    assert agent.status().rows == sound.status().rows


def test_a_failed_portion_is_undone_as_a_whole():
    """One answer completes thirty blocks; the twentieth fails, and nothing is learned or told."""
    module = failing("learn", ZeroDivisionError(), after=20)
    agent = fb.Agent(module, factors=FACTORS, seed=2)
    for id in [agent.ask().id for _ in range(90)][:0:-1]:
        agent.tell(id, 1.0)
    before = agent.dump()
    with pytest.raises(ZeroDivisionError):
        agent.tell(1, 0.0)
    assert (agent.dump(), agent.waiting, agent.backlog) == (before, (1,), 90)

    module.fails = False
    agent.tell(1, 0.0)
    sound = fb.Agent("tea", factors=FACTORS, seed=2)
    for id in [sound.ask().id for _ in range(90)]:
        sound.tell(id, float(id > 1))
    assert agent.backlog == 0
    assert agent.ask() == sound.ask()


def test_an_expiry_stays_when_the_call_after_it_fails():
    agent = fb.Agent("tea", factors=FACTORS, expire_after=2)
    for _ in range(4):
        agent.ask()
    with pytest.raises(LookupError, match="decision 1 has expired"):
        agent.tell(1, 1.0)
    assert agent.waiting == (2, 3, 4)


def test_an_undo_that_is_interrupted_is_completed_by_the_next_call(large):
    module = problems.variant("uniform")
    original = module.learn
    module.errors = []

    def learn(*arguments):
        original(*arguments)
        if module.errors:
            raise module.errors.pop(0)

    module.learn = learn
    agent = fb.Agent(module, factors=FACTORS, seed=2)
    for _ in range(20):
        agent.tell(agent.ask().id, 1.0)
    decision = agent.ask()
    before = agent.dump()

    module.errors = [ZeroDivisionError(), KeyboardInterrupt()]  # in the call, and in its undoing
    with pytest.raises(KeyboardInterrupt):
        agent.tell(decision.id, 1.0)
    assert agent.dump() == before
    agent.tell(decision.id, 1.0)
    assert agent.status().learned == 21


def test_an_agent_that_cannot_be_repaired_says_so(large):
    """The policy fails again when its steps are repeated; once it does not, all is well."""
    module = problems.variant("uniform")
    original = module.learn
    module.broken = False

    def learn(*arguments):
        original(*arguments)
        if module.broken:
            raise ZeroDivisionError("no more")

    module.learn = learn
    agent = fb.Agent(module, factors=FACTORS, seed=2)
    for _ in range(5):
        agent.tell(agent.ask().id, 1.0)
    decision = agent.ask()
    module.broken = True
    for call in (lambda: agent.tell(decision.id, 1.0), agent.ask, agent.dump, agent.status):
        with pytest.raises(AgentError, match=r"unusable.*ZeroDivisionError: no more.*last dump"):
            call()
    module.broken = False
    agent.tell(decision.id, 1.0)
    assert agent.status().learned == 6


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ([], "mine planned 0 plays for round 1; a block has 1 to 3"),
        ([(0, 2)], r"mine planned \(0, 2\) for a play from round 1 on; .* there are \(3, 2\)"),
        ([(0, 0), (-1, 0)], r"mine planned \(-1, 0\)"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_and_undone(block, message):
    module = problems.variant("tea")
    sound = module.plan

    def plan(params, state, t, rng, actions):
        sound(params, state, t, rng, actions)
        for row, action in enumerate(block):
            actions[row] = action
        return len(block)

    module.plan = plan
    agent = fb.Agent(module, factors=FACTORS)
    before = agent.dump()
    with pytest.raises(InvalidInputError, match=message):
        agent.ask()
    assert agent.dump() == before
    module.plan = sound
    assert agent.ask() == fb.Agent("tea", factors=FACTORS).ask()


@pytest.mark.parametrize("name", NAMES)
def test_looking_changes_nothing(name):
    """What an agent is asked about is not undone, so it must leave the state alone."""
    problem = problems.fitting(name)
    agent = problems.agent(name, problem, seed=3)
    for _ in range(2):
        for _ in range(30):
            agent.tell(agent.ask().id, problems.answer(agent, 1.0))
        agent.ask()
        before = [array.tobytes() for array in agent._state]
        agent.best(), agent.status(), agent.confidence(), agent.dump()
        assert [array.tobytes() for array in agent._state] == before


def test_a_portion_is_as_large_as_the_pages_say():
    assert _playing.PORTION == 64
