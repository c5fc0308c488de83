"""The suite of factored problems: what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb

INSTANCES = {instance.name: instance for instance in fb.suites.factored()}


@pytest.mark.parametrize("name", INSTANCES)
def test_a_case_is_complete(name):
    instance = INSTANCES[name]
    problem, again = instance.problem(), instance.problem()
    assert problem.kind == "factored"
    assert instance.horizon == 10**5
    assert len(instance.why) > 20
    assert all(np.array_equal(a, b) for a, b in zip(problem.data, again.data, strict=True))


def test_what_was_asked_for_is_there():
    sizes = {name: instance.problem().sizes for name, instance in INSTANCES.items()}
    assert len(INSTANCES) == len(fb.suites.factored()) == 12
    biases = [
        INSTANCES[name].problem().mean((0, 0))
        for name in INSTANCES
        if name.startswith("rank1 16x16")
    ]
    assert biases == pytest.approx([0.0625, 0.25, 0.5, 0.75, 1.0])
    assert sizes["low click rate 5^4"] == (5,) * 4
    assert sizes["additive 6^5"] == (6,) * 5
    assert sizes["logistic 4x8"] == (4, 8)
    assert sizes["trap 2x16"] == (2, 16)
    assert sizes["rank1 20^3"] == (20,) * 3
    assert not INSTANCES["stochastically constrained 8x8"].problem().stationary


def test_click_rates_lie_between_two_and_five_percent():
    problem = INSTANCES["low click rate 5^4"].problem()
    rates = [problem.mean(action) for action in np.ndindex(problem.sizes)]
    assert (min(rates), max(rates)) == pytest.approx((0.02, 0.05))


@pytest.mark.parametrize(
    "name", [name for name in INSTANCES if not name.startswith("stochastically constrained")]
)
def test_all_but_the_adversary_are_uniformly_identifiable(name):
    problem = INSTANCES[name].problem()
    assert fb.theory.identifiability(problem).holds
    if name.startswith("interaction"):
        assert fb.theory.kappa(problem).value == pytest.approx(3.0)
