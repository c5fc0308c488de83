"""What the booth must know of an agent: which duels wait, and who may still be the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from factored_bandits.agent import Agent
from factored_bandits.inference.certificate import certificate

from .ballots import Duel


class View(NamedTuple):
    """An agent at one moment.

    Attributes
    ----------
    waiting
        Duels that were asked and not settled, the oldest first.
    with_self
        By decision, of waiting duels of an arm with itself what stands in for the answer.
    top
        The candidates that are not ruled out; all of them if the policy proves nothing.
    best
        What the policy recommends.
    p_value
        Of another one being the best; None if the policy proves nothing.
    """

    waiting: tuple[Duel, ...]
    with_self: dict[int, float]
    top: tuple[Any, ...]
    best: Any
    p_value: float | None

    @property
    def decided(self) -> bool:
        """Whether no two candidates are left."""
        return len(self.top) < 2


def looking(alpha: float) -> Callable[[Agent[Any]], View]:
    """What a `Read` of the engine does, at a probability of error."""

    def look(agent: Agent[Any]) -> View:
        waiting = []
        with_self = {}
        for block in agent._ledger.blocks():
            for play in block:
                if not agent.is_waiting(play):
                    continue
                first, second = agent._ledger.actions[play].tolist()
                waiting.append(Duel(play, block.start, first, second))
                if first == second:
                    with_self[play] = agent._self_duels.outcome(play)

        names = agent._labels.levels[0]
        if not agent.policy.certifies:
            return View(tuple(waiting), with_self, tuple(names), agent.best(), None)
        found = certificate(agent, alpha)
        ruled_out = found.ruled_out()["arm"]
        top = tuple(name for name in names if name not in ruled_out)
        return View(tuple(waiting), with_self, top, agent.best(), found.p_value)

    return look
