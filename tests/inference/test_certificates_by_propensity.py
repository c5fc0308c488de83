"""Certificates of policies that know their probabilities, and of `vdb`: what users see of them, and
that a best level is ever ruled out no more often than they admit.

Their p-values never grow, so the last one tells whether a level was ever ruled out.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from inference import drifts, late

KNOWING = ["comband", "exp3", "lb_inf", "tsallis_inf"]
RUNS = 2000  # of a long test
ALPHAS = (0.2, 0.1, 0.05, 0.01)
FACTORS = {"page": ["A", "B", "C"], "button": ["red", "blue"]}
make = fb.environments.make

# Per problem the levels of each factor that are best: in every round and context.
FACTORED = {
    "equal": (make("additive", effects=[[0.0] * 3, [0.0] * 2], base=0.5), [(0, 1, 2), (0, 1)]),
    "high base": (make("additive", effects=[[0.0] * 3, [0.0] * 2], base=0.97), [(0, 1, 2), (0, 1)]),
    "low base": (make("additive", effects=[[0.0] * 3, [0.0] * 2], base=0.02), [(0, 1, 2), (0, 1)]),
    "small gaps": (make("additive", effects=[[0.01, 0, 0], [0, 0.02]], base=0.4), [(0,), (1,)]),
    "others matter more": (
        make("additive", effects=[[0.05] * 3, [0.6, 0.3, 0.0]], base=0.1),
        [(0, 1, 2), (0,)],
    ),
    "many levels": (make("additive", effects=[[0.1] * 12 + [0.0] * 4], base=0.3), [range(12)]),
    "trap": (make("trap"), [(1,), (0,)]),
    "moving": (
        make("stochastically_constrained", effects=[[0.2, 0.2, 0.0], [0.1] * 2], swing=0.5),
        [(0, 1), (0, 1)],
    ),
}
DRIFTS = {
    f"{shape}, period {period}, noise {noise}": (
        drifts.problem(sizes, shape, period, noise),
        [range(size) for size in sizes],
    )
    for sizes, shape, period, noise in (
        ((2, 3), "saw", 3, 0.0),
        ((2, 3), "sine", 40, 0.0),
        ((2, 8), "step", 8, 0.2),
        ((3,), "step", 500, 0.0),
        ((2, 3), "saw", 700, 1.0),
    )
}
DUELS = {
    "equal": (fb.environments.identical_gap(4, 0.5), [range(4)]),
    "some equal": (make("duel_utility", utilities=[0.4, 0.4, 0.4, 0.0]), [range(3)]),
    "hard Condorcet": (fb.environments.hard_condorcet(5), [(0,)]),
    "ties": (make("duel_utility", utilities=[0.4, 0.4, 0.2], tie=0.3), [range(2)]),
}


def smallest_p_values(policy, problem, runs, rounds):
    """Per factor an array (runs, levels): the smallest p-values at any time."""
    result = fb.simulate(
        policy, problem, rounds, repetitions=runs, seed=11, checkpoints=2, progress=False,
        certify=True,
    )  # fmt: skip
    return result.p_values


def assert_rarely_ruled_out(p_values, best, runs, note=None):
    """No best level more often than its binomial bound, at any confidence; `note` hears of the
    level that was ruled out most often.
    """
    for alpha in ALPHAS:
        ruled_out = [
            (found[:, list(levels)] <= alpha).sum(axis=0)
            for found, levels in zip(p_values, best, strict=True)
        ]
        worst = max(count.max() for count in ruled_out)
        if note:
            note(f"ruled out at {alpha}", float(worst / runs))
        assert worst <= drifts.most_of(runs, alpha), (alpha, ruled_out)


@pytest.mark.parametrize("name", [*KNOWING, "vdb"])
def test_equal_levels_are_rarely_ruled_out(name):
    problem, best = (DUELS if name == "vdb" else FACTORED)[
        "equal" if name == "vdb" else "others matter more"
    ]
    p_values = smallest_p_values(name, problem, 200, 1000)
    assert_rarely_ruled_out(p_values, best, 200)
    assert (p_values[0] < 1.0).any(axis=0).all(), "bets were made on every level"


@pytest.mark.full
@pytest.mark.parametrize("problem", [*FACTORED, *DRIFTS])
@pytest.mark.parametrize("name", KNOWING)
def test_best_levels_are_rarely_ruled_out(name, problem, record_property):
    environment, best = (FACTORED | DRIFTS)[problem]
    assert_rarely_ruled_out(
        smallest_p_values(name, environment, RUNS, 2000), best, RUNS, record_property
    )


@pytest.mark.full
@pytest.mark.parametrize("problem", DUELS)
@pytest.mark.parametrize("label", ["vdb", "vdb(learner=lb_inf)"])
def test_winners_are_rarely_ruled_out(label, problem, record_property):
    environment, best = DUELS[problem]
    assert_rarely_ruled_out(
        smallest_p_values(label, environment, RUNS, 2000), best, RUNS, record_property
    )


def late_and_lost(name, seed, rounds, delay=60):
    """The p-values of two equal levels whose rewards come late, failures of A latest, or never."""
    options = {"arms": ["A", "B"]} if name == "vdb" else {"factors": {"page": ["A", "B"]}}
    agent = fb.Agent(name, seed=seed, horizon=rounds, **options)
    rng, due = np.random.default_rng(seed), []
    for t in range(rounds):
        decision = agent.ask()
        reward = float(rng.random() < 0.5)
        slow = decision.action[0] == 0 and reward == 0.0
        lost = rng.random() < 0.1
        arrives = t + (delay if slow else int(rng.integers(20)))
        heapq.heappush(due, (arrives, decision.id, lost, reward))
        while due and due[0][0] <= t:
            _, identifier, lost, reward = heapq.heappop(due)
            if lost:
                agent.expire(identifier)
            else:
                agent.tell(identifier, reward)
    return agent.evidence().factors[0].p_values


@pytest.mark.parametrize("name", ["tsallis_inf", "vdb"])
def test_late_failures_rule_nothing_out(name):
    runs = 20
    found = np.array([late_and_lost(name, seed, 120) for seed in range(runs)])
    assert_rarely_ruled_out([found], [(0, 1)], runs)
    assert (found < 1.0).any()


@pytest.mark.full
@pytest.mark.parametrize(("levels", "slow"), [(2, 60), (40, 400)])
@pytest.mark.parametrize("label", [*KNOWING, "vdb"])
def test_late_and_lost_rewards_rule_nothing_out(label, levels, slow, record_property):
    """With 40 levels there is no room for all rounds that wait."""
    found = late.smallest_p_values(label, levels, slow, 2000, RUNS)
    assert_rarely_ruled_out([found], [range(levels)], RUNS, record_property)


@pytest.mark.full
def test_compiled_bets_are_those_of_plain_python(monkeypatch):
    """To the last bit, also where several levels are done at once."""
    compiled = late.smallest_p_values("tsallis_inf", 9, 60, 300, 3)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert np.array_equal(compiled, late.smallest_p_values("tsallis_inf", 9, 60, 300, 3))


# What users see


@pytest.mark.parametrize("name", KNOWING)
def test_an_agent_certifies_what_it_found(name):
    agent = fb.Agent(name, factors=FACTORS, seed=1, horizon=600)
    assert agent.confidence() == 0.0
    rng = np.random.default_rng(1)
    seen = [0.0]
    for number in range(600):
        decision = agent.ask()
        reward = 0.1 * rng.random() + 0.5 * (decision.levels["page"] == "B")
        agent.tell(decision.id, reward + 0.4 * (decision.levels["button"] == "red"))
        if number % 20 == 0:
            seen.append(agent.confidence())
    assert seen == sorted(seen), "what was certified stays"
    found = fb.certificate(agent)
    assert found.best() == {"page": "B", "button": "red"}
    assert found.confidence == agent.confidence() > 0.9
    assert fb.Agent.load(agent.dump()).confidence() == agent.confidence()


def test_vdb_certifies_the_winner():
    agent = fb.Agent("vdb", arms=["x", "y", "z"], seed=2)
    rng = np.random.default_rng(2)
    while agent.confidence() < 0.95:
        decision = agent.ask()
        lead = (decision.levels["first"] == "z") - (decision.levels["second"] == "z")
        agent.tell(decision.id, float(rng.random() < 0.5 + 0.4 * lead))
    assert fb.certificate(agent).best() == {"arm": "z"}
    assert agent.status().asked < 400


@pytest.mark.parametrize("name", ["lb_inf", "vdb"])
def test_simulations_are_certified(name):
    problem = fb.environments.identical_gap(5, 0.9) if name == "vdb" else make(
        "additive", effects=[[0.4, 0.0, 0.1], [0.0, 0.4]], base=0.1
    )  # fmt: skip
    found = smallest_p_values(name, problem, 4, 4000)
    for p_values, best in zip(found, problem.best, strict=False):
        assert (p_values[:, best] > 0.05).all()
        assert (np.delete(p_values, best, axis=1) <= 0.05).all()


def test_unbounded_rewards_have_no_certificate():
    agent = fb.Agent("lb_inf", factors=FACTORS, reward_range=None, default=0.0)
    for reward in (1e90, -1e90, 0.5):
        agent.tell(agent.ask().id, reward)
    assert agent.confidence() is None
    with pytest.raises(InvalidInputError, match="lb_inf: p-values need rewards of a declared"):
        fb.certificate(agent)
