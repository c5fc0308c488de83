"""Doubler, MultiSBM, Sparring, Self-Sparring, VDB against their words, duel by duel; and traps."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.blocks.lb_inf import ESTIMATE, PROBABILITY, lb_inf_table
from factored_bandits.policies.blocks.propensities import recall
from factored_bandits.policies.blocks.tsallis import learning_rate
from factored_bandits.policies.blocks.wealth import new_wealth
from factored_bandits.policies.dueling import vdb
from factored_bandits.policies.dueling.reductions import doubler
from oracles import duel_literal

make = fb.policies.make
LITERAL = {
    "doubler": (make("doubler"), duel_literal.doubler),
    "multi_sbm": (make("multi_sbm"), duel_literal.multi_sbm),
    "sparring": (make("sparring"), duel_literal.sparring),
    "sparring, thompson": (
        make("sparring", base_bandit="thompson"),
        duel_literal.thompson_sparring,
    ),
    "sparring, exp3": (make("sparring", base_bandit="exp3"), duel_literal.exp3_sparring),
    "sparring, tsallis_inf": (
        make("sparring", base_bandit="tsallis_inf"),
        duel_literal.tsallis_sparring,
    ),
    "self_sparring": (make("self_sparring"), duel_literal.self_sparring(counted=False)),
    "self_sparring, counted": (
        make("self_sparring", same_arm="counted"),
        duel_literal.self_sparring(counted=True),
    ),
    "vdb": (make("vdb"), duel_literal.vdb),
}


@pytest.mark.parametrize("name", LITERAL)
@pytest.mark.parametrize("tie", [0.0, 0.3])
def test_every_duel_is_that_of_the_words(name, tie):
    policy, literal = LITERAL[name]
    problem = fb.environments.make("duel_utility", utilities=[0.0, 0.3, 0.6, 0.2, 0.1], tie=tie)
    assert duel_literal.agrees(policy, literal, problem, 1500, seed=7) is None


def test_the_comparison_with_the_words_notices_a_difference():
    """Another alpha, self-duels counted or not: found within some duels."""
    problem = fb.environments.identical_gap(5, 0.8)
    assert (
        duel_literal.agrees(make("sparring", alpha=2.4), duel_literal.sparring, problem, 500)
        is not None
    )
    other = duel_literal.self_sparring(counted=True)
    assert duel_literal.agrees("self_sparring", other, problem, 500) is not None


def test_doubler_draws_opponents_from_the_choices_of_the_last_epoch():
    choices = {}
    for _, _, state, (x, y), _ in duel_literal.walk(
        "doubler", fb.environments.identical_gap(6, 0.8), 3_000
    ):
        number = int(state.clock[doubler.EPOCH])
        choices.setdefault(number, []).append(y)
        if number > 1:
            assert x in choices[number - 1]
    for number in range(1, 10):
        assert len(choices[number]) == 2**number


def test_multi_sbm_hands_the_second_position_on():
    last = None
    for _, _, _, (x, y), _ in duel_literal.walk(
        "multi_sbm", fb.environments.identical_gap(6, 0.8), 500
    ):
        assert last in (None, x)
        last = y


@kernel
def baseline_of_the_played_arm_only(params, state, t, actions, rewards):
    """The trap: the baseline 1/2 goes to the arm that was played, not to all."""
    table = state.table
    rate = learning_rate(float(t), 0)
    for position in range(2):
        arm = actions[0, position]
        loss = 1.0 - rewards[0] if position == 0 else rewards[0]
        weight = recall(state.remembered, t, position, table[PROBABILITY, arm])
        baseline = 0.5 if weight >= rate * rate else 0.0
        table[ESTIMATE, arm] += baseline + (loss - baseline) / weight


def test_the_baseline_of_tsallis_inf_goes_to_all_arms():
    """Given to the played arm only, the regret is several times larger.

    So the reference value tells the two apart.
    """
    wrong = problems.variant("vdb")
    wrong.learn = baseline_of_the_played_arm_only
    problem = fb.environments.identical_gap(16, 0.7)
    right, other = (
        fb.simulate(policy, problem, 20_000, repetitions=10, seed=1, progress=False).summary()
        for policy in ("vdb", wrong)
    )
    assert other.mean > 2.5 * right.mean


def test_estimates_of_vdb_are_unbiased():
    """Averaged over draws and outcome, each arm's estimate grows by its true loss (kept twice)."""
    problem = fb.environments.make("duel_utility", utilities=[0.5, 0.2, 0.0])
    params = make("vdb").encoded()
    state = vdb.init(params, np.array([3, 3]), 0)
    state.table[ESTIMATE] = [10.0, 30.0, 80.0]
    actions = np.zeros((1, 2), dtype=np.int64)
    t = 400
    vdb.plan(params, state, t, np.random.default_rng(0), actions)

    weights = state.table[PROBABILITY].copy()
    grown = np.zeros(3)
    for i in range(3):
        for j in range(3):
            win = problem.mean([i, j])
            for outcome, probability in ((1.0, win), (0.0, 1.0 - win)):
                copy = vdb.State(*(array.copy() for array in state))
                copy.remembered[:] = 0.0
                vdb.learn(params, copy, t, np.array([[i, j]]), np.array([outcome]))
                growth = copy.table[ESTIMATE] - state.table[ESTIMATE]
                grown += weights[i] * weights[j] * probability * growth

    losses = [sum(weights[j] * problem.mean([j, i]) for j in range(3)) for i in range(3)]
    assert grown == pytest.approx(2.0 * np.array(losses), abs=1e-12)


@pytest.mark.parametrize(
    "policy", [make("vdb"), make("vdb", learner="lb_inf"), make("sparring", base_bandit="exp3")]
)
def test_late_outcomes_are_weighted_by_the_propensity_of_their_draw(policy):
    """Ten duels open at once, then all are learned, each with the propensities of its own draw."""
    module = policy.module
    params = policy.encoded()
    state = module.init(params, np.array([4, 4]), 0)
    rng = np.random.default_rng(3)
    actions = np.zeros((1, 2), dtype=np.int64)
    planned = []

    # far enough that probabilities differ from one duel to the next
    for t in range(1, 200):
        module.plan(params, state, t, rng, actions)
        outcome = 1.0 if actions[0, 0] > actions[0, 1] else 0.0
        module.learn(params, state, t, actions, np.array([outcome]))

    for t in range(200, 210):
        module.plan(params, state, t, rng, actions)
        probabilities = [recall(state.remembered, t, position, -1.0) for position in range(2)]
        planned.append((t, actions.copy(), probabilities))

    for t, duel, probabilities in planned:
        for position in range(2):
            assert recall(state.remembered, t, position, -1.0) == probabilities[position] > 0.0
        row = state.table[PROBABILITY] if policy.name == "vdb" else state.probabilities[0]
        row[duel[0, 0]] = 0.123  # whatever stands here now must not matter
        module.learn(params, state, t, duel, np.array([0.5]))
        assert row[duel[0, 0]] == probabilities[0]


def test_lb_inf_learns_from_both_arms():
    params = make("vdb", learner="lb_inf").encoded()
    state = vdb.State(lb_inf_table([3]), np.zeros(1), np.zeros((1024, 3)), new_wealth(3))
    vdb.learn(params, state, 1, np.array([[0, 2]]), np.array([1.0]))
    assert state.table[ESTIMATE, 0] < state.table[ESTIMATE, 1] < state.table[ESTIMATE, 2]


@pytest.mark.parametrize("name", ["doubler", "multi_sbm", "sparring"])
def test_alpha_must_be_positive(name):
    with pytest.raises(InvalidInputError, match=f"{name}: alpha must be positive, not 0.0"):
        make(name, alpha=0.0).check(np.array([4, 4]), 10)


def test_many_arms():
    """VDB keeps a few numbers per arm; MultiSBM a bandit per arm, and says so."""
    problem = fb.environments.identical_gap(4096, 0.95)
    assert fb.simulate("vdb", problem, 2_000, repetitions=1, progress=False).horizon == 2_000
    with pytest.raises(InvalidInputError, match=r"multi_sbm keeps 32 bytes .* 8,192 arms"):
        make("multi_sbm").check(np.array([9000, 9000]), 10)
