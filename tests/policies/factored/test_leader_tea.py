"""leader_tea: what it says, what it refuses, and what it costs."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import DumpError, InvalidInputError
from factored_bandits.policies.limits import check_state

FACTORS = {"page": ["A", "B", "C"], "button": ["red", "blue"]}


def agent_of(rounds=1500, seed=1, rule="wealth", **options):
    """B and blue are better."""
    agent = fb.Agent("leader_tea", factors=FACTORS, seed=seed, rule=rule, **options)
    visitor = random.Random(seed)
    for _ in range(rounds):
        decision = agent.ask()
        rate = 0.1 + 0.4 * (decision.levels["page"] == "B")
        rate += 0.4 * (decision.levels["button"] == "blue")
        agent.tell(decision.id, float(visitor.random() < rate))
    return agent


def test_an_agent_finds_and_certifies_the_best():
    agent = agent_of()
    assert agent.best() == {"page": "B", "button": "blue"}
    found = fb.certificate(agent)
    assert found.best() == agent.best()
    assert agent.confidence() == found.confidence > 0.9


def test_by_likelihood_there_are_certificates_too_but_later():
    """Bets are made all the same; the rule plays other levels less."""
    agent = agent_of(rule="likelihood")
    assert agent.best() == {"page": "B", "button": "blue"}
    assert 0.0 < fb.certificate(agent).confidence < agent_of().confidence()


def test_the_status_says_who_leads_and_when_others_re_enter():
    agent = agent_of(rounds=3000)
    rows = {(row.factor, row.level): row for row in agent.status().rows}
    assert rows["page", "B"].gap == rows["button", "blue"].gap == 0.0
    assert rows["button", "red"].gap > 0.1

    eliminated = [row for row in rows.values() if row.active is False]
    assert eliminated
    state = agent._state
    names = list(rows)
    for row in eliminated:
        threshold = state.threshold[names.index((row.factor, row.level))]
        assert row.reentry == max(agent.status().asked + 1, math.ceil(math.exp(threshold) - 1e-6))


@pytest.mark.parametrize("label", ["leader_tea"])  # compiled where its other loops are
def test_one_level_per_factor_is_played_and_certified(label):
    agent = fb.Agent(label, factors={"page": ["A"], "button": ["red"]})
    for _ in range(3):
        agent.tell(agent.ask().id, 1.0)
    assert agent.best() == fb.certificate(agent).best() == {"page": "A", "button": "red"}

    problem = fb.environments.make("additive", effects=[[0.5], [0.1]])
    result = fb.simulate(label, problem, 10**12, 1, progress=False)
    assert result.regret[0, -1] == 0.0


def test_a_factor_of_one_level_beside_others():
    agent = fb.Agent("leader_tea", factors={"page": ["A"], "button": ["red", "blue"]}, seed=1)
    for _ in range(300):
        decision = agent.ask()
        agent.tell(decision.id, float(decision.levels["button"] == "blue"))
    assert fb.certificate(agent).best() == {"page": "A", "button": "blue"}


def test_propensities_are_the_shares_of_the_block():
    agent = agent_of(rounds=0)
    first = agent.ask()
    assert first.propensity == {"page": pytest.approx(1 / 3), "button": pytest.approx(1 / 2)}


def test_unbounded_rewards_are_learned_and_not_certified():
    agent = agent_of(rounds=300, reward_range=None, default=0.0)
    agent.tell(agent.ask().id, -1e9)
    assert agent.best() == {"page": "B", "button": "blue"}
    assert agent.confidence() is None
    with pytest.raises(InvalidInputError) as caught:
        fb.certificate(agent)
    assert str(caught.value) == (
        "leader_tea: p-values need rewards of a declared range; give reward_range=(low, high)"
    )


def forged(**arrays):
    """A state with some entries changed, and a new one."""
    policy = fb.policies.make("leader_tea")
    params = policy.encoded()
    state, fresh = (policy.module.init(params, np.array([2, 3]), 0) for _ in range(2))
    for name, values in arrays.items():
        getattr(state, name)[: len(values)] = values
    return params, state, fresh, np.zeros((0, 2), dtype=np.int64)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"blocks": [1.0, 1.0], "means": [2.0]}, "do not fit the number of blocks"),
        ({"blocks": [1.0]}, "there are blocks without plays"),
        ({"log_wealth": [3.0]}, "log_wealth lies above its peak"),
        ({"leader": [2]}, "leader"),
        ({"block_plays": [1]}, "block_plays"),
    ],
)
def test_a_dump_with_impossible_numbers_is_refused(arrays, said):
    with pytest.raises(DumpError, match=said):
        check_state(*forged(**arrays))
    check_state(*forged())


@pytest.mark.full
@pytest.mark.parametrize(("size", "factors", "horizon"), [(512, 1, 100_000), (512, 2, 1_000_000)])
def test_the_best_of_512_levels_is_found(size, factors, horizon):
    problem = fb.environments.spiked(size, 0.75, 0.2, factors)
    result = fb.simulate("leader_tea", problem, horizon, 10, seed=1, progress=False)
    assert result.correct[:, -1].all()


@pytest.mark.full
@pytest.mark.parametrize("name", ["rank1 16x16 u*v*=0.5", "trap 2x16", "low click rate 5^4"])
def test_regret_is_less_than_half_of_that_of_tea_with_its_sharpest_bound(name):
    """At most 0.45 of it, three standard errors of the ratio aside."""
    problem = next(each for each in fb.suites.factored() if each.name == name).problem()
    ours, tea = (
        fb.simulate(label, problem, 100_000, 20, seed=1, progress=False).summary()
        for label in ("leader_tea", "tea(bound=betting)")
    )
    slack = 3.0 * math.hypot(ours.standard_error, 0.45 * tea.standard_error)
    assert ours.mean <= 0.45 * tea.mean + slack


def test_the_interaction_test_runs_on_its_blocks():
    """Columns are shuffled on their own; effects that add up give no alarm."""
    agent = agent_of(seed=4, diagnostics=True)
    found = agent.diagnose()
    assert found.alarms == []
    assert min(finding.p_value for finding in found.of("button")) < 0.5
