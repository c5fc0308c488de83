"""Votes in a real browser: keys, both sides at once, texts of strangers, and what one must not see.

One browser and one server for all; every page of it is watched: messages of the console, requests
to other hosts, and every byte on the wire.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("playwright", reason="playwright drives the browser")
pytest.importorskip("nh3", reason="the extra [vote] is not installed")
from playwright.sync_api import sync_playwright
from served import Patient, serving
from wire import Wire

from browser import FLAGS, executable
from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import opened

AXE = Path(__file__).parent / "node" / "node_modules" / "axe-core" / "axe.min.js"
MOST_BYTES = 400_000  # of a page with everything that it loads
PATIENCE = 60_000  # milliseconds
ATTACKS = (
    "<script>window.stolen = 1</script>",
    "<img src=x onerror='window.stolen = 1'>",
    "<svg onload='window.stolen = 1'></svg>",
    "[click](javascript:window.stolen=1) <a href='javascript:window.stolen=1'>x</a>",
    "![x](https://elsewhere.example/pixel.png)",
    "'\"><script>window.stolen = 1</script>{{ 7 * 7 }}",
)


class Tab:
    """A browser context with one page, and everything that it heard."""

    def __init__(self, browser, port, **options):
        self.wire = Wire(port)
        self.base = f"http://127.0.0.1:{self.wire.port}"
        self.errors, self.requests = [], []
        self.context = browser.new_context(
            viewport={"width": options.pop("width", 1280), "height": 900}, **options
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.on("console", self._note)
        self.context.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page = self.context.new_page()

    def _note(self, message):
        if message.type in ("error", "warning", "assert"):
            self.errors.append(message.text)

    def open(self, path):
        self.page.goto(self.base + path)
        return self.page

    def sign_in(self, key):
        page = self.open("/sign-in")
        page.fill("#key", key)
        page.click("button.main")
        page.wait_for_url(self.base + "/")

    def join(self, link):
        self.open(link["path"])
        self.page.click("text=Start")
        self.page.wait_for_selector("#vote.ready")

    def press(self, key):
        with self.page.expect_navigation():
            self.page.keyboard.press(key)
        self.page.wait_for_load_state()

    def texts(self):
        return [each.inner_text().strip() for each in self.page.query_selector_all(".shown")]

    def check(self):
        """Nothing went wrong, and nobody else was asked."""
        assert self.errors == []
        assert [url for url in self.requests if not url.startswith((self.base, "about:"))] == []
        assert self.page.evaluate("window.stolen") is None

    def axe(self):
        """Violations that are serious or worse."""
        if not AXE.is_file():
            pytest.skip("axe-core is not installed: npm install in tests/service/node")
        # by the protocol and not by a tag: the page allows no script of others
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run().then((result) => result.violations)")
        return [
            (each["id"], each["impact"], [node["html"][:200] for node in each["nodes"]])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A browser, the address of a server, and the key of its administrator."""
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium here")
    place = tmp_path_factory.mktemp("votes") / "votes.db"
    store = opened(place)
    key = new_key(store, "Ada", "admin")
    store.close()
    with serving(place) as (_, port), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        api = Patient(port, key)
        yield browser, f"http://127.0.0.1:{port}", api, key
        api.close()
        browser.close()


@pytest.fixture
def tab(world):
    """Makes tabs, each with cookies of its own."""
    made = []

    def make(**options):
        made.append(Tab(world[0], int(world[1].rpartition(":")[2]), **options))
        return made[-1]

    yield make
    for each in made:
        each.context.close()
        each.wire.close()


def study(world, key, **body):
    """A study, and a link to it."""
    api = world[2]
    given = {"key": key, "title": "A vote", "undo": 0, "liars": 0, **body}
    assert api.call("POST", "/v1/studies", given)[0] == 201
    return api.call("POST", f"/v1/studies/{key}/links", {"name": "all"})[1]


def result(world, key):
    return world[2].call("GET", f"/v1/studies/{key}")[1]


def test_a_whole_study_by_keyboard(world, tab):
    """From the form to the winner, without a mouse in the booth; names are nowhere before."""
    admin = tab()
    admin.sign_in(world[3])
    page = admin.open("/studies/new")
    page.fill("#title", "Slogans")
    assert page.input_value("#key") == "slogans"
    page.fill("#liars", "0")
    page.check("[name=reveal]")
    slogans = {
        "Zebulon": "Tea, simply good.",
        "Quirrel": "Had your tea today?",
        "Mortimer": "37 kinds of tea.",
    }
    for n, (name, text) in enumerate(slogans.items()):
        page.fill(f"[name=name] >> nth={n}", name)
        page.fill(f"[name=text] >> nth={n}", text)
    page.click("text=Start the vote")
    page.wait_for_selector("#links")
    link = {"path": page.input_value("input.link").removeprefix(admin.base)}
    admin.check()

    voter = tab()
    voter.join(link)
    order = list(slogans.values())
    votes = 0
    while voter.page.query_selector(".pair") and votes < 50:
        left, right = voter.texts()
        blind = voter.wire.everything
        voter.press("1" if order.index(left) < order.index(right) else "2")
        votes += 1
        if votes == 2:  # take it back, and vote again
            voter.press("z")
            assert voter.texts() == [left, right]
            voter.press("0")
        if votes == 3:
            voter.press("s")
    assert votes < 50
    assert blind.count(b'class="pair"') > votes
    assert not any(name.encode() in blind for name in slogans)
    assert "Zebulon" in voter.page.inner_text("main")  # revealed in the end
    voter.check()

    page = admin.open("/studies/slogans")
    assert "Best: Zebulon" in page.inner_text(".answer")
    assert page.inner_text("#voters + .scroll tbody tr td:nth-child(3)") == str(votes)
    admin.check()


def test_other_keys_and_modifiers_do_nothing(world, tab):
    voter = tab()
    voter.join(study(world, "keys", candidates={"A": "x", "B": "y"}, undo=600))
    before = voter.page.content()
    for key in ("3", "Control+1", "Alt+2", "a", "z"):  # nothing to undo yet
        voter.page.keyboard.press(key)
    voter.page.wait_for_timeout(200)
    assert voter.page.content() == before
    assert result(world, "keys")["voters"][0]["votes"] == 0


def test_two_keys_in_a_hurry_are_one_vote(world, tab):
    voter = tab()
    voter.join(study(world, "hurry", candidates={"A": "x", "B": "y"}))
    with voter.page.expect_navigation():
        voter.page.evaluate(
            "for (const key of ['1', '1', '2']) document.dispatchEvent("
            "new KeyboardEvent('keydown', {key, bubbles: true}))"
        )
    voter.page.wait_for_selector("#vote.ready")
    assert result(world, "hurry")["voters"][0]["votes"] == 1
    voter.check()


def test_texts_of_strangers_do_nothing(world, tab):
    """In titles, names, questions, items, links and reasons, for voters and for others."""
    for form in ("text", "markdown"):
        for number, attack in enumerate(ATTACKS):
            key = f"attack-{form}-{number}"
            names = (f"A {attack}"[:100], f"B {attack}"[:100])
            link = study(
                world,
                key,
                title=attack,
                question=attack,
                format=form,
                items=[{"item": attack, "answers": dict.fromkeys(names, attack)}],
            )
            if number % 2 and form == "text":
                continue  # the other half of these is the same
            named = {"name": attack[:100]}
            link = world[2].call("POST", f"/v1/studies/{key}/links", named)[1]
            voter = tab()
            voter.join(link)
            for each in voter.page.query_selector_all("a[href]"):
                assert not each.get_attribute("href").startswith("javascript")
            voter.press("1")
            voter.check()
            who = {"voter": result(world, key)["voters"][0]["voter"], "reason": attack[:100]}
            assert world[2].call("POST", f"/v1/studies/{key}/exclude", who)[0] == 200
            admin = tab()
            admin.sign_in(world[3])
            admin.open(f"/studies/{key}")
            assert attack.split("{{")[0][:30] in admin.page.inner_text("h1")
            assert "49" not in admin.page.inner_text("h1")
            admin.check()
            admin.open("/studies")
            admin.check()
            voter.context.close()
            admin.context.close()


def picture(colour, size=(600, 400)):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    written = io.BytesIO()
    image.new("RGB", size, colour).save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def test_images_appear_together_and_have_no_name(world, tab):
    pictures = {"Zebulon": picture("green"), "Quirrel": picture("navy")}
    link = study(world, "pictures", candidates=pictures, format="image")
    voter = tab()
    held = []

    def hold(route):
        held.append(route)  # the right one is late

    voter.context.route("**/image/*/2", hold)
    voter.open(link["path"])
    voter.page.click("text=Start")
    voter.page.wait_for_selector("img.shown >> nth=0", state="attached")
    while not held or not voter.page.evaluate("document.querySelector('img.shown').complete"):
        voter.page.wait_for_timeout(20)
    assert not voter.page.is_visible(".pair")
    assert not voter.page.is_visible("img.shown >> nth=0")
    assert voter.page.is_visible(".loading")
    voter.page.keyboard.press("1")  # nobody can judge what is not there
    held[0].continue_()
    voter.page.wait_for_selector("#vote.ready")
    assert voter.page.is_visible("img.shown >> nth=0")
    assert voter.page.is_visible("img.shown >> nth=1")
    assert result(world, "pictures")["voters"][0]["votes"] == 0
    boxes = [each.bounding_box() for each in voter.page.query_selector_all(".side")]
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=1)
    assert boxes[0]["height"] == pytest.approx(boxes[1]["height"], abs=1)
    assert boxes[0]["y"] == boxes[1]["y"]

    voter.context.unroute("**/image/*/2")
    voter.press("1")
    images = [url for url in voter.requests if "/image/" in url]
    assert len(images) == len(set(images))  # none can be told by its address
    assert not any(name.encode() in voter.wire.everything for name in pictures)
    stranger = tab()
    stranger.open(images[-1].removeprefix(voter.base))
    assert "There is no such page" in stranger.page.inner_text("main")
    voter.check()


def test_a_closed_page_lets_the_next_voter_have_the_duel(world, tab):
    link = study(world, "left", candidates={"A": "x", "B": "y"}, patience=3600)
    first, second = tab(), tab()
    first.join(link)
    texts = first.texts()
    first.page.goto("about:blank")
    first.page.wait_for_timeout(200)
    second.join(link)
    second.press("1")
    second.press("1")
    found = result(world, "left")
    assert found["learned"] == found["votes"]  # nothing waits for whoever has left
    assert sorted(texts) == ["x", "y"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_can_be_used_by_everybody(world, tab, dark, width):
    """axe-core finds nothing serious; columns are equal, or stacked; nothing is cut off."""
    key = f"axe-{dark}-{width}"
    answers = {"Zebulon": "# Yes\n\nBecause `2 + 2` is **4**.", "Quirrel": "1. No\n2. Never"}
    link = study(world, key, items=[{"item": "Is *it*?", "answers": answers}], format="markdown")
    options = {"color_scheme": "dark" if dark else "light", "width": width}

    voter = tab(**options)
    voter.open(link["path"])
    assert voter.axe() == []
    voter.page.click("text=Start")
    voter.page.wait_for_selector("#vote.ready")
    assert voter.axe() == []
    boxes = [each.bounding_box() for each in voter.page.query_selector_all(".side")]
    assert boxes[0]["width"] == pytest.approx(boxes[1]["width"], abs=1)
    assert (boxes[0]["y"] == boxes[1]["y"]) == (width > 640)
    assert len(voter.wire.said) < MOST_BYTES
    voter.press("1")
    voter.press("2")

    admin = tab(**options)
    admin.sign_in(world[3])
    for path in ("/studies", "/studies/new", f"/studies/{key}"):
        admin.open(path)
        assert admin.axe() == [], path
        wide = admin.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, path
    for each in (voter, admin):
        each.check()
