"""The simulator: exact, reproducible, anytime, and honest about bad input."""

from __future__ import annotations

import dataclasses
import math
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError, UnknownNameError
from factored_bandits.simulation.runner import Runner
from oracles import literal


def quiet(*args, **kwargs):
    return fb.simulate(*args, progress=False, **kwargs)


@pytest.mark.xdist_group("literal")  # compiled once
@pytest.mark.parametrize("sizes", [(4, 4), (5, 3, 2), (6, 1), (7, 2, 7)])
def test_tea_equals_the_paper_word_for_word(sizes):
    """Same random numbers, same plays: the fast form agrees with the literal transcription."""
    effects = [0.9 / len(sizes) * np.linspace(0, 1, size) for size in sizes]
    problem = fb.environments.make("additive", effects=effects, base=0.05)
    fast = quiet("tea", problem, 60_000, repetitions=3, seed=5, skip_idle=False)
    slow = quiet(literal, problem, 60_000, repetitions=3, seed=5)
    assert fast.eliminations, "nothing was eliminated: the problem is too easy a test"
    for ours, theirs in zip(fast.plays, slow.plays, strict=True):
        assert np.array_equal(ours, theirs)
    np.testing.assert_allclose(fast.regret, slow.regret, rtol=1e-12)


def test_dueling_tea_equals_the_paper_word_for_word():
    duel = literal.duel("literal_duel")
    problem = fb.environments.arithmetic(6, step=0.09)
    fast, slow = (
        quiet(policy, problem, 60_000, repetitions=3, seed=2, skip_idle=False)
        for policy in ("dueling_tea", duel)
    )
    assert fast.eliminations
    assert np.array_equal(fast.plays[0], slow.plays[0])
    assert np.array_equal(fast.plays[1], slow.plays[1])


@pytest.mark.parametrize("name", ["tea", "dueling_tea", "uniform"])
def test_same_numbers_on_any_number_of_workers(name):
    problem = problems.fitting(name)
    one, three = (quiet(name, problem, 3_000, repetitions=7, seed=11, workers=n) for n in (1, 3))
    assert np.array_equal(one.regret, three.regret)
    assert one.eliminations == three.eliminations
    other = quiet(name, problem, 3_000, repetitions=7, seed=12)
    assert not np.array_equal(one.regret, other.regret)


def test_more_repetitions_keep_the_first_ones():
    problem = problems.additive(3, 4)
    few, many = (quiet("uniform", problem, 500, repetitions=n) for n in (2, 5))
    assert np.array_equal(few.regret, many.regret[:2])


@pytest.mark.parametrize("name", ["tea", "flat_ucb1", "dueling_tea"])
def test_a_longer_horizon_does_not_change_the_beginning(name):
    """Anytime policies: also when the horizon cuts a block in two."""
    problem = problems.fitting(name)
    short = quiet(name, problem, 777, repetitions=3, checkpoints=[100, 776, 777])
    long = quiet(name, problem, 2_000, repetitions=3, checkpoints=[100, 776, 777])
    assert np.array_equal(short.regret, long.regret[:, :3])
    assert all(plays.sum() == 3 * 777 for plays in short.plays)


def test_jumping_over_idle_rounds_changes_nothing():
    """Certain rewards, so that both ways see the same ones."""
    problem = fb.environments.make("table", means=[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    jumped, walked = (
        quiet("tea", problem, 200_000, repetitions=4, skip_idle=skip) for skip in (True, False)
    )
    assert len(walked.eliminations) > 20
    assert jumped.eliminations == walked.eliminations
    assert all(np.array_equal(a, b) for a, b in zip(jumped.plays, walked.plays, strict=True))
    np.testing.assert_allclose(jumped.regret, walked.regret, rtol=1e-9)
    assert np.array_equal(jumped.correct, walked.correct)


def test_a_trillion_rounds():
    """Logarithmic: each tenfold of the horizon adds a like amount, never a multiple."""
    problem = fb.environments.spiked(16, 0.75, 0.2)
    decades = [10**k for k in range(6, 13)]
    result = quiet("tea", problem, 1e12, repetitions=4, checkpoints=decades)
    assert all((plays.sum(axis=1) == 10**12).all() for plays in result.plays)
    steps = np.diff(result.regret.mean(axis=0))
    assert (steps[1:] < 4 * np.median(steps)).all()
    assert result.regret[:, -1].mean() < 10 * result.regret[:, 0].mean()
    assert quiet("tea", problem, 1e15, repetitions=1).horizon == 10**15


def test_regret_of_the_paper_s_rank1_problem():
    """An independent implementation measured about 26,000 (10 repetitions)."""
    summary = quiet(
        "tea", fb.environments.spiked(16, 0.75, 0.2), 1e6, repetitions=20, seed=1
    ).summary()
    assert abs(summary.mean - 26_000) < 3 * math.sqrt(3) * summary.standard_error
    assert summary.correct == 1.0
    assert summary.worst < 1.5 * summary.median


def test_regret_of_the_paper_s_duels():
    """An independent implementation measured 7515 with a standard deviation of 736."""
    summary = quiet(
        "dueling_tea", fb.environments.identical_gap(16, 0.7), 1e5, repetitions=20, seed=1
    ).summary()
    assert abs(summary.mean - 7515) < 3 * math.hypot(summary.standard_error, 736 / math.sqrt(20))
    floor = quiet(
        "dueling_uniform", fb.environments.identical_gap(16, 0.7), 1e5, repetitions=20
    ).summary()
    assert abs(floor.mean - 18_750) < 4 * floor.standard_error


@pytest.mark.full
@pytest.mark.parametrize("name", fb.policies.names())
def test_order_of_levels_does_not_matter(name):
    """Without shuffling, the best level first or last: equal in distribution (4 errors)."""
    info = fb.policies.describe(name).info
    if info.kind == "duel":
        pair = [
            fb.environments.make("duel_utility", utilities=u)
            for u in ([0.8, 0, 0, 0], [0, 0, 0, 0.8])
        ]
    elif info.feedback == "semi-bandit":
        orders = ([[0.9, 0.5, 0.5], [0.8, 0.5]], [[0.5, 0.5, 0.9], [0.5, 0.8]])
        pair = [fb.environments.make("rank1", factors=factors) for factors in orders]
    else:
        orders = ([[0.4, 0, 0], [0.3, 0]], [[0, 0, 0.4], [0, 0.3]])
        pair = [fb.environments.make("additive", effects=effects, base=0.1) for effects in orders]
    one, other = (
        quiet(name, problem, 4_000, repetitions=60, seed=seed, permute=False).summary()
        for seed, problem in enumerate(pair)
    )
    error = math.hypot(one.standard_error, other.standard_error)
    rounding = 1e-12 * one.mean  # the regret of a fixed schedule has no other error
    assert abs(one.mean - other.mean) < 4 * error + rounding


@pytest.mark.parametrize("name", ["tea", "uniform", "flat_ucb1"])
def test_order_of_factors_does_not_matter(name):
    effects = [[0.4, 0, 0, 0], [0.3, 0]]
    one, other = (
        quiet(
            name,
            fb.environments.make("additive", effects=e, base=0.1),
            4_000,
            repetitions=60,
            seed=s,
        ).summary()
        for s, e in enumerate((effects, effects[::-1]))
    )
    assert abs(one.mean - other.mean) < 4 * math.hypot(one.standard_error, other.standard_error)


def test_results_are_in_the_order_of_the_environment():
    problem = fb.environments.make("table", means=[0.05, 0.95, 0.05])
    result = quiet("tea", problem, 30_000, repetitions=5)
    assert (result.plays[0].argmax(axis=1) == 1).all()
    assert {e.level for e in result.eliminations} == {0, 2}


def test_eliminations_alternate():
    result = quiet("tea", fb.environments.spiked(4, 0.81, 0.5), 1e7, repetitions=5)
    last = {}
    for event in result.eliminations:
        key = (event.repetition, event.factor, event.level)
        assert last.get(key, "re-entered") != event.event
        last[key] = event.event
    rounds = [event.round for event in result.eliminations if event.repetition == 0]
    assert rounds == sorted(rounds)
    assert any(event.event == "re-entered" for event in result.eliminations)


def test_gaussian_rewards_are_not_mapped():
    problem = fb.environments.make(
        "additive", effects=[[-0.5, 0.5], [0.0, 0.4]], noise="gaussian", sigma=0.1
    )
    assert quiet("tea", problem, 5_000, repetitions=4).correct[:, -1].all()
    with pytest.raises(
        RewardOutOfRangeError, match=r"round \d+.*outside the declared range \(0, 1\).*additive"
    ):
        quiet(fb.policies.make("tea", reward_range=(0, 1)), problem, 5_000)


def test_mapped_rewards_cost_a_quarter_of_unbounded_ones():
    """The constant 12 belongs to rewards on [-1, 1]: 0/1 rewards fed raw make every bound twice too
    wide.
    """
    problem = fb.environments.make("table", means=[0.1, 0.9])
    mapped = quiet("tea", problem, 20_000, repetitions=20)
    unbounded = quiet(fb.policies.make("tea", reward_range=None), problem, 20_000, repetitions=20)
    first = [
        np.mean([min(e.round for e in result.eliminations if e.repetition == k) for k in range(20)])
        for result in (mapped, unbounded)
    ]
    assert 3 < first[1] / first[0] < 6


def test_checkpoints():
    problem = problems.additive(3, 4)
    assert quiet("uniform", problem, 5, repetitions=1).checkpoints.tolist() == [1, 2, 3, 4, 5]
    assert len(quiet("uniform", problem, 1e5, repetitions=1).checkpoints) == 100
    assert (
        quiet("uniform", problem, 1e5, repetitions=1, checkpoints=3).checkpoints.tolist()[-1]
        == 10**5
    )
    given = quiet("uniform", problem, 1000, repetitions=1, checkpoints=[10, 20])
    assert given.checkpoints.tolist() == [10, 20, 1000]


def test_summary_and_frame():
    result = quiet("uniform", problems.additive(3, 4), 1000, repetitions=4, checkpoints=[10, 1000])
    summary, frame = result.summary(), result.to_frame()
    assert summary.mean == pytest.approx(result.regret[:, -1].mean())
    assert summary.worst >= summary.median
    assert "unit: reward" in str(summary)
    assert len(frame) == 8
    assert frame.regret.to_numpy().tolist() == result.regret.reshape(-1).tolist()
    assert frame["round"].tolist() == [10, 1000] * 4
    assert math.isnan(
        quiet("uniform", problems.additive(2), 10, repetitions=1).summary().standard_error
    )


def test_settled_is_the_round_from_which_the_recommendation_stayed_right():
    result = quiet("uniform", problems.additive(2), 10, repetitions=3, checkpoints=[1, 2, 3, 10])
    result.correct[:] = [[True, False, True, True], [True] * 4, [True, True, True, False]]
    assert result.settled().tolist() == [3, 1, math.inf]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number from 1"),
        ({"horizon": 1.5}, "horizon"),
        ({"horizon": 1e16}, "horizon"),
        ({"horizon": "many"}, "horizon"),
        ({"repetitions": 0}, "repetitions"),
        ({"seed": -1}, "seed"),
        ({"workers": -2}, "workers"),
        ({"checkpoints": [5, 3]}, "ascending"),
        ({"checkpoints": [0]}, "a checkpoint"),
        ({"checkpoints": 0}, "checkpoints"),
        ({"policy": "taa"}, "did you mean 'tea'"),
        ({"policy": "dueling_tea"}, "plays duels, additive is one of factored problems"),
        ({"environment": "rank1"}, "environment must be made"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments, message):
    base = {"policy": "uniform", "environment": problems.additive(2, 2), "horizon": 10}
    with pytest.raises(InvalidInputError, match=message):
        quiet(**{**base, **arguments})


def test_workers_are_checked_without_a_compiler_too(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with pytest.raises(InvalidInputError, match=r"workers must be a whole number .*, not -1"):
        quiet("uniform", problems.additive(2, 2), 10, workers=-1)


def test_bad_parameters_are_refused():
    with pytest.raises(
        UnknownNameError, match=r"no parameter of flat_ucb1 named 'alfa'; did you mean 'alpha'"
    ):
        fb.policies.make("flat_ucb1", alfa=1)
    for bad in ("x", math.nan, True, None):
        with pytest.raises(InvalidInputError, match="alpha must be a finite number"):
            fb.policies.make("flat_ucb1", alpha=bad)
    with pytest.raises(InvalidInputError, match="bound must be"):
        fb.policies.make("tea", bound="tight")
    for bad in ((1, 0), (0,), "ab", (0, math.inf)):
        with pytest.raises(InvalidInputError, match="reward_range"):
            fb.policies.make("tea", reward_range=bad)
    with pytest.raises(InvalidInputError, match="is not a policy: it has no INFO"):
        fb.policies.make(math)
    with pytest.raises(InvalidInputError, match=r"at most 1,000,000.*tea"):
        quiet("flat_ucb1", problems.additive(200, 200, 200), 10)


INTERRUPTED = """
import factored_bandits as fb
problem = fb.environments.make("additive", effects=[[0.0, 0.1]], base=0.1)
def watch(result):
    if result.repetitions:
        print("ready", flush=True)
    return ""
result = fb.simulate("uniform", problem, 3e6, repetitions=2000, workers=2, watch=watch)
print(result.interrupted, 0 < result.repetitions < 2000, (result.plays[0].sum(axis=1) == 3e6).all())
"""


def test_ctrl_c_keeps_what_is_finished():
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().strip() == "ready"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "True True True"


def test_ctrl_c_does_not_wait_for_what_cannot_hear_it(monkeypatch):
    """Compiling cannot be stopped: here a repetition that ends only when the test lets it."""
    problem = fb.environments.spiked(levels=2, best=0.81, gap=0.5)
    real, compiled = Runner.repetition, threading.Event()

    def repetition(runner, index, report, play):
        if index > 0:
            compiled.wait(60)
        return real(runner, index, report, play)

    def watch(result):
        raise KeyboardInterrupt

    monkeypatch.setattr(Runner, "repetition", repetition)
    try:
        result = fb.simulate("tea", problem, 500, 3, workers=2, progress=False, watch=watch)
        assert not compiled.is_set()
    finally:
        compiled.set()
    assert result.interrupted
    assert [record.repetition for record in result.records] == [0]


def test_watching_sees_what_is_finished_and_changes_nothing():
    problem = fb.environments.spiked(levels=2, best=0.81, gap=0.5)
    seen = []

    def watch(result):
        seen.append(result)
        return ""

    watched = fb.simulate("tea", problem, 500, 4, seed=2, progress=False, watch=watch)
    assert np.array_equal(seen[-1].regret, watched.regret), "also when the last one is finished"
    assert [result.repetitions for result in seen] == sorted({r.repetitions for r in seen})
    alone = fb.simulate("tea", problem, 500, 4, seed=2, progress=False)
    assert np.array_equal(alone.regret, watched.regret)


def test_repetitions_have_one_number_everywhere():
    """After Ctrl-C some repetitions are missing; columns and eliminations name the same ones."""
    whole = quiet("tea", fb.environments.spiked(3, 0.81, 0.8), 20_000, repetitions=4)
    kept = dataclasses.replace(whole, records=whole.records[1::2], interrupted=True)
    assert whole.eliminations
    assert kept.repetitions == 2
    assert set(kept.columns()["repetition"]) == {1, 3}
    assert {event.repetition for event in kept.eliminations} == {1, 3}
    assert np.array_equal(kept.regret, whole.regret[1::2])


def test_a_result_holds_objects():
    problem = problems.additive(3, 2)
    result = quiet("tea(bound=betting)", problem, 100, repetitions=2)
    assert result.environment is problem
    assert result.policy.params.bound == "betting"
    assert str(result.policy) == result.label == "tea(bound=betting)"
    assert (result.problem, result.kind, result.sizes) == (str(problem), "factored", (3, 2))
    assert dataclasses.replace(result, name="mine").problem == "mine"


def test_a_record_is_one_row():
    result = quiet("tea", problems.additive(3, 2), 2_000, repetitions=3, checkpoints=7)
    for row, record in enumerate(result.records):
        assert record.repetition == row
        assert np.array_equal(record.regret, result.regret[row])
        assert np.array_equal(record.correct, result.correct[row])
        assert [plays.sum() for plays in record.plays] == [2_000, 2_000]
        assert record.p_values is None
        assert record.seconds >= 0.0


@pytest.mark.parametrize("factors", [1, 2, 3])
def test_a_loop_compiled_for_two_factors_is_used_for_two_only(factors):
    problem = fb.environments.make("rank1", factors=[[0.9, 0.4, 0.7]] * factors)
    runner = Runner(fb.policies.make("uniform"), problem, np.array([500]), seed=2)
    assert runner.for_pairs == (factors == 2)

    found = [
        fb.simulate("uniform", problem, 500, 2, seed=2, progress=False, compiled=form)
        for form in (True, False)
    ]
    assert found[0].regret.tolist() == found[1].regret.tolist()
    assert [p.tolist() for p in found[0].plays] == [p.tolist() for p in found[1].plays]
