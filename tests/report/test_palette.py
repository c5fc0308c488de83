"""The palette: no two policies look alike, and none changes its look."""

from __future__ import annotations

import itertools

import pytest

import factored_bandits as fb
from factored_bandits.report.palette import COLOURS, DASHES, MARKERS, assign_styles, look, looks

STYLES = {name: fb.policies.make(name).info.style for name in fb.policies.names()}
KNOWN = {name: style for name, style in STYLES.items() if style is not None}


def test_all_policies_look_different():
    drawn = {name: look(name) for name in fb.policies.names()}
    for one, other in itertools.combinations(drawn, 2):
        assert drawn[one] != drawn[other], (
            f"{one} and {other} look alike: palette.DASHES needs another pattern"
        )


def test_known_entries_are_distinct_and_exist():
    assert len(set(KNOWN.values())) == len(KNOWN)
    assert all(colour in COLOURS and dashes in DASHES for colour, dashes in KNOWN.values())


def test_a_known_policy_looks_the_same_in_any_company():
    alone = look("tea")
    assert looks(["tea", "flat_ucb1", "somebody", "somebody_else"])["tea"] == alone
    assert looks(["tea", "tea(bound=other)"])["tea"] == alone


def test_an_unknown_policy_has_a_place_of_its_own():
    assert look("my_policy") == looks(["my_policy", "tea", "uniform"])["my_policy"]
    assert look("my_policy") not in {look(name) for name in fb.policies.names()}


def test_a_new_algorithm_of_the_library_moves_nobody_it_does_not_meet():
    before = assign_styles(["alpha", "beta"], KNOWN)
    after = assign_styles(["alpha", "beta", "gamma"], KNOWN)
    assert {name: after[name] for name in before} == before


def test_unknown_policies_of_one_figure_differ():
    names = [f"invention_{i}" for i in range(len(COLOURS) * len(DASHES) - len(fb.policies.names()))]
    assert len(set(looks(names).values())) == len(names)


def test_variants_share_colour_and_dashes():
    labels = ["flat_ucb1", *(f"flat_ucb1(alpha={i})" for i in range(len(MARKERS)))]
    drawn = looks(labels)
    assert len(set(drawn.values())) == len(labels)
    assert {each[:2] for each in drawn.values()} == {look("flat_ucb1")[:2]}


@pytest.mark.parametrize("count", [100, 1000])
def test_too_many_policies_are_still_drawn(count):
    assert len(looks(f"p{i}" for i in range(count))) == count
