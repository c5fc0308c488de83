"""The memory of a state, estimated from small problems, is what a larger one takes."""

from __future__ import annotations

import numpy as np
import pytest

from factored_bandits import policies
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.footprint import nbytes, state_bytes

DUELS = ([400, 400],)
FACTORED = ([400, 400], [40, 10, 500], [7, 2, 3, 600], [900], [30] * 20, [9, 9, 9, 1371])
BOUNDED = 2**20  # hash tables and rounded lengths, which the estimate leaves out


@pytest.mark.parametrize("name", policies.names())
def test_the_estimate_is_what_a_state_takes(name):
    policy = policies.make(name)
    compared = 0

    for levels in DUELS if policy.info.kind == "duel" else FACTORED:
        sizes = np.array(levels)
        try:
            policy.check(sizes, 1000)
        except InvalidInputError:
            continue

        taken = nbytes(policy.module.init(policy.encoded(), sizes, 1000))
        assert state_bytes(policy, sizes) == pytest.approx(taken, rel=0.06, abs=BOUNDED)
        compared += 1

    assert compared


def test_parameters_count():
    sizes = np.array([1000, 1000])
    paper = policies.make("dueling_tea")
    betting = policies.make("dueling_tea(bound=betting)")
    taken = nbytes(betting.module.init(betting.encoded(), sizes, 0))
    assert state_bytes(betting, sizes) == pytest.approx(taken, rel=0.01)
    assert taken > 1.4 * state_bytes(paper, sizes)


def test_a_rounded_length_is_not_taken_for_pairs():
    """flat_thompson keeps a square root of arms: no quadratic growth may come of its rounding."""
    policy = policies.make("flat_thompson")
    for levels in range(600, 1_000_000, 99_901):
        assert state_bytes(policy, np.array([levels])) < 50 * levels


def test_a_policy_that_refuses_small_problems_is_not_judged(monkeypatch):
    uniform = policies.make("uniform")

    def init(params, sizes, horizon):
        raise RuntimeError("too small for me")

    monkeypatch.setattr(uniform.module, "init", init)
    assert state_bytes(uniform, np.array([1000, 1000])) == 0.0
