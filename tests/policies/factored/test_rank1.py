"""Rank1Elim and Rank1ElimKL: the published table, the doubling laws, and the mechanics of sweeps."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.rng import generators
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.factored.rank1 import _rank1

ROUNDS = 2_000_000


def matrix(rows, columns, base=0.7, gap=0.2):
    """Katariya et al.'s problem: all qualities `base` but one of each factor, which is better by
    `gap`.
    """
    qualities = [[base + gap] + [base] * (size - 1) for size in (rows, columns)]
    return fb.environments.make("rank1", factors=qualities)


def played(policy, problem, rounds=ROUNDS, repetitions=20, seed=1):
    return fb.simulate(
        policy, problem, rounds, repetitions=repetitions, seed=seed, progress=False
    ).summary()


def near(summary, value, error, errors=3.0):
    """Within so many standard errors, both sides' combined."""
    return abs(summary.mean - value) < errors * math.hypot(summary.standard_error, error)


@pytest.mark.parametrize(
    ("size", "published", "other"),
    [(8, (17491, 384), (18591, 695)), (16, (41823, 1689), (40163, 1111))],
)
def test_published_table(size, published, other):
    """Katariya et al. (AISTATS 2017), regret at 2 million rounds, mean +- standard error; and an
    independent run.
    """
    summary = played("rank1_elim", matrix(size, size))
    assert near(summary, *published)
    assert near(summary, *other)
    assert summary.correct == 1.0


@pytest.mark.parametrize(("size", "expected"), [(8, 17012), (16, 36153)])
def test_kl_bounds_on_the_same_problems(size, expected):
    """An independent run with delta = log T + 3 log log T; the phases are so long that regret
    hardly varies: 2 %.
    """
    assert played("rank1_elim_kl", matrix(size, size)).mean == pytest.approx(expected, rel=0.02)


@pytest.mark.full
@pytest.mark.parametrize(("rows", "columns"), list(itertools.product((8, 16, 32), repeat=2)))
def test_regret_grows_with_rows_plus_columns(rows, columns):
    """All nine sizes of the table: proportional to rows + columns as the theory says (bounds 20 %,
    4 SE of both).
    """
    unit = played("rank1_elim", matrix(8, 8))
    summary = played("rank1_elim", matrix(rows, columns))
    scale = (rows + columns) / 16
    slack = 4 * math.hypot(summary.standard_error, scale * unit.standard_error)
    assert abs(summary.mean - scale * unit.mean) < 0.2 * scale * unit.mean + slack
    assert summary.correct == 1.0


def test_doubling_laws():
    """Half the gap, or half the base quality: about twice the regret (phases quantise it: between
    1.5 and 2.5).
    """
    reference = played("rank1_elim", matrix(8, 8)).mean
    assert 1.5 < played("rank1_elim", matrix(8, 8, gap=0.1)).mean / reference < 2.5
    assert 1.5 < played("rank1_elim", matrix(8, 8, base=0.35)).mean / reference < 2.5


@pytest.mark.parametrize(
    ("best", "expected"),
    [(0.5, (102_000, 50_000, 28_000)), (0.75, (45_000, 34_000, 30_000))],
    ids=str,
)
def test_the_paper_s_rank1_problem(best, expected):
    """An independent implementation, 10 repetitions, error unknown: 15 %, or 3 standard errors of
    both if like ours.
    """
    problem = fb.environments.spiked(16, best, 0.2)
    released = fb.policies.make("rank1_elim_kl", delta="released")
    means = []
    for policy, value in zip(("rank1_elim", "rank1_elim_kl", released), expected, strict=True):
        summary = played(policy, problem, 1_000_000, repetitions=20)
        assert abs(summary.mean - value) < max(
            0.15 * value, 3 * math.sqrt(2) * summary.standard_error
        )
        means.append(summary.mean)
    assert means == sorted(means, reverse=True)


def test_eliminated_for_good_and_then_idle():
    """Regret stops: the horizon may be 10^12 and the runs stay short."""
    problem = matrix(4, 3)
    result = fb.simulate(
        "rank1_elim", problem, 1e12, repetitions=5, checkpoints=[10**9, 10**12], progress=False
    )
    assert np.array_equal(result.regret[:, 0], result.regret[:, 1])
    assert result.correct.all()
    assert all(event.event == "eliminated" for event in result.eliminations)
    assert len(result.eliminations) == 5 * (3 + 2)


def walk(name, sizes, rounds, visit):
    """Play by hand on a rank-one problem and show every block before and after it is learned."""
    problem = matrix(*sizes)
    job = problems.job(name, problem, rounds)
    module, state, (policy_rng, rng) = job.policy.module, job.new_state(), generators(3)
    run, t = job.prepare(rng, state), 1
    while t <= rounds:
        length = module.plan(job.params, state, t, policy_rng, run.actions)
        actions = run.actions[:length].copy()
        rewards = np.array(
            [problem.module.sample(problem.data, t, action, rng) for action in actions]
        )
        visit(state, actions, rewards, lambda: module.learn(job.params, state, t, actions, rewards))
        t += length


def test_a_sweep_is_every_active_row_and_every_active_column_once():
    sums, seen = np.zeros(7), []

    def visit(state, actions, rewards, learn):
        rows, columns = np.flatnonzero(state.active[:4]), np.flatnonzero(state.active[4:])
        seen.append((len(rows), len(columns)))
        if seen[-1] == (1, 1):
            assert len(actions) == 1
            return
        assert len(actions) == len(rows) + len(columns)
        assert actions[: len(rows), 0].tolist() == rows.tolist()
        assert len(set(actions[: len(rows), 1])) == 1
        assert actions[len(rows) :, 1].tolist() == columns.tolist()
        assert len(set(actions[len(rows) :, 0])) == 1
        np.add.at(sums, actions[: len(rows), 0], rewards[: len(rows)])
        np.add.at(sums, 4 + actions[len(rows) :, 1], rewards[len(rows) :])
        learn()
        assert state.total == pytest.approx(sums)

    walk("rank1_elim", (4, 3), 60_000, visit)
    assert seen[0] == (4, 3)
    assert seen[-1] == (1, 1)


def test_phases_end_after_four_to_the_phase_log_horizon_sweeps():
    """n = ceil(4 * 4^phase * log T), and the bounds are mean -+ sqrt(log T / n)."""
    ends, log_horizon = [], math.log(60_000)

    def visit(state, actions, rewards, learn):
        before = state.counts[_rank1.PHASE]
        learn()
        if state.counts[_rank1.PHASE] != before:
            n = int(state.counts[_rank1.SWEEPS])
            ends.append(n)
            middle, width = state.bounds.mean(axis=0), np.ptp(state.bounds, axis=0)
            assert middle == pytest.approx(state.total / n)
            assert width == pytest.approx(2 * math.sqrt(log_horizon / n))

    walk("rank1_elim", (4, 3), 60_000, visit)
    assert len(ends) >= 3
    assert ends == [math.ceil(4 * 4**phase * log_horizon) for phase in range(len(ends))]


def test_an_eliminated_row_is_played_by_its_eliminator():
    """Homes are active, of their own place, and drawn as often as the rows that point to them."""
    state = _rank1.begin("rank1_elim", np.array([4, 2]), 1000, 4.0)
    state.bounds[_rank1.LOWER, :4], state.bounds[_rank1.UPPER, :4] = (
        [0.1, 0.6, 0.1, 0.5],
        [0.3, 0.9, 0.6, 0.8],
    )
    state.bounds[_rank1.LOWER, 4:], state.bounds[_rank1.UPPER, 4:] = 0.0, 1.0
    _rank1.eliminate(state, 4.0)
    assert state.home.tolist() == [
        1,
        1,
        1,
        3,
        0,
        1,
    ]  # an upper bound equal to the best lower bound is out, too
    assert state.active.tolist() == [False, True, False, True, True, True]
    actions, rng = np.zeros((6, 2), dtype=np.int64), np.random.default_rng(0)
    rows = [actions[_rank1.plan(None, state, 1, rng, actions) - 1, 0] for _ in range(4000)]
    assert abs(np.mean(np.array(rows) == 1) - 0.75) < 4 * math.sqrt(0.75 * 0.25 / 4000)
    state.bounds[_rank1.LOWER, :4], state.bounds[_rank1.UPPER, :4] = (
        [0.9, 0.2, 0.9, 0.7],
        [0.9, 0.4, 0.9, 0.8],
    )
    _rank1.eliminate(
        state, 4.0
    )  # row 1 goes, and takes along who had it as home; old bounds of 0 and 2 say nothing
    assert state.home.tolist()[:4] == [3, 3, 3, 3]


def test_sweeps_that_were_planned_before_an_elimination_are_learned_right():
    """With late rewards a block may be longer than today's active sets."""
    state = _rank1.begin("rank1_elim", np.array([3, 3]), 1000, 4.0)
    actions = np.array([[0, 2], [1, 2], [2, 2], [1, 0], [1, 1], [1, 2]])
    state.active[[2, 5]] = False
    _rank1.collect(state, actions, np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    assert state.total.tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("name", ["rank1_elim", "rank1_elim_kl"])
def test_what_it_cannot_take(name):
    for sizes in ((4,), (2, 3, 4)):
        with pytest.raises(
            InvalidInputError, match=rf"{name}.*two factors, this one has {len(sizes)}"
        ):
            problems.job(name, problems.additive(*sizes))
    with pytest.raises(InvalidInputError, match="horizon"):
        fb.Agent(name, factors={"a": [0, 1], "b": [0, 1]})
    with pytest.raises(InvalidInputError, match="needs the horizon"):
        fb.policies.make(name).module.init(None, np.array([2, 2]), 0)
