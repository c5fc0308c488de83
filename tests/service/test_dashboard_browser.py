"""The dashboard in a real browser: from the form to an elimination, without a reload."""

from __future__ import annotations

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("playwright", reason="playwright drives the browser")
from served import Visitor, serving, shop_at
from surfing import Tab, chromium

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<svg onload=window.hacked=2>",
    "javascript:window.hacked=3",
    "\"><img src=x onerror='window.hacked=4'>",
    "{{ 7 * 7 }}${7*7}</textarea></title>",
)
LARGEST = 400_000  # bytes of a page with everything that it loads
PAGES = ("/", "/new", "/experiments/home", "/experiments/home/audit", "/no-such-page")


@pytest.fixture(scope="module")
def browser():
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a server, and the key of its administrator."""
    place = tmp_path_factory.mktemp("browser") / "shop.db"
    key = shop_at(place, policy="tea(bound=betting)", diagnostics=True)
    with serving(place) as (_, port):
        play(port, key, "home", 600)
        yield port, key


@pytest.fixture
def tab(browser, server):
    made = Tab(browser, f"http://127.0.0.1:{server[0]}")
    made.sign_in(server[1])
    yield made
    made.close()


def play(port, key, experiment, count, first=0, best=("long", "blue")):
    """Decisions with rewards, over HTTP, a hundred at a time."""
    service = Visitor(port, key)
    for start in range(first, first + count, 100):
        body = {"units": [f"unit {i}" for i in range(start, start + 100)]}
        path = f"/v1/experiments/{experiment}/decisions"
        made = service.call("POST", path, body)[1]["decisions"]
        rewards = [
            {
                "token": each["token"],
                "reward": sum(a == b for a, b in zip(each["levels"].values(), best)) / 2,
            }
            for each in made
        ]
        assert service.call("POST", "/v1/rewards", {"rewards": rewards})[0] == 200
    service.close()


def test_from_the_form_to_an_elimination_without_reload(tab, server):
    page = tab.page
    page.click("text=New experiment")
    page.fill("#key", "tea page")
    page.locator("input[name=factor]").nth(0).fill("headline")
    page.locator("textarea[name=levels]").nth(0).fill("short\nlong")
    page.locator("input[name=factor]").nth(1).fill("button")
    page.locator("textarea[name=levels]").nth(1).fill("red\ngreen\nblue")
    page.check("input[value=statement]")
    # the forecast follows while one types
    page.wait_for_selector("#forecast >> text=At 2,000 visitors a day: decided in about")
    before = page.inner_text("#forecast")
    page.fill("#lift", "5")
    page.wait_for_function(
        "before => document.querySelector('#forecast').innerText !== before", arg=before
    )
    page.click("text=Start the experiment")
    page.wait_for_url("**/experiments/tea%20page")
    page.evaluate("window.untouched = true")
    assert "eliminated" not in page.inner_text("#part-levels")

    play(*server, "tea%20page", 2000)
    page.wait_for_selector("#part-levels >> text=Why is short eliminated?")
    page.wait_for_selector("#part-summary >> text=> 99.9% sure")
    page.wait_for_selector("#part-summary >> text=2,000")
    assert page.evaluate("window.untouched")  # the same page all the time
    assert "eliminated" in page.inner_text("#said")  # and a screen reader heard of it

    # what a reader has opened stays open while numbers change
    summary = page.locator("#part-levels summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("#part-levels details[open]").count() == 1
    mark = page.get_attribute("#part-levels", "data-mark")
    play(*server, "tea%20page", 300, 5000)
    page.wait_for_function(
        "mark => document.querySelector('#part-levels').dataset.mark !== mark", arg=mark
    )
    assert page.locator("#part-levels details[open]").count() == 1
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"

    # pause with a reason: buttons and words follow
    page.fill("#reason", "lunch")
    page.click("button[value=pause]")
    page.wait_for_selector("text=Paused: lunch")
    assert page.is_visible("button[value=resume]")
    assert not page.is_visible("button[value=pause]")
    assert tab.errors == []


def test_the_list_follows(tab, server):
    page = tab.page
    page.wait_for_selector("text=long, blue")
    name = page.locator("tr", has_text="home").locator(".of").inner_text()
    play(*server, "home", 100, 10_000)
    page.wait_for_function(
        "old => ![...document.querySelectorAll('.of')].some(e => e.innerText === old)", arg=name
    )
    assert tab.errors == []


def test_hostile_texts_stay_texts(browser, server):
    port, key = server
    service = Visitor(port, key)
    made = service.call("POST", "/v1/keys", {"name": HOSTILE[0], "role": "admin"})[1]["key"]
    body = {
        "key": HOSTILE[3],
        "factors": {HOSTILE[0]: list(HOSTILE), HOSTILE[1]: [HOSTILE[2], HOSTILE[4]]},
        "policy": "tea(bound=betting)",
        "diagnostics": True,
    }
    assert service.call("POST", "/v1/experiments", body)[0] == 201
    arms = {"key": HOSTILE[2], "arms": list(HOSTILE)}
    assert service.call("POST", "/v1/experiments", arms)[0] == 201
    tab = Tab(browser, f"http://127.0.0.1:{port}")
    tab.sign_in(made)
    page = tab.page

    page.click(f"a.name:has-text('{HOSTILE[3][:2]}')")
    quoted = page.url.rpartition("/experiments/")[2]
    play(port, made, quoted, 600, best=(HOSTILE[1], HOSTILE[2]))
    page.wait_for_selector("#part-levels >> text=eliminated")
    page.fill("#reason", HOSTILE[1])
    page.click("button[value=pause]")
    page.wait_for_selector("text=Paused: <svg")
    for summary in page.locator("#part-levels summary").all():
        summary.click()
    page.goto(f"{tab.address}/?search=%3Cscript%3Ewindow.hacked=5%3C/script%3E")
    page.goto(f"{tab.address}/experiments/{quoted}/audit")
    page.goto(f"{tab.address}/sign-in?next=javascript:window.hacked=6")
    page.goto(f"{tab.address}/")
    page.click("a.name:has-text('javascript:')")
    page.wait_for_selector("h1:has-text('javascript:')")

    # what was typed comes again, as text
    page.goto(f"{tab.address}/new")
    page.fill("#key", HOSTILE[4])
    page.locator("input[name=factor]").nth(0).fill(HOSTILE[3])
    page.locator("textarea[name=levels]").nth(0).fill(HOSTILE[4])
    page.click("text=Start the experiment")
    page.wait_for_selector("#failed")
    assert page.input_value("#key") == HOSTILE[4]
    assert page.locator("textarea[name=levels]").nth(0).input_value() == HOSTILE[4]
    assert page.evaluate("window.hacked === undefined")
    mine = [each for each in tab.errors if "422" not in each]  # the form was wrong, on purpose
    assert mine == []
    assert not any(url.rpartition("/")[2] == "x" for url in tab.requests)
    tab.close()
    service.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_axe_finds_nothing_serious(browser, server, dark, phone):
    options = {
        "viewport": {"width": 390 if phone else 1280, "height": 844},
        "color_scheme": "dark" if dark else "light",
    }
    tab = Tab(browser, f"http://127.0.0.1:{server[0]}", **options)
    tab.open("/sign-in")
    assert tab.violations() == []
    tab.sign_in(server[1])
    for path in PAGES:
        tab.open(path)
        for details in tab.page.locator("details").all():
            details.evaluate("each => each.open = true")
        assert tab.violations() == [], path
        width = tab.page.evaluate("document.documentElement.scrollWidth")
        assert width <= options["viewport"]["width"], path
    ours = {url.partition("?")[0] for url in tab.requests if not url.startswith(tab.address)}
    assert ours == set()
    assert [each for each in tab.errors if "404" not in each] == []
    tab.close()


def test_pages_are_light(tab):
    for path in PAGES[:3]:
        found = tab.weight(path)
        kinds = {name.partition("?")[0].rpartition(".")[2] for name in found}
        assert {"css", "js", "svg"} <= kinds, found
        assert all(size > 0 for size in found.values()), found
        assert sum(found.values()) < LARGEST, found


def test_the_keyboard_suffices(tab):
    page = tab.page
    tab.open("/experiments/home")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    seen = []
    while len(seen) < 20:
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break  # the end of the page
        seen.append(page.evaluate("document.activeElement.innerText"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", seen[-1]
    for words in ("Why is short eliminated?", "Pause", "Stop for good", "Download"):
        assert any(words in text for text in seen), words
