"""Policies on many arms: sides drawn 53 at a time, sums that can be taken back, memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import factored_bandits as fb
import problems
from factored_bandits.policies import make
from factored_bandits.policies.blocks import posterior
from factored_bandits.policies.blocks.duels import divergence
from factored_bandits.policies.dueling.dts import _dts, _words, dts
from factored_bandits.policies.dueling.rmed import _state as rmed
from factored_bandits.policies.footprint import nbytes
from factored_bandits.testing.problems import compiler

ARMS = 120  # three words


def state_of(wins):
    """A state of D-TS with this record."""
    state = dts.init(dts.Params(), np.array([len(wins)] * 2), 0)
    dts.warm_start(dts.Params(), state, np.asarray(wins, dtype=float))
    return state


def decided(arms, seed):
    """Who beats whom beyond doubt, as a matrix, and a state that knows it."""
    better = np.triu(np.random.default_rng(seed).random((arms, arms)) < 0.5, 1)
    better |= np.tril(~better.T, -1)
    return better, state_of(5000.0 * better)


@pytest.mark.parametrize("first", [0, 52, 53, 119])
def test_losses_are_those_of_the_sample(first):
    """With sides that are certain the losses are known, in every word and for every first arm."""
    better, state = decided(ARMS, seed=first)
    rng = np.random.default_rng(1)
    state.lost[:] = 0
    state.seen[:] = 0
    _dts.play_row(state, first, ARMS, rng)

    winner = _words.tournament_in_words(state, 0, first, rng)
    losses = better.sum(axis=0)
    np.testing.assert_array_equal(state.lost, losses)
    assert losses[winner] == losses.min()


def test_every_pair_is_drawn_once():
    """A fair tournament of all arms has as many losses as pairs."""
    state = state_of(np.zeros((ARMS, ARMS)))
    winners = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        winner = _dts.tournament(state, 0, rng)
        assert state.lost.sum() == ARMS * (ARMS - 1) // 2
        assert state.lost[winner] == state.lost.min()
        winners.add(winner)
    assert len(winners) > 10


def test_only_candidates_need_their_losses():
    """Arms outside of C may win nothing; those in C have the losses of the sample."""
    better, state = decided(ARMS, seed=3)
    rng = np.random.default_rng(1)
    state.beaten[:] = np.arange(ARMS) % 3
    state.lost[:] = 0
    state.seen[:] = 0
    _dts.play_row(state, 3, ARMS, rng)
    winner = _words.tournament_in_words(state, 0, 3, rng)

    inside = state.beaten == 0
    losses = better.sum(axis=0)
    np.testing.assert_array_equal(state.lost[inside], losses[inside])
    assert inside[winner]
    assert losses[winner] == losses[inside].min()


def test_sides_have_their_probabilities():
    """Of all records up to 12 duels: each lane by an exact binomial test, at 1e-6 in all."""
    records = [(w, n - w) for n in range(13) for w in range(n + 1)]
    arms = len(records) + 1
    wins = np.zeros((arms, arms))
    for j, (won, lost) in enumerate(records, start=1):
        wins[0, j] = won
        wins[j, 0] = lost
    state = state_of(wins)

    draws = 3_000
    rng = np.random.default_rng(5)
    counted = np.zeros(arms, dtype=np.int64)
    spare, unused = 0, 0
    for _ in range(draws):
        for word, asked in enumerate([2**53 - 2, 2 ** (arms - 53) - 1]):
            beats, spare, unused = _words.draw_sides(state, 0, word, asked, spare, unused, rng)
            for j in range(word * 53, min(arms, word * 53 + 53)):
                counted[j] += (beats >> (j - word * 53)) & 1

    assert counted[0] == 0
    for j, (won, lost) in enumerate(records, start=1):
        p = stats.binom.cdf(won, won + lost + 1, 0.5)
        assert stats.binomtest(int(counted[j]), draws, p).pvalue > 1e-6 / len(records), (won, lost)


def test_sides_that_share_a_random_number_are_independent():
    """Second digits of two words come from one number: no two lanes are correlated, at 1e-6."""
    arms, draws = 2 * 53, 4_000
    wins = np.zeros((arms, arms))
    met = [*range(1, 53, 9), *range(53, 106, 9)]
    wins[0, met] = 1.0
    state = state_of(wins)

    rng = np.random.default_rng(7)
    spare, unused, shared = 0, 0, 0
    sides = np.zeros((draws, len(met)))
    for row in sides:
        for word, asked in enumerate([2**53 - 2, 2**53 - 1]):
            before = spare
            beats, spare, unused = _words.draw_sides(state, 0, word, asked, spare, unused, rng)
            shared += spare == before
            for column, j in enumerate(met):
                if j // 53 == word:
                    row[column] = (beats >> (j % 53)) & 1

    assert shared > draws / 4
    correlations = np.corrcoef(sides.T)[np.triu_indices(len(met), 1)]
    limit = stats.norm.isf(0.5e-6 / len(correlations)) / math.sqrt(draws)
    assert np.abs(correlations).max() < limit


@pytest.mark.parametrize("record", [(0, 0), (3, 0), (0, 2), (2, 1)])
def test_values_above_one_half(record):
    """Kolmogorov-Smirnov against the Beta distribution above 1/2, at 1e-6."""
    wins = np.array([[0.0, record[0]], [record[1], 0.0]])
    rng = np.random.default_rng(6)
    drawn = [posterior.draw_above_half_quickly(wins, 0, 1, rng) for _ in range(4_000)]
    whole = stats.beta(record[0] + 1, record[1] + 1)

    def above_half(x):
        return (whole.cdf(x) - whole.cdf(0.5)) / whole.sf(0.5)

    assert stats.kstest(drawn, above_half).pvalue > 1e-6


def test_many_arms_interpreted_and_compiled():
    records = []
    for disabled in (False, True):
        with compiler(disabled):
            runner = problems.job("dts", fb.environments.identical_gap(70, 0.9), 120)
            records.append(runner.repetition(0, problems.never))

    assert len(runner.new_state().depth) == 70
    compiled, interpreted = records
    np.testing.assert_array_equal(compiled.plays[0], interpreted.plays[0])
    np.testing.assert_array_equal(compiled.regret, interpreted.regret)


def test_an_agent_with_many_arms_resumes():
    agent = fb.Agent("dts", arms=[str(i) for i in range(80)], seed=1, default=0.0)
    for number in range(30):
        agent.tell(agent.ask().id, float(number % 3 == 0))
    again = fb.Agent.load(agent.dump())
    assert [again.ask().action for _ in range(20)] == [agent.ask().action for _ in range(20)]


@pytest.mark.parametrize("label", ["rmed1", "rmed2"])
def test_evidence_that_is_taken_off_leaves_nothing(label):
    """After thousands of updates the sums are, to the bit, those of the records alone."""
    problem = fb.environments.arithmetic(9, 0.05)
    job = problems.job(make(label), problem, 4_000)
    module = job.policy.module
    state = job.new_state()
    rng = np.random.default_rng(2)
    actions = np.zeros((9, 2), dtype=np.int64)

    for t in range(1, 4_001):
        module.plan(job.params, state, t, rng, actions)
        outcome = np.array([rng.choice([0.0, 0.5, 1.0])])
        module.learn(job.params, state, t, actions[:1], outcome)

    duels = state.wins + state.wins.T
    for i in range(9):
        q = state.wins[i] / np.maximum(duels[i], 1.0)
        terms = [
            rmed.on_grid(n * divergence(share, 1.0 - share))
            for j, (n, share) in enumerate(zip(duels[i], q, strict=True))
            if j != i
        ]
        assert state.total[i] == math.fsum(terms)


def test_rmed1_keeps_two_numbers_for_a_pair():
    """513 MiB with 4096 arms when it kept four."""
    arms = 500
    state = make("rmed1").module.init(make("rmed1").encoded(), np.array([arms, arms]), 0)
    assert nbytes(state) < 1.05 * 2 * 8 * arms**2
