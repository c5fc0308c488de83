"""The page in a real browser, opened from disk: quiet, alone, and its buttons do what they say."""

from __future__ import annotations

import itertools
import time

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
from browser import PATIENCE, Browser, executable

pytestmark = pytest.mark.xdist_group("page")  # one process makes the page
GROWTH, LARGEST = "#chart-growth", "#chart-largest"


@pytest.fixture(scope="module")
def browser():
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium on this machine; `.ci/run` installs it where it may")
    with Browser(program) as found:
        yield found


# What a reader could have changed on a page, in charts and out of them.
CHANGEABLE = """JSON.stringify({
    theme: [document.documentElement.dataset.theme, {...localStorage}],
    pressed: [...document.querySelectorAll('[aria-pressed]')].map((each) => each.ariaPressed),
    unfolded: [...document.querySelectorAll('details')].map((each) => each.open),
    charts: SELECTORS.flatMap((each) => [...document.querySelectorAll(each + ' .plot')]).map(
        ({data, _fullLayout: {xaxis, yaxis}}) => [
            xaxis.type, xaxis.range, yaxis.type, yaxis.range,
            data.map((trace) => [trace.visible, trace.x.length, trace.line && trace.line.color]),
        ]),
})"""


def opened_once(browser, path, figures, **options):
    """The page with these charts drawn: that of the test before, if it is as it was at first."""
    changeable = CHANGEABLE.replace("SELECTORS", str(figures))
    if browser.opened == (path, options):
        browser.run("document.activeElement.blur()")
        browser.page.mouse.move(5, 5)
        if browser.run(changeable) == browser.untouched:
            return browser

    browser.open(path, **options)
    for figure in figures:
        browser.run(f"document.querySelector('{figure}').scrollIntoView({{behavior: 'instant'}})")
        browser.wait(drawn(figure))
    browser.untouched = browser.run(changeable)
    return browser


@pytest.fixture
def opened(browser, page):
    """The page, with the first two charts drawn and the second in view."""
    opened_once(browser, page, [GROWTH, LARGEST])
    browser.run(f"document.querySelector('{LARGEST}').scrollIntoView({{behavior: 'instant'}})")
    return browser


def crowd_of(browser, busy, width):
    """The page with many policies, on a screen of this width."""
    options = {"width": width, "height": 2000, "phone": width < 500}
    return opened_once(browser, busy, ["#chart-many", "#chart-ends"], **options)


@pytest.fixture
def crowd(browser, busy):
    return crowd_of(browser, busy, 1280)


ALL_DRAWN = "[...document.querySelectorAll('figure.chart')].every((figure) => figure.dataset.drawn)"


def drawn(figure):
    return f"document.querySelector('{figure}').dataset.drawn === 'yes'"


def traces(browser, figure, panel=0):
    """Of each trace of a panel: the policy, whether it is visible, its colour, and whether it is of
    single runs.
    """
    return browser.run(
        f"document.querySelectorAll('{figure} .plot')[{panel}].data.map((trace) => "
        "({key: trace.legendgroup, visible: trace.visible, colour: trace.line.color, runs: "
        "trace.meta === 'runs', "
        "points: trace.x.length}))"
    )


def layout(browser, figure, what, panel=0):
    return browser.run(f"document.querySelectorAll('{figure} .plot')[{panel}]._fullLayout.{what}")


def curves_on_screen(browser, figure):
    """How many lines the first panel really shows."""
    return browser.run(
        f"[...document.querySelectorAll('{figure} .plot')[0].querySelectorAll('.scatterlayer "
        ".js-line')]"
        ".filter((line) => line.getBBox().width > 0 && "
        "parseFloat(getComputedStyle(line).strokeWidth) > 0.5).length"
    )


def chip(figure, policy):
    return f'{figure} .chip[data-key="{policy}"]'


def test_no_errors_and_no_network(browser, page):
    browser.open(page, height=6000)
    browser.wait(ALL_DRAWN)
    assert browser.errors == []
    assert browser.requests == [page.as_uri()]
    assert browser.run(
        "[...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('.main-svg'))"
    )
    assert curves_on_screen(browser, LARGEST) == 3


def test_an_error_would_have_been_noticed(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text('<img src="missing.png"><script>console.error("one"); nowhere.two</script>')
    browser.open(bad)
    browser.wait("document.images[0].complete")
    browser.run("1")
    assert len(browser.errors) == 3
    assert len(browser.requests) == 2


def test_a_name_hides_its_curve_in_every_panel(opened):
    opened.click(chip(GROWTH, "flat_ucb1"))
    for panel in range(3):
        shown = {trace["key"]: trace["visible"] for trace in traces(opened, GROWTH, panel)}
        assert shown == {"uniform": True, "flat_ucb1": False, "tea": True}
    assert curves_on_screen(opened, GROWTH) == 2
    assert (
        opened.run(
            f"document.querySelector('{chip(GROWTH, 'flat_ucb1')}').getAttribute('aria-pressed')"
        )
        == "false"
    )
    assert curves_on_screen(opened, LARGEST) == 3, "other figures stay as they are"
    opened.click(chip(GROWTH, "flat_ucb1"))
    assert curves_on_screen(opened, GROWTH) == 3


def test_two_clicks_leave_one_curve(opened):
    opened.click(chip(LARGEST, "tea"), times=2)
    assert curves_on_screen(opened, LARGEST) == 1
    opened.click(f'{LARGEST} [data-do="all"]')
    assert curves_on_screen(opened, LARGEST) == 3
    opened.click(f'{LARGEST} [data-do="all"]')
    assert curves_on_screen(opened, LARGEST) == 0
    opened.click(f'{LARGEST} [data-do="all"]')
    assert curves_on_screen(opened, LARGEST) == 3


def test_log_and_linear(opened):
    before = layout(opened, LARGEST, "yaxis.type")
    limits = layout(opened, LARGEST, "yaxis.range")
    opened.click(f'{LARGEST} [data-do="log"]')
    assert {before, layout(opened, LARGEST, "yaxis.type")} == {"log", "linear"}
    assert layout(opened, LARGEST, "xaxis.type") == "log"
    opened.click(f'{LARGEST} [data-do="log"]')
    assert layout(opened, LARGEST, "yaxis.type") == before
    assert layout(opened, LARGEST, "yaxis.range") == pytest.approx(limits)


def test_every_run(opened, results):
    assert not any(trace["runs"] for trace in traces(opened, LARGEST))
    opened.click(f'{LARGEST} [data-do="runs"]')
    runs = {trace["key"]: trace["points"] for trace in traces(opened, LARGEST) if trace["runs"]}
    assert set(runs) == {"uniform", "flat_ucb1", "tea"}
    assert set(runs.values()) == {4 * (len(results[6][0].checkpoints) + 1)}, (
        "four repetitions, and a gap after each"
    )
    assert curves_on_screen(opened, LARGEST) == 3 + 3 * 4
    opened.click(f'{LARGEST} [data-do="runs"]')
    assert curves_on_screen(opened, LARGEST) == 3


def test_hovering_tells_the_numbers(opened, results):
    place = opened.run(
        f"(() => {{ const plot = document.querySelector('{LARGEST} .plot');"
        "plot.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const box = plot.getBoundingClientRect(), all = plot._fullLayout;"
        "const trace = plot.data.find((each) => each.legendgroup === 'uniform' && each.customdata);"
        "const i = trace.x.length - 4;"
        "return [box.x + all.xaxis._offset + all.xaxis.d2p(trace.x[i]),"
        " box.y + all.yaxis._offset + all.yaxis.d2p(trace.y[i])]; })()"
    )
    opened.page.mouse.move(*place, steps=5)
    opened.wait(f"document.querySelector('{LARGEST} .hovertext') !== null")
    told = opened.run(f"document.querySelector('{LARGEST} .hovertext').textContent")
    assert any(policy in told for policy in ("uniform", "flat_ucb1", "tea"))
    assert "middle 80 %" in told


def test_zoom_and_back(opened):
    limits = layout(opened, LARGEST, "xaxis.range")
    plot = opened.page.locator(f"{LARGEST} .plot .nsewdrag").bounding_box()
    opened.page.mouse.move(plot["x"] + 100, plot["y"] + 50)
    opened.page.mouse.down()
    opened.page.mouse.move(plot["x"] + 300, plot["y"] + 150)
    opened.page.mouse.up()
    opened.wait(
        f"document.querySelector('{LARGEST} .plot')._fullLayout.xaxis.range[0] > {limits[0]} + 0.1"
    )
    opened.click(f'{LARGEST} [data-do="runs"]')
    assert layout(opened, LARGEST, "xaxis.range")[0] > limits[0] + 0.1, (
        "other buttons keep the zoom"
    )
    until = time.monotonic() + PATIENCE
    while layout(opened, LARGEST, "xaxis.range")[0] != limits[0]:
        assert time.monotonic() < until, "a double click does not lead back"
        # a busy machine may be too slow for the 300 ms of plotly
        opened.click(f"{LARGEST} .plot .nsewdrag", times=2)
        opened.page.wait_for_timeout(500)
    opened.click(f'{LARGEST} [data-do="runs"]')


def test_dark_by_button_and_by_wish(opened, page):
    def ground():
        return opened.run("getComputedStyle(document.body).backgroundColor")

    def colours():
        return {
            trace["key"]: trace["colour"] for trace in traces(opened, LARGEST) if "colour" in trace
        }

    light, lines = ground(), colours()
    assert lines["tea"] == "#0072B2"
    opened.click("#theme")
    dark = ground()
    assert dark != light
    assert colours()["tea"] == "#3FA2E0"
    assert layout(opened, LARGEST, "font.color") == "#e6e9ed"
    opened.click("#theme")
    assert (ground(), colours()) == (light, lines)
    opened.run("localStorage.clear()")
    opened.open(page, height=2500, dark=True)
    opened.wait(drawn(LARGEST))
    assert ground() == dark
    assert colours()["tea"] == "#3FA2E0"
    opened.wish(dark=False)
    opened.wait(
        f"document.querySelector('{LARGEST} .plot').data.some((trace) => trace.line.color === "
        "'#0072B2')"
    )
    assert (ground(), colours()) == (light, lines)


def test_a_keyboard_is_enough(opened):
    opened.run(f"document.querySelector('{chip(LARGEST, 'tea')}').focus()")
    opened.press("Enter")
    assert curves_on_screen(opened, LARGEST) == 2
    opened.press("Tab")
    assert opened.run("document.activeElement.className") == "chip"
    opened.press(" ")
    assert curves_on_screen(opened, LARGEST) == 1
    opened.run(f"document.querySelector('{LARGEST} summary').focus()")
    opened.press("Enter")
    assert opened.run(f"document.querySelector('{LARGEST} details').open")
    rows = opened.run(f"document.querySelectorAll('{LARGEST} details tbody tr').length")
    assert rows == 3
    opened.press("Enter")
    opened.click(f'{LARGEST} [data-do="all"]')
    assert curves_on_screen(opened, LARGEST) == 3


def test_everything_has_a_name_for_those_who_cannot_see_it(opened):
    nameless = opened.run(
        "[...document.querySelectorAll('button, a, .plot, [role]')].filter((each) => "
        "!(each.getAttribute('aria-label') || each.textContent).trim() && "
        "!each.closest('svg')).length"
    )
    assert nameless == 0


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_figure_is_on_the_first_screen(browser, page, width, height):
    browser.open(page, width=width, height=height, phone=width < 500)
    browser.wait(drawn("#chart-peers"))
    top = browser.run("document.querySelector('#chart-peers .plot').getBoundingClientRect().top")
    assert top < height / 2
    assert browser.run("document.querySelector('#claims').getBoundingClientRect().top") > top


STROKES = (
    "Object.fromEntries(document.querySelector('#chart-many .plot')._fullData"
    ".filter((trace) => trace.meta && trace.meta.end).map((trace) => [trace.legendgroup,"
    " getComputedStyle(document.querySelector(`#chart-many .trace${trace.uid} .js-line`)).stroke]))"
)
FAINT = "rgb(179, 183, 188)"


def test_grey_until_touched(crowd):
    browser = crowd
    before = browser.run(STROKES)
    grey = {key for key, stroke in before.items() if stroke == FAINT}
    assert grey == {"savage", "doubler", "sparring"}
    assert len({before[key] for key in before if key not in grey}) == 4, "each its own colour"

    # by the keyboard
    browser.run(f"document.querySelector('{chip('#chart-many', 'rucb')}').focus()")
    browser.press("Tab")
    assert browser.run("document.activeElement.textContent") == "3 in grey"
    browser.press("Tab")
    key = browser.run("document.activeElement.dataset.key")
    assert key in grey
    assert browser.run(STROKES)[key] != FAINT
    browser.press("Shift+Tab")
    assert browser.run(STROKES) == before

    # by the mouse, at the name
    browser.page.hover(chip("#chart-many", "savage"))
    assert browser.run(STROKES)["savage"] != FAINT
    browser.page.mouse.move(5, 5)
    assert browser.run(STROKES) == before


def test_a_grey_dot_has_its_colour_while_the_mouse_is_on_it(crowd):
    browser = crowd
    which = (
        "document.querySelector('#chart-ends .plot')._fullData"
        ".find((trace) => trace.legendgroup === 'savage').uid"
    )
    point = f"document.querySelector(`#chart-ends .trace${{{which}}} .point`)"
    assert browser.run(f"getComputedStyle({point}).fill") == FAINT
    place = browser.run(
        f"(() => {{ const box = {point}.getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    browser.page.mouse.move(*place, steps=5)
    browser.wait("document.querySelector('#chart-ends .hovertext') !== null")
    assert "savage" in browser.run("document.querySelector('#chart-ends .hovertext').textContent")
    assert browser.run(f"getComputedStyle({point}).fill") != FAINT


NAMES = (
    "[...document.querySelectorAll('#chart-many .annotation')].map((each) =>"
    " { const box = each.getBoundingClientRect();"
    " return [each.textContent.replace('━', '').trim(),"
    " box.left, box.top, box.right, box.bottom]; })"
)


@pytest.mark.parametrize("width", [1280, 390])
def test_names_stand_at_the_ends_of_the_lines(browser, busy, width):
    crowd_of(browser, busy, width)
    found = sorted(browser.run(NAMES), key=lambda name: name[2])
    assert sorted(name[0] for name in found) == ["dts", "dueling_tea", "rmed1", "rucb"]
    assert all(0 <= name[1] < name[3] <= width for name in found)
    tops = [name[2] for name in found]
    assert min(b - a for a, b in itertools.pairwise(tops)) >= 11.0, "they do not overlap"
    folded = browser.run("!document.querySelector('#chart-many .rest').open")
    assert folded == (width < 500), "a phone has no room for the names of grey lines"
    # one that is hidden loses its name
    browser.click(chip("#chart-many", "dts"))
    assert "dts" not in {name[0] for name in browser.run(NAMES)}


@pytest.mark.parametrize("width", [320, 800])
def test_a_phone_does_not_scroll_sideways(browser, page, width):
    browser.open(page, width=width, height=12_000, phone=True)
    browser.wait(ALL_DRAWN)
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.run("document.documentElement.scrollWidth") <= width
    widest = browser.run(
        "Math.max(...[...document.querySelectorAll('.plot')].map((each) => each.scrollWidth))"
    )
    assert widest <= width
    assert browser.errors == []


def test_charts_are_drawn_when_they_come_into_view(browser, page):
    browser.open(page, height=300)
    browser.wait(drawn("#chart-peers"))
    assert not browser.run("document.querySelector('#chart-within').dataset.drawn")
    browser.run("document.querySelector('#chart-within').scrollIntoView({behavior: 'instant'})")
    browser.wait(drawn("#chart-within"))
