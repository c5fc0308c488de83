"""The first answer of a plan: how close it is, when it comes, and what replaces it."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from plans import EASY, make

import factored_bandits as fb
from factored_bandits.planning import run as _run
from factored_bandits.planning.estimate import UNCERTAINTY, estimate
from factored_bandits.planning.fixed import margins
from factored_bandits.planning.forecast import share_point

HARD = fb.Assumptions(factors=(3, 2), base_rate=0.01, lift=0.05)


@pytest.fixture(scope="module")
def hard():
    return make(HARD, "2000/day", "tea(bound=betting)", quick=True)


# How close it is


@pytest.mark.parametrize("bound", ["betting", "paper"])
@pytest.mark.parametrize("problem", [EASY, fb.Assumptions((4,), base_rate=0.2, lift=0.5)])
def test_the_estimate_is_close_to_the_simulation(problem, bound):
    plan = make(problem, policies=[fb.policies.make("tea", bound=bound)], repetitions=60)
    simulated, estimated = plan.forecasts[0], plan.estimates[0]
    assert estimated.estimated
    assert not simulated.estimated
    for part in (0.5, 0.9):
        ratio = share_point(estimated.all_decided, part) / share_point(simulated.all_decided, part)
        assert abs(ratio - 1) < UNCERTAINTY
    lost = estimated.lost(estimated.all_decided) / simulated.lost(simulated.all_decided)
    assert abs(lost - 1) < UNCERTAINTY
    assert estimated.best_found == 1.0


def test_the_estimate_depends_on_the_means_only():
    product = EASY.problem()
    means = [[product.mean((i, j)) for j in range(2)] for i in range(3)]
    table = fb.environments.make("table", means=means)
    tea = fb.policies.make("tea")
    rounds = [estimate(tea, problem, seed=3).decided for problem in (product, table)]
    assert rounds[0].tolist() == rounds[1].tolist()


def test_averages_over_active_levels():
    """Against sums over the table, for each way in which effects combine."""
    effects = [[0.3, 0.1, 0.0], [0.2, 0.1], [0.25, 0.15]]
    active = [np.array(kept) for kept in ([True, False, True], [True, True], [False, True])]
    for name in ("additive", "logistic"):
        problem = fb.environments.make(name, effects=effects, base=0.1)
        table = np.array([problem.mean(a) for a in np.ndindex(*problem.sizes)]).reshape(3, 2, 2)
        found = margins(problem, active)
        assert np.allclose(found[0], table[:, :, [1]].mean(axis=(1, 2)))
        assert np.allclose(found[1], table[[0, 2]][:, :, [1]].mean(axis=(0, 2)))
        assert np.allclose(found[2], table[[0, 2]].mean(axis=(0, 1)))


def test_where_there_is_no_estimate():
    tea = fb.policies.make("tea")
    assert estimate(fb.policies.make("flat_ucb1"), EASY.problem(), seed=0) is None
    effects = [[0.3, 0.1], [0.3, 0.1]]
    moving = fb.environments.make("stochastically_constrained", effects=effects, swing=0.1)
    assert estimate(tea, moving, seed=0) is None
    large = fb.Assumptions((2000, 2), base_rate=0.1, lift=0.5)
    assert estimate(tea, large.problem(), seed=0) is None
    plan = make(policies="uniform", quick=True)
    assert plan.verdict.sentence == "Nothing is known before it is simulated: uniform."


def test_a_crossed_problem_is_never_decided():
    crossed = fb.environments.make("table", means=[[0.8, 0.2], [0.2, 0.8]])
    found = estimate(fb.policies.make("tea"), crossed, seed=0)
    assert np.isinf(found.all_decided).all()
    assert found.result.horizon >= 10**12


# When it comes

FIRST = """
import sys
import factored_bandits as fb

def tell(plan):
    print(plan.preliminary, len(plan.forecasts), len(plan.estimates), "numba" in sys.modules)
    raise SystemExit

fb.plan(fb.Assumptions((3, 2), base_rate=0.3, lift=0.8), "20/day", progress=tell)
"""


def test_the_first_answer_needs_nothing_compiled():
    ran = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["True", "0", "2", "False"]


def test_plans_on_the_way():
    seen = []
    options = {"policies": "tea, uniform", "repetitions": 4, "traffic": 100}
    last = make(**options, progress=seen.append)
    assert seen[0].pending == ["tea", "uniform"]
    assert seen[0].verdict.sentence.startswith("First estimate, within about 20 %: tea has decided")
    assert "~" in seen[0].tables()[0].rows[0][2]
    assert "nothing simulated; not simulated yet: tea, uniform" in str(seen[0])

    counts = [sum(each.result.repetitions for each in plan.forecasts) for plan in seen]
    assert counts == sorted(counts)
    assert counts[-1] == 8
    assert all(plan.preliminary for plan in seen)
    assert not last.preliminary
    assert "~" not in str(last)
    assert last.to_dict() == make(**options).to_dict(), "watching changes nothing"


def test_a_simulation_that_is_too_short_does_not_replace_the_estimate(monkeypatch):
    monkeypatch.setattr(_run, "STAGES", (300,))
    seen = []
    last = make(progress=seen.append, repetitions=2)
    counts = [len(plan.forecasts) for plan in seen]
    assert counts == sorted(counts)
    assert counts.count(0) >= 2, "the estimate, and again when the short simulation has ended"
    assert counts[-1] == 1
    assert math.isfinite(share_point(last.forecasts[0].all_decided, 0.5))


def interrupted(monkeypatch, **options):
    def simulate(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(_run, "simulate", simulate)
    return make(**options)


def test_ctrl_c_before_anything_is_simulated_leaves_the_estimate(monkeypatch):
    plan = interrupted(monkeypatch, policies="tea, uniform", traffic="20/day")
    assert plan.interrupted
    assert plan.forecasts == []
    assert plan.not_run == ["tea", "uniform"]
    assert plan.verdict.within_a_year is True
    assert "nothing simulated; interrupted: tea not run, uniform not run" in str(plan)
    assert [row[0] for row in plan.tables()[0].rows] == ["tea", "full factorial test (fixed size)"]


def test_ctrl_c_too_soon_shows_both(monkeypatch):
    real = _run.simulate

    def simulate(policy, problem, horizon, *args, **options):
        if horizon > 1000:
            raise KeyboardInterrupt
        return real(policy, problem, horizon, *args, **options)

    monkeypatch.setattr(_run, "simulate", simulate)
    monkeypatch.setattr(_run, "STAGES", (1000,))
    rows = make().tables()[0].rows
    assert [row[0] for row in rows[:2]] == ["tea", "tea"]
    assert rows[0][2] == "more than 1,000"
    assert rows[1][2].startswith("~")


# What it says


def test_small_differences_are_warned_of_with_the_number(hard):
    assert hard.verdict.within_a_year is False
    (warning,) = hard.warnings
    opening = "warning: a lift of 5 % on a rate of 1 % is a difference of 0.05 percentage points; "
    assert warning.startswith(f"{opening}to see it takes about 1")
    half = share_point(hard.estimates[0].all_decided, 0.5)
    assert warning.endswith(f" rounds, {half / 2000 / 365:.0f} years at 2,000 a day")
    assert make(quick=True).warnings == []
    assert make(traffic="20/day", quick=True).warnings == []


def test_a_simulation_that_ended_too_soon_is_warned_of_by_the_estimate():
    plan = make(HARD, policies="tea(bound=betting)", horizon=1000, repetitions=2)
    assert "had not decided everything after 1,000 rounds" in plan.verdict.sentence
    (warning,) = plan.warnings
    assert "years at 1,000 a day" in warning


def test_one_sentence():
    plan = make(traffic=20, quick=True)
    half = share_point(plan.estimates[0].all_decided, 0.5)
    assert plan.summary("visitors") == (
        f"At 20 visitors a day: decided in about {half / 20:.0f} days; a full factorial test: "
        f"6.6 days, deciding everything {100 * plan.fixed.decided:.0f} % of the time."
    )
    assert make(fb.Assumptions((2,), 0.1, 0.5), quick=True).summary().startswith("Decided in about")
    assert "an A/B test" in make(fb.Assumptions((2,), 0.1, 0.5), quick=True).summary()
    assert "Not decided in 300 rounds" in make(horizon=300, repetitions=2).summary()
    assert "No policy here says" in make(policies="uniform", quick=True).summary()


def test_it_fits_on_the_screen(hard):
    for width in (40, 80, 200):
        lines = hard.text(width).splitlines()
        assert max(map(len, lines)) <= width
        shown = " ".join(" ".join(lines).split())
        assert "full factorial test (fixed size)" in shown
        assert "lift 5 %" in shown
