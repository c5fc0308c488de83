"""The page as text: everything is in it, and everything is escaped."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from disk import small_disk
from factored_bandits.core.stats import Mean
from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.report.charts import Peer, curves, finals, peers, profile
from factored_bandits.report.claims import Claim
from factored_bandits.report.html.page import Opening, Section, page_of, write_page
from factored_bandits.report.palette import COLOURS, DARK, GREY

pytestmark = pytest.mark.xdist_group("page")  # one process makes the page
EVIL = "</script><script>alert(1)</script>&\"'{{plotly}}"


class Reader(HTMLParser):
    """Counts elements, and checks that what is opened is closed."""

    EMPTY = frozenset({"meta", "img", "link", "br", "path", "circle", "rect"})

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.scripts = [], [], [], 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs[name] for name in ("href", "src") if name in attrs]
        self.scripts += tag == "script"
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


def read(text):
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_nothing_outside_and_every_link_leads_somewhere(page):
    reader = read(page.read_text(encoding="utf-8"))
    assert len(set(reader.ids)) == len(reader.ids)
    for link in reader.links:
        if link.startswith("#"):
            assert link[1:] in reader.ids
        else:
            assert (page.parent / link).is_file()


def test_figures_are_there_as_png_and_pdf(page):
    names = ("peers", "growth", "largest", "dots", "against-k", "levels", "within")
    files = {path.name for path in (page.parent / "figures").iterdir()}
    assert files == {f"{name}.{suffix}" for name in names for suffix in ("png", "pdf")}


def test_pdf_only_if_it_is_asked_for(frame, tmp_path):
    section = Section("growth", "Growth", "", [finals(frame, name="dots")])
    page = write_page(tmp_path, [section], [], {})
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["dots.png"]
    links = set(read(page.read_text(encoding="utf-8")).links)
    assert {link for link in links if "figures/" in link} == {"figures/dots.png"}


def test_the_page_is_not_too_large(page):
    assert 4e6 < page.stat().st_size < 8e6  # plotly alone has almost five million letters


def test_claims_link_to_their_figures(page):
    text = page.read_text(encoding="utf-8")
    assert '<a href="#chart-against-k">' in text
    assert '<a href="#growth">Growth</a>' in text, (
        "a claim without a figure leads to its experiment"
    )
    for verdict in ("holds", "fails", "undecided"):
        assert f'<span class="verdict {verdict}">' in text


def section_of(text, name):
    return text[text.index(f'<section id="{name}">') :].partition("</section>")[0]


def test_a_sentence_and_a_figure_come_first(page):
    text = page.read_text(encoding="utf-8")
    order = [
        '<p class="sentence">The paper says little, and that holds.</p>',
        '<figure class="chart" id="chart-peers">',
        '<nav aria-label="Contents">',
        '<section id="claims">',
        '<section id="expectations">',
        '<section id="growth">',
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_two_tables_with_two_counts(page):
    text = page.read_text(encoding="utf-8")
    papers, ours = (section_of(text, name) for name in ("claims", "expectations"))
    assert re.findall(r"[✓✗?] \d \w+", papers) == ["✓ 1 holds", "✗ 1 fails", "? 1 undecided"]
    assert re.findall(r"[✓✗?] \d \w+", ours) == ["✓ 1 holds"]
    assert "Nobody wrote this" in ours
    assert "Nobody wrote this" not in papers
    assert "The paper says</th>" in papers
    assert "We expect</th>" in ours
    assert '<p class="unit">in words</p>' in ours
    assert "wrong with a probability of at most 1 %" in text
    assert papers.index("Uniform play learns nothing") < papers.index("Something else"), (
        "what fails stands above what is undecided"
    )
    assert text.count("less is better") == 1


def test_without_a_first_figure_the_verdicts_stand_below_the_others(frame):
    section = Section("one", "One", "", [curves(frame)])
    claims = [Claim("one", "It is so", "it is", "holds")]
    text = page_of([section], claims, {}, opening=Opening("It holds."))
    places = [text.index(part) for part in ("It holds.", "<figure", '<section id="claims">')]
    assert places == sorted(places)


def test_long_measurements_are_unfolded(frame):
    parts = [f"K={k}: {k} +- 1 ({'fails' if k == 3 else 'holds'})" for k in range(9)]
    claim = Claim("one", "All hold", "; ".join(parts), "fails", reason="K=3: 3 +- 1")
    text = section_of(page_of([], [claim], {}), "claims")
    shown, _, folded = text.partition("<details>")
    assert "K=3: 3 ± 1" in shown
    assert "K=4" not in shown
    assert all(f"K={k}: {k} ± 1" in folded for k in range(9))


def test_every_text_is_escaped(frame):
    policy = frame.assign(policy=EVIL, problem=EVIL, regret_unit=EVIL)[frame.arms == "3x3"]
    only = policy[frame[frame.arms == "3x3"].policy == "tea"]
    chart = curves(only, name="evil", title=EVIL)
    section = Section(
        "evil-section", EVIL, EVIL, [chart], Table(EVIL, (EVIL, "x"), [(EVIL, EVIL)], EVIL)
    )
    claims = [Claim(EVIL, EVIL, EVIL, "holds", "evil", EVIL, EVIL, ours=each) for each in (0, 1)]
    dot = Peer(EVIL, EVIL, Mean(2.0, 0.1), 1, "holds")
    opening = Opening(EVIL, peers({EVIL: [dot]}, "first", EVIL, reference=EVIL, story=EVIL))
    text = page_of([section], claims, {EVIL: EVIL}, title=EVIL, opening=opening)
    assert read(text).scripts == 4, "the data of two charts, plotly and the script of the page"
    assert text.count("alert(1)") > 10
    assert "<script>alert" not in text
    for data in re.findall(
        r'<script type="application/json" class="data">(.*?)</script>', text, re.DOTALL
    ):
        assert json.loads(data)[0]["traces"][-1]["legendgroup"] == EVIL


@pytest.mark.parametrize("name", ["", "a b", "../up", "a/b", "é", "-x"])
def test_names_must_be_good_for_files(frame, tmp_path, name):
    with pytest.raises(InvalidInputError, match="use letters"):
        write_page(
            tmp_path / "out", [Section("one", "One", "", [curves(frame, name=name)])], [], {}
        )
    assert not (tmp_path / "out").exists()


def test_names_must_differ(frame, tmp_path):
    chart = profile(frame)
    with pytest.raises(InvalidInputError, match="2 charts are named 'profile'"):
        write_page(
            tmp_path, [Section("a", "A", "", [chart]), Section("b", "B", "", [chart])], [], {}
        )
    with pytest.raises(InvalidInputError, match="2 sections are named 'a'"):
        write_page(tmp_path, [Section("a", "A", "", []), Section("a", "B", "", [])], [], {})


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="cannot write the report"):
        write_page(tmp_path / "file", [], [], {})


def test_a_page_is_replaced_whole(frame, tmp_path):
    section = Section("one", "One", "First.", [profile(frame, name="within")])
    page = write_page(tmp_path, [section], [], {})
    before = page.read_text(encoding="utf-8")

    with (
        small_disk(100_000),
        pytest.raises(InvalidInputError, match=r"cannot write the report .*File too large"),
    ):
        write_page(tmp_path, [Section("two", "Two", "Second.", [])], [], {})
    assert page.read_text(encoding="utf-8") == before
    assert "Second." in write_page(
        tmp_path, [Section("two", "Two", "Second.", [])], [], {}
    ).read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.rglob(".*")] == [], "no drafts are left"


def test_without_plotly_nothing_is_written(tmp_path, monkeypatch):
    def missing(package):
        raise ModuleNotFoundError(f"No module named {package!r}")

    monkeypatch.setattr("factored_bandits.report.plotly.resources.files", missing)
    with pytest.raises(MissingExtraError, match="plotly"):
        write_page(tmp_path / "out", [], [], {})
    assert not (tmp_path / "out").exists()


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["LIGHT_COLOURS", "DARK_COLOURS"])
def test_text_can_be_read(theme):
    import factored_bandits.report.html.style as module

    colours = getattr(module, theme)
    for ground in ("ground", "card"):
        for ink in ("ink", "soft", "link", "holds", "fails", "undecided"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["on-link"], colours["link"]) >= 4.5


def test_lines_can_be_seen_in_the_dark():
    from factored_bandits.report.html.style import DARK_COLOURS

    assert set(DARK) == {*COLOURS.values(), GREY}
    assert len(set(DARK.values())) == len(DARK)
    for colour in DARK.values():
        assert contrast(colour, DARK_COLOURS["card"]) >= 4.5
