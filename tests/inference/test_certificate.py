"""Certificates: what they say, and that a best level is ever certified out no more often than they
admit.
"""

from __future__ import annotations

import functools
import heapq
import json
import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference import Certificate, Claim
from factored_bandits.policies.tem import bounds as _bounds
from factored_bandits.policies.tem import report as _tem_report

BOUNDS = list(_bounds.BOUNDS)
FACTORS = {"page": ["A", "B", "C"], "button": ["red", "blue"]}
ALPHA = 0.3


def agent_of(bound="betting", rounds=400, seed=1, **options):
    """Blue is better, and B is; the rest is noise."""
    agent, bernoulli = (
        fb.Agent("tea", factors=FACTORS, bound=bound, seed=seed, **options),
        np.random.default_rng(seed),
    )
    for _ in range(rounds):
        decision = agent.ask()
        probability = (
            0.1
            + 0.4 * (decision.levels["page"] == "B")
            + 0.4 * (decision.levels["button"] == "blue")
        )
        agent.tell(decision.id, float(bernoulli.random() < probability))
    return agent


def most_of(runs, probability):
    """Three standard errors more than a binomial count has on average."""
    return runs * probability + 3.0 * math.sqrt(runs * probability * (1.0 - probability))


def test_levels_winners_and_the_whole_combination():
    found = fb.certificate(agent_of())
    assert found.best() == {"page": "B", "button": "blue"}
    assert found.ruled_out() == {"page": ["A", "C"], "button": ["red"]}
    p_values = {(claim.factor, claim.level): claim.p_value for claim in found.claims}
    pages, buttons = max(p_values["page", "A"], p_values["page", "C"]), p_values["button", "red"]
    assert found.p_value == pytest.approx(pages + buttons)
    assert {claim.others for claim in found.claims if claim.level == "B"} == {pages}
    assert 0.9 < found.confidence < 1.0
    assert str(found).splitlines()[-1].startswith("best: B, blue, confidence")
    assert json.loads(json.dumps(found.to_dict()))["best"] == {"page": "B", "button": "blue"}


def test_nothing_is_claimed_before_anything_is_known():
    for bound in BOUNDS:
        found = fb.certificate(agent_of(bound, rounds=0))
        assert {claim.p_value for claim in found.claims} == {1.0}
        assert (found.best(), found.confidence, found.contradictions()) == ({}, 0.0, [])


def test_a_factor_with_one_level_has_its_best():
    found = fb.certificate(fb.Agent("tea", factors={"page": ["A"], "button": ["red", "blue"]}))
    assert found.best() == {"page": "A"}


def test_duels_name_the_winner():
    agent, bernoulli = (
        fb.Agent("dueling_tea", arms=["x", "y", "z"], bound="betting", seed=2),
        np.random.default_rng(2),
    )
    for _ in range(600):
        decision = agent.ask()
        lead = (decision.levels["first"] == "z") - (decision.levels["second"] == "z")
        agent.tell(decision.id, float(bernoulli.random() < 0.5 + 0.4 * lead))
    found = fb.certificate(agent)
    assert found.best() == {"arm": "z"}
    assert found.rounds == 600 - agent._ledger.asked + agent._ledger.learned
    assert "if one arm does best against every opponent" in str(found)


def test_the_p_value_of_a_pair_is_one_over_its_wealth():
    """Two levels, betting: one opponent, so nothing is spent on a union."""
    agent = agent_of(rounds=60)
    state = agent._state
    wealth = state.evidence[state.pair_offsets[1] : state.pair_offsets[2]].reshape(2, 2)
    expected = [min(1.0, math.exp(-wealth[1, 0])), min(1.0, math.exp(-wealth[0, 1]))]
    assert _tem_report.p_value(state, 1).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_level_that_is_out_is_certified_out_at_that_level(bound):
    """TEA puts a level out at delta = 1 / f(t); the certificate says at least spent / f(t)."""
    agent = agent_of(bound, rounds=4000)
    t, seen = agent.status().asked + 1, 0
    for row, claim in zip(agent.status().rows, fb.certificate(agent).claims, strict=True):
        size = len(FACTORS[row.factor])
        level = _bounds.spent(size, _bounds.BOUNDS[bound]) / fb.theory.f(t - 10)
        if row.active is False:
            assert claim.p_value < level
            seen += 1
    assert seen >= 2, "one may be back for a while"


@pytest.mark.parametrize("size", [3, 24])
@pytest.mark.parametrize("bound", ["paper", "betting"])
def test_the_agent_is_as_sure_as_its_certificate_in_every_round(bound, size):
    """Rewards without noise, until one level is certified."""
    agent = fb.Agent("tea", factors={"page": list(range(size))}, bound=bound, seed=2)
    assert agent.confidence() == 0.0
    while agent.confidence() < 0.95:
        for _ in range(size // 3):  # with 24 levels eight rounds at a time: a p-value takes K^2
            decision = agent.ask()
            agent.tell(decision.id, float(decision.levels["page"] == 1))
        assert agent.confidence() == fb.certificate(agent).confidence
    assert fb.certificate(agent).best() == {"page": 1}


@pytest.mark.parametrize("size", [3, 24])
@pytest.mark.parametrize("bound", ["paper", "betting"])
def test_the_certificate_pays_for_the_union_over_pairs(bound, size):
    """Rewards without noise, until TEM's active set at delta has one level.

    The p-value is what the bound spends at that delta: with 24 levels the union of the paper's
    bound costs more than delta says.
    """
    agent = fb.Agent("tea", factors={"page": list(range(size))}, bound=bound, seed=2)
    spent = _bounds.spent(size, _bounds.BOUNDS[bound])
    while len(active_at(agent, 1e-3)) > 1:
        for _ in range(size):
            decision = agent.ask()
            agent.tell(decision.id, float(decision.levels["page"] == 1))
    certified = fb.certificate(agent).p_value
    assert certified <= 1e-3 * spent * (1 + 1e-9)
    assert len(active_at(agent, certified / spent * 1.001)) == 1
    assert len(active_at(agent, certified / spent * 0.999)) > 1


def active_at(agent, delta):
    """The active set of the first factor at another confidence."""
    tem = fb.TEM(int(agent._labels.sizes[0]), bound=agent.policy.params.bound)
    tem._state = type(agent._state)(*(array.copy() for array in agent._state))
    return tem.active_set(delta=delta)


def test_every_level_out_is_a_contradiction():
    claims = (claim_on("A", 0.01, 0.02), claim_on("B", 0.02, 0.01))
    found = Certificate("tea", "factored", 10, claims, 0.05)
    assert found.contradictions() == ["page"]
    assert "every level of page is ruled out" in str(found)
    assert found.best() == {}


def claim_on(level, p_value, others):
    return Claim("page", level, p_value, others)


def test_a_certificate_per_repetition():
    problem = fb.environments.spiked(3, 0.75, 0.4)
    tea = fb.policies.make("tea", bound="betting")
    result = fb.simulate(tea, problem, 3000, repetitions=3, seed=4, progress=False, certify=True)
    found = fb.certificate(result)
    assert [each.best() for each in found] == [{"0": problem.best[0], "1": problem.best[1]}] * 3, (
        "not permuted"
    )
    assert [each.rounds for each in found] == [3000] * 3
    assert fb.simulate(tea, problem, 3000, repetitions=3, seed=4, progress=False).p_values is None


def test_who_cannot():
    able = (
        "beat_the_mean, comband, duel_halving, duel_top_two, dueling_leader_tea, dueling_tea, "
        "exp3, interleaved_filter, lb_inf, leader_tea, merge_dts, merge_rucb, savage, tea, "
        "tsallis_inf, vdb$"
    )
    with pytest.raises(InvalidInputError, match=rf"flat_ucb1 does not say .*: {able}"):
        fb.certificate(fb.Agent("flat_ucb1", factors=FACTORS))
    with pytest.raises(InvalidInputError, match="positions='first'"):
        fb.certificate(fb.Agent("dueling_tea", arms=[1, 2], positions="both"))
    with pytest.raises(InvalidInputError, match="needs rewards of a declared range"):
        fb.certificate(fb.Agent("tea", factors=FACTORS, bound="betting", reward_range=None))
    assert fb.certificate(fb.Agent("tea", factors=FACTORS, reward_range=None)).best() == {}
    problem = fb.environments.spiked(2)
    with pytest.raises(InvalidInputError, match="uniform does not say"):
        fb.simulate("uniform", problem, 10, repetitions=1, progress=False, certify=True)
    with pytest.raises(InvalidInputError, match="certify=True"):
        fb.certificate(fb.simulate("uniform", problem, 10, repetitions=1, progress=False))
    with pytest.raises(InvalidInputError, match="of an Agent or of a Result"):
        fb.certificate("tea")
    with pytest.raises(InvalidInputError, match="alpha must lie between 0 and 1"):
        fb.certificate(fb.Agent("tea", factors=FACTORS), alpha=1.0)


# Coverage


def smallest_p_values(bound, draw, size, phases, seed, delta):
    """Per level the smallest p-value at any time; phases come from a TEM at confidence delta."""
    rng, tem = np.random.default_rng(seed), fb.TEM(size, bound)
    smallest = np.ones(size)
    for phase in range(phases):
        arms = tem.schedule(len(tem.active_set(delta)) + seed % 2, rng)
        tem.feedback(arms, draw(rng, phase, arms))
        smallest = np.minimum(smallest, _tem_report.p_value(tem._state, 0))
    return smallest


def equal_levels(rng, phase, arms):
    """A/A: Bernoulli rewards whose probability drifts, alike for all."""
    return np.where(rng.random(len(arms)) < 0.5 + 0.4 * math.sin(phase / 9.0), 1.0, -1.0)


def context_decides(rng, phase, arms):
    """A/A with rewards that depend on the index, that is on the others, far more than on noise."""
    return np.clip(
        rng.permutation(np.linspace(-1.0, 1.0, len(arms))) + rng.normal(0.0, 0.1, len(arms)),
        -1.0,
        1.0,
    )


def first_is_best(rng, phase, arms):
    """With a gap that comes and goes."""
    lead = 0.05 * (phase % 20 < 3)
    return 2.0 * rng.beta(0.5 + lead * (arms == 0), 0.5) - 1.0


@pytest.mark.parametrize(
    "draw",
    [
        equal_levels,
        pytest.param(context_decides, marks=pytest.mark.full),
        pytest.param(first_is_best, marks=pytest.mark.full),
    ],
    ids=lambda draw: draw.__name__,
)
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_best_level_is_rarely_certified_out(bound, draw):
    """At any time, with probability at most alpha; 100 runs, three standard errors."""
    runs = 100
    wrong = sum(
        smallest_p_values(bound, draw, 3, 40, seed, 1e-3)[0] <= ALPHA for seed in range(runs)
    )
    assert wrong <= most_of(runs, ALPHA)


@pytest.mark.full
@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.8])
@pytest.mark.parametrize(
    "draw", [equal_levels, context_decides, first_is_best], ids=lambda draw: draw.__name__
)
@pytest.mark.parametrize("bound", BOUNDS)
def test_coverage_of_long_certificates(bound, draw, alpha):
    runs = 400
    wrong = sum(long_runs(bound, draw, seed)[0] <= alpha for seed in range(runs))
    assert wrong <= most_of(runs, alpha)


@functools.cache
def long_runs(bound, draw, seed):
    return smallest_p_values(bound, draw, 2, 600, seed, 1e-4)


def test_the_coverage_test_can_fail():
    """A level that is not the best is certified out far more often than alpha."""

    def behind(rng, phase, arms):
        return np.where(rng.random(len(arms)) < 0.65 - 0.3 * (arms == 0), 1.0, -1.0)

    runs = 40
    assert sum(
        smallest_p_values("betting", behind, 3, 40, s, 1e-3)[0] <= ALPHA for s in range(runs)
    ) > most_of(runs, ALPHA)


EQUAL = {
    "factors": fb.environments.make(
        "additive", effects=[[0.1] * 3, [0.3, 0.1, 0.0], [0.2] * 2], base=0.2
    ),
    "duels": fb.environments.make("duel_utility", utilities=[0.4, 0.4, 0.4, 0.0]),
}


@pytest.mark.parametrize("problem", EQUAL)
@pytest.mark.parametrize("bound", BOUNDS)
def test_equal_levels_in_a_simulation(bound, problem):
    """TEA itself, others being ruled out meanwhile: each of the equal levels is out at the end with
    probability alpha.
    """
    runs, policy = 200, "tea" if problem == "factors" else "dueling_tea"
    made = fb.policies.make(policy, bound=bound)
    result = fb.simulate(
        made, EQUAL[problem], 4000, repetitions=runs, seed=3, progress=False, certify=True
    )
    for level in range(3):
        assert (result.p_values[0][:, level] <= ALPHA).sum() <= most_of(runs, ALPHA)
    worse = result.p_values[1][:, 2] if problem == "factors" else result.p_values[0][:, 3]
    assert np.median(worse) < (1.0 if bound == "paper" else ALPHA), "there is power too"


def late_failures(bound, seed, rounds=300, delay=120):
    """A/A through the agent, failures of one level late: did a level go out, and the smallest
    p_value of each.
    """
    agent = fb.Agent("tea", factors={"page": ["A", "B"]}, bound=bound, seed=seed)
    bernoulli, late = np.random.default_rng(seed), []
    smallest = np.ones(2)
    for t in range(rounds):
        decision, reward = agent.ask(), float(bernoulli.random() < 0.5)
        slow = decision.levels["page"] == "A" and reward == 0.0
        heapq.heappush(late, (t + delay if slow else t, decision.id, reward))
        while late and late[0][0] <= t:
            agent.tell(*heapq.heappop(late)[1:])
        smallest = np.minimum(smallest, _tem_report.p_value(agent._state, 0))
    return agent.policy.module.active_sets(agent._params, agent._state)[1] > 0, smallest


def earliest(bound):
    """The first phase after which one of two levels can be out at all: when one has won all of
    them.
    """
    tem, phase, rng = fb.TEM(2, bound), 0, np.random.default_rng(0)
    while len(tem.active_set(1.0 / fb.theory.f(2 * phase + 1))) == 2:
        arms = tem.schedule(2, rng)
        tem.feedback(arms, np.where(arms == 0, 1.0, -1.0))
        phase += 1
    return phase


@pytest.mark.parametrize("bound", BOUNDS)
def test_late_failures_rule_nothing_out(bound):
    """Each of two equal levels is ruled out with probability at most alpha.

    TEA eliminates it at delta = 1 / f(t), at most 1 / f of the first round in which that can be:
    with probability at most spent / f.
    """
    runs = 40
    found = [late_failures(bound, seed) for seed in range(runs)]
    for level in (0, 1):
        assert sum(smallest[level] <= ALPHA for _, smallest in found) <= most_of(runs, ALPHA)
    probability = (
        2.0 * _bounds.spent(2, _bounds.BOUNDS[bound]) / fb.theory.f(2 * earliest(bound) + 1)
    )
    assert probability < 0.02
    assert sum(out for out, _ in found) <= most_of(runs, probability)


def learned_as_they_come(bound, seed, rounds=300, delay=120):
    """The runs of `late_failures` without an agent: a block is learned as soon as it is complete,
    before older ones. The smallest p-value of each level.
    """
    policy = fb.policies.make("tea", bound=bound)
    module, params = policy.module, policy.encoded()
    state = module.init(params, np.array([2]), 0)
    rng, bernoulli = np.random.default_rng(seed), np.random.default_rng(seed)
    actions, planned, late = np.zeros((2, 1), dtype=np.int64), [], []
    smallest = np.ones(2)

    for t in range(rounds):
        if not planned:
            length = module.plan(params, state, t + 1, rng, actions)
            block = (t + 1, actions[:length].copy(), np.full(length, np.nan))
            planned = [(block, row) for row in range(length)]

        (start, played, rewards), row = planned.pop(0)
        reward = float(bernoulli.random() < 0.5)
        slow = played[row, 0] == 0 and reward == 0.0
        heapq.heappush(late, (t + delay if slow else t, t, start, played, rewards, row, reward))

        while late and late[0][0] <= t:
            *_, start, played, rewards, row, reward = heapq.heappop(late)
            rewards[row] = 2.0 * reward - 1.0
            if not np.isnan(rewards).any():
                module.learn(params, state, start, played, rewards)
        smallest = np.minimum(smallest, _tem_report.p_value(state, 0))

    return smallest


def test_late_failures_would_rule_out_if_blocks_were_learned_as_they_come():
    """What the rule about the order of blocks is good for."""
    runs = 10
    ruled_out = sum(learned_as_they_come("betting", seed)[1] <= ALPHA for seed in range(runs))
    assert ruled_out > most_of(runs, ALPHA)
