"""The past as a warm start: duels from a file, a list or counts; plays of factors from a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import shown
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.environments import PastDuels, count_duels, load_duels
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make, names

from .labels import Labels
from .past_plays import learn_log
from .rewards import Rewards

# some policies add up a tail of 4 sqrt(duels) terms for each pair
MOST_PAST = 10**10


def warm_start(
    policy: Policy, params: Any, state: Any, labels: Labels, rewards: Rewards, history: Any
) -> int:
    """Put the past into a new state; returns how many rounds it was."""
    if labels.kind == "factored":
        return learn_log(policy, params, state, labels, rewards, history)
    return _count_duels(policy, params, state, labels, history)


def _count_duels(policy: Policy, params: Any, state: Any, labels: Labels, history: Any) -> int:
    if labels.factors:
        raise InvalidInputError(
            "history is a record of past duels of arms; an agent that compares combinations takes "
            "none"
        )
    if not policy.warm_starts:
        able = [name for name in names("duel") if make(name).warm_starts]
        raise InvalidInputError(
            f"{policy.name} cannot use past duels: what it learns depends on how it chose its own. "
            f"Those that can: {', '.join(able)}"
        )

    wins = _counts(history, labels.levels[0])
    if not policy.info.ties and (wins % 1.0).any():
        raise InvalidInputError(
            f"{policy.name} does not learn from ties, and there are ties in the history"
        )

    total = float(wins.sum())
    if total > MOST_PAST:
        raise InvalidInputError(
            f"history: {total:.4g} past duels are too many; {MOST_PAST:,} are the most"
        )

    policy.module.warm_start(params, state, wins)
    return int(total)


def _counts(history: Any, arms: tuple[Any, ...]) -> Floats:
    """Wins of row over column."""
    if isinstance(history, (str, Path)):
        return load_duels(history, arms).wins
    if isinstance(history, PastDuels):
        return _reordered(history, arms)
    if isinstance(history, np.ndarray):
        return _checked(history, len(arms))
    try:
        return count_duels(list(history), arms).wins
    except InvalidInputError as error:
        raise InvalidInputError(f"history: {error}") from None
    except TypeError:
        raise InvalidInputError(
            "history must be the path of a CSV file, a list of (winner, loser) or (winner, loser, "
            "tie), an array of wins of row over column, or what fb.load_duels returned, "
            f"not {shown(history)}"
        ) from None


def _reordered(past: PastDuels, arms: tuple[Any, ...]) -> Floats:
    index = {str(label): i for i, label in enumerate(past.labels)}
    missing = [label for label in past.labels if str(label) not in map(str, arms)]

    if missing:
        raise InvalidInputError(
            f"history: there is no arm {missing[0]!r} here; the arms are "
            f"{', '.join(map(str, arms))}"
        )

    wins = np.zeros((len(arms), len(arms)))
    known = [i for i, arm in enumerate(arms) if str(arm) in index]
    chosen = [index[str(arms[i])] for i in known]
    wins[np.ix_(known, known)] = past.wins[np.ix_(chosen, chosen)]
    return wins


def _checked(wins: np.ndarray[Any, Any], arms: int) -> Floats:
    """Counts: not negative, a tie one half for both, nothing on the diagonal."""
    if wins.shape != (arms, arms) or wins.dtype.kind not in "fiu":
        raise InvalidInputError(
            f"history: wins must be an array of {arms} x {arms} numbers, not of shape {wins.shape}"
        )

    counts = wins.astype(np.float64)
    if (counts > MOST_ROUNDS).any():
        i, j = (int(k) for k in np.argwhere(counts > MOST_ROUNDS)[0])
        raise InvalidInputError(
            f"history: wins[{i}][{j}] = {counts[i, j]:g} is no count of duels; "
            f"2^53 = {MOST_ROUNDS:,} are the most that can be counted exactly"
        )

    halves = (counts >= 0.0) & (counts * 2.0 % 1.0 == 0.0) & ((counts + counts.T) % 1.0 == 0.0)

    if not halves.all():
        i, j = (int(k) for k in np.argwhere(~halves)[0])
        raise InvalidInputError(
            f"history: wins[{i}][{j}] = {counts[i, j]:g} and wins[{j}][{i}] = {counts[j, i]:g} are "
            "no counts of duels (whole numbers; a tie counts one half on both sides)"
        )

    if counts.diagonal().any():
        i = int(counts.diagonal().argmax())
        raise InvalidInputError(
            f"history: wins[{i}][{i}] = {counts[i, i]:g}; an arm cannot have beaten itself"
        )

    return counts
