"""Deaths and lost connections before and after every statement and every COMMIT."""

from __future__ import annotations

import pytest
from scenarios import (
    SCENARIOS,
    SCRIPT,
    commits,
    do,
    survives,
    undisturbed,
)
from shop import Faults, Shop, shops


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_promised_holds(scenario, tmp_path):
    scenario(shops(tmp_path))


def test_the_script_writes_what_it_should(tmp_path):
    shop = Shop(tmp_path / "shop.db")
    said = [do(shop, step) for step in SCRIPT]
    assert [s for s in said if isinstance(s, str)] == [
        "accepted", "accepted", "accepted", "duplicate", "late", "accepted",
    ]  # fmt: skip
    kinds = [event.kind for event in shop.log()]
    assert kinds == [
        "ask", "ask", "ask", "tell", "ask", "tell", "tell", "expire", "ask", "late", "tell",
    ]  # fmt: skip
    shop.close()


def sweep(make, faults: list[Faults], expected) -> None:
    for fault in faults:
        assert survives(make, fault, expected)


def test_faults_around_commits_and_some_statements_change_nothing(tmp_path):
    make = shops(tmp_path)
    expected = undisturbed(make)
    at_commits = commits(expected)
    assert len(at_commits) == 10
    # after the death in the middle of a script everything is as at another commit
    chosen = [at_commits[0], at_commits[3], at_commits[7], *range(2, len(expected[2]), 17)]
    faults = [
        Faults(at, after=after, kind=kind)
        for at in chosen
        for after in (False, True)
        for kind in ("death", "error")
    ]
    sweep(make, faults, expected)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["death", "error"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_fault_at_any_statement_changes_nothing(kind, after, tmp_path):
    make = shops(tmp_path)
    expected = undisturbed(make)
    places = range(1, len(expected[2]) + 1)
    assert len(places) > 50
    sweep(make, [Faults(at, after=after, kind=kind) for at in places], expected)
