"""Inverse propensity scoring: weights, self-normalised estimates, and intervals.

The weight w of a row is the probability of what was played under the target, over that under the
policy that wrote the log. Given the past it has mean 1, and w x has the mean v of the target. Both

    Y = w x                    which is not negative, and
    Y = w (x - c) + c          with a baseline c that is known before the row,

have the mean v. The second has the smaller variance, that of the self-normalised estimate, but is
bounded below only if w is bounded above. docs/explanation/off-policy.md has the proofs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.mean_bounds import Process, lower_mean, running_means

from .blocks import Blocks

SURE = 1e-6  # the probability with which sound propensities are called wrong


class Estimate(NamedTuple):
    """A mean, and between what it is."""

    value: float
    lower: float
    upper: float


def value_of(
    weights: Floats,
    rewards: Floats,
    cap: float | None,
    alpha: float,
    blocks: Blocks | None = None,
) -> Estimate:
    """The mean reward of a target, for rewards from 0 to 1.

    Parameters
    ----------
    weights
        Per row the weight, of mean 1 given the past.
    rewards
        Per row the reward.
    cap
        What weights are at most, whatever had been played; None if that is not known.
    alpha
        The probability of error of both ends together.
    blocks
        Which rows were planned together.

    Returns
    -------
    Estimate
        The self-normalised estimate, and the interval.
    """
    gains = [_as_it_is(weights * rewards, blocks)]
    losses = [_as_it_is(weights * (1.0 - rewards), blocks)]
    if cap is not None and blocks is None:
        baseline = _past_estimates(weights, rewards)
        values = weights * (rewards - baseline) + baseline
        gains.append(Process(values, baseline, cap))
        losses.append(Process(1.0 - values, 1.0 - baseline, cap))

    lower = lower_mean(gains, 0.5 * alpha)
    upper = 1.0 - lower_mean(losses, 0.5 * alpha)
    return Estimate(ratio(weights, rewards), max(lower, 0.0), min(upper, 1.0))


def ratio(weights: Floats, rewards: Floats) -> float:
    """The self-normalised estimate; nan without weights."""
    total = float(weights.sum())
    return float((weights * rewards).sum()) / total if total > 0.0 else math.nan


def _as_it_is(values: Floats, blocks: Blocks | None) -> Process:
    if blocks is not None:
        return blocks.process(values, 0.0, 1.0, 1.0)
    return Process(values, running_means(values), 1.0)


def _past_estimates(weights: Floats, rewards: Floats) -> Floats:
    """Per row the self-normalised estimate from the rows before, and from one reward of 1/2."""
    before = np.cumsum(weights) - weights
    earned = np.cumsum(weights * rewards) - weights * rewards
    estimates: Floats = np.clip((earned + 0.5) / (before + 1.0), 0.0, 1.0)
    return estimates


def difference(
    weights: Floats,
    rewards: Floats,
    cap: float | None,
    alpha: float,
    blocks: Blocks | None = None,
) -> Estimate:
    """The mean reward of a target minus that of the policy that wrote the log.

    Parameters
    ----------
    weights, rewards, cap, alpha, blocks
        As for `value_of`.

    Returns
    -------
    Estimate
        The difference, and the interval.
    """
    gains = [_change(weights * rewards - rewards, 2.0, blocks)]
    losses = [_change(weights * (1.0 - rewards) - (1.0 - rewards), 2.0, blocks)]
    if cap is not None and blocks is None:
        # (w - 1)(x - c) is at least -max(w, 1), and its forecast at most 1
        baseline = running_means(rewards)
        values = (weights - 1.0) * (rewards - baseline)
        scale = max(cap, 1.0) + 1.0
        gains.append(_change(values, scale, None))
        losses.append(_change(-values, scale, None))

    lower = lower_mean(gains, 0.5 * alpha)
    upper = -lower_mean(losses, 0.5 * alpha)
    value = ratio(weights, rewards) - float(rewards.mean())
    return Estimate(value, max(lower, -1.0), min(upper, 1.0))


def _change(values: Floats, scale: float, blocks: Blocks | None) -> Process:
    if blocks is not None:
        return blocks.process(values, -1.0, 1.0, scale)
    return Process(values, running_means(values, -1.0, 1.0), scale)


def check_weights(weights: Floats, cap: float, target: str) -> None:
    """Raise an error if the weights cannot have mean 1: then the propensities are not true.

    `cap` may be a cap by the smallest propensity that the log holds: this is an alarm, no bound.
    """
    forecasts = running_means(weights)
    above = lower_mean([Process(weights, forecasts, 1.0)], SURE)
    below = -lower_mean([Process(-weights, -forecasts, cap)], SURE)
    if above <= 1.0 <= below:
        return

    raise InvalidInputError(
        f"the propensities of the log do not fit what was played: the weights of {target} average "
        f"to {weights.mean():.3g}, and should to 1. Either they are not the probabilities with "
        "which rows were chosen, or what is evaluated could not be played in some rows, as under a "
        "policy that eliminates levels: evaluate the rows before that, log.head(rows)"
    )
