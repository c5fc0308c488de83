"""Links lead somewhere, and every page can be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import PAGES, ROOT, relative


def headings(page: Path) -> set[str]:
    """The anchors that a reader of the page can jump to."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in headings(file), f"{link}: no such heading"


def test_every_page_is_in_the_index():
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / link).resolve()
        for link in re.findall(r"\]\(([^)#]+)", index.read_text(encoding="utf-8"))
    }
    missing = [
        relative(page)
        for page in PAGES
        if page.is_relative_to(index.parent) and page not in {index, *linked}
    ]
    assert missing == []
