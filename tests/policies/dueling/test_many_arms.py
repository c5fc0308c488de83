"""Policies on many arms: sides drawn 63 at a time, sums that can be taken back, memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import factored_bandits as fb
import problems
from factored_bandits.core.kernel import bind
from factored_bandits.policies import make
from factored_bandits.policies.blocks import posterior
from factored_bandits.policies.blocks.duels import divergence
from factored_bandits.policies.dueling.dts import _dts, _state, _words, dts
from factored_bandits.policies.dueling.rmed import _state as rmed
from factored_bandits.policies.footprint import nbytes
from factored_bandits.testing.problems import compiler

ARMS = 140  # three words


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


def draw_sides(state, rng):
    """Who beats whom in a sample of all pairs, as a matrix above the diagonal."""
    arms = len(state.wins)
    state.lanes[_state.MEMBER] = _state.FULL
    beats = np.zeros((arms, arms), dtype=bool)
    for word in range(state.digits.shape[1]):
        start = 1 + word * 63
        rows = _words.rows_of(word, arms)
        _words.draw_sides(state, word, rows, rng)
        for lane in range(63):
            # only earlier arms have a side in the lane of an arm, and nobody in one without
            won = (state.lanes[_state.BEATS, :rows] >> lane) & 1
            j = start + lane
            assert not won[j if j < arms else 0 :].any()
            if j < arms:
                beats[: min(rows, j), j] = won[:j]
    return beats


@pytest.mark.parametrize("arms", [64, 65, 127, 128, ARMS])
def test_losses_are_those_of_the_sample(arms):
    """With sides that are certain the losses are known; 63 arms share a word, but for the first."""
    better, state = decided(arms, seed=arms)

    winner = _words.tournament_in_words(state, 0, np.random.default_rng(1))
    losses = better.sum(axis=0)
    np.testing.assert_array_equal(state.lost, losses)
    assert losses[winner] == losses.min()
    np.testing.assert_allclose(state.expected, losses, rtol=0, atol=1e-9)


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
    state.beaten[:] = np.arange(ARMS) % 3
    winner = _words.tournament_in_words(state, 0, np.random.default_rng(1))

    inside = state.beaten == 0
    losses = better.sum(axis=0)
    np.testing.assert_array_equal(state.lost[inside], losses[inside])
    assert inside[winner]
    assert losses[winner] == losses[inside].min()


def records_of(longest, apart=1):
    """A state in which pairs above the diagonal have all records up to so many duels, by turns.

    One pair in every `apart`; others have not met.
    """
    records = [(w, n - w) for n in range(longest + 1) for w in range(n + 1)]
    above = np.triu_indices(ARMS, 1)
    pairs = np.arange(len(above[0]))
    which = np.where(pairs % apart == 0, pairs // apart % len(records), 0)
    wins = np.zeros((ARMS, ARMS))
    wins[above] = np.array(records)[which, 0]
    wins.T[above] = np.array(records)[which, 1]
    return records, which, above, state_of(wins)


@pytest.mark.parametrize(("longest", "apart"), [(1, 1), (12, 1), (3, 90), (8, 40)])
def test_sides_have_their_probabilities(longest, apart):
    """Of all records up to so many duels: exact binomial tests, at 1e-6 in all.

    Most rows need further digits, or few; after more than 5 duels, more than are kept.
    """
    records, which, above, state = records_of(longest, apart)
    won = np.zeros(len(which), dtype=np.int64)
    draws = 60
    rng = np.random.default_rng(5)
    for _ in range(draws):
        won += draw_sides(state, rng)[above]

    for number, (wins, losses) in enumerate(records):
        p = stats.binom.cdf(wins, wins + losses + 1, 0.5)
        pairs = which == number
        found = stats.binomtest(int(won[pairs].sum()), draws * int(pairs.sum()), p)
        assert found.pvalue > 1e-6 / len(records), (wins, losses)


@pytest.mark.parametrize("apart", [1, 40])
def test_sides_are_independent(apart):
    """Every fortieth pair of all others, whether most rows need further digits or few; at 1e-6."""
    _, _, above, state = records_of(8, apart)
    draws = 500
    rng = np.random.default_rng(7)
    sides = np.array([draw_sides(state, rng)[above] for _ in range(draws)], dtype=float)

    deviations = sides - state.probability[above]
    variances = (state.probability * (1.0 - state.probability))[above]
    some = np.arange(0, len(variances), 40)
    sums = deviations[:, some].T @ deviations
    sums[np.arange(len(some)), some] = 0.0

    # Bernstein's inequality for sums of terms that are at most one
    variance = draws * np.outer(variances[some], variances)
    surprise = sums**2 / (2.0 * (variance + np.abs(sums) / 3.0))
    assert surprise.max() < math.log(2.0 * sums.size / 1e-6)


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


@pytest.mark.parametrize("record", [(0, 0), (2, 0), (0, 2), (3, 2), (1, 4)])
@pytest.mark.parametrize("x", [0.55, 0.8])
def test_values_above_a_larger_number(record, x):
    """How often they are, by an exact test, and by Kolmogorov-Smirnov which; each at 1e-6."""
    wins = np.array([[0.0, record[0]], [record[1], 0.0]])
    rng = np.random.default_rng(8)
    logs = posterior.logs_of(x)
    drawn = np.array([posterior.draw_above(wins, 0, 1, x, logs, rng) for _ in range(20_000)])
    above = drawn[drawn > x]
    whole = stats.beta(record[0] + 1, record[1] + 1)

    p = whole.sf(x) / whole.sf(0.5)
    assert stats.binomtest(len(above), len(drawn), p).pvalue > 1e-6
    assert stats.kstest(above, lambda y: 1.0 - whole.sf(y) / whole.sf(x)).pvalue > 1e-6


def literal_challenger(wins, first, allowed, rng):
    """argmax phi, every phi drawn."""
    phi = rng.beta(wins[:, first] + 1.0, wins[first] + 1.0)
    phi[first] = 0.5
    phi[~allowed] = 0.0
    return int(np.argmax(phi))


@pytest.mark.parametrize("met", [0, 3, 60, 69])
def test_the_challenger_is_that_of_all_values(met):
    """Chi-squared against drawing every phi, at 1e-6; two arms trail too far to be allowed."""
    arms = 70
    first = 65
    rng = np.random.default_rng(9)
    others = rng.permutation(np.delete(np.arange(arms), first))[:met]
    wins = np.zeros((arms, arms))
    wins[first, others] = rng.integers(0, 4, met)
    wins[others, first] = np.maximum(rng.integers(0, 4, met), wins[first, others] == 0)
    state = state_of(wins)
    threshold = 0.5
    if met > 2:
        state.deficits[first, others[:2]] = 1.0
    allowed = state.deficits[first] <= threshold

    draws = 20_000
    counts = np.zeros((2, arms))
    for _ in range(draws):
        counts[0, _dts.challenger(state, first, threshold, rng)] += 1
        counts[1, literal_challenger(wins, first, allowed, rng)] += 1

    assert counts[:, ~allowed].sum() == 0.0
    often = counts.sum(axis=0) >= 20.0
    table = np.column_stack([counts[:, often], counts[:, ~often].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0.0]
    assert stats.chi2_contingency(table).pvalue > 1e-6


def test_many_arms_interpreted_and_compiled():
    records = []
    for disabled in (False, True):
        with compiler(disabled):
            runner = problems.job("dts", fb.environments.identical_gap(70, 0.9), 120)
            records.append(runner.repetition(0, problems.never))

    assert len(runner.new_state().expected) == 70
    compiled, interpreted = records
    np.testing.assert_array_equal(compiled.plays[0], interpreted.plays[0])
    np.testing.assert_array_equal(compiled.regret, interpreted.regret)


@pytest.mark.parametrize("apart", [1, 40])
def test_samples_interpreted_and_compiled(apart):
    """With digits that are needed in most rows or in few, and more of them than are kept."""
    found = []
    for compiled in (True, False):
        _, _, _, state = records_of(12, apart)
        rng = np.random.default_rng(3)
        sample = bind(_words.tournament_in_words, "sample", compiled=compiled)
        winners = [sample(state, 0, rng) for _ in range(5)]
        found.append((winners, state.lost.tolist(), rng.random()))

    assert found[0] == found[1]


def test_an_agent_with_many_arms_resumes():
    agent = fb.Agent("dts", arms=[str(i) for i in range(80)], seed=1, default=0.0)
    for number in range(30):
        agent.tell(agent.ask().id, float(number % 3 == 0))
    again = fb.Agent.load(agent.dump())
    assert [again.ask().action for _ in range(20)] == [agent.ask().action for _ in range(20)]


def test_bits_without_an_arm_are_refused():
    """Kernels would go by them to arms that do not exist."""
    planned = np.zeros((1, 2), dtype=np.int64)
    for name, index, told in (
        ("digits", (2, 2, 5), "digits of a pair that does not exist"),
        ("more", (0, 2, 5), "digits of a pair that does not exist"),
        ("met", (5, 2), "met does not follow from wins"),
    ):
        _, _, _, state = records_of(3)
        assert state.contradiction(dts.Params(), planned) is None
        getattr(state, name)[index] |= 1 << 50
        assert state.contradiction(dts.Params(), planned) == told


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
