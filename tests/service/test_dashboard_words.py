"""What the dashboard says: the health of data, and which level is ruled out next."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from factored_bandits.service.dashboard.health import findings, worst
from factored_bandits.service.dashboard.levels import LevelRow, next_elimination
from factored_bandits.service.tallies import Shape, Tally


def tally(**changed):
    made = Tally.empty(Shape((2, 2), False, 60_000_000))
    for name, value in changed.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("counted", "unlogged", "grade", "said"),
    [
        ({"asks": 100}, {}, "bad", "100 decisions and not one reward"),
        ({"asks": 10}, {}, "calm", "No decision is settled yet"),
        ({"asks": 100, "tells": 90, "settled": 90}, {}, "good", "0% of the settled"),
        ({"asks": 100, "tells": 90, "lates": 5}, {}, "bad", "Your window is too short: 5.3%"),
        ({"asks": 100, "tells": 90, "slow": 9}, {}, "warn", "Your window is too short: 10%"),
        ({"asks": 100, "tells": 90}, {"duplicate": 60}, "warn", "60, 40% of all that arrived"),
        ({"asks": 100, "tells": 90}, {"conflict": 2}, "bad", "two different rewards"),
        ({"asks": 100, "tells": 90}, {"unknown": 5}, "bad", "never given out"),
        ({"asks": 100, "tells": 90}, {"refused": 1}, "bad", "declared range"),
    ],
)
def test_the_health_of_data_in_words(counted, unlogged, grade, said):
    found = worst(findings(tally(**counted), unlogged, 60.0, 0.0))
    assert found.grade == grade
    assert said in found.sentence


def row(**changed):
    empty = dict.fromkeys(LevelRow._fields)
    return LevelRow(**{**empty, "factor": "f", "level": "B", "active": True, **changed})


def test_the_next_elimination():
    # twice as many plays shrink the bound by the square root of two
    rows = {"f": [row(leads=True), row(gap=0.1, lower=-0.1), row(level="C", gap=0.1, lower=-0.2)]}
    assert next_elimination(rows, 1000, 0.05) == ("f", "B", pytest.approx(3000.0))
    # a p-value of the square root of alpha is half of the way
    rows = {"f": [row(p_value=0.05**0.5)]}
    assert next_elimination(rows, 1000, 0.05).decisions == pytest.approx(1000.0)
    assert next_elimination({"f": [row(active=False, gap=1, lower=0.5)]}, 1000, 0.05) is None
    assert next_elimination({"f": [row()]}, 0, 0.05) is None
