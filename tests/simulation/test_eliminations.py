"""When each level was ruled out: counted from events, told in tables."""

from __future__ import annotations

import numpy as np
import pytest

from factored_bandits.simulation.eliminations import elimination_summaries, elimination_tables
from factored_bandits.simulation.result import Elimination, Result


def invented(eliminations, sizes=(3, 2), best=(0, 1)):
    """A result by hand."""
    regret = np.tile([1.0, 2.0, 3.0], (3, 1))
    return Result(
        policy="tea",
        problem="by hand",
        unit="reward",
        seed=7,
        sizes=sizes,
        checkpoints=np.array([1, 10, 100]),
        regret=regret,
        correct=np.ones(regret.shape, dtype=bool),
        plays=[],
        eliminations=[Elimination(*event) for event in eliminations],
        best=best,
    )


EVENTS = [
    (0, 20, 0, 1, "out"),
    (0, 30, 0, 1, "in"),
    (0, 90, 0, 1, "out"),
    (1, 60, 0, 1, "out"),
    (5, 50, 0, 1, "out"),  # repetition 5: others were cut off by Ctrl-C
    (1, 70, 0, 2, "out"),
    (1, 80, 0, 2, "in"),
]


def test_fates_count_every_event():
    by_level = {
        (summary.factor, summary.level): summary
        for summary in elimination_summaries(invented(EVENTS), 2)
    }
    assert len(by_level) == 5
    assert by_level[0, 0]._asdict() == {
        **{"factor": 0, "level": 0, "best": True, "first_out": None},
        **{"out_share": 0.0, "returns": 0.0, "out_at_end": 0.0},
    }
    assert by_level[0, 1][2:] == (False, 50.0, 1.0, 0.0, 1.0)
    assert by_level[0, 2][2:] == (False, None, pytest.approx(1 / 3), 0.0, 0.0)
    assert by_level[1, 1].best


def test_elimination_table_has_a_row_per_level():
    (table,) = elimination_tables(invented(EVENTS), ["ad", "position"])
    assert table.columns == (
        "level",
        "ad: ruled out",
        "came back",
        "position: ruled out",
        "came back",
    )
    assert table.rows == [
        ("0", "best: never", "", "never", ""),
        ("1", "50", "0x", "best: never", ""),
        ("2", "seldom (out in 1 of 3)", "0x", "", ""),
    ]


def test_large_factors_are_summarised():
    events = [(r, 100 + level, 0, level, "out") for r in range(3) for level in range(1, 40)]
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
