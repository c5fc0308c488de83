"""`dueling_leader_tea`: every lemma of docs/explanation/leader-duels.md, and A/A tests.

The best arm's p-value ever falls to alpha with probability at most alpha.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.dueling import _leader_bets as bets
from factored_bandits.policies.dueling import dueling_leader_tea as module
from factored_bandits.testing.problems import compiler
from policies.dueling import moving_duels
from policies.dueling.moving_duels import most_of

PARAMS = module.Params()
ALPHAS = (0.2, 0.1, 0.05, 0.01)


def new_state(arms):
    return module.init(PARAMS, np.array([arms, arms]), 0)


# Lemma 1: the factor has a mean of at most 1


@pytest.mark.parametrize("share", [0.001, 0.2, 0.45, 0.4999])
@pytest.mark.parametrize("tie", [0.0, 0.3, 1.0])
def test_the_mean_of_a_factor_is_at_most_one(share, tie):
    """Exactly 1 at a mean of 1/2, ties or not, and smaller above."""
    means = {}
    for winning in (0.5, 0.6, 1.0):
        total = 0.0
        outcomes = {1.0: (1 - tie) * winning, 0.5: tie, 0.0: (1 - tie) * (1 - winning)}
        for outcome, probability in outcomes.items():
            state = new_state(2)
            bets.bet(state, 0, share, outcome)
            total += probability * math.exp(state.wealth[0])
        means[winning] = total
    assert means[0.5] == pytest.approx(1.0, abs=1e-12)
    assert means[1.0] <= means[0.6] <= 1.0 + 1e-12


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_nothing_is_bet_on_an_arm_that_is_not_behind(share):
    state = new_state(2)
    bets.bet(state, 0, share, 0.0)
    assert state.wealth[0] == 0.0


# Lemma 2: bets are fixed before the duel, and do not depend on the positions


def test_positions_make_no_difference():
    rng = np.random.default_rng(3)
    one, other = new_state(4), new_state(4)
    actions = np.zeros((1, 2), dtype=np.int64)
    for t in range(1, 300):
        module.plan(PARAMS, one, t, rng, actions)
        other.leader[:], other.pair[:] = one.leader, one.pair
        other.pending[:], other.active[:], other.changes[:] = one.pending, one.active, one.changes
        outcome = float(rng.random() < 0.6)
        module.learn(PARAMS, one, t, actions, np.array([outcome]))
        module.learn(PARAMS, other, t, actions[:, ::-1], np.array([1.0 - outcome]))
        for field, ours, theirs in zip(one._fields, one, other, strict=True):
            assert np.array_equal(ours, theirs), (field, t)


# Lemma 3: the money of the best arm is a supermartingale. All outcomes are enumerated, weighted by
# their probabilities: with the random numbers of the policy fixed, the mean is computed, not
# estimated.


def mean_money(arms, rounds, probability, seed, late=0, learn=module.learn, prepare=None):
    """The mean over all outcomes of the money bet against arm 0.

    `probability(t, opponent)` is that of arm 0 winning a decided duel; the duels of the others are
    even. With `late`, so many duels are open at any time; `prepare` sets what is known before.
    """
    total = 0.0
    for outcomes in itertools.product((0.0, 1.0), repeat=rounds):
        state = new_state(arms)
        if prepare is not None:
            prepare(state)
        rng = np.random.default_rng(seed)
        weight = 1.0
        plans = []
        for t in range(1, rounds + late + 1):
            if t <= rounds:
                actions = np.zeros((1, 2), dtype=np.int64)
                module.plan(PARAMS, state, t, rng, actions)
                plans.append(actions)
            if t <= late:
                continue

            # in order, `late` rounds after it was asked
            due = t - late
            actions = plans[due - 1]
            outcome = outcomes[due - 1]
            weight *= probability_of(actions[0], outcome, due, probability)
            learn(PARAMS, state, due, actions, np.array([outcome]))
        total += weight * math.exp(state.wealth[0])
    return total


def probability_of(action, outcome, t, probability):
    """The probability of an outcome of a duel."""
    first, second = action
    winning = 0.5
    if first != second and 0 in (first, second):
        winning = probability(t, max(first, second))
        winning = winning if first == 0 else 1.0 - winning
    return winning if outcome == 1.0 else 1.0 - winning


def even(t, opponent):
    return 0.5


def drifting(t, opponent):
    """Unbeaten in every round, sometimes far ahead, by opponent."""
    return 0.5 + 0.4 * ((t + opponent) % 3 == 0)


@pytest.mark.parametrize("probability", [even, drifting])
@pytest.mark.parametrize(("arms", "late"), [(2, 0), (3, 0), (3, 3)])
def test_the_mean_money_of_the_best_arm_is_at_most_one(arms, late, probability):
    for seed in range(2):
        found = mean_money(arms, 8, probability, seed, late)
        assert found <= 1.0 + 1e-9
        if probability is even:
            assert found == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("probability", [even, drifting])
def test_so_it_is_where_a_former_leader_is_the_opponent(probability):
    """Arm 0 has a record that makes it meet arm 2, not the leader."""
    met = []

    def prepare(state):
        state.leader[0] = 1
        state.won[0], state.duels[0] = 9.0, 20.0
        state.beater[0], state.beater_won[0], state.beater_duels[0] = 2, 2.0, 20.0
        met.append(module.opponent_of(state, 0))

    found = mean_money(3, 8, probability, 0, prepare=prepare)
    assert set(met) == {2}
    assert found <= 1.0 + 1e-9
    if probability is even:
        assert found == pytest.approx(1.0, abs=1e-9)


def test_a_bet_that_knows_the_outcome_would_be_found():
    def cheat(params, state, t, actions, rewards):
        """The record first, then the bet."""
        first, second = actions[0]
        if 0 in (first, second) and first != second:
            outcome = rewards[0] if first == 0 else 1.0 - rewards[0]
            bets.bet(state, 0, 0.4 + 0.2 * outcome, outcome)
        module.wait_for(state, first, second, -1)

    assert mean_money(2, 8, even, 0, learn=cheat) > 1.05


# Lemma 4: a history is one more bet


@pytest.mark.parametrize("tie", [0.0, 0.3])
def test_the_mean_money_of_a_history_is_at_most_one(tie):
    """Three even arms, two duels of arm 0 with one and three with the other, ties or not."""
    total = 0.0
    weights = {1.0: 0.5 * (1 - tie), 0.5: tie, 0.0: 0.5 * (1 - tie)}
    for outcomes in itertools.product(weights, repeat=5):
        wins = np.zeros((3, 3))
        for opponent, outcome in zip((1, 1, 2, 2, 2), outcomes, strict=True):
            wins[0, opponent] += outcome
            wins[opponent, 0] += 1.0 - outcome
        weight = math.prod(weights[outcome] for outcome in outcomes)
        total += weight * math.exp(bets.wealth_of_history(wins)[0])
    assert total <= 1.0 + 1e-12
    assert tie > 0.0 or total == pytest.approx(1.0, abs=1e-12)


# A/A

PROBLEMS = {
    "two equal arms": {"arms": 2},
    "equal arms": {"arms": 6},
    "many equal arms": {"arms": 40},
    "tiny gaps": {"arms": 6, "lead": 0.01},
    "others beat one another, changing": {"arms": 6, "swing": 0.45},
    "changing within few rounds": {"arms": 6, "lead": 0.2, "swing": 0.45, "period": 7.0},
    "weak arms": {"arms": 8, "weak": 5},
    "a strong best arm": {"arms": 6, "lead": 0.45, "weak": 2},
    "ties": {"arms": 6, "tie": 0.4},
    "the first position is preferred": {"arms": 6, "bias": 0.3},
}


def smallest_p_values(options, runs, rounds, seed=1):
    """Per run the smallest p-value that the best arm ever had."""
    problem = moving_duels.problem(**options)
    result = fb.simulate(
        "dueling_leader_tea", problem, rounds, runs, seed=seed, progress=False, certify=True
    )
    return result.p_values[0][:, 0]


@pytest.mark.parametrize("name", ["equal arms", "others beat one another, changing", "ties"])
def test_the_best_arm_is_rarely_certified_out(name):
    """100 short runs, interpreted: nothing has to be compiled."""
    runs = 100
    with compiler(disabled=True):
        found = smallest_p_values(PROBLEMS[name] | {"arms": 4}, runs, 80)
    for alpha in ALPHAS:
        assert (found <= alpha).sum() <= most_of(runs, alpha)


@functools.cache
def long_runs(name):
    return smallest_p_values(PROBLEMS[name], LONG, 4000)


LONG = 4000


@pytest.mark.full
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_best_arm_is_rarely_certified_out_in_long_runs(name, alpha):
    wrong = int((long_runs(name) <= alpha).sum())
    print(f"{name:36} alpha {alpha:<5} share {wrong / LONG:.4f}")
    assert wrong <= most_of(LONG, alpha)


# The same through an agent to which answers come late, out of order, or never


def p_value_with_late_answers(seed, rounds, default):
    """Arm 0 of four equal ones; it is slow to lose, and one answer in eight never comes."""
    agent = fb.Agent("dueling_leader_tea", arms=list("abcd"), seed=seed, default=default)
    voters = np.random.default_rng(seed + 10_000)
    waiting = []

    for t in range(rounds):
        decision = agent.ask()
        outcome = float(voters.random() < 0.5)
        lost = decision.action[0] == 0 and outcome == 0.0
        lost = lost or (decision.action[1] == 0 and outcome == 1.0)
        never = voters.random() < 0.125
        waiting.append((t + (15 if lost else int(voters.integers(6))), decision.id, outcome, never))
        for late in [entry for entry in waiting if entry[0] <= t]:
            waiting.remove(late)
            if late[3]:
                agent.expire(late[1])
            else:
                agent.tell(late[1], late[2])

    return fb.certificate(agent).claims[0].p_value


def test_late_and_lost_answers_do_not_certify_the_best_arm_out():
    runs = 40
    found = np.array([p_value_with_late_answers(seed, 60, None) for seed in range(runs)])
    for alpha in ALPHAS:
        assert (found <= alpha).sum() <= most_of(runs, alpha)


@functools.cache
def long_agents(default):
    return np.array([p_value_with_late_answers(seed, 250, default) for seed in range(500)])


@pytest.mark.full
@pytest.mark.parametrize("default", [None, 0.0], ids=["lost: a tie", "lost: the second wins"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_late_and_lost_answers_in_long_runs(default, alpha):
    """500 runs only: an agent takes a thousand times as long as the simulator."""
    found = long_agents(default)
    wrong = int((found <= alpha).sum())
    print(f"late answers, default {default} alpha {alpha:<5} share {wrong / len(found):.4f}")
    assert wrong <= most_of(len(found), alpha)
