"""f, the confidence radius, thresholds and rounds of return: formulas of the paper, and what TEM
does with them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.theory import SUM_OF_INVERSES

theory = fb.theory


def paper_f(t):
    return (t + 1) * math.log(t + 1) ** 2


@given(st.integers(1, 10**12), st.integers(1, 10**12), st.integers(2, 1000))
def test_the_formulas_of_the_paper(n, t, K):
    assert theory.f(t) == pytest.approx(paper_f(t), rel=1e-12)
    radius = math.sqrt(12 * math.log(2 * K * paper_f(n) * paper_f(t)) / n)
    assert theory.confidence(n, t, K) == pytest.approx(radius, rel=1e-12)


def test_arrays():
    assert theory.f(np.array([1, 2, 3])).shape == (3,)
    assert theory.confidence(np.arange(1, 5)[:, None], np.array([10, 20]), 3).shape == (4, 2)
    assert theory.reentry_round([1.0, 2.0]).dtype == np.int64
    assert isinstance(theory.f(1), float)
    assert isinstance(theory.confidence(1, 1, 2), float)


@given(st.floats(-5, 25))
def test_reentry_is_the_first_round(tau):
    t = int(theory.reentry_round(tau))
    assert math.log(theory.f(t)) >= tau - 1e-12
    assert t == 1 or math.log(theory.f(t - 1)) < tau + 1e-12


def test_thresholds_decide_as_the_module_does():
    """At every delta a level is in the active set of TEM exactly if log(1/delta) >= tau."""
    rng, tem = np.random.default_rng(5), fb.TEM(4)
    quality = np.array([0.5, 0.2, 0.0, -0.4])
    decided = 0
    for _ in range(300):
        active = tem.active_set(0.05)
        tau = theory.tau(tem.D, tem.N)
        if (tem.N > 0).all():
            expected = np.flatnonzero(-math.log(0.05) >= tau)
            assert active.tolist() == expected.tolist()
            decided += len(expected) < 4
        arms = tem.schedule(len(active), rng)
        tem.feedback(arms, np.clip(quality[arms] + 0.3 * rng.uniform(-1, 1, len(arms)), -1, 1))
    assert decided > 50
    for delta in (0.5, 0.1, 1e-3, 1e-9):
        assert (
            tem.active_set(delta).tolist()
            == np.flatnonzero(-math.log(delta) >= theory.tau(tem.D, tem.N)).tolist()
        )


def test_the_sum_of_inverses():
    """Lemma 3 needs the sum of 1 / f(k) to be at most 1. For its own f it is 1.055, for that of the
    algorithms 2.11.
    """
    k = np.arange(1, 10**6 + 1, dtype=float)
    total = (1.0 / ((k + 1) * np.log(k + 1) ** 2)).sum()
    # the rest: between the integrals of 1 / (x log^2 x) from 10^6 + 2 and from 10^6 + 1 (its
    # integral is -1 / log x)
    low, high = total + 1 / math.log(10**6 + 2), total + 1 / math.log(10**6 + 1)
    assert low < SUM_OF_INVERSES < high
    assert high - low < 1e-8
    assert SUM_OF_INVERSES / 2 > 1.05
    assert theory.failure_probability(0.1, 2) == pytest.approx(0.10548714)


def test_refusals():
    for wrong in (0, -1, math.nan, math.inf):
        with pytest.raises(InvalidInputError, match="t must be at least 1"):
            theory.f(wrong)
        with pytest.raises(InvalidInputError, match="n must be at least 1"):
            theory.confidence(wrong, 1, 2)
    with pytest.raises(InvalidInputError, match="square and alike"):
        theory.tau(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(InvalidInputError, match="tau must be a number"):
        theory.reentry_round(math.nan)
    for wrong in (0.0, 1.5, math.nan):
        with pytest.raises(InvalidInputError, match="delta"):
            theory.failure_probability(wrong, 2)
        with pytest.raises(InvalidInputError, match="delta"):
            theory.pulls_upper_likely(fb.environments.spiked(3), wrong)
