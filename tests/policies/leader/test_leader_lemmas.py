"""The lemmas of docs/explanation/leader.md, one by one, by enumeration where that is possible."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

import factored_bandits as fb
from factored_bandits.policies.factored import leader_tea
from factored_bandits.policies.leader import block
from factored_bandits.policies.leader.bet import factor
from factored_bandits.policies.leader.tilts import ODDS, TILTS
from policies.leader.arrangements import bernoulli, mean_growth, outcomes

PARAMS = fb.policies.make("leader_tea").encoded()
TINY = 1e-12
ERROR = 1e-4  # of a statistical test


def led_state(*sizes, leader=1, lead=0.6):
    """A state in which level 0 has looked bad beside the leader: its bets are high."""
    state = leader_tea.init(PARAMS, np.array(sizes), 0)
    state.leader[:] = leader
    for blocks, means in (
        (state.blocks, state.means),
        (state.recent_blocks, state.recent_means),
    ):
        blocks[:] = 8.0
        means[:] = 8.0 * lead
        for l in range(len(sizes)):
            first = state.pair_offsets[l]
            means[first : first + sizes[l]] = 8.0 * 0.2
    state.inverse_plays[:] = 8.0
    return state


def within(found, trials, probability):
    """A count that a binomial variable has, up to ERROR on each side."""
    low = binom.ppf(ERROR, trials, probability)
    return low <= found <= binom.isf(ERROR, trials, probability)


# ------------------------------------------------------------ Lemma 1: the order is random


def test_every_order_of_a_block_is_equally_likely_and_columns_are_independent():
    state = led_state(2, 3)
    state.behind[3:] = 0.0
    rng = np.random.default_rng(1)
    length = leader_tea.plan(PARAMS, state, 10, rng, np.zeros((99, 2), dtype=np.int64))
    trials = 4000
    counts = np.zeros((length, length))
    for _ in range(trials):
        actions = np.zeros((99, 2), dtype=np.int64)
        assert leader_tea.plan(PARAMS, state, 10, rng, actions) == length
        first = np.flatnonzero(actions[:length, 0] == 0)
        second = np.flatnonzero(actions[:length, 1] == 2)
        assert len(first) == len(second) == 1
        assert (np.delete(actions[:length, 0], first) == 1).all()
        counts[first[0], second[0]] += 1
    assert all(within(count, trials, 1.0 / length**2) for count in counts.ravel())


# ------------------------------------------------------------ Lemma 2: rewards of 0 and 1


def mean_factor(odds, own_laws, leader_laws, formula=factor):
    """Over the slot of the level and all outcomes; the leader has the other slots."""
    slots = len(own_laws)
    total = 0.0
    for slot in range(slots):
        laws = [own_laws[s] if s == slot else leader_laws[s] for s in range(slots)]
        for rewards, probability in outcomes(laws):
            others = [reward for s, reward in enumerate(rewards) if s != slot]
            failures = len(others) - math.fsum(others)
            total += probability * formula(odds, rewards[slot], failures, len(others)) / slots
    return total


@pytest.mark.parametrize("odds", ODDS[1:])
@pytest.mark.parametrize("means", [[0.5] * 5, [0.0, 0.3, 0.9, 1.0], [0.02, 0.99]])
def test_the_factor_of_an_equal_level_has_mean_one_under_any_drift(odds, means):
    laws = [bernoulli(mean) for mean in means]
    assert mean_factor(odds, laws, laws) == pytest.approx(1.0, abs=TINY)


@pytest.mark.parametrize("odds", ODDS[1:])
def test_the_factor_of_a_better_level_has_a_mean_below_one(odds):
    rng = np.random.default_rng(2)
    for _ in range(5):
        leader = rng.random(4)
        own = leader + (1.0 - leader) * rng.random(4)
        found = mean_factor(odds, [*map(bernoulli, own)], [*map(bernoulli, leader)])
        assert found < 1.0


def test_the_factor_is_that_of_the_page_for_rewards_of_0_and_1():
    for tilt, odds in zip(TILTS, ODDS, strict=True):
        for rewards in itertools.product([0.0, 1.0], repeat=4):
            failures = 4 - sum(rewards)
            expected = math.exp(tilt * (1.0 - rewards[0])) / (1.0 + failures * odds / 4.0)
            leader_failures = 3 - sum(rewards[1:])
            assert factor(odds, rewards[0], leader_failures, 3.0) == pytest.approx(expected)


# ------------------------------------------------------------ Lemma 3: rewards between 0 and 1


def tilted(odds, reward, others):
    """The value at the slot of the level over the mean value of all slots, taken literally."""
    values = [(1.0 + odds) ** (1.0 - x) for x in (reward, *others)]
    return len(values) * values[0] / math.fsum(values)


def test_the_tilted_value_over_its_mean_is_not_valid_by_means_alone():
    """A constant reward against a Bernoulli one of the same mean: why the page takes chords."""
    tilt, mean = 4.0, 0.9
    odds = math.expm1(tilt)
    literal = mean * tilted(odds, mean, [1.0]) + (1.0 - mean) * tilted(odds, mean, [0.0])
    assert literal > 1.05

    constant = [((mean, 1.0),)] * 2
    assert mean_factor(odds, constant, [bernoulli(mean)] * 2) <= 1.0 + TINY


@pytest.mark.parametrize("odds", ODDS[1:])
def test_the_factor_has_a_mean_of_at_most_one_for_any_rewards_of_equal_means(odds):
    """No level is stochastically larger than the other; only their means are equal."""
    three = ((0.0, 0.3), (0.5, 0.4), (1.0, 0.3))
    skew = ((0.4, 0.9), (1.0, 0.1))
    shapes = [[((0.5, 1.0),), bernoulli(0.5), three], [((0.46, 1.0),), bernoulli(0.46), skew]]
    for alike in shapes:
        for own, leader in itertools.permutations(alike, 2):
            assert mean_factor(odds, [own] * 4, [leader] * 4) <= 1.0 + TINY
            # the law may change from slot to slot, for both
            assert mean_factor(odds, [own, leader, own], [leader, own, leader]) <= 1.0 + TINY


def test_the_factor_is_at_most_its_mean_over_randomised_rewards():
    """Chord and Jensen: each reward replaced by a Bernoulli variable of its mean."""
    rng = np.random.default_rng(3)
    for odds in ODDS[1:]:
        rewards = rng.random(4)
        randomised = 0.0
        for drawn, probability in outcomes([bernoulli(reward) for reward in rewards]):
            randomised += probability * factor(odds, drawn[0], 3.0 - sum(drawn[1:]), 3.0)
        assert factor(odds, rewards[0], 3.0 - rewards[1:].sum(), 3.0) <= randomised + TINY


# ------------------------------------------------------------ Lemma 4: chosen before the block


def test_a_whole_block_multiplies_the_wealth_of_the_best_level_by_one_on_average():
    """Through `learn`, with the mixture: equal levels under a drift, three of them in the block."""
    drift = [0.1, 0.9, 0.5, 0.7]
    state = led_state(3)
    found = mean_growth(PARAMS, state, [(0, 2, 1, 1)], lambda action, slot: bernoulli(drift[slot]))
    assert found[[0, 2]] == pytest.approx([1.0, 1.0], abs=TINY)
    assert found[1] == 1.0, "nobody bets against the leader"


def test_the_bet_is_made_before_the_block_and_pays_against_a_worse_level():
    worse = [0.2, 0.8, 0.8]
    state = led_state(3)
    found = mean_growth(
        PARAMS, state, [(0, 1, 1, 2)], lambda action, _: bernoulli(worse[action[0]])
    )
    assert found[0] > 1.2
    assert found[2] == pytest.approx(1.0, abs=TINY)


def test_a_level_that_is_best_in_every_context_never_gains_wealth_on_average():
    """Two factors whose effects do not add up; level 0 of the first is best beside any other."""
    table = {(0, 0): 0.5, (1, 0): 0.4, (0, 1): 0.9, (1, 1): 0.1}
    state = led_state(2, 2)

    def law(action, slot):
        return bernoulli(min(1.0, table[action] * (0.6 + 0.4 * slot / 2)))

    found = mean_growth(PARAMS, state, [(0, 1, 1), (0, 1, 1)], law)
    assert found[0] < 1.0


def test_a_candidate_far_behind_stands_as_often_as_planned():
    """Thinning is drawn before the block, with a probability that the past decides."""
    rng = np.random.default_rng(4)
    trials = 4000
    for behind in (0.7, 1.5, 9.0):
        stood = sum(block.stands(behind, 0.1, rng) for _ in range(trials))
        assert within(stood, trials, max(block.RAREST, math.exp(block.NEAR - behind)))
        assert block.stands(behind, block.SETTLED, rng)
    assert block.stands(block.NEAR, 0.0, rng)


# ------------------------------------------------------------ Lemma 5: late rewards


def test_no_bet_on_a_level_that_stands_twice_or_without_the_leader():
    """Blocks planned under level 0 or 2 as leader; when they are learned, level 1 leads."""
    state = led_state(3)
    for column in [(0, 0, 1), (0, 2, 2), (0, 2)]:
        after = type(state)(*(array.copy() for array in state))
        actions = np.array(column).reshape(-1, 1)
        leader_tea.learn(PARAMS, after, 1, actions, np.linspace(0.0, 1.0, len(column)))
        assert after.log_wealth[0] == state.log_wealth[0]
        assert after.blocks[state.pair_offsets[0] + column[-1]] == 9.0, "but it is recorded"


def test_a_block_planned_under_another_leader_is_a_losing_bet_all_the_same():
    """Level 2 led when the block was planned; now level 1 does and stands once in it."""
    state = led_state(3)
    drift = [0.9, 0.2, 0.6, 0.4]
    found = mean_growth(PARAMS, state, [(0, 1, 2, 2)], lambda action, slot: bernoulli(drift[slot]))
    assert found == pytest.approx([1.0, 1.0, 1.0], abs=TINY)


# ------------------------------------------------------------ Theorem: Ville


def test_the_p_value_is_one_over_the_largest_wealth():
    state = led_state(2)
    state.log_wealth[0] = math.log(30.0)
    state.peak[0] = math.log(40.0)
    assert leader_tea.p_values(PARAMS, state)[0] == pytest.approx([1 / 40, 1.0])

    # a success of level 0 among failures of the leader: the wealth falls, its peak stays
    leader_tea.learn(PARAMS, state, 1, np.array([[0], [1], [1]]), np.array([1.0, 0.0, 0.0]))
    assert state.log_wealth[0] < math.log(30.0)
    assert state.peak[0] == math.log(40.0)
