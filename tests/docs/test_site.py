"""The site: complete, built without a warning, and nothing is loaded from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import ROOT

pytest.importorskip("mkdocs", reason="the site needs mkdocs: pip install 'factored-bandits[docs]'")
pytestmark = pytest.mark.xdist_group("site")  # one process builds it


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


def test_every_page_is_there(site):
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (
            site / (name if page.name != "README.md" else name.with_name("index.html"))
        ).is_file(), name
    assert "epsilon_greedy.py" in (site / "examples.html").read_text(encoding="utf-8")


def test_the_reference_holds_signatures_and_examples(site):
    for page, anchor in (
        ("agent", "Agent.ask"),
        ("simulation", "simulate"),
        ("policies", "TEM"),
        ("theory", "theory.gaps"),
        ("plot", "plot.regret"),
        ("lab", "lab.run"),
        ("errors", "errors.DumpError"),
    ):
        reference = (site / "reference" / "api" / f"{page}.html").read_text(encoding="utf-8")
        assert f'id="factored_bandits.{anchor}"' in reference, anchor
        assert "&gt;&gt;&gt; " in reference or page == "errors", page


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(
            r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=\"?(https?:)?//[^>]*>", text
        )
        assert not loaded, f"{page.name}: {loaded}"
