"""What a notebook shows: each object as the last line of a cell, executed by a real kernel."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.notebooks import execute

SCRIPT = "<script>alert(1)</script>"
SETUP = f"""
import factored_bandits as fb

factors = {{"<b>ad</b>": ["A & co", "{SCRIPT}"], "position": ["top", "side"]}}
agent = fb.Agent("tea", factors=factors, bound="betting", seed=1, diagnostics=True)
for _ in range(300):
    decision = agent.ask()
    agent.tell(decision.id, float(decision.action[1] == 0 or decision.action[0] == 1))

problem = fb.environments.spiked(2)
how = {{"repetitions": 2, "progress": False}}
result = fb.simulate("tea", problem, 1_000, **how)
few = fb.suites.factored()[:1]
assumptions = fb.Assumptions((2, 2), base_rate=0.2, lift=1.0)
"""
# what a cell ends with, and the beginning of its plain text
SHOWN = {
    "Status": "agent.status()",
    "Certificate": "fb.certificate(agent)",
    "Diagnosis": "agent.diagnose()",
    "Result": "result",
    "Comparison": 'fb.compare("tea, uniform", problem, 1_000, **how)',
    "Check": "fb.theory.check(result, problem)",
    "Plan": 'fb.plan(assumptions, 100, policies="tea", horizon=300, flat=False, **how)',
    "Benchmark": 'fb.benchmark(few, "uniform", 100, **how)',
}


class Page(HTMLParser):
    """The tags of some HTML, its text, and how long its bars are."""

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.widths = []
        self.open = []
        self.said = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)
        style = dict(attrs).get("style") or ""
        if "%;height:100%" in style:
            self.widths.append(float(style.partition("width:")[2].partition("%")[0]))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.said.append(data)

    @property
    def text(self):
        return "\n".join(self.said)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Per object what its cell shows, by media type."""
    first, *others = execute([SETUP, *SHOWN.values()], tmp_path_factory.mktemp("jupyter"))
    assert first == []
    return {name: shown[-1].data for name, shown in zip(SHOWN, others, strict=True)}


@pytest.mark.parametrize("name", SHOWN)
def test_a_cell_shows_a_table_with_bars_and_the_text_is_as_ever(outputs, name):
    assert set(outputs[name]) == {"text/plain", "text/html"}
    assert "<div" not in outputs[name]["text/plain"]
    assert outputs[name]["text/plain"].startswith(f"{name}(")

    page = Page(outputs[name]["text/html"])
    assert {"table", "th", "td"} <= set(page.tags)
    assert not {"script", "b", "style"} & set(page.tags)
    assert page.widths
    assert all(0.0 <= width <= 100.0 for width in page.widths)
    assert max(page.widths) > 0.0


@pytest.mark.parametrize("name", ["Status", "Certificate", "Diagnosis"])
def test_labels_are_shown_as_they_are_written(outputs, name):
    text = Page(outputs[name]["text/html"]).text
    for label in ("<b>ad</b>", "A & co", SCRIPT):
        assert label in text
