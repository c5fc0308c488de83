"""One experiment in one transaction: requests become events and answers."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

from factored_bandits.agent.playing import PORTION
from factored_bandits.errors import (
    DecisionError,
    ExperimentError,
    InvalidInputError,
    RewardOutOfRangeError,
)
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Change, Event, Experiment, Snapshot, Transaction

from .fold import Fold
from .holdout import is_held
from .requests import Ask, Control, Expire, Read, Rebase, Request, Tell

Answers = list[tuple[Request, Any, Exception | None]]
# What is the fault of the one who asked, and therefore the answer. All other errors are faults of
# the agent or of its policy.
FAULTS: dict[type[Request], tuple[type[Exception], ...]] = {
    Ask: (ExperimentError,),
    Tell: (DecisionError, RewardOutOfRangeError),
    Expire: (DecisionError, InvalidInputError),
    Read: (Exception,),
    Control: (ExperimentError,),
    Rebase: (),
}
# Methods by name: a batch that held its own methods would wait for the collector of garbage, with
# all its events and answers.
HANDLERS: dict[type[Request], str] = {
    Ask: "_ask",
    Tell: "_tell",
    Expire: "_expire",
    Read: "_read",
    Control: "_control",
    Rebase: "_rebase",
}
PLAYS = (Ask, Tell)  # many of these are one call of the agent
LEARNED = (Ask, Read)  # before these, everything that is complete is learned
LARGEST_DECISION = 2**53
LONGEST_REASON = 1000
STATUS_AFTER = {"pause": "paused", "resume": "running", "stop": "stopped"}


class AloneError(Exception):
    """A request for which the database is asked, while the agent is locked for others."""


class ConflictError(DecisionError):
    """Another reward was told before."""


def plain(reason: str | None) -> str | None:
    """A reason as any database holds it: not too long, and without characters such as NUL.

    >>> plain("a\\0b")
    'a b'
    """
    if reason is None:
        return None
    return "".join(c if c.isprintable() else " " for c in reason[:LONGEST_REASON])


class Batch:
    """What a transaction adds to one experiment; nothing is said until that is committed.

    Parameters
    ----------
    fold
        The agent, which has followed the log to its head. It is changed.
    tx
        The transaction, which has locked the experiment.
    row
        The experiment as the transaction found it.
    at
        The time of all events.
    mark
        The number of the transaction.
    """

    def __init__(self, fold: Fold, tx: Transaction, row: Experiment, at: int, mark: int) -> None:
        self._fold = fold
        self._tx = tx
        self._before = row
        self._at = at
        self._mark = mark
        self.row = row
        self.events: list[Event] = []
        self.changes: list[Change] = []
        self.answers: Answers = []
        self._units: dict[bytes, Event] = {}
        self._keys: dict[bytes, Event] = {}
        self._settled: dict[int, Event] = {}
        self._late: dict[int, Event] = {}
        self._most_open = fold.config.max_open
        fold.at = at

    def expire_due(self) -> None:
        """Before anything else: a reward that comes in this very batch may be too late."""
        for decision in self._fold.expire_due():
            self._settle("expire", decision, self._fold.driver.default)

    def look_up(self, requests: list[Request]) -> None:
        """Before requests are done: which of their units and keys have a decision already."""
        named = [each for each in requests if isinstance(each, PLAYS)]
        units = {each.unit for each in named if each.unit is not None}
        keys = {each.idem for each in named if isinstance(each, Ask) and each.idem is not None}
        if units:
            self._units = self._tx.asked_by_units(self._before.id, units)
        if keys:
            self._keys = self._tx.asked_by_keys(self._before.id, keys)

    def work(self, requests: list[Request], until: float) -> list[Request]:
        """Do requests in their order; gives back those for which no time is left."""
        done = 0
        while done < len(requests):
            done = self._fold.driver.together(self._plays, requests, done, until)
            if done == len(requests):
                break
            if done and time.perf_counter() > until:
                return requests[done:]
            if isinstance(requests[done], LEARNED) and not self._learned(until):
                return requests[done:]
            self.do(requests[done])
            done += 1
        return []

    def _plays(self, requests: list[Request], first: int, until: float) -> int:
        """Asks and tells as one call of the agent; gives the first request that is left."""
        for done in range(first, len(requests)):
            request = requests[done]
            if type(request) not in PLAYS or (done and time.perf_counter() > until):
                return done
            if type(request) is Ask and not self._learned(until):
                return done
            try:
                self.do(request)
            except AloneError:
                return done
        return len(requests)

    def _learned(self, until: float) -> bool:
        """Learn what is complete, in portions; False if time is up, and a next batch goes on."""
        while not self._fold.learn(PORTION):
            if time.perf_counter() > until:
                return False
        return True

    def do(self, request: Request) -> None:
        """One request; an error of the one who asked is the answer, others are raised."""
        try:
            self.answers.append((request, getattr(self, HANDLERS[type(request)])(request), None))
        except FAULTS[type(request)] as error:
            self.answers.append((request, None, error))

    def write(self, snapshot_every: int) -> float:
        """Append the events, and from time to time a snapshot; the commit is still to come.

        Seconds of processor time that the agent has taken for a snapshot.
        """
        head = self._before.head + len(self.events)
        self.row = self.row._replace(head=head, at=self._at)
        self._tx.append(self.row, self._before.head, self.events)
        if self.changes:
            self._tx.add_changes(self.row.id, self.changes)
        self._fold.n = head
        if head // snapshot_every == self._before.head // snapshot_every:
            return 0.0
        began = time.thread_time()
        snapshot = Snapshot(head, self._fold.dump())
        taken = time.thread_time() - began
        self._tx.save_snapshot(self.row.id, snapshot)
        return taken

    def _add(self, kind: str, decision: int | None, body: Any, who: str | None) -> Event:
        event = Event(
            self._next, self._at, self._mark, kind, decision, None, None, None, None, body, who
        )
        self.events.append(event)
        return event

    @property
    def _next(self) -> int:
        """The number of the next event."""
        return self._before.head + len(self.events) + 1

    # ------------------------------------------------------------ asks

    def _ask(self, request: Ask) -> Any:
        unit = request.unit
        idem = request.idem
        if unit is not None or idem is not None:
            known = self._known(request)
            if known is not None:
                return self._fold.config.decision(known)

        self._check_running()
        n = self._next
        decision = self._fold.decide(n, unit or idem)
        propensity = decision.propensity
        event = Event(
            n,
            self._at,
            self._mark,
            "ask",
            decision.id,
            unit,
            idem,
            decision.action,
            None if propensity is None else tuple(propensity.values()),
            None,
            request.who,
        )
        self.events.append(event)
        self.changes += self._fold.changed(n)
        if unit is not None:
            self._units[unit] = event
        if idem is not None:
            self._keys[idem] = event
        return decision

    def _known(self, request: Ask) -> Event | None:
        """The decision that this unit, or this key, has already."""
        found = None
        if request.unit is not None:
            found = self._units.get(request.unit)
        if found is None and request.idem is not None:
            found = self._keys.get(request.idem)
        return found

    def _check_running(self) -> None:
        row = self.row
        if row.status != "running":
            why = f": {row.reason}" if row.reason else ""
            raise ExperimentError(f"the experiment {row.key!r} is {row.status}{why}")

        # What is answered and waits for the rest of its block does not count: that may be longer.
        most = self._most_open
        if self._fold.backlog >= most and self._fold.since_oldest >= most:
            raise ExperimentError(
                f"the experiment {row.key!r} has {most:,} decisions that wait or are held back by "
                "one that waits, the most it may have: tell their rewards, or expire them; with "
                "ttl=... they expire by themselves"
            )

    # ------------------------------------------------------------ rewards

    def _tell(self, request: Tell) -> str:
        reward = self._fold.config.reward(request.reward)
        decision = request.decision
        if request.unit is not None:
            decision = self._decision_of(request.unit)
        try:
            self._fold.tell(decision, reward)
        except DecisionError:  # it does not wait
            settled = self._found(decision)
        else:
            self._settle("tell", int(decision), reward, request.who)
            return "accepted"

        if settled.kind == "tell":
            if settled.body == reward:
                return "duplicate"
            raise ConflictError(
                f"decision {decision} is answered already, with {json.dumps(settled.body)}; a "
                "decision takes one reward, and the first one stands"
            )
        return self._came_late(int(decision), reward, request.who)

    def _decision_of(self, unit: bytes) -> int:
        """The decision that a unit has."""
        known = self._known(Ask(unit=unit))
        if known is None or known.decision is None:
            raise DecisionError("this unit has no decision")
        return known.decision

    def _found(self, decision: Any) -> Event:
        """The event that settled a decision; an error if it was never given out."""
        settled = None
        if isinstance(decision, int) and 0 < decision <= LARGEST_DECISION:
            settled = self._settled.get(decision)
            if settled is None:
                settled = self._database().settled(self._before.id, decision)
        if settled is None:
            raise DecisionError(f"decision {decision!r} was never given out")
        return settled

    def _came_late(self, decision: int, reward: Any, who: str | None) -> str:
        """Keep a reward that came after its decision had expired; it is never learned."""
        self._fold.driver.check_reward(reward)
        if not (decision in self._late or self._database().late(self._before.id, decision)):
            self._late[decision] = self._add("late", decision, reward, who)
        return "late"

    def _database(self) -> Transaction:
        """The transaction, for a question; not while others may wait for the agent."""
        if self._fold.driver.is_inside:
            raise AloneError
        return self._tx

    def _settle(self, kind: str, decision: int, reward: Any, who: str | None = None) -> None:
        self._settled[decision] = self._add(kind, decision, reward, who)
        self._fold.settled(decision, reward)

    def _expire(self, request: Expire) -> tuple[int, ...] | None:
        agent = self._fold.agent
        if request.older_than is not None:
            expired = agent.expire(older_than=request.older_than)
            if self._fold.holdout is not None and isinstance(request.older_than, timedelta):
                expired += self._fold.holdout.older(self._at, request.older_than)
            for decision in expired:
                self._settle("expire", decision, self._fold.driver.default, request.who)
            return expired

        if not (is_held(request.decision) and self._fold.is_waiting(request.decision)):
            agent.expire(request.decision)
        default = self._fold.driver.default
        self._settle("expire", int(request.decision), default, request.who)
        return None

    # ------------------------------------------------------------ the rest

    def _read(self, request: Read) -> Any:
        self._fold.learn()
        return request.look(self._fold if request.whole else self._fold.agent)

    def _control(self, request: Control) -> str:
        status = STATUS_AFTER[request.kind]
        if self.row.status == "stopped" and status != "stopped":
            raise ExperimentError(f"the experiment {self.row.key!r} is stopped for good")
        if self.row.status != status:
            reason = plain(request.reason)
            self._add(request.kind, None, reason, request.who)
            reason = reason if status == "paused" else None
            self.row = self.row._replace(status=status, reason=reason)
        return status

    def _rebase(self, request: Rebase) -> None:
        before = self.row.fingerprint
        if before != fingerprint():
            body = {"from": before, "to": fingerprint(), "dump": self._fold.dump()}
            self._add("rebase", None, body, request.who)
            self.row = self.row._replace(fingerprint=fingerprint())
