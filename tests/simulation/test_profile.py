"""Performance profiles: shares by hand, the order of policies, and the figure."""

from __future__ import annotations

import math

import pytest

from factored_bandits.errors import InvalidInputError
from factored_bandits.report.charts import profile
from factored_bandits.simulation.profile import factors, profile_table, share

REGRETS = {
    "one": {"tea": 100.0, "flat_ucb1": 150.0, "uniform": 5000.0},
    "two": {"tea": 300.0, "flat_ucb1": 100.0, "uniform": 1000.0},
    "three": {"tea": 50.0, "uniform": 100.0},
}


def test_factors_and_shares():
    found = factors(REGRETS)
    assert found == {
        "tea": [1.0, 3.0, 1.0],
        "flat_ucb1": [1.5, 1.0, math.inf],
        "uniform": [50.0, 10.0, 2.0],
    }
    assert [share(found["tea"], x) for x in (1.0, 2.9, 3.0)] == pytest.approx([2 / 3, 2 / 3, 1.0])
    assert share(found["flat_ucb1"], 1e9) == pytest.approx(2 / 3)


def test_a_best_without_regret():
    assert factors({"one": {"a": 0.0, "b": 0.0, "c": 1.0}}) == {
        "a": [1.0],
        "b": [1.0],
        "c": [math.inf],
    }


def test_table():
    table = profile_table(REGRETS)
    rows = {row[0]: row[1:] for row in table.rows}
    assert [row[0] for row in table.rows] == ["tea", "flat_ucb1", "uniform"]
    assert rows["tea"] == ("67%", "67%", "67%", "100%", "100%", "100%", "3.0", "3 of 3")
    assert rows["flat_ucb1"] == ("33%", "67%", "67%", "67%", "67%", "67%", "1.5", "2 of 3")
    assert rows["uniform"] == ("0%", "0%", "33%", "33%", "33%", "67%", "50.0", "3 of 3")


def test_the_lines_are_the_shares(tmp_path):
    path = tmp_path / "profile.png"
    figure = profile(REGRETS, caption="three problems").figure(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    axes = figure.axes[0]
    for line in axes.lines:
        if line.get_label() in factors(REGRETS):
            assert line.get_drawstyle() == "steps-post"
            for x, y in line.get_xydata():
                assert y == pytest.approx(share(factors(REGRETS)[line.get_label()], x))
    assert axes.get_xlim() == (1.0, 100.0)
    assert "three problems" in [text.get_text() for text in figure.texts]


def test_the_same_results_give_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        profile(REGRETS).figure(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_nothing_to_draw():
    with pytest.raises(InvalidInputError, match="regrets is empty"):
        profile({})
    with pytest.raises(InvalidInputError, match="ends in"):
        profile(REGRETS).figure("profile.gif")
