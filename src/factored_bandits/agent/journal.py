"""What an operator may want to know of an agent at work: the logger "factored_bandits".

It is silent until a program listens. Warnings tell of answers that pile up (`backlog`), information
of levels that are eliminated or re-enter, and of decisions that expire by themselves.
"""

from __future__ import annotations

import logging
from typing import Any

from factored_bandits.core.arrays import Bools
from factored_bandits.policies import Policy

from .labels import Labels

LOGGER = logging.getLogger("factored_bandits")
LOGGER.addHandler(logging.NullHandler())  # silent until somebody listens


def listened_to() -> bool:
    """Whether somebody asked for information; otherwise nobody needs to look for any."""
    return LOGGER.isEnabledFor(logging.INFO)


def log_expired(ids: tuple[int, ...]) -> None:
    """Decisions that `expire_after` has settled."""
    if ids:
        named = ", ".join(map(str, ids[:5])) + (", ..." if len(ids) > 5 else "")
        LOGGER.info("%d expired without an answer: decision %s", len(ids), named)


class LevelLog:
    """Sees which levels were eliminated or re-entered since it last looked."""

    def __init__(self, policy: Policy, labels: Labels) -> None:
        self._policy = policy
        self._names = [
            (factor, level)
            for factor, levels in zip(labels.factor_names, labels.levels, strict=False)
            for level in levels
        ]
        self._active: Bools | None = None
        self._version = 0

    def look(self, params: Any, state: Any, round: int) -> list[str]:
        """A sentence per change; at first there is none."""
        if not self._policy.eliminates:
            return []
        active, version = self._policy.module.active_sets(params, state)
        if self._active is not None and version == self._version:
            return []

        before = self._active
        self._active = active.copy()
        self._version = version
        if before is None:
            return []

        reentries = self._reentries(params, state, round)
        return [
            self._sentence(index, bool(active[index]), reentries[index], round)
            for index in (active != before).nonzero()[0].tolist()
        ]

    def _reentries(self, params: Any, state: Any, round: int) -> list[int | None]:
        """Per level the round in which it re-enters, where the policy says so."""
        if not self._policy.reports:
            return [None] * len(self._names)
        reports = self._policy.module.status(params, state, round)
        return [report.reentry for factor in reports for report in factor]

    def _sentence(self, index: int, active: bool, reentry: int | None, round: int) -> str:
        factor, level = self._names[index]
        until = f" until round {reentry:,}" if reentry is not None else ""
        happened = "re-enters" if active else f"is eliminated{until}"
        return f"{factor} {level!r} {happened} (before round {round:,})"
