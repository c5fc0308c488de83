"""Tables with bars as HTML: lengths, escapes, and an end where nobody would read on."""

from __future__ import annotations

import math
import re

from factored_bandits.core.markup import MOST_ROWS, Bar, bars_of, table_html
from factored_bandits.core.table import Table


def test_bars_are_as_long_as_the_values_and_never_longer_than_full():
    values = [2.0, 8.0, 0.0, -1.0, math.inf, math.nan, None]
    shares = [None if bar is None else bar.share for bar in bars_of(values)]
    assert shares == [0.25, 1.0, 0.0, 0.0, 1.0, None, None]
    assert bars_of([0.0, 0.0]) == [Bar(0.0), Bar(0.0)]
    assert bars_of([1.0, 2.0], faint=[True, False]) == [Bar(0.5, True), Bar(1.0, False)]
    assert bars_of([]) == []


def test_every_text_is_escaped():
    bad = "<i onclick='x'>&\"</i>"
    shown = table_html(Table(bad, (bad, "n"), [(bad, bad)], bad), {"n": [Bar(0.5)]})
    assert "<i" not in shown
    assert shown.count("&lt;i onclick=&#x27;x&#x27;&gt;&amp;&quot;&lt;/i&gt;") == 5


def test_a_bar_stands_beside_its_cell_below_a_heading_of_both():
    shown = table_html(Table("", ("a", "n"), [("x", "1"), ("y", "-")]), {"n": [Bar(0.5), None]})
    assert re.findall(r'<th colspan="2"[^>]*>n</th>', shown)
    assert [row.count("<td") for row in re.findall(r"<tr.*?</tr>", shown)[1:]] == [3, 3]
    assert shown.count("width:50.0%") == 1


def test_of_very_many_rows_the_first_ones_are_shown():
    rows = [(f"row {i}",) for i in range(MOST_ROWS + 1234)]
    shown = table_html(Table("", ("name",), rows), {"name": bars_of([1.0] * len(rows))})
    assert shown.count("<tr") == MOST_ROWS + 1
    assert f"row {MOST_ROWS - 1}<" in shown
    assert "1,234 more rows; print it to see them" in shown
