"""Leader, thresholds and records after every block, against the formulas written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.base import FOREVER
from factored_bandits.policies.factored import leader_tea
from factored_bandits.policies.leader import thresholds
from factored_bandits.policies.leader.block import most_plays
from factored_bandits.policies.leader.posterior import GUARD, update_posterior
from factored_bandits.policies.leader.state import PRIOR_VARIANCE
from factored_bandits.policies.leader.thresholds import (
    PAUSE,
    PAUSE_POWER,
    PRICE,
    first_round_at,
    likelihood_threshold,
    wealth_threshold,
)
from factored_bandits.testing import problems

PARAMS = fb.policies.make("leader_tea").encoded()


def kl(p, q):
    return sum(a * math.log(a / b) for a, b in ((p, q), (1.0 - p, 1.0 - q)) if a > 0.0)


def literal_evidence(blocks, own, other, own_inverse, other_inverse):
    """A likelihood ratio: two means against one."""
    if blocks == 0.0 or own >= other:
        return 0.0
    p, q = own / blocks, other / blocks
    a, b = blocks**2 / own_inverse, blocks**2 / other_inverse
    m = (a * p + b * q) / (a + b)
    return a * kl(p, m) + b * kl(q, m)


def evidence_table(state, l):
    """Evidence against row i from column j."""
    size = int(state.offsets[l + 1] - state.offsets[l])
    pairs = slice(state.pair_offsets[l], state.pair_offsets[l + 1])
    n, means, inverse = (
        array[pairs].reshape(size, size)
        for array in (state.blocks, state.means, state.inverse_plays)
    )
    return np.array(
        [
            [
                literal_evidence(n[i, j], means[i, j], means[j, i], inverse[i, j], inverse[j, i])
                for j in range(size)
            ]
            for i in range(size)
        ]
    )


RULES = ["leader_tea", "leader_tea(rule=likelihood)", "leader_tea(rule=guarded)"]


@pytest.mark.parametrize("label", RULES)
def test_the_leader_has_the_largest_weight_or_the_least_evidence_against_it(label):
    """Early exits leave out most pairs, and never the one that decides."""
    seen = set()
    objections = 0

    def look(state):
        nonlocal objections
        for l, leader in enumerate(state.leader):
            if leader < 0:
                continue
            table = evidence_table(state, l)
            worst = table.max(axis=1)
            levels = slice(state.offsets[l], state.offsets[l + 1])
            favourite = int(np.argmax(state.weight[levels]))
            if worst[favourite] < GUARD:
                assert leader == favourite
            else:
                objections += 1
                assert worst[leader] == pytest.approx(worst.min(), abs=1e-9)
            assert state.behind[levels] == pytest.approx(table[:, leader], abs=1e-9)
            seen.add((l, int(leader)))

    for _ in problems.play_blocks(label, 400, seed=3, after_learn=look):
        pass
    assert len(seen) > 3, "leaders change on the way"
    assert objections > 0


def test_the_posterior_is_that_of_a_laplace_step_with_independent_weights():
    """Written out with the whole covariance matrix, of which only the diagonal is kept."""
    sizes = np.array([3, 2])
    state = leader_tea.init(PARAMS, sizes, 0)
    mean = np.zeros(6)
    variance = np.full(6, PRIOR_VARIANCE)
    rng = np.random.default_rng(5)

    for _ in range(30):
        action = rng.integers(sizes)
        reward = rng.choice([0.0, 1.0, 0.3])
        play = np.zeros(6)
        play[[0, 1 + action[0], 4 + action[1]]] = 1.0

        rate = 1.0 / (1.0 + math.exp(-float(play @ mean)))
        precision = np.diag(1.0 / variance) + rate * (1.0 - rate) * np.outer(play, play)
        covariance = np.linalg.inv(precision)
        mean = mean + covariance @ play * (reward - rate)
        variance = np.diag(covariance)

        update_posterior(state, action.reshape(1, 2), np.array([reward]))
        assert state.constant[0] == pytest.approx(mean[0])
        assert state.constant_variance[0] == pytest.approx(variance[0])
        assert state.weight == pytest.approx(mean[1:])
        assert state.weight_variance == pytest.approx(variance[1:])


def asked_for(state, l, t):
    """f(t): a level of factor l whose wealth is larger is eliminated in round t."""
    size = state.offsets[l + 1] - state.offsets[l]
    enough = thresholds.ENOUGH * len(state.leader)
    return max(min(t / size, enough), t / (thresholds.REST * state.offsets[-1]))


@pytest.mark.parametrize("enough", [20.0, 1e9])
def test_by_wealth_a_level_is_a_candidate_until_its_bets_have_earned_more_than_f(
    monkeypatch, enough
):
    """Growing with t / K, then enough, then growing with t / (REST C)."""
    monkeypatch.setattr(thresholds, "ENOUGH", enough)
    monkeypatch.setattr(thresholds, "REST", 3.0)
    eliminated = {"t / K": 0, "enough": 0, "later": 0}

    for played in problems.play_blocks("leader_tea", 2000, seed=1):
        state = played.state
        for l, leader in enumerate(state.leader):
            levels = slice(state.offsets[l], state.offsets[l + 1])
            if leader < 0 or len(played.actions) == 1:
                continue

            needed = asked_for(state, l, played.t)
            expected = np.exp(state.log_wealth[levels]) <= needed
            expected[leader] = True
            assert (state.active[levels] == expected).all()

            rest = enough * len(state.leader)
            stage = "t / K" if needed < rest else "later" if needed > rest else "enough"
            eliminated[stage] += (~expected).sum()

    reached = {stage for stage, count in eliminated.items() if count > 0}
    assert reached == ({"t / K"} if enough == 1e9 else {"enough", "later"})


@pytest.mark.parametrize("wealth", [1.0, 20.0, 599.0, 601.0, 1e6])
def test_a_level_re_enters_in_the_first_round_that_asks_for_more_than_its_wealth(wealth):
    state = leader_tea.init(PARAMS, np.array([3, 4]), 0)
    state.log_wealth[1] = math.log(wealth)
    t = first_round_at(wealth_threshold(state, 0, 1) + 1e-12)
    assert asked_for(state, 0, t) >= wealth
    assert t == 1 or asked_for(state, 0, t - 1) < wealth * (1.0 + 1e-9)


def test_by_likelihood_the_evidence_counts_with_a_price():
    """The larger one of all blocks and of those since a leader changed."""
    checked = 0

    def look(state):
        nonlocal checked
        for l, leader in enumerate(state.leader):
            size = int(state.offsets[l + 1] - state.offsets[l])
            for i in range(size):
                at = state.offsets[l] + i
                terms = [-math.inf]
                if state.behind[at] > 0.0:
                    blocks = state.blocks[state.pair_offsets[l] + i * size + leader]
                    terms.append(state.behind[at] + PRICE * math.log(blocks))
                era = literal_evidence(
                    state.era_blocks[at],
                    state.era_means[at],
                    state.era_leader_means[at],
                    state.era_inverse_plays[at],
                    state.era_leader_inverse_plays[at],
                )
                if era > 0.0:
                    terms.append(era + PRICE * math.log(state.era_blocks[at]))
                assert state.threshold[at] == pytest.approx(max(terms), abs=1e-9)
                checked += len(terms) == 3

    for _ in problems.play_blocks("leader_tea(rule=likelihood)", 300, after_learn=look):
        pass
    assert checked > 20


def test_guarded_is_likelihood_with_a_test_now_and_then_until_the_bets_eliminate():
    """No level that the wealth would not eliminate waits longer than the pause."""
    guarded = 0
    tested = {}
    played = problems.play_blocks("leader_tea(rule=guarded)", 900, seed=2)
    for block in played:
        state = block.state
        log_t = math.log(block.t)
        for l, leader in enumerate(state.leader):
            base = int(state.offsets[l])
            size = int(state.offsets[l + 1]) - base
            if leader < 0:
                continue
            for i in range(size):
                if i == leader:
                    continue
                by_likelihood = likelihood_threshold(state, l, i) <= log_t
                wealth = math.exp(state.log_wealth[base + i])
                by_wealth = wealth <= asked_for(state, l, block.t)
                due = state.due[base + i] <= block.t
                assert state.active[base + i] == (by_likelihood or (by_wealth and due))
                guarded += by_wealth and due and not by_likelihood
                if tested.get((l, i)):
                    last = tested[l, i]
                    assert state.due[base + i] <= last + PAUSE * last**PAUSE_POWER + 1e-6
        if len(block.actions) > 1:
            for l in range(len(state.leader)):
                for i in set(block.actions[:, l].tolist()):
                    tested[l, i] = block.t
    assert guarded > 0


def test_records_of_bets_are_shortened_when_another_leader_changes():
    """Those of pairs, which choose the leader, are not; nor those of the factor that changes."""
    state = leader_tea.init(PARAMS, np.array([2, 2]), 0)
    state.leader[:] = 0
    for array in (state.blocks, state.inverse_plays, state.recent_blocks):
        array[:] = 50.0
    state.means[:] = 25.0
    state.recent_means[:] = 25.0

    # one failure of level 0 of the first factor beside a success of level 1
    actions = np.array([[0, 0], [1, 0]])
    leader_tea.learn(PARAMS, state, 1, actions, np.array([0.0, 1.0]))
    assert state.leader.tolist() == [1, 0]
    assert state.recent_blocks.tolist() == [51.0] * 4 + [20.0] * 4
    assert state.recent_means.tolist() == [25.0, 25.0, 26.0, 26.0] + [10.0] * 4
    assert state.blocks.tolist() == [51.0] * 4 + [50.0] * 4


def test_the_round_of_re_entry_is_exact():
    for t in [1, 2, 3, 10, 999, 10**6, 10**9 + 7, 2**40]:
        assert first_round_at(math.log(float(t))) <= t
        assert first_round_at(math.nextafter(math.log(float(t)), math.inf)) > t
        found = first_round_at(math.log(float(t)) - 1e-13)
        assert math.log(float(found)) >= math.log(float(t)) - 1e-13
    assert first_round_at(math.inf) == FOREVER


@pytest.mark.parametrize("sizes", [[1], [2], [3, 1], [9, 4]])
def test_the_longest_block_is_the_one_announced(sizes):
    policy = fb.policies.make("leader_tea")
    announced = policy.longest_block(np.array(sizes))
    assert announced == most_plays(max(sizes))

    state = leader_tea.init(PARAMS, np.array(sizes), 0)
    actions = np.zeros((announced, len(sizes)), dtype=np.int64)
    rng = np.random.default_rng(1)
    assert leader_tea.plan(PARAMS, state, 1, rng, actions) == max(sizes)

    # all candidates, the closest of them far behind, and leaders that never fail
    state.leader[:] = 0
    state.behind[:] = 9.0
    state.threshold[:] = 0.0
    state.leaders_plays[:] = 10_000.0
    state.leaders_sum[:] = 10_000.0
    state.taking_turns[:] = True
    state.turn[:] = len(sizes) - 1
    found = leader_tea.plan(PARAMS, state, 10**6, rng, actions)
    assert found == (announced if max(sizes) > 1 else 1)
