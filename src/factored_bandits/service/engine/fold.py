"""The agent as the fold of its log: what each event does to it.

Everything that is complete is learned before the next decision, never later. So what a decision
depends on is which rewards were told before it, and not in which order, nor in how many calls:
rewards between two asks can be permuted.
"""

from __future__ import annotations

import math
import types
from collections.abc import Iterable
from typing import Any

from factored_bandits.agent import Agent, Decision
from factored_bandits.agent.agent import PORTION
from factored_bandits.core.checks import Form
from factored_bandits.errors import BacklogWarning
from factored_bandits.service.config import Config
from factored_bandits.service.store import Event

SECOND = 1_000_000  # microseconds


class FoldError(Exception):
    """An event that this library on this machine cannot follow."""

    def __init__(self, n: int, detail: str) -> None:
        super().__init__(f"event {n}: {detail}")
        self.n = n


class Fold:
    """An agent after event `n` of its log.

    Parameters
    ----------
    config
        What the experiment is.
    module
        The policy, if it is a module of one's own.
    compiled
        See `Agent`.
    body
        A dump to begin with; by default the one of the configuration.
    n
        The number of the event after which that dump was made.
    """

    def __init__(
        self,
        config: Config,
        module: types.ModuleType | None = None,
        compiled: Form = "auto",
        body: str | None = None,
        n: int = 0,
    ) -> None:
        self.config = config
        self.n = n
        self.at = 0  # microseconds; the time of the agent
        self._module = module
        self._compiled = compiled
        self.agent = self._loaded(config.start if body is None else body)
        self._due: list[int] = []  # decisions whose expiry the log must tell next

    def _loaded(self, body: str) -> Agent[Any]:
        return Agent.load(body, self._module, self.seconds, self._compiled)

    def seconds(self) -> float:
        """The clock of the agent."""
        return self.at / SECOND

    # ------------------------------------------------------------ what the engine does, too

    def learn(self, most: int | None = None) -> bool:
        """Learn what is complete, `most` blocks of it; whether that was all."""
        # a call learns that many by itself, and a block has a play at least
        if self.agent.backlog <= PORTION:
            return True
        return self.agent.learn(most) != most

    def ask(self) -> Decision:
        """The next decision; everything that is complete must be learned."""
        try:
            return self.agent.ask()
        except BacklogWarning:  # where warnings are errors; it comes before any change, and once
            return self.agent.ask()

    def expire_due(self) -> tuple[int, ...]:
        """Expire everything that is due by now."""
        due = self.agent.due
        if due and self.config.ttl is not None:
            self.agent.expire(older_than=self.config.ttl)
        return due

    def dump(self) -> str:
        """The state, with everything learned that is complete."""
        self.learn()
        return self.agent.dump()

    def due_in(self) -> float:
        """Seconds until the oldest open decision is due; infinite if none ever is."""
        ttl = self.config.ttl
        age = None if ttl is None else self.agent.status().oldest_age
        return math.inf if ttl is None or age is None else (ttl - age).total_seconds()

    # ------------------------------------------------------------ following a log

    def follow(self, events: Iterable[Event]) -> None:
        """Repeat events; an error names the first one that comes out otherwise."""
        for event in events:
            if event.n != self.n + 1:
                raise FoldError(self.n + 1, f"it is missing; the next one is {event.n}")
            if event.at < self.at:
                raise FoldError(event.n, "it is older than the event before it")
            self.at = event.at
            try:
                self._repeat(event)
            except FoldError:
                raise
            except Exception as error:  # of the agent or of a policy of somebody's own
                raise FoldError(event.n, f"{type(error).__name__}: {error}") from error
            self.n = event.n

    def _repeat(self, event: Event) -> None:
        # a pause is written without the agent, which may be why there is one
        if not self._due and event.kind != "pause":
            self._due = list(self.expire_due())
        if self._due:
            self._repeat_due(event)
        elif event.kind == "ask":
            self._repeat_ask(event)
        elif event.kind == "tell":
            self.agent.tell(event.decision or 0, event.body)
        elif event.kind == "expire":
            self.agent.expire(event.decision or 0)
        elif event.kind == "rebase":
            self.agent = self._loaded(event.body["dump"])

    def _repeat_due(self, event: Event) -> None:
        due = self._due.pop(0)
        if event.kind != "expire" or event.decision != due:
            raise FoldError(event.n, f"decision {due} had to expire before it")

    def _repeat_ask(self, event: Event) -> None:
        self.learn()
        decision = self.ask()
        given = self.config.decision(event)
        if decision != given:
            raise FoldError(event.n, f"the log has {given}, computed anew it is {decision}")
