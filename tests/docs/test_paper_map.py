"""The map from the paper to the code: complete, and the functions that it names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pages import PAGES, ROOT, SOURCE


def defined(path: Path) -> set[str]:
    """Functions, classes and constants of a module."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else []
        names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names


NAMED = sorted(
    {
        (file, name)
        for page in PAGES
        for file, name in re.findall(r"`([\w/]+\.py):(\w+)`", page.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize(("file", "name"), NAMED, ids=lambda part: part)
def test_named_function_exists(file, name):
    assert (SOURCE / file).is_file()
    assert name in defined(SOURCE / file)


PAPER_LINES = {
    1: set(range(1, 13)),
    2: set(range(1, 11)),
    3: set(range(1, 36)) - {4, 18, 27},
}  # these three are blank


@pytest.mark.parametrize("algorithm", PAPER_LINES)
def test_every_line_of_the_paper_is_on_the_map(algorithm):
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    section = re.search(rf"^## Algorithm {algorithm}:.*?(?=^## )", text, re.DOTALL | re.MULTILINE)[
        0
    ]
    rows = re.findall(r"^\| ([\d ,-]+)[^|]*\| [^|]*`[\w/]+\.py:\w+`", section, re.MULTILINE)
    covered = set()
    for row in rows:
        for part in row.replace(" ", "").strip(",").split(","):
            first, _, last = part.partition("-")
            covered |= set(range(int(first), int(last or first) + 1))
    assert covered == PAPER_LINES[algorithm]


def test_equations_and_theorems_are_on_the_map():
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    for item in (
        "Definition 1",
        "equation (1)",
        "equation (2)",
        "equation (3)",
        "Theorem 1",
        "Theorem 2",
        "Theorem 3",
    ):
        assert item in text
