"""Figures: the right kind of file, what was measured in words, and names that do not overlap."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.report.charts import curves
from factored_bandits.report.charts._measured import measured
from factored_bandits.report.charts.curves import beginning
from factored_bandits.report.matplotlib import figures
from factored_bandits.report.matplotlib.labels import spread

ROUNDS = np.unique(np.geomspace(1, 10_000, 50).round().astype(int))


def result(policy, curve, repetitions=5):
    regret = np.array([curve * (1 + 0.02 * r) for r in range(repetitions)])
    problem = fb.environments.make("table", means=[[0.9, 0.5], [0.4, 0.2]])
    return problems.result_of(problem, regret, ROUNDS, policy=policy, seed=3)


def regret_figure(results, path=None, **options):
    return curves(results, **options).figure(path)


def pair():
    return [result("uniform", 0.5 * ROUNDS), result("tea", np.minimum(0.5 * ROUNDS, 300.0))]


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_the_suffix_decides_the_format(tmp_path, suffix, magic):
    path = tmp_path / f"regret.{suffix}"
    regret_figure(pair(), path)
    assert path.read_bytes().startswith(magic)


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_the_same_results_give_the_same_file(tmp_path, suffix):
    paths = [tmp_path / f"{i}.{suffix}" for i in range(2)]
    for path in paths:
        regret_figure(pair(), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("regret.gif", "ends in .png, .pdf or .svg"),
        ("regret", "ends in"),
        ("nowhere/regret.png", "no directory"),
    ],
)
def test_other_paths_are_refused(tmp_path, name, complaint):
    with pytest.raises(InvalidInputError, match=complaint):
        regret_figure(pair(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_unwritable_file_is_an_error_in_words(tmp_path):
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(InvalidInputError, match="cannot write the figure"):
        regret_figure(pair(), tmp_path / "taken.png")


def test_nothing_to_draw():
    with pytest.raises(InvalidInputError, match="results is empty"):
        regret_figure([])
    with pytest.raises(InvalidInputError, match="y must be"):
        regret_figure(pair(), y="cubic")


def test_caption_says_problem_unit_horizon_repetitions_and_seed():
    figure = regret_figure(pair())
    text = " ".join(part.get_text() for part in figure.texts).replace("\n", " ")
    for fact in (
        "table (2 x 2 levels)",
        "unit 'reward'",
        "horizon 10,000",
        "5 repetitions",
        "seed 3",
        "middle 80 %",
    ):
        assert fact in text


def test_lines_are_means_and_bands_are_quantiles():
    figure = regret_figure(pair())
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.lines}
    for each in pair():
        np.testing.assert_allclose(lines[each.label].get_ydata(), each.regret.mean(axis=0))
    low, high = np.quantile(pair()[0].regret[:, -1], [0.1, 0.9])
    edge = axes.collections[0].get_paths()[0].vertices
    assert {round(y, 6) for x, y in edge if x == ROUNDS[-1]} == {round(low, 6), round(high, 6)}


def test_axes_fit_the_results():
    far = regret_figure(pair()).axes[0]
    assert (far.get_xscale(), far.get_yscale()) == ("log", "log")
    near = regret_figure([result("tea", 0.5 * ROUNDS), result("flat_ucb1", 0.4 * ROUNDS)]).axes[0]
    assert near.get_yscale() == "linear"
    assert near.get_ylim()[0] == 0
    assert regret_figure(pair(), y="linear").axes[0].get_yscale() == "linear"


def test_rounds_in_which_all_look_alike_are_cut():
    # the means part in round 600 and differ by a quarter in round 750
    assert beginning(measured(pair())) == 500
    assert beginning(measured(pair()[:1])) == 1
    assert beginning(measured([pair()[0], pair()[0]])) == 1


def test_of_many_lines_half_have_parted_where_the_axis_begins():
    def lines(levels):
        return [
            result(problems.variant("uniform", f"policy_{i}"), np.minimum(0.5 * ROUNDS, level))
            for i, level in enumerate(levels)
        ]

    # the first parts in round 25, and of many lines most in round 1,250 or later
    few = lines([10.0, 500.0, np.inf])
    many = lines([10.0, *[500.0] * 5, np.inf])
    assert beginning(measured(few)) == 20
    # a round number, and at least a decade before the horizon of 10,000
    assert beginning(measured(many)) == 1000
    axes = regret_figure(many).axes[0]
    assert axes.get_xlim() == (1000, 10_000)
    low, high = axes.get_ylim()
    assert 5.0 < low < 10.0, "so the vertical axis has no room for early rounds either"
    assert high > 5000


def test_zero_regret_can_be_drawn(tmp_path):
    for scale in ("auto", "linear", "log"):
        regret_figure(
            [result("tea", 0.0 * ROUNDS), result("uniform", 0.5 * ROUNDS)],
            tmp_path / "a.png",
            y=scale,
        )
        regret_figure([result("tea", 0.0 * ROUNDS)], tmp_path / "b.png", y=scale)


@pytest.mark.parametrize("count", [1, 12, 30])
def test_names_stand_beside_the_lines_without_overlap(count):
    results = [
        result(problems.variant("uniform", f"policy_{i}"), (0.5 + 0.001 * i) * ROUNDS)
        for i in range(count)
    ]
    figure = regret_figure(results)
    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    assert {text.get_text() for text in texts} == {each.label for each in results}
    boxes = [text.get_window_extent() for text in texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert all(box.x1 <= figure.bbox.x1 for box in boxes)


def test_spread_keeps_order_distance_and_bounds():
    rng = np.random.default_rng(1)
    for count in range(1, 12):
        wanted = rng.random(count).tolist()
        places = spread(wanted, 0.08)
        assert np.argsort(places).tolist() == np.argsort(wanted).tolist()
        assert np.diff(sorted(places)).min(initial=1.0) >= 0.08 - 1e-12
        assert min(places) >= 0.0
        assert max(places) <= 1.0


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "factored-bandits\[plot\]"'):
        regret_figure(pair())


def test_pyplot_is_never_imported(tmp_path):
    code = (
        "import sys, factored_bandits as fb\n"
        "from factored_bandits.report.charts import curves\n"
        "assert 'matplotlib' not in sys.modules\n"
        "environment = fb.environments.make('table', means=[[0.5]])\n"
        "results = [fb.simulate('uniform', environment, 10, 2, progress=False)]\n"
        f"curves(results).figure({str(tmp_path / 'a.png')!r})\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}
    )


def test_suffixes_are_those_documented():
    assert figures.SUFFIXES == (".png", ".pdf", ".svg")
