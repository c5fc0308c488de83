"""The figure of measured regret between its bounds."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.report.bounds import bounds_chart

make = fb.environments.make


def run(problem, policy, horizon=20_000):
    return fb.simulate(policy, problem, horizon, repetitions=3, seed=2, progress=False)


def names(figure):
    return [
        line.get_label() for line in figure.axes[0].lines if not line.get_label().startswith("_")
    ]


def test_curves_are_those_of_the_check(tmp_path):
    problem = make("additive", effects=[[0.4, 0.0], [0.5, 0.2]], noise="gaussian")
    result = run(problem, "tea")
    figure = bounds_chart(result, problem).figure(tmp_path / "bounds.png")
    assert (tmp_path / "bounds.png").stat().st_size > 10_000
    found = fb.theory.check(result, problem)
    drawn = dict(
        zip(names(figure), (line.get_ydata() for line in figure.axes[0].lines), strict=False)
    )
    np.testing.assert_array_equal(drawn["tea"], found.regret)
    np.testing.assert_array_equal(drawn["upper bound"], found.upper)
    late = found.late
    np.testing.assert_array_equal(drawn["lower bound"][late], found.lower[late])
    assert np.isnan(drawn["lower bound"][~late]).all()
    assert 0 < late.sum() < len(late)
    low, high = figure.axes[0].get_ylim()
    assert low < found.regret[0]
    assert high > found.upper[-1]


@pytest.mark.parametrize(
    ("problem", "policy", "expected"),
    [
        (make("table", means=[[0.9, 0.2], [0.1, 0.4]]), "tea", ["tea"]),
        (make("table", means=[0.9, 0.2]), "uniform", ["uniform", "lower bound"]),
        (
            fb.environments.identical_gap(4, 0.9),
            "dueling_tea",
            ["dueling_tea", "upper bound", "lower bound"],
        ),
        (
            fb.environments.identical_gap(4, 0.9, unit="weak"),
            "dueling_tea",
            ["dueling_tea", "upper bound"],
        ),
    ],
    ids=["not identifiable", "no theorem", "duel", "weak"],
)
def test_only_bounds_that_say_something(problem, policy, expected):
    assert names(bounds_chart(run(problem, policy), problem).figure()) == expected


def test_one_best_combination_from_the_start():
    problem = make("table", means=[0.5])
    assert names(bounds_chart(run(problem, "tea"), problem).figure()) == ["tea", "upper bound"]
