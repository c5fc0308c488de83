"""The fast forms against the literal ones: the same plays, or the same distribution of plays."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from scipy import stats

import factored_bandits as fb
import problems
from factored_bandits.policies import make
from factored_bandits.policies.dueling.dts import _dts, _state
from oracles import literal_duels as literal

CYCLE = [[0.5, 0.7, 0.4, 0.6], [0.3, 0.5, 0.8, 0.6], [0.6, 0.2, 0.5, 0.7], [0.4, 0.4, 0.3, 0.5]]
DUELS = {
    "one best": fb.environments.identical_gap(5, 0.8),
    "arithmetic": fb.environments.arithmetic(7, 0.08),
    "cyclic": fb.environments.cyclic(),
    "no Condorcet winner": fb.environments.make("duel_matrix", preferences=CYCLE, unit="copeland"),
    "two arms": fb.environments.identical_gap(2, 0.65),
    "wide": fb.environments.arithmetic(19, 0.027),
}
SHARED = {
    "rucb": lambda arms, rounds: literal.Rucb(arms),
    "rucb(unplayed=2)": lambda arms, rounds: literal.Rucb(arms, unplayed=2),
    "rmed1": lambda arms, rounds: literal.Rmed(arms, 1),
    "rmed2": lambda arms, rounds: literal.Rmed(arms, 2),
    "rmed2(alpha=1.5)": lambda arms, rounds: literal.Rmed(arms, 2, alpha=1.5),
    "rmed2fh": lambda arms, rounds: literal.Rmed(arms, "fh", horizon=rounds),
    "merge_rucb": lambda arms, rounds: literal.Merge(arms, "rucb"),
    "merge_dts": lambda arms, rounds: literal.Merge(arms, "dts"),
}
IN_DISTRIBUTION = {
    "dts": lambda arms: literal.Dts(arms),
    "dts_plus": lambda arms: literal.Dts(arms, plus=True),
    "rcs": lambda arms: literal.Rcs(arms),
}


def play_both(label, oracle, problem, rounds, seed, ties, same_plays):
    """Feed the plays of the fast form to both; yields after every round."""
    job = problems.job(make(label), problem, rounds)
    module = job.policy.module
    state = job.new_state()
    mine, theirs, noise = (np.random.default_rng(seed) for _ in range(3))
    actions = np.zeros((problem.sizes[0], 2), dtype=np.int64)

    for t in range(1, rounds + 1):
        assert module.plan(job.params, state, t, mine, actions) == 1
        i, j = actions[0].tolist()
        if same_plays:
            assert oracle.plan(t, theirs) == (i, j), t
        outcome = float(noise.random() < problem.mean([i, j]))
        if noise.random() < ties:
            outcome = 0.5
        module.learn(job.params, state, t, actions[:1], np.array([outcome]))
        oracle.learn(t, i, j, outcome)
        yield t, job, state


def final(rounds):
    return deque(rounds, maxlen=1).pop()


@pytest.mark.parametrize("ties", [0.0, 0.3])
@pytest.mark.parametrize("label", SHARED)
@pytest.mark.parametrize("duel", DUELS)
def test_same_random_numbers_same_plays(duel, label, ties):
    """Every round, all pairs and bounds recomputed: also with ties, half a win for each."""
    problem = DUELS[duel]
    rounds = 250 if duel == "wide" else 700
    oracle = SHARED[label](problem.sizes[0], rounds)
    _, _, state = final(
        play_both(label, oracle, problem, rounds, seed=len(duel), ties=ties, same_plays=True)
    )
    np.testing.assert_array_equal(state.wins, np.array(oracle.W))


@pytest.mark.full
@pytest.mark.parametrize("label", SHARED)
@pytest.mark.parametrize("seed", range(3))
def test_same_random_numbers_same_plays_for_long(label, seed):
    """Long enough for eliminations, merged batches, many passes over the pairs, idle stretches."""
    for problem in (fb.environments.identical_gap(8, 0.9), fb.environments.arithmetic(12, 0.045)):
        oracle = SHARED[label](problem.sizes[0], 6_000)
        final(play_both(label, oracle, problem, 6_000, seed, ties=0.0, same_plays=True))


def learned(label, duel, rounds, seed=0):
    """A state of the fast form and its oracle after some rounds; and the next round."""
    problem = DUELS[duel]
    oracle = IN_DISTRIBUTION[label](problem.sizes[0])
    _, job, state = final(
        play_both(label, oracle, problem, rounds, seed, ties=0.0, same_plays=False)
    )
    return job, state, oracle, rounds + 1


def tabulated(job, state, oracle, t, draws):
    """How often each pair is planned from one state, by the fast form and by the oracle."""
    arms = len(state.wins)
    module = job.policy.module
    table = np.zeros((2, arms * arms), dtype=np.int64)
    mine = np.random.default_rng(1)
    theirs = np.random.default_rng(2)
    actions = np.zeros((arms, 2), dtype=np.int64)
    # of RCS, whose plan counts them: the same before every draw
    titles = [0, 2, 1, 1, 3, 0, 1][:arms]

    for _ in range(draws):
        if hasattr(state, "titles"):
            state.titles[:] = titles
            oracle.titles = list(titles)
        module.plan(job.params, state, t, mine, actions)
        first, second = oracle.plan(t, theirs)
        table[0, actions[0, 0] * arms + actions[0, 1]] += 1
        table[1, first * arms + second] += 1
    return table


def difference(table):
    """The p-value of two tables under one distribution; rare pairs are counted together."""
    rare = table.sum(axis=0) < 20
    kept = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    kept = kept[:, kept.sum(axis=0) > 0]
    return stats.chi2_contingency(kept).pvalue if kept.shape[1] > 1 else 1.0


@pytest.mark.parametrize("rounds", [5, pytest.param(60, marks=pytest.mark.full), 400])
@pytest.mark.parametrize("duel", ["arithmetic", "no Condorcet winner"])
@pytest.mark.parametrize("label", IN_DISTRIBUTION)
def test_same_distribution(label, duel, rounds):
    """Both arms together, from the same state; a false alarm has probability 1e-6."""
    assert difference(tabulated(*learned(label, duel, rounds), draws=3_000)) > 1e-6


@pytest.mark.parametrize("rounds", [5, pytest.param(60, marks=pytest.mark.full), 400])
@pytest.mark.parametrize("duel", ["arithmetic", "no Condorcet winner"])
def test_same_distribution_with_many_arms(duel, rounds, monkeypatch):
    """What D-TS does with 64 arms and more, where the oracle can follow: with 7 and with 4."""
    monkeypatch.setattr(_state, "MANY", 2)
    job, state, oracle, t = learned("dts", duel, rounds)
    assert state.digits.shape[2] >= len(state.wins)  # empty if they were drawn one by one
    assert difference(tabulated(job, state, oracle, t, draws=3_000)) > 1e-6


def test_the_test_of_distributions_can_fail():
    """Another prior, or the tie-break of D-TS+, is noticed."""
    job, state, oracle, t = learned("dts", "arithmetic", 60)
    oracle.prior = 0.2
    assert difference(tabulated(job, state, oracle, t, draws=3_000)) < 1e-6
    job, state, oracle, t = learned("dts", "no Condorcet winner", 60)
    oracle.plus = True
    assert difference(tabulated(job, state, oracle, t, draws=3_000)) < 1e-6


@pytest.mark.parametrize("duel", ["arithmetic", "no Condorcet winner", "one best"])
def test_candidates_of_double_thompson_sampling(duel):
    """C from deficits and remembered counts is C from all upper bounds, in every round."""
    oracle = literal.Dts(DUELS[duel].sizes[0])
    for t, job, state in play_both(
        "dts", oracle, DUELS[duel], 800, seed=3, ties=0.0, same_plays=False
    ):
        least = _dts.candidates(state, job.params.alpha * np.log(t + 1))
        assert np.flatnonzero(state.beaten == least).tolist() == oracle.candidates(t + 1)


@pytest.mark.parametrize("label", ["rmed1", "rmed2", "rmed2fh"])
def test_evidence_is_never_off(label):
    """I from scratch at random moments."""
    moments = np.random.default_rng(4)
    problem = DUELS["arithmetic"]
    oracle = literal.Rmed(problem.sizes[0], 1)
    oracle.loop = False
    checked = 0

    for _, _, state in play_both(label, oracle, problem, 2_000, seed=6, ties=0.1, same_plays=False):
        if moments.random() < 0.05:
            np.testing.assert_allclose(
                state.total, [oracle.evidence(i) for i in oracle.arms], rtol=1e-12, atol=1e-9
            )
            checked += 1
    assert checked > 50
