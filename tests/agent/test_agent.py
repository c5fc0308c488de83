"""The agent: the simulator's equal when answers come at once; what it says of itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.rng import generators
from factored_bandits.core.run import ROUND

NAMES = fb.policies.names()
HORIZON = 3000
FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
ARMS = ["draft A", "draft B", "draft C"]
COMPILED = ("tea", "dueling_tea")  # whose walk through idle rounds other tests compile too


def simulated(name, problem, seed):
    """The simulator's first repetition: its counters, the policy's final state and generator."""
    job = problems.job(name, problem, HORIZON, seed, permute=False, skip_idle=False)
    state, (policy_rng, rng) = job.new_state(), generators(seed)
    run = job.prepare(rng, state)
    job.loop(job.params, state, problem.data, run, policy_rng, rng, HORIZON + 1)
    assert run.clock[ROUND] == HORIZON + 1
    return run, state, policy_rng


def played(agent, problem, seed, saved_at):
    """Drive an agent as the simulator would; save and load it while the answer of round `saved_at`
    is out.
    """
    rng, total, noted, correct = generators(seed)[1], 0.0, [], []
    for t in range(1, HORIZON + 1):
        decision = agent.ask()
        action = np.array(decision.action)
        if t == saved_at:
            agent = fb.Agent.load(agent.dump())
        outcomes = np.zeros(agent._outcomes)
        if agent._outcomes:
            problem.module.sample_outcomes(problem.data, t, action, rng, outcomes)
        reward = (
            outcomes if agent._outcomes else problem.module.sample(problem.data, t, action, rng)
        )
        total += problem.module.regret(problem.data, t, action)
        if t in (HORIZON // 2, HORIZON):
            best = agent.best()
            noted.append(total)
            correct.append(
                problem.regret([best, best] if problem.kind == "duel" else list(best.values()))
                <= 0.0
            )
        if t < HORIZON:  # the simulator, too, learns nothing from a block that the horizon ends
            agent.tell(decision.id, reward)
    return agent, noted, correct


def strong():
    """Gaps so wide that levels are eliminated, and re-enter, within the horizon."""
    return fb.environments.make("rank1", factors=[[0.95, 0.2, 0.1], [0.1, 0.95]])


@pytest.mark.parametrize(("name", "make"), [*((n, None) for n in NAMES), ("tea", strong)])
def test_without_delay_the_agent_is_the_simulator(name, make, monkeypatch):
    problem, seed = make() if make else problems.fitting(name), 11
    if name not in COMPILED and hasattr(fb.policies.make(name).module, "idle"):
        monkeypatch.setenv(
            "NUMBA_DISABLE_JIT", "1"
        )  # walking through idle rounds is a loop of its own
    run, state, policy_rng = simulated(name, problem, seed)
    saved_at = int(np.random.default_rng(len(name)).integers(100, HORIZON))
    agent, noted, correct = played(
        problems.agent(name, problem, seed, HORIZON), problem, seed, saved_at
    )
    assert noted == run.regret[:-1].tolist()
    assert correct == (run.shortfall <= 0.0).tolist()
    assert np.concatenate(agent._plays).tolist() == run.plays.tolist()
    assert agent._generator.bit_generator.state == policy_rng.bit_generator.state
    for field, mine, theirs in zip(state._fields, agent._state, state, strict=True):
        assert np.array_equal(mine, theirs, equal_nan=True), field
    result = fb.simulate(
        name, problem, HORIZON, 1, seed, permute=False, skip_idle=False, progress=False
    )
    assert noted[-1] == result.regret[0, -1]
    if make is strong:
        assert {e.event for e in result.eliminations} == {"eliminated", "re-entered"}
        assert [row.active for row in agent.status().rows] == [True, False, False, False, True]


@pytest.mark.parametrize("name", NAMES)
def test_propensities_are_those_of_the_plan(name):
    problem = problems.fitting(name)
    agent, rng = problems.agent(name, problem), np.random.default_rng(3)
    module = agent.policy.module
    for _ in range(200):
        planned = agent._ledger.planned
        decision = agent.ask()
        if not hasattr(module, "propensities"):
            assert decision.propensity is None
        elif (
            decision.id == planned + 1
        ):  # the first play of a block: the state is as the plan left it
            probabilities = module.propensities(
                agent._params, agent._state, agent._ledger.planned - planned
            )
            expected = [probabilities[l][i] for l, i in enumerate(decision.action)]
            assert list(decision.propensity.values()) == expected
            assert min(expected) > 0.0
        agent.tell(decision.id, problems.answer(agent, float(rng.integers(2))))


def test_a_policy_without_propensities_and_status():
    module = problems.variant("tea")
    del module.propensities, module.status
    agent = fb.Agent(module, factors=FACTORS)
    assert agent.ask().propensity is None
    row = agent.status().rows[0]
    assert (row.factor, row.level, row.plays, row.active, row.gap) == ("ad", "A", 1, None, None)
    assert "-" in str(agent.status())


def test_decisions_carry_labels():
    agent = fb.Agent("tea", factors=FACTORS, seed=1)
    for expected in range(1, 7):
        decision = agent.ask()
        assert decision.id == expected
        assert decision.levels == {
            "ad": "ABC"[decision.action[0]],
            "position": ["top", "side"][decision.action[1]],
        }
        assert decision.propensity == pytest.approx({"ad": 1 / 3, "position": 1 / 2})
    assert agent.waiting == (1, 2, 3, 4, 5, 6)
    duel = fb.Agent("dueling_tea", arms=ARMS).ask()
    assert duel.levels == {"first": ARMS[duel.action[0]], "second": ARMS[duel.action[1]]}


@pytest.mark.parametrize(
    ("reward_range", "good", "bad"), [((0, 1), 1.0, 0.0), ((-5, 15), 15, -5), (None, 1.0, -1.0)]
)
def test_status_and_best(reward_range, good, bad):
    agent = fb.Agent(
        "tea", factors={"ad": ["poor", "fine"], "only": [7]}, reward_range=reward_range, seed=2
    )
    for _ in range(400):
        decision = agent.ask()
        agent.tell(decision.id, good if decision.levels["ad"] == "fine" else bad)
    agent.ask()
    status = agent.status()
    assert agent.best() == {"ad": "fine", "only": 7}
    assert (status.asked, status.learned, status.waiting) == (401, 400, 1)
    poor, fine, only = status.rows
    assert [row.active for row in status.rows] == [False, True, True]
    assert poor.gap == pytest.approx(good - bad)  # in the user's units
    assert 0.0 < poor.lower < poor.gap
    assert poor.reentry > 401
    assert (fine.gap, fine.reentry) == (0.0, None)
    assert poor.plays + fine.plays == only.plays == 401
    header, *table = str(status).splitlines()
    assert header == "tea: 401 rounds asked, 400 learned, 1 waiting"
    assert len(table) == 4
    assert len({len(line) for line in table}) == 1
    assert table[1].split()[:4] == ["ad", "poor", "eliminated", str(poor.plays)]


def test_status_and_best_of_duels():
    agent = fb.Agent("dueling_tea", arms=ARMS, seed=2)
    for _ in range(900):
        first, second = (decision := agent.ask()).action
        agent.tell(decision.id, 0.5 if first == second else float(first > second))
    status = agent.status()
    assert agent.best() == "draft C"
    assert [(row.factor, row.level) for row in status.rows] == [("arm", label) for label in ARMS]
    assert sum(row.plays for row in status.rows) == 2 * 900
    assert status.rows[0].active is False


def test_the_agent_needs_no_compiler():
    code = (
        "import sys, factored_bandits as fb; agent = fb.Agent('tea', factors={'ad': ['A', 'B']}); "
        "[agent.tell(agent.ask().id, 1) for _ in range(9)]; fb.Agent.load(agent.dump()).status(); "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
