"""docs/reference/cli.md is what the command tree says."""

from __future__ import annotations

from pathlib import Path

from factored_bandits.cli.app import app
from factored_bandits.cli.problems import recipe_names
from factored_bandits.cli.reference import COMMAND, reference

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_reference_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == reference(), f"run: {COMMAND}"


def test_the_reference_holds_every_command_and_problem():
    text = reference()
    for command in app.commands:
        assert f"\n## {command}\n" in text
    for problem in recipe_names():
        assert f"\n### compare {problem}\n" in text
