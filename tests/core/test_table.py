"""Tables that are wider than the terminal."""

from __future__ import annotations

import pytest

from factored_bandits.core.table import Table

TABLE = Table(
    "How each of them fared in the end",
    ("policy", "mean regret", "what it assumes"),
    [("tea", "213", "uniform identifiability"), ("unimodal_thompson", "1,047", "")],
    "horizon 1,000; 3 repetitions; seed 0",
    align="lrl",
)


@pytest.mark.parametrize("width", [40, 50, 60])
def test_no_line_is_longer_than_the_terminal(width):
    assert max(map(len, TABLE.fitted(width).splitlines())) <= width


def test_a_table_that_fits_is_left_alone():
    assert TABLE.fitted(100) == str(TABLE)


def test_every_word_of_a_narrow_table_is_there():
    shown = TABLE.fitted(40)
    for row in (TABLE.columns, *TABLE.rows, (TABLE.title, TABLE.caption)):
        for word in " ".join(row).split():
            assert word in shown


def test_a_cell_longer_than_a_line_is_folded_not_lost():
    narrow = Table("", ("name", "value"), [("x" * 50, "1")])
    assert narrow.fitted(20).replace("name", "").replace(" ", "").replace("\n", "") == (
        "x" * 50 + "value1"
    )


def test_an_empty_table():
    assert Table("", ("a long name", "another"), []).fitted(5) == ""
