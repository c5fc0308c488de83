"""The pages and the examples of the project, and the blocks of code that they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "factored_bandits"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def fences(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def instances(language: str) -> list[object]:
    return [
        pytest.param(block, id=f"{relative(page)}:{number}")
        for page in PAGES
        for number, block in enumerate(fences(page, language), start=1)
    ]
