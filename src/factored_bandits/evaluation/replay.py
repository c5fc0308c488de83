"""Replay: a policy that learns, fed with the rows of a log that it would have chosen itself.

Li, Chu, Langford & Wang (WSDM 2011), by rejection: the policy chooses; a row that played something
else is passed over. A row that played the same is taken with probability least / p, so that any row
is taken with probability `least` whatever the policy has chosen. What it meets is then what it
would have met in some of the rows, drawn at random beforehand.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.agent import Agent
from factored_bandits.core.arrays import Floats
from factored_bandits.core.rng import generators
from factored_bandits.errors import InvalidInputError
from factored_bandits.logs import Log
from factored_bandits.policies import Policy, make


class Replayed(NamedTuple):
    """What happened."""

    policy: str
    rewards: Floats  # of the rows that were taken, in the units of the log
    waits_for: dict[str, Any]  # what the policy had chosen when the log ended


def replay(
    policy: str | types.ModuleType | Policy,
    log: Log,
    least: float | None,
    seed: int,
    horizon: int | None,
    params: dict[str, Any],
) -> Replayed:
    """Play a policy on a log."""
    chosen = make(policy, **params)
    if chosen.info.kind != "factored" or chosen.info.feedback != "reward":
        raise InvalidInputError(
            f"{chosen.name} cannot be replayed: a log has one level of each factor and one reward "
            "per row"
        )

    agent = Agent(
        chosen,
        factors=log.factors,
        reward_range=log.reward_range,
        seed=seed,
        horizon=horizon,
    )
    rows = _taken_rows(log, least, seed)
    rewards = []
    decision = agent.ask()
    for row in rows.tolist():
        if tuple(log.actions[row].tolist()) == decision.action:
            reward = float(log.rewards[row])
            agent.tell(decision.id, reward)
            rewards.append(reward)
            decision = agent.ask()
    return Replayed(chosen.label, np.array(rewards), dict(decision.levels))


def _taken_rows(log: Log, least: float | None, seed: int) -> Any:
    """The rows that are taken if they play what the policy has chosen."""
    if log.joint is None:
        return np.arange(len(log))

    least = float(log.joint.min()) if least is None else least
    rng = generators(seed)[1]
    return np.flatnonzero(rng.random(len(log)) * log.joint < least)
