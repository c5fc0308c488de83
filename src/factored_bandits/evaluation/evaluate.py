"""`evaluate`: what a policy would have earned, by replay or by weighting."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

from factored_bandits.core.checks import integer, probability, shown
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.mean_bounds import Process, lower_mean, running_means
from factored_bandits.logs import Log
from factored_bandits.policies import Policy

from .replay import replay
from .result import Evaluation
from .target import target_of
from .weighting import Estimate, check_weights, value_of

Evaluated = str | types.ModuleType | Policy | Mapping[str, Any]


def evaluate(
    policy: Evaluated,
    log: Log,
    *,
    alpha: float = 0.05,
    least: float | None = None,
    seed: int = 0,
    horizon: int | None = None,
    **params: Any,
) -> Evaluation:
    """Say what a policy would have earned where a log was written.

    Parameters
    ----------
    policy
        A policy that learns, by name or made: it is *replayed*, and meets those rows of the log in
        which it would have chosen what was played. Or a dict of levels, {factor: level}, or of
        probabilities, {factor: {level: probability}}: it is evaluated by *weighting*, that is by
        self-normalised inverse propensity scoring. Factors that it leaves out are as in the log.
    log
        What `fb.load_log` gave. Weighting needs propensities; replay uses them if there are any.
    alpha
        The probability that the interval is ever wrong.
    least
        What the probability of every combination (of the factors that the target names) was at
        least, in every row, if you know that: intervals by weighting become narrower. It is known
        without being given if the log has the same propensity in all rows. In a replay by default
        the smallest of the log.
    seed
        Of the replayed policy, and of which rows it gets.
    horizon
        Of the replayed policy, if it needs one.
    **params
        Parameters of the replayed policy.

    Returns
    -------
    Evaluation
        The estimate with an anytime-valid interval: for the mean reward of the target over the rows
        of the log, or for the mean reward of what the replayed policy chose.

    Raises
    ------
    InvalidInputError
        If propensities are needed and missing, or do not fit what was played.
    UnknownNameError
        If there is no such policy, factor or level.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"ad": ["A", "B"], "size": [1, 2]}, seed=1)
    >>> written = []
    >>> for _ in range(4000):
    ...     decision = agent.ask()
    ...     written.append((decision, 0.8 if decision.levels["ad"] == "B" else 0.2))
    >>> log = fb.load_log(written)
    >>> round(fb.evaluate({"ad": "B", "size": 1}, log).estimate, 3)
    0.8
    >>> fb.evaluate({"ad": {"A": 0.5, "B": 0.5}}, log).lower > 0.45
    True
    >>> print(fb.evaluate("tea(bound=betting)", log, seed=2))
    tea(bound=betting) by replay: 0.7815, between 0.7631 and 0.7998 at 95 % (1,003 of 4,000 rows)
    """
    if not isinstance(log, Log):
        raise InvalidInputError(f"log must be what fb.load_log returned, not {shown(log)}")
    alpha = probability("alpha", alpha)
    if least is not None and least != 1.0:
        least = probability("least", least)
    if least is not None and log.joint is not None and not isinstance(policy, Mapping):
        _check_least(least, log)

    if isinstance(policy, Mapping):
        return _by_weighting(policy, log, alpha, least)
    return _by_replay(policy, log, alpha, least, integer("seed", seed, 0), horizon, params)


def _by_weighting(
    given: Mapping[str, Any], log: Log, alpha: float, least: float | None
) -> Evaluation:
    target = target_of(given, log)
    log, blocks = target.playable(log)
    weights = target.weights(log)
    cap, seen = target.caps(log, least)
    check_weights(weights, seen, target.name)
    found = value_of(weights, log.shares, cap, alpha, blocks)
    square = float((weights**2).sum())
    effective = float(weights.sum()) ** 2 / square if square > 0.0 else 0.0
    used = int((weights > 0.0).sum())
    return _evaluation(target.name, "weighting", log, used, effective, found, alpha)


def _by_replay(
    policy: Any,
    log: Log,
    alpha: float,
    least: float | None,
    seed: int,
    horizon: int | None,
    params: dict[str, Any],
) -> Evaluation:
    played = replay(policy, log, least, seed, horizon, params)
    low, high = log.reward_range
    shares = (played.rewards - low) / (high - low)
    lower, upper = 0.0, 1.0
    if len(shares):
        forecasts = running_means(shares)
        gains = Process(shares, forecasts, 1.0)
        losses = Process(1.0 - shares, 1.0 - forecasts, 1.0)
        lower = max(0.0, lower_mean([gains], 0.5 * alpha))
        upper = min(1.0, 1.0 - lower_mean([losses], 0.5 * alpha))
    value = float(shares.mean()) if len(shares) else float("nan")
    found = Estimate(value, lower, upper)
    return _evaluation(played.policy, "replay", log, len(shares), float(len(shares)), found, alpha)


def _evaluation(
    name: str,
    method: Any,
    log: Log,
    used: int,
    effective: float,
    found: Estimate,
    alpha: float,
) -> Evaluation:
    low, high = log.reward_range
    value, lower, upper = (low + (high - low) * share for share in found)
    return Evaluation(name, method, len(log), used, effective, value, lower, upper, alpha)


def _check_least(least: float, log: Log) -> None:
    joint = log.known_joint("least")
    if joint.min() < least * (1.0 - 1e-9):
        row = int(joint.argmin())
        raise InvalidInputError(
            f"least={least:g}, but row {row + 1} of the log had the probability {joint[row]:.6g}"
        )
