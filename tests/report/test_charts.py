"""Charts as data: what was measured is what is in them, whoever draws them."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest

import factored_bandits as fb
from factored_bandits.core.stats import log_log_slope
from factored_bandits.errors import InvalidInputError
from factored_bandits.report.charts import (
    assumption,
    certified,
    curves,
    finals,
    fitted,
    overlay,
    profile,
    quality,
    slopes,
    timeline,
)
from factored_bandits.report.charts._measured import measured
from factored_bandits.report.charts.timeline import NEEDED
from factored_bandits.report.html.fragments import RUN_POINTS, points_per_run, view_of
from factored_bandits.report.palette import look
from factored_bandits.report.traces import traces


def test_results_and_their_frame_give_the_same_curves(results, frame):
    by_frame, by_results = curves(frame), curves(results[6])
    assert [panel.title for panel in by_frame.panels] == ["spiked 3", "spiked 4", "spiked 6"]
    for one, other in zip(by_frame.panels[2].lines, by_results.panels[0].lines, strict=True):
        assert one.key == other.key
        for part in ("x", "y", "low", "high", "runs"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    assert one.look == look("tea")


def test_the_order_of_rows_does_not_matter(frame):
    shuffled = frame.sample(frac=1.0, random_state=1)
    found = {(each.problem, each.policy): each.regret for each in measured(shuffled)}
    for each in measured(frame):
        np.testing.assert_array_equal(found[each.problem, each.policy], each.regret)


def test_caption_says_unit_size_horizon_and_repetitions(frame):
    caption = curves(frame).caption
    for fact in (
        "3 problems",
        "K = 3 x 3, 4 x 4, 6 x 6",
        "unit 'reward'",
        "horizon 30,000",
        "4 repetitions",
        "80 %",
    ):
        assert fact in caption


def test_alternative_text_and_numbers_tell_the_ends(results):
    chart = curves(results[6])
    (table,) = chart.numbers
    ends = {each.label: each.summary().mean for each in results[6]}
    order = sorted(ends, key=ends.get)
    assert [row[0] for row in table.rows] == order
    assert float(table.rows[0][1].replace(",", "")) == pytest.approx(ends[order[0]], rel=0.01)
    places = [chart.alt.index(f"{policy} ") for policy in order]
    assert places == sorted(places)


def test_two_experiments_with_the_same_problem_are_two_panels(frame):
    twice = pd.concat([frame, frame.assign(experiment="again")])
    titles = [panel.title for panel in curves(twice).panels]
    assert len(titles) == 6
    assert "again: spiked 3" in titles


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda frame: frame.drop(columns="regret"), "no column 'regret'"),
        (lambda frame: pd.concat([frame, frame.head(1)]), "is there twice"),
        (lambda frame: frame.drop(index=frame.index[5]), "different rounds"),
        (lambda frame: frame.assign(horizon=np.arange(len(frame))), "horizon differs"),
        (lambda frame: frame.head(0), "nothing to draw"),
    ],
    ids=["missing column", "twice", "ragged", "horizons", "empty"],
)
def test_frames_that_cannot_be_drawn(frame, change, complaint):
    with pytest.raises(InvalidInputError, match=complaint):
        curves(change(frame))


def power(exponent, noise=0.0):
    """A policy whose regret is 2 K ** exponent, give or take the noise."""
    rows = [
        ("mine", f"{k}", str(k), r, 2.0 * k**exponent + noise * (-1) ** r)
        for k in (8, 16, 32, 64)
        for r in range(4)
    ]
    return pd.DataFrame(rows, columns=["policy", "problem", "arms", "repetition", "regret"]).assign(
        round=10
    )


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0])
def test_slopes_of_powers_are_their_exponents(exponent):
    slope = fitted(power(exponent))["mine"]
    assert slope.value == pytest.approx(exponent, abs=1e-12)
    assert np.exp(slope.intercept) == pytest.approx(2.0)
    assert slope.error == pytest.approx(0.0, abs=1e-12)


def test_the_error_of_a_slope_is_that_of_simulations():
    rng = np.random.default_rng(3)
    sizes = np.array([8.0, 16.0, 32.0])
    found = []
    for _ in range(400):
        finals = [10.0 * k * rng.gamma(50.0, size=20) / 50.0 for k in sizes]
        found.append(log_log_slope(sizes, finals))
    # Known to a share of 1 / sqrt(2 x 399) = 3.5 %.
    spread = np.std([slope.value for slope in found], ddof=1)
    assert np.mean([slope.error for slope in found]) == pytest.approx(spread, rel=4 * 0.035)


def test_slopes_chart(frame):
    chart = slopes(frame)
    points = {line.key: line for line in chart.panels[0].lines if line.bars is not None}
    assert list(points) == ["uniform", "flat_ucb1", "tea"]
    np.testing.assert_array_equal(points["tea"].x, [3, 4, 6])
    last = frame[(frame["round"] == 30_000) & (frame.policy == "tea")].groupby("arms").regret.mean()
    np.testing.assert_allclose(points["tea"].y, [last[k] for k in ("3x3", "4x4", "6x6")])
    assert points["tea"].label == f"tea: {fitted(frame)['tea']}"
    assert [text for _, text in chart.panels[0].x.ticks] == ["3", "4", "6"]


def test_two_problems_of_one_size_have_no_slope(frame):
    with pytest.raises(InvalidInputError, match="one problem per K"):
        slopes(frame.assign(arms="4x4"))
    with pytest.raises(InvalidInputError, match="arms must be such as"):
        slopes(frame.assign(arms="many"))


def test_timeline_is_the_history_of_the_levels(results, eliminations):
    result = results[6][-1]
    chart = timeline(
        eliminations, sizes=result.sizes, horizon=result.horizon, best=result.best, repetition=1
    )
    assert len(chart.panels) == 2
    for factor, panel in enumerate(chart.panels):
        assert sorted(row.label for row in panel.rows) == [str(level) for level in range(6)]
        assert panel.rows[-1].best
        for row in panel.rows:
            own = [
                e
                for e in result.eliminations
                if (e.repetition, e.factor, e.level) == (1, factor, int(row.label))
            ]
            assert list(row.re_entries) == [e.round for e in own if e.event == "re-entered"]
            assert [end for _, end in row.spans if end < result.horizon] == [
                e.round for e in own if e.event == "eliminated"
            ]
            assert [start for start, _ in row.spans][1:] == list(row.re_entries)
    assert any(row.spans[0][1] < result.horizon for row in chart.panels[0].rows), (
        "nothing was eliminated"
    )


def test_a_timeline_without_events(eliminations):
    with pytest.raises(InvalidInputError, match="eliminated anything"):
        timeline(eliminations.head(0))
    with pytest.raises(InvalidInputError, match="no column 'level'"):
        timeline(eliminations.drop(columns="level"))


def test_profile_of_a_frame_is_that_of_its_means(frame):
    last = frame[frame["round"] == 30_000].groupby(["problem", "policy"]).regret.mean()
    regrets = {problem: last[problem].to_dict() for problem in ("spiked 3", "spiked 4", "spiked 6")}
    for one, other in zip(
        profile(frame).panels[0].lines, profile(regrets).panels[0].lines, strict=True
    ):
        assert one.key == other.key
        np.testing.assert_allclose(one.y, other.y)


def test_bounds_belong_to_their_panel(frame):
    rounds = [1, 100, 30_000]
    values = {"problem": "spiked 4", "name": "Theorem 2", "round": rounds, "value": [1e3, 2e3, 4e3]}
    chart = overlay(frame, pd.DataFrame(values))
    assert [len(panel.lines) for panel in chart.panels] == [3, 4, 3]
    line, y = chart.panels[1].lines[-1], chart.panels[1].y
    assert (line.label, line.y.tolist()) == ("Theorem 2", [1e3, 2e3, 4e3])
    assert y.log
    assert y.limits[1] > 4e3
    everywhere = overlay(frame, pd.DataFrame(values).drop(columns="problem"))
    assert [len(panel.lines) for panel in everywhere.panels] == [4, 4, 4]
    with pytest.raises(InvalidInputError, match="no column 'value'"):
        overlay(frame, pd.DataFrame(values).drop(columns="value"))


def boxes(figure, texts):
    return [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]


def apart(found):
    return not any(one.overlaps(other) for one, other in itertools.combinations(found, 2))


@pytest.mark.parametrize("count", [6, 64, 200])
def test_names_of_levels_do_not_overlap(count):
    rows = [("tea", 0, 100 + 7 * level, 0, level, "eliminated") for level in range(1, count)]
    figure = timeline(pd.DataFrame(rows, columns=NEEDED), sizes=[count], best=[0]).figure()
    figure.draw_without_rendering()
    found = boxes(figure, figure.axes[0].get_yticklabels())
    assert len(found) >= 6
    assert apart(found)
    assert min(box.x0 for box in found) >= 0


def test_many_names_are_within_the_figure(frame):
    """Beside the lines that have a colour, and below for all others: each name once."""
    some = frame[frame.policy == "tea"]
    names = fb.policies.names()
    figure = curves(pd.concat([some.assign(policy=name) for name in names])).figure()
    figure.draw_without_rendering()
    caption = figure.texts[-1]
    grey = caption.get_text().replace("\n", " ").partition("In grey: ")[2].rstrip(".").split(", ")

    for axes in figure.axes:
        beside = [text.get_text() for text in axes.texts]
        assert len(beside) <= 5
        assert sorted([*beside, *grey]) == sorted(names)
        found = boxes(figure, axes.texts)
        assert apart(found)
        assert max(box.x1 for box in found) <= figure.bbox.x1
    box = caption.get_window_extent()
    assert box.x1 <= figure.bbox.x1
    assert box.y1 < min(axes.get_tightbbox().y0 for axes in figure.axes)


def test_a_page_with_very_many_runs_keeps_fewer_points_of_each(frame):
    few = curves(frame)
    assert points_per_run([few]) == RUN_POINTS[1]
    many = [few] * 200  # 200 charts of 3 panels, 3 policies and 4 repetitions
    assert points_per_run(many) == 200_000 // (200 * 3 * 3 * 4)
    assert points_per_run([few] * 5000) == RUN_POINTS[0]
    short, whole = (len(json.dumps(view_of(few, points)["data"])) for points in (12, 100))
    assert short < 0.8 * whole


@pytest.mark.parametrize(
    "kind", ["curves", "finals", "slopes", "timeline", "profile", "quality", "overlay"]
)
def test_both_libraries_draw_every_kind(kind, frame, eliminations, tmp_path):
    bounds = pd.DataFrame({"name": "upper bound", "round": [1, 30_000], "value": [1e3, 4e3]})
    chart = {
        "curves": lambda: curves(frame),
        "finals": lambda: finals(frame),
        "slopes": lambda: slopes(frame),
        "timeline": lambda: timeline(eliminations, sizes=[6, 6]),
        "profile": lambda: profile(frame),
        "quality": lambda: quality(frame),
        "overlay": lambda: overlay(frame, bounds),
    }[kind]()
    chart.figure(tmp_path / "chart.png", runs=True)
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    figure = chart.interactive()  # plotly checks every property
    shown = {trace.name for trace in figure.data if trace.showlegend}
    assert shown == {line.label for line in chart.legend().values()}
    assert len(chart.numbers) >= 1


def test_plotly_gets_the_same_numbers(frame):
    panel = curves(frame).panels[0]
    drawn = {trace["legendgroup"]: trace for trace in traces(panel) if trace["showlegend"]}
    for line in panel.lines:
        np.testing.assert_allclose(drawn[line.key]["y"], line.y, rtol=5e-4)  # four digits
        assert drawn[line.key]["line"]["color"] == line.look.colour


# What could be signed in the end


def certifying(policy, problem, rounds):
    options = {"repetitions": 3, "seed": 2, "progress": False, "certify": True}
    return fb.simulate(policy, problem, rounds, **options)


def test_shares_of_wrong_levels_are_counted_without_the_best(monkeypatch):
    """By hand from the p-values of each run, over two problems."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    problems = [fb.environments.spiked(levels, 0.81, gap) for levels, gap in ((3, 0.6), (4, 0.8))]
    results = [certifying("tea(bound=betting)", problem, 300) for problem in problems]

    shares = []
    for result in results:
        ruled_out = [p_values <= 0.05 for p_values in result.p_values]
        right = sum(
            np.delete(factor, best, axis=1).sum()
            for factor, best in zip(ruled_out, result.best, strict=True)
        )
        shares.append(right / (3 * 2 * (result.environment.sizes[0] - 1)))
    assert 0.0 < min(shares) < max(shares)

    chart = certified([*results, certifying("tea", problems[0], 300)])
    quiet, loud = chart.panels[0].dots
    assert (quiet.label, quiet.value) == ("tea", 0.0)
    assert loud.label == "tea betting"
    assert (loud.value, loud.low, loud.high) == (np.mean(shares), min(shares), max(shares))
    assert "ruled out in 0 of 18 cases (factors and runs)" in chart.caption


def test_without_p_values_there_is_nothing_to_sign(results):
    with pytest.raises(InvalidInputError, match="nothing to draw"):
        certified([])
    with pytest.raises(InvalidInputError, match="certify=True"):
        certified(results[6])


def test_a_result_that_is_there_twice_is_refused(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    result = certifying("tea", fb.environments.spiked(levels=2), 20)
    with pytest.raises(InvalidInputError, match="is there twice; give each result once"):
        certified([result, result])


def test_structure_is_counted_by_contexts(tmp_path):
    """By hand: level 0 of the first factor is best beside two of three levels, and so on."""
    table = np.array([[0.9, 0.5, 0.6], [0.2, 0.8, 0.1]])
    crossing = fb.environments.make("table", means=table)
    # first factor: row 0 leads in columns 0 and 2; second: column 0 is best in row 0 only
    expected = (2 / 3 + 1 / 2) / 2
    cycle = np.array([[0.5, 0.6, 0.6, 0.4], [0.4, 0.5, 0.6, 0.6], [0.4, 0.4, 0.5, 0.6]])
    duels = np.vstack([cycle, [0.6, 0.4, 0.4, 0.5]])
    voted = fb.environments.make("duel_matrix", preferences=duels, unit="copeland")

    groups = {"tables": [crossing, fb.environments.spiked(3)], "votes": [voted]}
    chart = assumption(groups)
    contexts, unimodal = chart.panels
    assert {dot.label: dot.value for dot in contexts.dots} == pytest.approx(
        {"tables": (expected + 1.0) / 2, "votes": 2 / 3}
    )
    tables = next(dot for dot in contexts.dots if dot.label == "tables")
    assert (tables.low, tables.high) == pytest.approx((expected, 1.0))
    assert {dot.label: dot.text for dot in contexts.dots} == {
        "tables": "79%, 1 of 2",
        "votes": "67%, 0 of 1",
    }
    # (0, 0) and (1, 1) of the crossing table; duels have no such thing
    assert [(dot.label, dot.text) for dot in unimodal.dots] == [("tables", "1 of 2")]
    assert "1 of 2" in chart.alt
    chart.figure(tmp_path / "chart.png")
    assert len(chart.interactive().data) > 0
    with pytest.raises(InvalidInputError, match="there is nothing to draw"):
        assumption({"none": []})
