"""Upper bounds: Theorem 1 on the pulls of a level, Theorems 2 and 3 on the regret.

The theorems live on TEM's scale [-1, 1]: every function takes the problem, doubles the gaps of
rewards in [0, 1], and gives regret back in the unit of the problem. `reward_range` is the one the
policy was made with, if not the problem's. The constants are those that the appendix proves; where
they differ from the ones printed elsewhere in the paper, see "Where the text disagrees with itself"
in docs/paper-map.md.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import scaling
from factored_bandits.policies.base import FROM_ENVIRONMENT, Range
from factored_bandits.policies.parameters import checked_range

from .confidence import log_f_of
from .gaps import gaps
from .kappa import kappa

SCALE = (-1.0, 1.0)  # of TEM
# pulls per comparison with the best level, step 4 of the appendix
TIMES_EXPECTED = 2.5
TIMES_LIKELY = 2.0  # with high probability
# expected pulls of a level in phases whose bounds fail, step 2
OUTSIDE = 1.5

RewardRange = Range | Literal["environment"] | None


def slope(environment: Environment, reward_range: RewardRange = FROM_ENVIRONMENT) -> float:
    """Say how many units of TEM's scale one unit of reward is.

    2 for rewards in [0, 1], 1 for unbounded rewards.

    Parameters
    ----------
    environment
        The problem.
    reward_range
        The range that the policy was made with, if not the problem's.

    Returns
    -------
    float
        The width of [-1, 1] over that of the rewards.

    Raises
    ------
    InvalidInputError
        If `reward_range` is not (low, high) with low < high, None or "environment".

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(4)
    >>> fb.theory.slope(problem), fb.theory.slope(problem, reward_range=(0.0, 4.0))
    (2.0, 0.5)
    """
    if reward_range == FROM_ENVIRONMENT:
        return scaling(environment.reward_range, SCALE)[1]
    return scaling(checked_range(reward_range), SCALE)[1]


def comparisons_upper(gap: Any, K: int, log_inv_delta: Any) -> Floats:
    """Bound the comparisons with the best level after which a level is eliminated.

    Step 3 of the appendix: 48 / gap^2 (log(2K/delta) + 4 log(48 log(2K/delta) / gap^2)).

    Parameters
    ----------
    gap
        The gap of the level on TEM's scale; an array works, too.
    K
        The number of levels.
    log_inv_delta
        log(1 / delta), the confidence that TEM is asked for.

    Returns
    -------
    array
        The number of comparisons; infinite where the gap is not positive.

    Examples
    --------
    >>> round(float(comparisons_upper(0.4, K=16, log_inv_delta=math.log(100.0))))
    11772
    """
    y = math.log(2.0 * K) + np.asarray(log_inv_delta, dtype=np.float64)
    size = np.asarray(gap, dtype=np.float64)
    z = np.divide(48.0, size * size, out=np.full(size.shape, math.inf), where=size > 0.0)
    return np.asarray(z * (y + 4.0 * np.log(z * y)))


def pulls_upper(
    environment: Environment, t: Any, *, reward_range: RewardRange = FROM_ENVIRONMENT
) -> list[Floats]:
    """Bound the expected pulls of each level by round t (Theorem 1).

    With the additive C(a), `extra_pulls`. For duels with the constants of the appendix for
    M_s = |A_s|.

    Parameters
    ----------
    environment
        The problem.
    t
        A round, or an array of rounds.
    reward_range
        The range that the policy was made with, if not the problem's.

    Returns
    -------
    list of arrays
        One array (..., levels) per factor, infinite at the best levels. For duels plays in the
        first position, and as many in the second.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> pulls_upper(fb.environments.identical_gap(16, 0.95), 1_000_000)[0].round().tolist()[:2]
    [inf, 3044.0]
    """
    duel = environment.kind == "duel"
    times = 1.0 if duel else TIMES_EXPECTED
    extra = [1.0 + OUTSIDE]
    if not duel:
        most = max(environment.sizes) + OUTSIDE
        extra = [min(most, c) for c in extra_pulls(environment)]
    return _pulls(environment, times, extra, log_f_of(t), slope(environment, reward_range))


def pulls_upper_likely(
    environment: Environment, delta: float, *, reward_range: RewardRange = FROM_ENVIRONMENT
) -> list[Floats]:
    """Bound the pulls of each level, for ever, with high probability (Theorem 1).

    It is on modules that are asked for delta in every phase. The paper says with probability
    1 - delta; what its proof gives is 1 - `failure_probability(delta, K)` per factor.

    Parameters
    ----------
    environment
        The problem.
    delta
        What the modules are asked for.
    reward_range
        The range that the policy was made with, if not the problem's.

    Returns
    -------
    list of arrays
        One array per factor, infinite at the best levels.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(16, 0.95)
    >>> pulls_upper_likely(problem, delta=0.01)[0].round().tolist()[:2]
    [inf, 1942.0]
    """
    if not 0.0 < delta <= 1.0:
        raise InvalidInputError(f"delta must lie in (0, 1], not {delta!r}")
    duel = environment.kind == "duel"
    times = 1.0 if duel else TIMES_LIKELY
    longest = max(environment.sizes)
    extra = [1.0] if duel else [min(longest, longest * math.log(K) + K) for K in environment.sizes]
    log_inv_delta = np.asarray(-math.log(delta))
    return _pulls(environment, times, extra, log_inv_delta, slope(environment, reward_range))


def extra_pulls(environment: Environment) -> list[float]:
    """Compute the sum of C(a) over the suboptimal levels of each factor (Theorem 1).

    It is M log K + 5/2 K per factor; for duels 5/2 per arm.

    Parameters
    ----------
    environment
        The problem.

    Returns
    -------
    list of float
        One sum per factor, 0 for a factor of one level; for duels a single one.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> [round(c, 2) for c in extra_pulls(fb.environments.spiked(16))]
    [84.36, 84.36]
    """
    K = environment.sizes[0]
    longest = max(environment.sizes)
    if environment.kind == "duel":
        return [(1.0 + OUTSIDE) * (K - 1)]
    return [longest * math.log(K) + 2.5 * K if K > 1 else 0.0 for K in environment.sizes]


def regret_upper(
    environment: Environment, t: Any, *, reward_range: RewardRange = FROM_ENVIRONMENT
) -> Any:
    """Bound the expected regret by round t: Theorem 2 (TEA) or Theorem 3 (Dueling TEA).

    For duels with the constants of the appendix.

    Parameters
    ----------
    environment
        The problem.
    t
        A round, or an array of rounds.
    reward_range
        The range that the policy was made with, if not the problem's.

    Returns
    -------
    float or array
        The regret, in the unit of the problem; infinite if it is not uniformly identifiable.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> round(regret_upper(fb.environments.spiked(16, best=0.75), 1_000_000))
    536459
    >>> round(regret_upper(fb.environments.identical_gap(16, 0.95), 1_000_000))
    20545
    """
    if environment.kind == "duel":
        total = _duel_regret(environment, t, reward_range)
    else:
        total = _factored_regret(environment, t, reward_range)
    return float(total) if total.ndim == 0 else total


def _pulls(
    environment: Environment, times: float, extra: list[float], log_inv_delta: Floats, by: float
) -> list[Floats]:
    """Per factor; the theorem says nothing of a factor without a uniformly best level."""
    found = []
    for l, gap in enumerate(gaps(environment)):
        best = environment.best[l]
        identifiable = np.delete(gap, best).min(initial=math.inf) > 0.0
        known = by * gap if identifiable else np.zeros(len(gap))
        comparisons = comparisons_upper(known, len(gap), log_inv_delta[..., None])
        found.append(times * comparisons + extra[l])
    return found


def _factored_regret(environment: Environment, t: Any, reward_range: RewardRange) -> Floats:
    """Sum kappa (E N(a)) gap(a), where sum C(a) gap(a) <= (largest gap) (M log K + 5/2 K)."""
    constant = kappa(environment).value
    by = slope(environment, reward_range)
    log_inv_delta = log_f_of(t)
    if math.isinf(constant):
        return np.full(log_inv_delta.shape, math.inf)

    total = np.zeros(log_inv_delta.shape)
    for l, gap in enumerate(gaps(environment)):
        others = by * np.delete(gap, environment.best[l])
        pulls = TIMES_EXPECTED * comparisons_upper(others, len(gap), log_inv_delta[..., None])
        extra = others.max(initial=0.0) * extra_pulls(environment)[l]
        total = total + (others * pulls).sum(axis=-1) + extra

    return np.asarray(constant * total / by)


def _duel_regret(environment: Environment, t: Any, reward_range: RewardRange) -> Floats:
    """The sum of (E N(a)) loss(a): per phase each arm is played once in each position.

    That is for regret that averages the losses of the two arms. The smaller of two losses is at
    most their average, the larger one at most twice that.
    """
    others = np.delete(np.arange(environment.sizes[0]), environment.best[0])
    pulls = pulls_upper(environment, t, reward_range=reward_range)[0][..., others]
    if np.isinf(pulls).any():
        return np.full(pulls.shape[:-1], math.inf)
    times = 2.0 if environment.unit == "strong" else 1.0
    return np.asarray(times * (pulls * duel_losses(environment)[others]).sum(axis=-1))


def duel_losses(environment: Environment) -> Floats:
    """What each arm costs, in the unit of the problem: what it costs against itself.

    >>> import factored_bandits as fb
    >>> duel_losses(fb.environments.identical_gap(3, 0.7)).round(3).tolist()
    [0.0, 0.2, 0.2]
    """
    return np.array([environment.regret((arm, arm)) for arm in range(environment.sizes[0])])
