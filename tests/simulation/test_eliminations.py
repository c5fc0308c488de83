"""When each level was eliminated: counted from events, told in tables."""

from __future__ import annotations

import numpy as np
import pytest

import problems
from factored_bandits.simulation.eliminations import elimination_summaries, elimination_tables


def invented(eliminations, sizes=(3, 2), best=(0, 1), numbers=(0, 1, 5)):
    """A result by hand."""
    regret = np.tile([1.0, 2.0, 3.0], (3, 1))
    return problems.result_of(
        problems.shaped(sizes, best),
        regret,
        np.array([1, 10, 100]),
        eliminations,
        numbers=numbers,
        seed=7,
        name="by hand",
    )


EVENTS = [
    (0, 20, 0, 1, "eliminated"),
    (0, 30, 0, 1, "re-entered"),
    (0, 90, 0, 1, "eliminated"),
    (1, 60, 0, 1, "eliminated"),
    (5, 50, 0, 1, "eliminated"),  # repetition 5: others were cut off by Ctrl-C
    (1, 70, 0, 2, "eliminated"),
    (1, 80, 0, 2, "re-entered"),
]


def test_summaries_count_every_event():
    by_level = {
        (summary.factor, summary.level): summary
        for summary in elimination_summaries(invented(EVENTS))
    }
    assert len(by_level) == 5
    assert by_level[0, 0]._asdict() == {
        **{"factor": 0, "level": 0, "best": True, "first_eliminated": None},
        **{"eliminated_share": 0.0, "re_entries": 0.0, "eliminated_at_end": 0.0},
    }
    assert by_level[0, 1][2:] == (False, 50.0, 1.0, 0.0, 1.0)
    assert by_level[0, 2][2:] == (False, None, pytest.approx(1 / 3), 0.0, 0.0)
    assert by_level[1, 1].best


def test_elimination_table_has_a_row_per_level():
    (table,) = elimination_tables(invented(EVENTS), ["ad", "position"])
    assert table.columns == (
        "level",
        "ad: eliminated",
        "re-entered",
        "position: eliminated",
        "re-entered",
    )
    assert table.rows == [
        ("0", "best: never", "", "never", ""),
        ("1", "50", "0x", "best: never", ""),
        ("2", "seldom (in 1 of 3)", "0x", "", ""),
    ]


def test_large_factors_are_summarised():
    events = [(r, 100 + level, 0, level, "eliminated") for r in (0, 1, 5) for level in range(1, 40)]
    (table,) = elimination_tables(invented(events, sizes=(40, 2)), ["ad", "position"])
    assert [row[:2] for row in table.rows] == [
        ("the best level", "best: never"),
        ("first of the others", "101"),
        ("median of the others", "120"),
        ("last of the others", "139"),
    ]


def test_many_factors_get_several_tables():
    result = invented([], sizes=(2,) * 5, best=(0,) * 5)
    assert [len(table.columns) for table in elimination_tables(result, list("abcde"))] == [7, 5]
