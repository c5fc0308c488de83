"""What a reader sees at a glance: few colours, dots with intervals, marks inside the frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import factored_bandits as fb
from factored_bandits.core.stats import Mean
from factored_bandits.report.charts import Peer, curves, finals, peers, profile, slopes, timeline
from factored_bandits.report.charts.peers import ratio_of
from factored_bandits.report.charts.timeline import NEEDED, TICKS
from factored_bandits.report.palette import COLOURS, FAINT, look, looks, stressed_among
from factored_bandits.report.traces import traces

DUELS = ["dts", "vdb", "rmed1", "rmed2", "rucb", "sparring", "multi_sbm", "doubler", "savage"]
MANY = [*DUELS, "dueling_tea", "interleaved_filter", "beat_the_mean"]


def many(arms=(8, 16), spread=0.1):
    """Twelve policies, the first of `MANY` the best; regret in proportion to K."""
    rows = [
        (policy, f"K={k}", str(k), r, t, (i + 1) * k * t**0.5 * (1 + spread * (-1) ** r))
        for i, policy in enumerate(MANY)
        for k in arms
        for r in range(2)
        for t in (10, 100, 1000)
    ]
    columns = ["policy", "problem", "arms", "repetition", "round", "regret"]
    return pd.DataFrame(rows, columns=columns)


CHARTS = {"curves": curves, "slopes": slopes, "profile": profile}


@pytest.mark.parametrize("kind", CHARTS)
def test_all_but_the_papers_and_the_three_best_are_grey(kind):
    panel = CHARTS[kind](many()).panels[0]
    coloured = {line.key for line in panel.lines if not line.quiet}
    assert coloured == {"dueling_tea", *MANY[:3]}
    drawn = [trace for trace in traces(panel) if trace["legendgroup"] in MANY]
    grey = {each["legendgroup"] for each in drawn if each["line"]["color"] == FAINT}
    assert grey == set(MANY) - coloured
    # a quiet line keeps the colour that it has when it is touched
    assert all(each["meta"]["colour"] in COLOURS.values() for each in drawn)
    # and lies below those that have a colour
    assert [each["meta"]["quiet"] for each in drawn] == sorted(
        (each["meta"]["quiet"] for each in drawn), reverse=True
    )


def test_matplotlib_greys_the_same_lines():
    axes = curves(many()).figure().axes[0]
    faint = {line.get_label() for line in axes.lines if line.get_color() == FAINT}
    assert faint == set(MANY[3:]) - {"dueling_tea"}
    named = {text.get_text() for text in axes.texts}
    assert named == {"dueling_tea", *MANY[:3]}, "names stand beside the lines that have a colour"


def test_few_policies_are_all_coloured():
    few = many()
    chart = curves(few[few.policy.isin(MANY[:5])])
    assert not any(line.quiet for line in chart.panels[0].lines)
    assert "grey" not in chart.caption.lower()
    assert "grey: all others" in curves(many()).caption


def test_stressed_algorithms_have_colours_of_their_own():
    rivals = ["tea", "rank1_elim", "rank1_elim_kl", "flat_ucb1", "flat_kl_ucb"]
    drawn = looks(rivals, rivals)
    colours = [drawn[policy].colour for policy in rivals]
    assert len(set(colours)) == len(rivals)
    assert drawn["tea"] == look("tea")
    # variants of one algorithm share its colour, and have a mark of their own
    both = looks(["tea", "tea(bound=betting)"], ["tea", "tea(bound=betting)"])
    assert both["tea"].colour == both["tea(bound=betting)"].colour
    assert both["tea"].marker != both["tea(bound=betting)"].marker


def test_blue_is_for_the_paper():
    blue = COLOURS["blue"]
    own = {name for name in fb.policies.names() if look(name).colour == blue}
    assert own == {"tea", "dueling_tea"}


def test_points_of_slopes_have_marks_of_their_own():
    lines = [line for line in slopes(many()).panels[0].lines if line.bars and not line.quiet]
    assert len({line.look.marker for line in lines}) == len(lines) == 4
    fits = [line for line in slopes(many()).panels[0].lines if line.bars is None]
    assert all(line.look.marker == "" for line in fits), "marks are for what was measured"


def test_stressing_takes_the_best_of_the_ranking():
    assert stressed_among(MANY) == ("dueling_tea", *MANY[:3])
    assert stressed_among(MANY, also=["savage"]) == ("dueling_tea", "savage", *MANY[:3])
    assert stressed_among(MANY[:6]) == tuple(MANY[:6])


def test_dots_are_the_final_means_sorted():
    chart = finals(many())
    for panel, k in zip(chart.panels, (8, 16), strict=True):
        assert [dot.key for dot in panel.dots] == MANY[::-1], "the smallest stands at the top"
        for i, dot in enumerate(reversed(panel.dots)):
            assert dot.value == pytest.approx((i + 1) * k * 1000**0.5)
            assert panel.x.limits[0] < dot.low < dot.value < dot.high < panel.x.limits[1]
    assert [text for _, text in chart.panels[0].y.ticks] == MANY[::-1]


def test_dots_by_policy_keep_the_order_of_the_problems():
    chart = finals(many(arms=(8, 64, 16)), by="policy")
    assert [panel.title for panel in chart.panels] == MANY
    assert [dot.label for dot in chart.panels[0].dots] == ["K=16", "K=64", "K=8"]


def test_both_libraries_draw_the_same_dots():
    chart = finals(many())
    figure = chart.figure()
    for axes, panel in zip(figure.axes, chart.panels, strict=True):
        marks = [line for line in axes.lines if line.get_marker() not in ("None", None, "")]
        drawn = [float(line.get_xdata()[0]) for line in marks]
        np.testing.assert_allclose(drawn, [dot.value for dot in panel.dots])
        told = [trace["x"][0] for trace in traces(panel)]
        np.testing.assert_allclose(told, drawn, rtol=5e-4)
    chart.interactive()  # plotly checks every property


@pytest.mark.parametrize("spread", [0.1, 0.9, 3.0])
@pytest.mark.parametrize("arms", [(8, 16), (8, 16, 512)])
def test_error_bars_and_fits_are_inside_the_frame(arms, spread):
    frame = many(arms, spread).query("policy in ['dts', 'savage']")
    # a fit that is far from its points
    frame.loc[frame.arms == "8", "regret"] *= 0.01
    panel = slopes(frame).panels[0]
    for limits in (panel.y.limits, panel.y.other):
        for line in panel.lines:
            for values in (line.y, *(line.bars or ())):
                assert limits[0] <= values.min()
                assert values.max() <= limits[1]


def test_axes_of_matplotlib_hold_the_bars():
    axes = slopes(many(spread=0.9)).figure().axes[0]
    low, high = axes.get_ylim()
    ends = np.concatenate([path.vertices[:, 1] for c in axes.collections for path in c.get_paths()])
    assert low < ends.min()
    assert ends.max() < high


def test_re_entries_can_be_told_apart():
    events = []
    for level, count in ((1, 270), (2, 3)):
        rounds = np.unique(np.geomspace(1e4, 1e12, 2 * count).astype(np.int64))
        for i, t in enumerate(rounds):
            word = "re-entered" if i % 2 else "eliminated"
            events.append(("tea", 0, int(t), 0, level, word))
    chart = timeline(pd.DataFrame(events, columns=NEEDED), sizes=[3], best=[0], horizon=10**12)
    (panel,) = chart.panels
    assert panel.every == 5
    assert "one tick for 5 re-entries" in chart.caption
    assert sum(len(row.re_entries) for row in panel.rows) == 273, "the data are complete"

    [ticks] = [trace for trace in traces(panel) if trace["legendgroup"] == "re-entry"]
    assert ticks["marker"]["line"]["width"] >= 1.0
    for row in range(3):
        shown = [x for x, y in zip(ticks["x"], ticks["y"], strict=True) if y == row]
        assert len(shown) <= TICKS
        # of some 400 pixels for eight decades, each tick has several of its own
        assert np.diff(np.log10(shown)).min(initial=1.0) * 50 > 2.0
    drawn = [line for line in chart.figure().axes[0].lines if line.get_label() == "_re-entry"]
    assert sum(len(line.get_xdata()) for line in drawn) == len(ticks["x"])


@pytest.mark.xdist_group("page")  # one process runs the comparison
def test_a_timeline_tells_its_story_in_two_sentences(results, eliminations):
    result = results[6][-1]
    chart = timeline(eliminations, sizes=result.sizes, horizon=result.horizon, best=result.best)
    own = [event for event in result.eliminations if event.repetition == 0]
    first = min(event.round for event in own if event.event == "eliminated")
    assert chart.story.count(". ") == 1
    assert chart.story.endswith(".")
    assert f"the first to be eliminated, in round {first:,}" in chart.story
    assert f"{sum(event.event == 're-entered' for event in own):,} time" in chart.story
    texts = " ".join(text.get_text() for text in chart.figure().texts).replace("\n", " ")
    assert chart.story in texts
    assert chart.interactive().layout.title.subtitle.text == chart.story
    assert chart.story in chart.alt


@pytest.mark.xdist_group("page")  # one process runs the comparison
def test_stories_of_several_policies_are_not_told(eliminations):
    two = pd.concat([eliminations, eliminations.assign(policy="tea(bound=betting)")])
    assert timeline(two, sizes=[6, 6]).story == ""


GROUPS = {
    "Duels": [
        Peer("dts", "dts", Mean(0.03, 0.001), 1, "fails"),
        Peer("rucb", "rucb", Mean(1.4, 0.02), 1, "holds"),
        Peer("rmed1", "rmed1", Mean(0.9, 0.2), -1, "undecided"),
    ]
}


def test_peers_show_the_claim_and_the_verdict():
    chart = peers(GROUPS, story="As it is.")
    (panel,) = chart.panels
    assert [dot.key for dot in panel.dots] == ["dts", "rmed1", "rucb"]
    assert [dot.claimed for dot in panel.dots] == [1, -1, 1]
    assert len({dot.look for dot in panel.dots}) == 3, "a colour and a mark for each verdict"
    assert len({dot.look.marker for dot in panel.dots}) == 3
    assert [text for _, text in chart.marks] == ["as the paper says", "not as it says", "undecided"]
    side = next(trace for trace in traces(panel) if trace["legendgroup"] == "claimed")
    low, high = panel.x.limits
    ends = [pair[1] for pair in zip(*[iter(side["x"])] * 3, strict=True)]
    np.testing.assert_allclose(ends, [high, low, high], rtol=1e-3)
    assert [row[3:] for row in chart.numbers[0].rows] == [
        ("more", "as the paper says"),
        ("less", "undecided"),
        ("more", "not as it says"),
    ]


def test_peers_in_both_libraries():
    chart = peers(GROUPS)
    axes = chart.figure().axes[0]
    words = {text.get_text() for text in axes.texts}
    assert {"TEA", "1.4 x", "0.03 x"} <= words
    assert chart.figure().legends[0].get_texts()[0].get_text() == "as the paper says"
    chart.interactive()


def test_ratio_of_paired_runs():
    rng = np.random.default_rng(1)
    base = rng.gamma(20.0, size=400)
    found = ratio_of(2.0 * base + rng.normal(0.0, 0.5, 400), base)
    assert found.value == pytest.approx(2.0, abs=4 * found.error)
    # the noise that both share cancels: 0.5 / sqrt(400) over a mean of 20
    assert found.error == pytest.approx(0.5 / 20 / 20, rel=0.2)
