"""Tests import their own helpers (`literal`, `problems`) by name; tests of one policy run in one
process.

A policy is compiled once and kept on disk. With `--dist loadgroup` everything about a policy goes
to the same worker, so that two workers do not compile the same policy at the same time, and that a
second loop of it finds its kernels compiled.
"""

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import effort

# numba colours even the messages of errors that it handles itself, a fortieth of all compiling.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")


def policy_of(item: pytest.Item, names: set[str]) -> str | None:
    """The policy that a test is about: a parameter with its name, or the file that a doctest stands
    in.
    """
    if "policies" in item.path.parts and item.path.stem in names:
        return item.path.stem
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return next(
        (value for value in parameters.values() if isinstance(value, str) and value in names), None
    )


@pytest.fixture(autouse=True)
def no_width_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The width that whoever started the tests has set is not that of what they print."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `simulate` plays in tests is the compiled form, however short they are."""
    import importlib

    # `factored_bandits.simulation.simulate` is the function.
    module = importlib.import_module("factored_bandits.simulation.simulate")
    tiers_for = module.tiers_for

    def waiting(runner: object, repetitions: int, compiled: object) -> object:
        return tiers_for(runner, repetitions, True if compiled == "auto" else compiled)

    monkeypatch.setattr(module, "tiers_for", waiting)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still; its one entry is the time."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def pytest_configure(config: pytest.Config) -> None:
    effort.FULL = config.getoption("markexpr") != "not full"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    import factored_bandits as fb

    names = set(fb.policies.names())
    for item in items:
        policy = policy_of(item, names)
        if policy:
            item.add_marker(pytest.mark.xdist_group(policy))

    # Pages take long: they come first, so that no worker is left alone with one at the end.
    items.sort(key=lambda item: item.path.suffix != ".md")
