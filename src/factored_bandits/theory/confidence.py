"""Confidence in TEM: f, the radius of line 10 of Algorithm 3, thresholds and re-entry rounds.

The formulas themselves are the kernels of `policies/tem/bounds.py`; here they take arrays, with the
paper's bound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.tem.bounds import (
    NEVER,
    PAPER,
    SUM_OF_INVERSES,
    first_round_at,
    log_f,
    radius,
    threshold,
)


def rounds(t: Any, name: str = "t") -> Floats:
    """Rounds, or numbers of comparisons, from 1 on, as floats."""
    array = np.asarray(t, dtype=np.float64)
    if not (np.isfinite(array) & (array >= 1.0)).all():
        raise InvalidInputError(f"{name} must be at least 1 and finite, not {t!r}")
    return array


def log_f_of(t: Any) -> Floats:
    """Compute log f(t) of an array."""
    return np.asarray(np.vectorize(log_f, otypes=[np.float64])(rounds(t)))


def f(t: Any) -> Any:
    """Compute f(t) = (t + 1) log^2(t + 1): TEA asks for confidence 1 - 1 / f(t) in round t.

    Parameters
    ----------
    t
        A round, or an array of rounds, from 1 on.

    Returns
    -------
    float or array
        f(t), in the shape of `t`.

    Raises
    ------
    InvalidInputError
        If a round is below 1 or not finite.

    Examples
    --------
    >>> round(f(1_000_000), -3)
    190869000.0
    >>> f([1, 10]).round(3).tolist()
    [0.961, 63.249]
    """
    values = np.exp(log_f_of(t))
    return float(values) if values.ndim == 0 else values


def confidence(n: Any, t: Any, K: int) -> Any:
    """Compute the confidence radius sqrt(12 log(2 K f(n) f(t)) / n), on TEM's scale [-1, 1].

    Parameters
    ----------
    n
        How many comparisons there were; an array works, too.
    t
        The round; an array works, too.
    K
        The number of levels.

    Returns
    -------
    float or array
        The radius, in the shape to which `n` and `t` broadcast.

    Raises
    ------
    InvalidInputError
        If `n`, `t` or `K` is below 1 or not finite.

    Examples
    --------
    >>> round(confidence(1000, 1_000_000, K=16), 4)
    0.6322
    """
    counts = rounds(n, "n")
    sizes = int(rounds(K, "K"))

    def radius_of(count: Any, log_inv_delta: float) -> float:
        return radius(count, sizes, log_inv_delta)

    values = np.vectorize(radius_of, otypes=[np.float64])(counts, log_f_of(t))
    return float(values) if values.ndim == 0 else values


def tau(D: Any, N: Any) -> Floats:
    """Compute per level the largest log(1 / delta) at which it is still eliminated.

    In TEA level i is eliminated in round t exactly if log f(t) < tau_i.

    Parameters
    ----------
    D
        `D[i, j]` is the sum of differences of level i over level j, as in `fb.TEM`.
    N
        `N[i, j]` is the number of comparisons of these two.

    Returns
    -------
    array
        A threshold per level; minus infinity if no other level leads it.

    Raises
    ------
    InvalidInputError
        If the arrays are not square and of one shape.

    Examples
    --------
    >>> tau(D=[[0, 90], [-90, 0]], N=[[0, 100], [100, 0]]).round(3).tolist()
    [-inf, -2.31]
    """
    differences = np.asarray(D, dtype=np.float64)
    counts = np.asarray(N)

    square = differences.ndim == 2 and differences.shape[0] == differences.shape[1]
    if not square or differences.shape != counts.shape:
        raise InvalidInputError(
            f"D and N must be square and alike, not of shapes {differences.shape} and "
            f"{counts.shape}"
        )

    size = len(differences)
    values = np.full(size, NEVER)

    for j, i in zip(*np.nonzero((differences > 0.0) & (counts > 0)), strict=True):
        values[i] = max(
            values[i],
            threshold(PAPER, float(differences[j, i]), int(counts[j, i]), size, 0.0),
        )

    return values


def reentry_round(tau: Any) -> Ints:
    """Compute the first round t with log f(t) >= tau: when an eliminated level re-enters.

    Parameters
    ----------
    tau
        The threshold of the level, see `tau`; an array works, too.

    Returns
    -------
    array
        The round, in the shape of `tau`: 1 for a level that is not eliminated (minus infinity), at
        most 2^62.

    Raises
    ------
    InvalidInputError
        If a threshold is nan.

    Examples
    --------
    >>> int(reentry_round(15.0))
    30635
    >>> reentry_round([-math.inf, 15.0]).tolist()
    [1, 30635]
    """
    values = np.asarray(tau, dtype=np.float64)
    if np.isnan(values).any():
        raise InvalidInputError(f"tau must be a number, not {tau!r}")
    return np.asarray(np.vectorize(first_round_at, otypes=[np.int64])(values))


def failure_probability(delta: float, K: int) -> float:
    """Bound the probability that a confidence bound of a module ever fails, at constant delta.

    The paper says delta. By its own union bound, in the proof of Theorem 1, it is
    delta (K - 1) / K times the sum of 1 / f, which is 2.11.

    Parameters
    ----------
    delta
        What the module is asked for in every phase.
    K
        The number of levels.

    Returns
    -------
    float
        The bound on the probability, at most 1.

    Raises
    ------
    InvalidInputError
        If `delta` is not in (0, 1].

    Examples
    --------
    >>> round(failure_probability(0.01, K=16), 4)
    0.0198
    """
    if not (0.0 < delta <= 1.0 and math.isfinite(delta)):
        raise InvalidInputError(f"delta must lie in (0, 1], not {delta!r}")
    return min(1.0, SUM_OF_INVERSES * delta * (K - 1) / K)
