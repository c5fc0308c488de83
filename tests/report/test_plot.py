"""`fb.plot`: figures of matplotlib by default, of plotly if asked."""

from __future__ import annotations

import subprocess
import sys

import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, MissingExtraError


@pytest.fixture(scope="module")
def comparison():
    problem = fb.environments.spiked(levels=6, best=0.81, gap=0.6)
    return fb.compare(
        "uniform, flat_ucb1, tea", problem, 30_000, repetitions=4, seed=5, progress=False
    )


def labels(figure):
    return [
        line.get_label() for line in figure.axes[0].lines if not line.get_label().startswith("_")
    ]


def test_regret_of_whatever_there_is(comparison):
    assert labels(fb.plot.regret(comparison)) == ["uniform", "flat_ucb1", "tea"]
    assert labels(fb.plot.regret(comparison.results[0])) == ["uniform"]
    assert labels(fb.plot.regret(comparison.to_frame())) == ["uniform", "flat_ucb1", "tea"]
    faint = [
        line
        for line in fb.plot.regret(comparison, runs=True).axes[0].lines
        if line.get_alpha() == 0.3
    ]
    assert len(faint) == 3 * 4


def test_a_notebook_can_show_it(comparison):
    assert fb.plot.regret(comparison)._repr_png_().startswith(b"\x89PNG")


def test_eliminations(comparison):
    figure = fb.plot.eliminations(comparison.results[2], factors=["ad", "position"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["ad", "position"]
    with pytest.raises(InvalidInputError, match="eliminated nothing"):
        fb.plot.eliminations(comparison.results[0])
    with pytest.raises(InvalidInputError, match="factors must be 2 names, one per factor"):
        fb.plot.eliminations(comparison.results[2], factors=["ad"])


def test_two_factors_are_no_duel():
    """Additive, 3 x 2, and only factor 0 eliminates: still a panel for each factor."""
    problem = fb.environments.make("additive", effects=[[0.9, 0.0, 0.0], [0.0, 0.0]], base=0.05)
    result = fb.simulate("tea", problem, 5_000, repetitions=2, seed=1, progress=False)
    assert {event.factor for event in result.eliminations} == {0}
    figure = fb.plot.eliminations(result)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["factor 0", "factor 1"]


def test_the_arms_of_a_duel_are_one_panel():
    problem = fb.environments.identical_gap(4, 0.95)
    result = fb.simulate("dueling_tea", problem, 5_000, repetitions=2, seed=1, progress=False)
    (axes,) = fb.plot.eliminations(result).axes
    assert len(axes.get_yticks()) == 4


def test_interactive_figures_are_plotly(comparison):
    result = comparison.results[2]
    for figure in (
        fb.plot.regret(comparison, interactive=True),
        fb.plot.eliminations(result, interactive=True),
        fb.plot.bounds(result, comparison.problem, interactive=True),
        fb.plot.profile({"one": {"tea": 1.0, "flat_ucb1": 2.0}}, interactive=True),
    ):
        assert type(figure).__module__.startswith("plotly")
        assert len(figure.data) > 0


def test_profile_and_curves_of_a_benchmark():
    instance = fb.suites.Instance(
        "small", lambda: fb.environments.spiked(levels=3, best=0.81, gap=0.6), 500, "to be quick"
    )
    benchmark = fb.benchmark([instance], "uniform, flat_ucb1", repetitions=2, progress=False)
    assert sorted(labels(fb.plot.profile(benchmark))) == ["flat_ucb1", "uniform"]
    assert labels(fb.plot.regret(benchmark)) == ["uniform", "flat_ucb1"]


def test_without_plotly_the_error_says_what_to_install(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingExtraError, match=r'pip install "factored-bandits\[report\]"'):
        fb.plot.regret(comparison, interactive=True)


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = "import sys, factored_bandits as fb; fb.plot; print([m for m in sys.modules if m in %r])"
    heavy = {"matplotlib", "plotly", "pandas", "numba"}
    done = subprocess.run(
        [sys.executable, "-c", code % heavy], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
