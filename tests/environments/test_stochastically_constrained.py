"""Means that move in time: phases, the lead of the best level, and what breaks when it is lost."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb
import problems

EFFECTS = [[0.2, 0.0, 0.1], [0.0, 0.1]]


def moving(**params):
    return fb.environments.make(
        "stochastically_constrained", **{"effects": EFFECTS, "base": 0.1, "swing": 0.4, **params}
    )


def mean(problem, t, action):
    return problem.module.mean(problem.data, t, np.array(action))


def test_phases_grow():
    """The n-th phase lasts growth^n rounds, to within the round in which it ends."""
    problem = moving(growth=2.0)
    lifted = [mean(problem, t, (1, 0)) > 0.3 for t in range(1, 64)]
    lengths = [len(list(group)) for _, group in itertools.groupby(lifted)]
    assert lengths == [1, 2, 4, 8, 16, 32]
    assert not lifted[0]


@pytest.mark.parametrize("pattern", ["switch", "drift"])
def test_every_lead_stays_while_all_means_move(pattern):
    problem, still = (
        moving(pattern=pattern),
        fb.environments.make("additive", effects=EFFECTS, base=0.1),
    )
    lifts = set()
    for t in (*range(1, 60), 1000, 12_345, 10**9, 10**15):
        lift = mean(problem, t, (1, 0)) - 0.1
        lifts.add(round(lift, 6))
        assert -1e-12 <= lift <= 0.4 + 1e-12
        for action in itertools.product(range(3), range(2)):
            assert mean(problem, t, action) == pytest.approx(still.mean(action) + lift, abs=1e-12)
            regret = problem.module.regret(problem.data, t, np.array(action))
            assert regret == pytest.approx(still.regret(action), abs=1e-12)
        assert problem.module.regret(problem.data, t, np.array(problem.best)) == 0.0
    assert lifts == {0.0, 0.4} if pattern == "switch" else len(lifts) > 20
    assert not problem.stationary


def test_the_best_may_move():
    problem = moving(best_moves=True, growth=2.0)
    best = []
    for t in (1, 2, 4, 8, 16, 32, 64):  # one round of each phase
        regrets = {
            a: problem.module.regret(problem.data, t, np.array(a))
            for a in itertools.product(range(3), range(2))
        }
        best.append(min(regrets, key=regrets.get))
        assert regrets[best[-1]] == 0.0
        assert mean(problem, t, best[-1]) == max(mean(problem, t, a) for a in regrets)
    assert best == [(-n % 3, (1 - n) % 2) for n in range(7)]


@pytest.mark.parametrize("pattern", ["switch", "drift"])
def test_rewards_have_the_mean_of_the_moment(pattern):
    problem, rng = moving(pattern=pattern, best_moves=True), np.random.default_rng(1)
    for t in (1, 7, 33, 1000):
        drawn = np.mean(
            [problem.module.sample(problem.data, t, np.array([0, 1]), rng) for _ in range(4000)]
        )
        expected = mean(problem, t, (0, 1))
        assert abs(drawn - expected) < 5 * math.sqrt(expected * (1 - expected) / 4000)


@pytest.mark.parametrize("pattern", ["switch", "drift"])
def test_compiled_and_interpreted_agree(pattern, monkeypatch):
    runs = []
    for disabled in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
        job = problems.job("uniform", moving(pattern=pattern, best_moves=True), 500)
        runs.append(job.repetition(1, problems.never))
    assert np.array_equal(runs[0].regret, runs[1].regret)
    assert problems.same_plays(*runs)


def test_what_breaks():
    """With the lead kept, Tsallis-INF finds the best combination; with the best moving it pays in
    every phase.
    """
    kept, lost = (moving(best_moves=moves) for moves in (False, True))
    regrets = [
        fb.simulate("tsallis_inf", problem, 30_000, repetitions=8, progress=False)
        for problem in (kept, lost)
    ]
    assert regrets[0].correct[:, -1].mean() >= 0.75
    assert regrets[1].summary().mean > 3 * regrets[0].summary().mean


def test_nothing_is_skipped_where_time_matters(monkeypatch):
    """`tea` would rest between its phases; here every round is played, since rewards change."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # sooner than compiling this pair
    result = fb.simulate("tea", moving(), 20_000, repetitions=2, progress=False)
    assert result.plays[0].sum() == 40_000
    assert (result.plays[0].argmax(axis=1) == 0).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"swing": -0.1}, "swing must be at least 0"),
        ({"growth": 1.0}, r"growth in \(1, 1000\]"),
        ({"pattern": "jump"}, "pattern must be 'switch' or 'drift'"),
        ({"best_moves": 1}, "best_moves must be True or False, not 1"),
        ({"swing": 0.7}, "the mean of combination .* is 1.1"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(fb.errors.InvalidInputError, match=message):
        moving(**wrong)
