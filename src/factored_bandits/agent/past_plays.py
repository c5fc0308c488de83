"""Plays of the past for an agent with factors: a log, learned row by row.

Only for policies whose statistics are about combinations: the mean reward of a combination is the
same whoever chose it. What a level has brought depends on the levels beside it, so that a policy
that keeps statistics of levels would learn the taste of whoever chose the contexts; and the proofs
of those that certify rest on their own random draws (docs/how-to/logs.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.limits import LARGEST_REWARD
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.logs import Log, load_log
from factored_bandits.policies import Policy, make, names

from .labels import Labels
from .rewards import Rewards


def learn_log(
    policy: Policy, params: Any, state: Any, labels: Labels, rewards: Rewards, history: Any
) -> int:
    """Learn a log with a new state; returns how many rows it has."""
    if not policy.takes_history:
        able = [name for name in names("factored") if make(name).takes_history]
        raise InvalidInputError(
            f"{policy.name} cannot use a history: what it learns depends on how it chose its own "
            f"plays. Those that can: {', '.join(able)}"
        )

    log = _log(history, labels, rewards)
    actions = _actions(log, labels)
    told = _told(log, rewards)
    mapped = rewards.mapped(told)
    for row in range(len(log)):
        policy.module.learn(params, state, row + 1, actions[row : row + 1], mapped[row : row + 1])
    return len(log)


def _log(history: Any, labels: Labels, rewards: Rewards) -> Log:
    if isinstance(history, Log):
        return history
    factors = dict(zip(labels.names, labels.levels, strict=True))
    widest = (-LARGEST_REWARD, LARGEST_REWARD)
    try:
        return load_log(history, factors, reward_range=rewards.range or widest)
    except InvalidInputError as error:
        raise InvalidInputError(f"history: {error}") from None


def _actions(log: Log, labels: Labels) -> Ints:
    """The plays by the agent's own numbers of levels."""
    if set(log.factors) != set(labels.names):
        raise InvalidInputError(
            f"history: the factors of the log are {', '.join(log.factors)}; those of the agent are "
            f"{', '.join(labels.names)}"
        )

    columns = []
    logged = list(log.factors)
    for name, levels in zip(labels.names, labels.levels, strict=True):
        column = log.actions[:, logged.index(name)]
        index = []
        for code, level in enumerate(log.factors[name]):
            found = _position(level, levels)
            if found is None and (column == code).any():
                row = int(np.argmax(column == code)) + 1
                raise InvalidInputError(
                    f"history, row {row}: there is no level {level!r} of {name!r} here; its levels "
                    f"are {', '.join(map(repr, levels))}"
                )
            index.append(-1 if found is None else found)
        columns.append(np.array(index, dtype=np.int64)[column])
    return np.column_stack(columns)


def _position(level: Any, levels: tuple[Any, ...]) -> int | None:
    """Which of the levels it is; True is not 1."""
    same = (
        i
        for i, one in enumerate(levels)
        if one == level and isinstance(one, bool) is isinstance(level, bool)
    )
    return next(same, None)


def _told(log: Log, rewards: Rewards) -> Floats:
    for row, reward in enumerate(log.rewards.tolist(), start=1):
        try:
            rewards.checked(reward)
        except RewardOutOfRangeError as error:
            raise RewardOutOfRangeError(f"history, row {row}: {error}") from None
    return log.rewards
