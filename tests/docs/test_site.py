"""The site: complete, built without a warning, and nothing is loaded from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from pages import ROOT, fences

pytest.importorskip("mkdocs", reason="the site needs mkdocs: pip install 'factored-bandits[docs]'")
pytestmark = pytest.mark.xdist_group("site")  # one process builds it

OUTSIDE = ("https://", "http://", "mailto:", "data:", "javascript:")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--quiet",
        "--strict",
        "--site-dir",
        str(folder),
    ]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder


class Links(HTMLParser):
    """What a page leads to and loads, the places in it, and the entries of its menu."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.places: set[str] = set()
        self.menu: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.places.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
            if found.get("class") == "md-nav__link" and not found["href"].startswith("#"):
                self.menu.append(found["href"])
        elif tag in ("script", "img", "iframe", "link"):
            self.loaded.update(found[name] for name in ("src", "href") if name in found)


@pytest.fixture(scope="module")
def pages(site) -> list[Path]:
    """All but the page that a server shows for what is not there: it is not read from disk."""
    return [page for page in sorted(site.rglob("*.html")) if page.name != "404.html"]


@pytest.fixture(scope="module")
def links(pages) -> dict[Path, Links]:
    return {page: Links(page) for page in pages}


def test_every_page_is_there(site):
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (
            site / (name if page.name != "README.md" else name.with_name("index.html"))
        ).is_file(), name
    assert "epsilon_greedy.py" in (site / "examples.html").read_text(encoding="utf-8")


def test_the_home_page_shows_what_the_readme_shows(site):
    first = fences(ROOT / "README.md", "pycon")[0]
    assert fences(ROOT / "docs" / "README.md", "pycon")[0] == first
    assert first.count(">>> ") + first.count("... ") <= 10

    home = (site / "index.html").read_text(encoding="utf-8")
    assert home.count("<hr />") >= 4  # one in the card of each door
    assert 'src="figures/regret.svg"' in home


def test_the_reference_holds_signatures_and_examples(site):
    for page, anchor in (
        ("agent", "Agent.ask"),
        ("simulation", "simulation.simulate.simulate"),
        ("policies", "TEM"),
        ("theory", "theory.gaps.gaps"),
        ("planning", "planning.run.plan"),
        ("plot", "plot.regret"),
        ("lab", "lab.run.run"),
        ("errors", "errors.DumpError"),
    ):
        reference = (site / "reference" / "api" / f"{page}.html").read_text(encoding="utf-8")
        assert f'id="factored_bandits.{anchor}"' in reference, anchor
        assert "&gt;&gt;&gt; " in reference or page == "errors", page


def test_the_reference_shows_names_and_not_the_modules_of_the_same_name(site):
    """Nothing in it is described twice."""
    for page in sorted((site / "reference" / "api").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        names = re.findall(r'<h3 id="factored_bandits\.([\w.]+)" class="doc', text)
        members = re.findall(r'<h4 id="factored_bandits\.([\w.]+)" class="doc', text)
        last = [name.rpartition(".")[2] for name in names]
        assert len(last) == len(set(last)), page.name
        assert not {f"{name}.{one}" for name, one in zip(names, last)} & set(members), page.name


def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(site, links):
    for page, found in links.items():
        assert not [one for one in found.loaded if one.startswith(("//", *OUTSIDE[:2]))], page
        for link in found.links | found.loaded:
            if link.startswith(OUTSIDE):
                continue

            target, _, place = link.partition("#")
            path = (page.parent / unquote(target)).resolve() if target else page
            path = path / "index.html" if path.is_dir() else path
            assert path.is_file(), f"{page.relative_to(site)}: {link}"
            if place and path in links:
                assert unquote(place) in links[path].places, f"{page.relative_to(site)}: {link}"


def test_no_page_is_in_the_menu_twice(site, links):
    for page, found in links.items():
        assert len(found.menu) == len(set(found.menu)), page.relative_to(site)
        assert len(found.menu) > 30


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("playwright", reason="playwright drives the browser")
    from browser import Browser, executable

    program = executable()
    if program is None:
        pytest.skip("no Chromium here")
    with Browser(program) as found:
        yield found


def test_every_page_opens_on_a_phone(site, pages, browser):
    """No message of the console, nothing asked of a host, every formula set, no page too wide."""
    browser.open(site / "index.html", width=390, height=844, phone=True)
    formulas = 0
    for page in pages:
        browser.page.goto(page.as_uri(), wait_until="load")
        name = page.relative_to(site).as_posix()
        assert browser.errors == [], name
        assert browser.run("document.documentElement.scrollWidth") <= 390, name

        marked = browser.run("document.querySelectorAll('.arithmatex').length")
        done = browser.run("document.querySelectorAll('.arithmatex .katex-html').length")
        assert marked == done, name
        formulas += done

    assert formulas > 200
    asked = [one for one in browser.requests if not one.startswith(("file:", "data:"))]
    assert asked == []


def test_search_finds_a_page_from_disk(site, browser):
    browser.open(site / "index.html")
    browser.click("input.md-search__input")
    browser.page.keyboard.insert_text("identifiability")
    browser.press("End")  # it listens to keys
    browser.wait("document.querySelectorAll('.md-search-result__item').length > 0")
    found = browser.run("document.querySelector('.md-search-result__link').href")
    assert "identifiability" in found
    assert browser.errors == []
