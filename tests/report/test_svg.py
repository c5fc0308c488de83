"""Charts as SVG: well-formed, escaped, with words for those who cannot see them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from factored_bandits.report.chart import Axis, Chart, Line, Panel, Row
from factored_bandits.report.palette import COLOURS, DASHES, Look
from factored_bandits.report.svg import sparkline, svg

NAME = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>x</script>\"'&"
BLUE = Look(COLOURS["blue"], (), "")
RED = Look(COLOURS["vermillion"], DASHES["dashed"], "")


def lines(**changed):
    x = np.array([0.0, 5.0, 10.0])
    axis = changed.pop("x", Axis("time", (0.0, 10.0)))
    first = Line("a", HOSTILE, BLUE, x, np.array([1.0, np.nan, 3.0]), x * 0, x * 0 + 4)
    second = Line("b", "other", RED, x, np.array([1.0, 2.0, 3.0]))
    panel = Panel(HOSTILE, axis, Axis("y", (0.0, 4.0)), lines=(first, second), alt="goes up")
    return Chart("one", HOSTILE, "caption", (panel,), **changed)


def rows():
    spans = (
        Row(HOSTILE, ((0.0, 4.0), (6.0, 8.0)), (6.0,), False),
        Row("best", ((0.0, 10.0),), (), True),
    )
    axis = Axis("time", (0.0, 10.0))
    panel = Panel("factor", axis, Axis("", (0.0, 1.0)), rows=spans, alt="best active")
    return Chart("two", "lanes", "caption", (panel, panel))


@pytest.mark.parametrize("chart", [lines(), rows()], ids=["lines", "rows"])
@pytest.mark.parametrize("width", [340, 1080])
def test_it_is_one_element_that_says_what_it_shows(chart, width):
    root = ET.fromstring(svg(chart, width, "name"))
    assert root.tag == f"{NAME}svg"
    assert root.get("role") == "img"
    ids = root.get("aria-labelledby").split()
    told = {each.get("id"): each.text for each in root if each.get("id")}
    assert [told[each] for each in ids] == [chart.title, chart.alt]
    assert root.get("viewBox").split()[2] == str(width)
    every = list(root.iter())
    assert not any(each.tag == f"{NAME}script" for each in every)
    # a policy of pages allows no styles in attributes
    assert not any("style" in each.attrib or "onload" in each.attrib for each in every)
    for each in every:
        if each.tag == f"{NAME}text":
            assert -1 <= float(each.get("x")) <= width + 1


def test_lines_are_where_their_numbers_are():
    root = ET.fromstring(svg(lines(), 500))
    paths = [each for each in root.iter(f"{NAME}path") if each.get("stroke-dasharray")]
    first = next(each for each in paths if each.get("d").count("L") == 2)
    points = [tuple(map(float, each.split())) for each in first.get("d")[1:].split("L")]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2)
    assert y0 > y2  # up is up
    assert first.get("class") == "c-vermillion"
    # a gap in the numbers is none in the line, and the band is there
    bands = [each for each in root.iter(f"{NAME}path") if each.get("fill-opacity")]
    assert len(bands) == 1


def test_lanes_begin_and_end_with_their_spans():
    root = ET.fromstring(svg(rows(), 500))
    bars = list(root.iter(f"{NAME}rect"))
    assert len(bars) == 6
    best = next(each for each in bars if each.get("class") == "f-green")
    short = next(each for each in bars if each.get("class") == "f-blue")
    assert float(short.get("width")) == pytest.approx(0.4 * float(best.get("width")), abs=0.2)
    assert short.get("x") == best.get("x")
    marks = [each for each in root.iter(f"{NAME}path") if each.get("class") == "c-vermillion"]
    assert len(marks) == 2


def test_an_axis_of_powers():
    axis = Axis("n", (1.0, 1000.0), log=True)
    text = svg(lines(x=axis), 500)
    for shown in (">1<", ">10<", ">100<", ">1000<"):
        assert shown in text


def test_a_sparkline():
    root = ET.fromstring(sparkline([0.0, float("nan"), 1.0], HOSTILE))
    assert root.get("aria-label") == HOSTILE
    path = root.find(f"{NAME}path").get("d")
    assert path.count("L") == 1
    assert ET.fromstring(sparkline([], "nothing")).find(f"{NAME}path") is None
    assert "nan" not in sparkline([2.0, 2.0], "level")
