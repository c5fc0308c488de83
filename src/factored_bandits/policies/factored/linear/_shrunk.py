"""Scores of combinations: their own record, shrunk to the logistic fit by an estimated amount.

A combination with c plays, the sum w of its rewards and the prediction p of the fit scores

    (w + n0 p) / (c + n0).

n0 says how much the fit is worth in plays. If the rate of a combination is spread around p like a
Beta distribution with n0 observations, its rewards are correlated by rho = 1 / (n0 + 1), and the
expectation of (w - c p)^2 is p (1 - p) c (1 + (c - 1) rho). Summed over the combinations and solved
for rho, this is an estimate by moments: 0 where the log-odds are a sum of effects, large where
there are interactions.

The kernels work on any State with a table of combinations (`blocks.combinations.Table`), `plays`
and `totals` per row, `offsets` and `mean` of the fit, and the scratch `ones` and `trial`.
"""

from __future__ import annotations

from typing import Any

from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid
from factored_bandits.core.select import unravel
from factored_bandits.policies.blocks.combinations import find

from ._linear import main_effects, value

# what the fit is worth, in plays: at least and at most
LEAST = 10.0
MOST = 1000.0

# predictions nearer to 0 or 1 are left out of the estimate, which divides by p (1 - p)
EDGE = 0.01


@kernel
def prediction(state: Any, key: int) -> float:
    """The rate of the combination of this number by the fit."""
    unravel(state.sizes, key, state.trial)
    main_effects(state.offsets, state.trial, state.ones)
    return sigmoid(value(state.mean, state.ones))


@kernel
def worth_of_fit(state: Any) -> float:
    """n0, from all combinations that were played twice or more."""
    excess = 0.0
    pairs = 0.0

    for row in range(state.known[0]):
        c = float(state.plays[row])
        if c < 2.0:
            continue
        p = prediction(state, state.keys[row])
        if p < EDGE or p > 1.0 - EDGE:
            continue
        deviation = state.totals[row] - c * p
        excess += deviation * deviation / (p * (1.0 - p)) - c
        pairs += c * (c - 1.0)

    if excess <= 0.0:
        return MOST
    return min(max(pairs / excess - 1.0, LEAST), MOST)


@kernel
def score(state: Any, key: int, worth: float) -> float:
    """The score of the combination of this number; of one never played, the prediction."""
    p = prediction(state, key)
    row = find(state, key)
    if row < 0:
        return p
    return float((state.totals[row] + worth * p) / (state.plays[row] + worth))
