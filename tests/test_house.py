"""The house: private modules, constraints, make targets, hooks and the version are what the pages
say.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

import factored_bandits as fb

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tools.import_contracts import private_parent, violations  # noqa: E402
from tools.oldest import oldest  # noqa: E402


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "folder"),
    [
        ("house.room._box", "house.room"),
        ("house.room._box.lid", "house.room"),
        ("house._cellar.room.box", "house"),
        ("house.room.box", None),
        ("house.room.__main__", None),
    ],
)
def test_an_underscore_makes_a_module_private_in_its_folder(module, folder):
    assert private_parent(module) == folder


@pytest.mark.parametrize(
    ("importer", "allowed"),
    [
        ("house.room", True),
        ("house.room.chair", True),
        ("house.room.shelf.book", True),
        ("house.hall", False),
        ("house.roommate", False),
        ("house", False),
    ],
)
def test_an_import_from_elsewhere_breaks_the_contract(importer, allowed):
    graph = grimp.ImportGraph()
    graph.add_import(importer=importer, imported="house.room._box")
    assert violations(graph) == ([] if allowed else [(importer, "house.room._box")])


def test_no_two_test_files_have_one_name():
    """pytest imports them by name alone, and refuses the second."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_the_oldest_versions_are_those_of_pyproject():
    assert text("constraints-oldest.txt").split() == oldest(text("pyproject.toml"))


def test_constraints_pin_every_dependency_and_name_no_index():
    pinned = text("constraints.txt").split()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)

    names = {line.partition("==")[0].lower().replace("_", "-") for line in pinned}
    project = tomllib.loads(text("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    needed = project["dependencies"] + [
        one for name in extras if name != "ray" for one in extras[name]
    ]
    asked = {re.match(r"[\w.-]+", one)[0].lower() for one in needed} - {"factored-bandits"}
    assert asked <= names


def test_constraints_of_the_neighbours_pin_both_and_name_no_index():
    pinned = text("constraints-neighbours.txt").split()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)
    assert {"arena-rank", "deepeval"} <= {line.partition("==")[0] for line in pinned}


def targets() -> dict[str, str]:
    """Targets of the Makefile with their sentences."""
    return dict(re.findall(r"^([a-z-]+):.*?## (.+)$", text("Makefile"), re.MULTILINE))


def test_every_target_has_a_sentence():
    phony = re.search(r"^\.PHONY: (.+)$", text("Makefile"), re.MULTILINE)[1].split()
    assert sorted(targets()) == sorted(phony)


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/release.md", ".github/workflows/test.yml"]
)
def test_targets_named_elsewhere_exist(page):
    named = re.findall(r"(?:^|`|run: )make ([a-z-]+)", text(page), re.MULTILINE)
    assert named
    assert set(named) <= set(targets())


def test_the_hooks_run_what_make_lint_runs():
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", text("Makefile"), re.MULTILINE)[1]
    tools = re.findall(r"\$\(BIN\)/([\w-]+(?: (?:check|format))?)", recipe)
    hooks = text(".pre-commit-config.yaml")
    assert len(tools) == 4
    for tool in tools:
        assert f".venv/bin/{tool}" in hooks


def test_continuous_integration_covers_the_versions_of_pyproject():
    versions = re.findall(r"Python :: (3\.\d+)", text("pyproject.toml"))
    workflow = text(".github/workflows/test.yml")
    assert versions
    for version in versions:
        assert f'python: "{version}"' in workflow
    assert "constraints-oldest.txt" in workflow
    assert 'constraints: ""' in workflow


def test_version_and_licence_agree_everywhere():
    licence = tomllib.loads(text("pyproject.toml"))["project"]["license"]
    citation = text("CITATION.cff")
    assert f"\nversion: {fb.__version__}\n" in citation
    assert f"\nlicense: {licence}\n" in citation
    assert text("LICENSE").startswith(f"{licence} License")
    assert fb.__version__ in text("CHANGELOG.md")
