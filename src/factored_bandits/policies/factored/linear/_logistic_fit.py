"""The ridge logistic regression of a table of combinations, by Newton's method in place.

Steps are shortened so that no log-odds change by more than 1: where the log-odds change by at most
r, the loss lies below its quadratic model with the curvature times 2 (e^r - r - 1) / r^2 < 2 (Bach
2010, Proposition 1), so that every step goes down, without a line search, and the last steps are
full Newton steps.
"""

from __future__ import annotations

import math
from typing import Any

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import sigmoid

from ._linear import main_effects, value

STEPS = 200  # of Newton's method, at most
PRECISION = 1e-10  # of the log-odds


@kernel
def fit(state: Any, ridge: float, theta: Floats, step: Floats) -> None:
    """Minimise minus the log-likelihood plus ridge |theta|^2 / 2, from the present theta."""
    for _ in range(STEPS):
        newton_system(state, ridge, theta, step)
        solve(state.hessian, step)

        change = largest_change(state.offsets, step)
        rate = 1.0 / max(1.0, change)
        for j in range(len(theta)):
            theta[j] -= rate * step[j]

        if change < PRECISION:
            return


@kernel
def newton_system(state: Any, ridge: float, theta: Floats, gradient: Floats) -> None:
    """The gradient of the loss, and the lower triangle of its Hessian."""
    hessian = state.hessian
    ones = state.ones

    for i in range(len(theta)):
        gradient[i] = ridge * theta[i]
        for j in range(i):
            hessian[i, j] = 0.0
        hessian[i, i] = ridge

    for row in range(state.known[0]):
        main_effects(state.offsets, state.levels[row], ones)
        p = sigmoid(value(theta, ones))
        n = state.plays[row]
        weight = n * p * (1.0 - p)
        error = n * p - state.totals[row]

        # the features of a combination are in ascending order: this is the lower triangle
        for a in range(len(ones)):
            gradient[ones[a]] += error
            for b in range(a + 1):
                hessian[ones[a], ones[b]] += weight


@kernel
def solve(hessian: Floats, gradient: Floats) -> None:
    """hessian^-1 gradient, into the gradient; the lower triangle becomes its Cholesky factor C."""
    d = len(gradient)

    # hessian = C C', and forward substitution: gradient <- C^-1 gradient
    for i in range(d):
        for j in range(i + 1):
            entry = hessian[i, j]
            for k in range(j):
                entry -= hessian[i, k] * hessian[j, k]
            hessian[i, j] = math.sqrt(entry) if i == j else entry / hessian[j, j]
        for k in range(i):
            gradient[i] -= hessian[i, k] * gradient[k]
        gradient[i] /= hessian[i, i]

    # backward substitution: gradient <- C'^-1 gradient
    for i in range(d - 1, -1, -1):
        for k in range(i + 1, d):
            gradient[i] -= hessian[k, i] * gradient[k]
        gradient[i] /= hessian[i, i]


@kernel
def largest_change(offsets: Ints, step: Floats) -> float:
    """By how much a step can change any log-odds at most."""
    total = abs(step[0])
    for l in range(len(offsets) - 1):
        most = 0.0
        for k in range(offsets[l], offsets[l + 1]):
            most = max(most, abs(step[k]))
        total += most
    return float(total)
