"""The text of pages: lists that the site shows as lists, and no path of a machine."""

from __future__ import annotations

import re

import pytest
from pages import EXAMPLES, PAGES, relative


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_lists_are_lists_on_the_site(page):
    """A list right below a line of text is one paragraph there; it needs an empty line."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.S)
    assert re.findall(r"^(?![-|\s\d]).+\n- .*", text, re.MULTILINE) == []


def test_pages_name_no_machine():
    """No path of the machine on which a page was written."""
    for page in [*PAGES, *EXAMPLES]:
        assert not re.search(
            r"(?<![\w.])/(?:root|home|work|usr)/", page.read_text(encoding="utf-8")
        ), relative(page)
