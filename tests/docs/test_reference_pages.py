"""The pages of the reference name everything public, once, and nothing else."""

from __future__ import annotations

import importlib
import re
import types

import pytest
from pages import ROOT

import factored_bandits as fb

REFERENCE = sorted((ROOT / "docs" / "reference" / "api").glob("*.md"))


def directives() -> list[str]:
    """What the pages of the reference are generated from: `::: factored_bandits.simulate`."""
    return [
        name
        for page in REFERENCE
        for name in re.findall(
            r"^::: factored_bandits\.(\S+)$", page.read_text("utf-8"), re.MULTILINE
        )
    ]


def resolved(path: str) -> object:
    """The object that a directive names, by attribute or by import."""
    found: object = fb
    for depth, part in enumerate(path.split("."), start=1):
        if not hasattr(found, part):
            importlib.import_module(f"factored_bandits.{'.'.join(path.split('.')[:depth])}")
        found = getattr(found, part)
    return found


def exists(path: str) -> bool:
    try:
        resolved(path)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("path", directives())
def test_the_reference_names_what_exists(path):
    assert exists(path)


def test_the_reference_names_everything_once():
    assert sorted(directives()) == sorted(set(directives()))


PUBLIC = (
    "agent",
    "data",
    "environments",
    "environments.suites",
    "errors",
    "evaluation",
    "gymnasium",
    "judges",
    "lab",
    "logs",
    "openfeature",
    "optuna",
    "planning",
    "policies",
    "report.plot",
    "service",
    "testing",
    "theory",
)


@pytest.mark.parametrize("package", ["", *PUBLIC])
def test_public_names_are_in_the_reference(package):
    module = importlib.import_module(f"factored_bandits.{package}") if package else fb
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]
    paths = [path for path in directives() if exists(path)]
    covered = [resolved(path) for path in paths]
    areas = {path.rpartition(".")[0] for path in paths}  # packages whose parts are listed
    assert names
    for name in names:
        if name == "__version__":
            continue
        value = getattr(module, name)
        listed = any(value is one for one in covered)
        if isinstance(value, types.ModuleType):
            listed = name in areas
        assert listed, f"{module.__name__}.{name} is in no page of docs/reference/api"
        assert value.__doc__, f"{module.__name__}.{name} has no docstring"


def test_results_are_in_the_reference():
    """What public functions return, though nobody imports its type by name."""
    from factored_bandits.inference.certificate import Certificate
    from factored_bandits.simulation.benchmark import Benchmark
    from factored_bandits.simulation.comparison import Comparison
    from factored_bandits.simulation.result import Result

    covered = [resolved(path) for path in directives() if exists(path)]
    for kind in (Result, Comparison, Benchmark, Certificate):
        assert kind in covered
