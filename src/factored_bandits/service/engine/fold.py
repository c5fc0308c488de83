"""The agent as the fold of its log: what each event does to it.

Everything that is complete is learned before the next decision, never later. So what a decision
depends on is which rewards were told before it, and not in which order, nor in how many calls:
rewards between two asks can be permuted.
"""

from __future__ import annotations

import json
import math
import secrets
import types
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from factored_bandits.agent import Agent, Decision
from factored_bandits.agent.driver import Driver
from factored_bandits.core.checks import Form
from factored_bandits.errors import DecisionError, DumpError
from factored_bandits.service.config import Config
from factored_bandits.service.store import Change, Event
from factored_bandits.service.units import LENGTH

from .active_sets import ActiveSets
from .holdout import Holdout, is_held

SECOND = 1_000_000  # microseconds

# a decision as a log has it: its id, the levels as indices, their probabilities
Play = tuple[int, tuple[int, ...], tuple[float, ...] | None]


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
        self.holdout = Holdout(config) if config.holdout else None
        self._ttl = config.ttl
        self.active_sets = ActiveSets()
        self._load(config.start if body is None else body)
        self._due: list[int] = []  # decisions whose expiry the log must tell next
        self._looked = -1  # the time for which decisions that are due were looked for

    def _load(self, body: str) -> None:
        if self.holdout is not None and body != self.config.start:
            body, kept = _both(body)
            self.holdout = Holdout(self.config, kept)
        self.agent: Agent[Any] = Agent.load(body, self._module, self.seconds, self._compiled)
        self.driver = Driver(self.agent)

    def seconds(self) -> float:
        """The clock of the agent."""
        return self.at / SECOND

    # ------------------------------------------------------------ what the engine does, too

    def learn(self, most: int | None = None) -> bool:
        """Learn what is complete, `most` blocks of it; whether that was all."""
        return self.driver.learn(most)

    def ask(self) -> Decision:
        """The next decision; everything that is complete must be learned."""
        return self.driver.ask()

    def decide(self, n: int, seed: bytes | None) -> Decision:
        """A decision, in the event `n`, for whoever has this hash; perhaps they are held out."""
        if self.holdout is None:
            return self.driver.ask()
        seed = seed or secrets.token_bytes(LENGTH)
        held = self.holdout.takes(seed)
        decision = self.holdout.decision(n, seed) if held else self.ask()
        self.holdout.asked(decision.id, self.at)
        return decision

    def changed(self, n: int) -> list[Change]:
        """Levels that the decision in the event `n` shows to be eliminated, or active again."""
        return self.active_sets.look(self.driver, n, self.at)

    @property
    def backlog(self) -> int:
        """How many decisions are given out and not learned."""
        held = 0 if self.holdout is None else len(self.holdout.open)
        return self.driver.backlog + held

    @property
    def since_oldest(self) -> int:
        """How many decisions are given out from the oldest on that waits."""
        held = 0 if self.holdout is None else len(self.holdout.open)
        return self.driver.since_oldest + held

    def is_waiting(self, decision: Any) -> bool:
        """Whether a decision would take a reward."""
        if self.holdout is not None and is_held(decision):
            return decision in self.holdout.open
        return self.driver.is_waiting(decision)

    def tell(self, decision: int, reward: Any) -> None:
        """Learn the reward of a decision that waits; that of the holdout is only checked."""
        if is_held(decision):
            if not self.is_waiting(decision):
                raise DecisionError(f"decision {decision} does not wait for a reward")
            self.driver.check_reward(reward)
        else:
            self.driver.tell(decision, reward)

    def settled(self, decision: int, reward: Any) -> None:
        """A decision was told or has expired; the holdout counts it."""
        if self.holdout is not None:
            self.holdout.settled(decision, reward)

    def expire_due(self) -> tuple[int, ...]:
        """Expire everything that is due by now."""
        if self._ttl is None:
            return ()
        due = self.driver.expire_older(self._ttl)
        if self.holdout is not None:
            due += self.holdout.older(self.at, self._ttl)
        return due

    def dump(self) -> str:
        """The state, with everything learned that is complete."""
        self.learn()
        if self.holdout is None:
            return self.agent.dump()
        return json.dumps({"agent": self.agent.dump(), "holdout": self.holdout.document()})

    def due_in(self) -> float:
        """Seconds until the oldest open decision is due; infinite if none ever is."""
        ttl = self._ttl
        if ttl is None:
            return math.inf
        ages = [self.agent.status().oldest_age]
        if self.holdout is not None:
            ages.append(self.holdout.oldest_age(self.at))
        known = [age for age in ages if age is not None]
        return (ttl - max(known)).total_seconds() if known else math.inf

    # ------------------------------------------------------------ following a log

    def follow(self, events: Iterable[Event]) -> None:
        """Repeat events; an error names the first one that comes out otherwise.

        After an error the fold is of no use.
        """
        # a rebase begins with another agent
        for rebase, stretch in groupby(events, lambda event: event.kind == "rebase"):
            if rebase:
                self._repeated(stretch)
            else:
                self.driver.together(self._repeated, stretch)

    def _repeated(self, events: Iterable[Event]) -> None:
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
        # a pause is written without the agent, which may be why there is one; the events of a
        # transaction have one time, at which nothing more is due when all that was has expired
        if event.at != self._looked and not self._due and event.kind != "pause":
            self._due = list(self.expire_due())
            self._looked = event.at
        if self._due:
            self._repeat_due(event)
        elif event.kind == "ask":
            self._repeat_ask(event)
        elif event.kind == "tell":
            self.tell(event.decision or 0, event.body)
        elif event.kind == "expire" and not is_held(event.decision):
            self.driver.expire(event.decision or 0)
        elif event.kind == "rebase":
            self._load(event.body["dump"])
        if event.kind in ("tell", "expire"):
            self.settled(event.decision or 0, event.body)

    def _repeat_due(self, event: Event) -> None:
        due = self._due.pop(0)
        if event.kind != "expire" or event.decision != due:
            raise FoldError(event.n, f"decision {due} had to expire before it")

    def _repeat_ask(self, event: Event) -> None:
        self.learn()
        given = _logged(event)
        seed = event.unit or event.idem
        if self.holdout is None:
            computed = self._play()
        elif seed is None:
            # for nobody in particular: who was held out, and with what, was a random number
            computed = given if is_held(event.decision) else self._play()
            self.holdout.asked(computed[0], event.at)
        else:
            decision = self.decide(event.n, seed)
            known = None if decision.propensity is None else tuple(decision.propensity.values())
            computed = (decision.id, decision.action, known)
        if computed != given:
            logged, anew = (self._named(event, play) for play in (given, computed))
            raise FoldError(event.n, f"the log has {logged}, computed anew it is {anew}")

    def _named(self, event: Event, play: Play) -> Decision:
        """A decision for a message."""
        id, action, propensity = play
        return self.config.decision(
            event._replace(decision=id, action=action, propensity=propensity)
        )

    def _play(self) -> Play:
        """The next decision as the log has it, without the names of its levels."""
        id, (action, propensity) = self.driver.play()
        return id, action, propensity


def _logged(event: Event) -> Play:
    assert event.decision is not None
    assert event.action is not None
    return event.decision, event.action, event.propensity


def _both(body: str) -> tuple[str, Any]:
    """The dump of the agent, and what is known of the holdout."""
    try:
        document = json.loads(body)
        return document["agent"], document["holdout"]
    except (TypeError, ValueError, KeyError) as error:
        raise DumpError(f"a snapshot cannot be read: {error}") from None
