"""Tests import their own helpers (`literal`, `problems`) by name; tests of one policy run in one
process.

A policy is compiled once and kept on disk, and a process compiles once what several policies call.
With `--dist loadgroup` everything about a policy, and about those that share its State and thus its
kernels, goes to the same worker.
"""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


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


def groups_of(names: set[str]) -> dict[str, str]:
    """For each policy the shortest name among those with the same State."""
    import factored_bandits as fb

    ordered = sorted(names, key=lambda name: (len(name), name))
    states = {name: fb.policies.load(name).State for name in ordered}
    first = {state: name for name, state in reversed(states.items())}
    return {name: first[state] for name, state in states.items()}


@pytest.fixture(autouse=True)
def no_width_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The width that whoever started the tests has set is not that of what they print."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still; its one entry is the time."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    import factored_bandits as fb

    names = set(fb.policies.names())
    groups = groups_of(names)
    for item in items:
        policy = policy_of(item, names)
        if policy:
            item.add_marker(pytest.mark.xdist_group(groups[policy]))

    # Pages take long: they come first, so that no worker is left alone with one at the end.
    items.sort(key=lambda item: item.path.suffix != ".md")
