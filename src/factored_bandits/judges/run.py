"""A run: calls in flight, answers into the journal and the agent, until something ends it."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from factored_bandits.core.progress import Progress
from factored_bandits.errors import InvalidInputError, JudgeError

from .attempts import Attempts, Ending, told_error
from .budget import Spending
from .entries import Entry, Event
from .fold import Fold
from .journal import Journal
from .problem import Call, Problem
from .settings import Settings

Stopped = Literal["certificate", "likely", "calls", "cost", "settled", "failures", "interrupted"]

# Asks in a row that end in a duel of a candidate with itself, each after a thousand such duels: the
# policy has settled. Several, because some policies ask again when the rounds have grown.
SETTLED = 10
# Decisions are learned in order. One that waits for its retries holds up those after it; no more of
# them are made than so many times the calls in flight, because they would be made from old
# knowledge.
AHEAD = 8
# Tries in a row, without any answer, after which the judge counts as broken; and not before as many
# calls were given up as may be in flight.
IN_VAIN = 20


class Run:
    """One run; `play` carries it out, and what has happened so far is here at any time.

    Parameters
    ----------
    problem
        What is asked and learned.
    settings
        How.
    """

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem = problem
        self.settings = settings
        # a policy that proves nothing never will, and it takes a while to say so
        self.certifies = problem.agent.confidence() is not None
        if settings.likely_at is not None and problem.agent.likely() is None:
            raise InvalidInputError(
                f"likely_at stops by a posterior, and {problem.agent.policy.label} has none; "
                "'duel_top_two' has one, or leave likely_at out"
            )
        self.spending = Spending(settings.budget)
        self.entries: list[Entry] = []
        self.stopped: Stopped = "interrupted"  # unless it comes to an end of its own
        self.resumed = 0  # events that an earlier run had left
        self._fold = Fold(problem)
        self._journal: Journal | None = None
        self._player: asyncio.Task[Any] | None = None
        self._interrupted = False
        self._tasks: dict[asyncio.Task[Ending], Call] = {}
        self._queue: list[Call] = []  # decided and not yet begun
        self._attempts = Attempts(
            problem, settings.patience, self.spending, self._note_failure, self._drop
        )
        self._tries: list[int] = []  # made in vain, of decisions that others are to replace
        self._in_vain = 0  # calls given up since the last answer
        self._self_duels = 0  # asks in a row that had nothing to ask

    async def play(self) -> None:
        """Carry the run out; what was asked before it was interrupted is not asked again.

        Raises
        ------
        JudgeError
            If no call works any more.
        """
        self._player = asyncio.current_task()
        if self._interrupted:
            raise asyncio.CancelledError
        settings = self.settings
        if settings.journal is None:
            await self._play()
            return

        with Journal(settings.journal, self.problem.document()) as journal:
            for number, entry in enumerate(journal.entries, start=2):
                self._fold.replay(entry, f"line {number} of {str(journal.path)!r}")
                self._count(entry)
            self.resumed = len(journal.entries)
            self._queue = self._fold.waiting()
            self._journal = journal
            await self._play()

    async def _play(self) -> None:
        title = str(self.problem.document()["kind"])
        with Progress(title, 1.0, self.settings.progress) as progress:
            try:
                while self._begin_calls():
                    done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                    # several at once have no order of their own
                    for task in sorted(done, key=lambda task: self._tasks[task][:2]):
                        self._finish(self._tasks.pop(task), task.result())
                    if self.settings.progress:
                        progress.update(self.spending.share(), seen=self._seen())
                assert self.stopped != "interrupted", "a run ends for a reason"
            finally:
                await self._cancel()

    # ------------------------------------------------------------ which calls to make

    def _begin_calls(self) -> bool:
        """Begin as many calls as may be in flight; False if the run is over."""
        while len(self._tasks) < self.settings.concurrency:
            call = self._next_call()
            if call is None:
                break
            self.spending.in_flight += 1
            tries = self._tries.pop() if self._tries else 0
            self._tasks[asyncio.create_task(self._attempts.ending_of(call, tries))] = call
        return bool(self._tasks)

    def _next_call(self) -> Call | None:
        """The next call; None if there is none, for now or because the run is over."""
        while True:
            reason = self._reason_to_stop()
            if reason is not None:
                self.stopped = reason
                self._attempts.over.set()
                return None
            self._attempts.over.clear()  # calls cost less than was expected
            if self._queue:
                return self._queue.pop(0)
            if self._is_far_ahead():
                return None

            self._queue = self._fold.ask()
            if self._queue:
                self._self_duels = 0
            elif self._tasks:
                return None  # what is in flight may change the policy's mind
            else:
                self._self_duels += 1

    def _reason_to_stop(self) -> Stopped | None:
        stop_at = self.settings.stop_at
        if stop_at is not None and (self.confidence() or 0.0) >= stop_at:
            return "certificate"
        likely_at = self.settings.likely_at
        if likely_at is not None and (self.problem.agent.likely() or 0.0) >= likely_at:
            return "likely"
        limit = self.spending.limit()
        if limit is not None:
            return "calls" if limit == "calls" else "cost"
        return "settled" if self._self_duels >= SETTLED else None

    def confidence(self) -> float | None:
        """How sure the certificate is; None if the policy gives none."""
        return self.problem.agent.confidence() if self.certifies else None

    def _is_far_ahead(self) -> bool:
        oldest = next(iter(self._fold.open), self._fold.asks)
        return self._fold.asks - oldest >= AHEAD * self.settings.concurrency

    # ------------------------------------------------------------ what came of it

    def _finish(self, call: Call, ending: Ending) -> None:
        self.spending.in_flight -= 1
        if ending.how == "answered":
            assert ending.answer is not None
            self._in_vain = 0
            self._record("answer", call, ending.answer.value, ending.answer.cost)
        elif ending.how == "dropped":
            self._tries.append(ending.tries)
        elif ending.how == "left":
            if call.ask in self._fold.open:
                self._queue.insert(0, call)
        else:
            self._record("given up", call, None, 0.0, ending.error)
            self._in_vain += 1
            tries = self._in_vain * self.settings.patience.tries
            if tries >= IN_VAIN and self._in_vain >= self.settings.concurrency:
                self.stopped = "failures"
                raise self._broken(ending.error) from ending.error

    def _note_failure(self, call: Call, error: BaseException | None, cost: float) -> None:
        self._record("failed", call, None, cost, error)

    def _drop(self, call: Call, error: BaseException | None) -> bool:
        """Take the decision of a call that has failed back, if the policy can bear it."""
        if not self._fold.can_drop(call.ask):
            return False
        self._record("dropped", call, None, 0.0, error)
        return True

    def _record(
        self,
        event: Event,
        call: Call,
        value: float | None,
        cost: float,
        error: BaseException | None = None,
    ) -> None:
        """Write an event down, then learn from it."""
        reason = "" if event == "answer" else told_error(error)
        asks = self._fold.asks
        entry = Entry(event, call.ask, call.part, asks, call.told, value, cost, reason)
        # the other call of this decision was given up meanwhile
        settled = call.ask not in self._fold.open
        if settled and event != "failed":
            entry = entry._replace(event="failed", value=None, error="the other order failed")

        if self._journal is not None:
            self._journal.write(entry)
        self._fold.apply(entry)
        self._count(entry)
        if entry.event == "given up":
            self._queue = [waits for waits in self._queue if waits.ask != call.ask]

    def _count(self, entry: Entry) -> None:
        self.entries.append(entry)
        spending = self.spending
        spending.cost += entry.cost
        spending.answered += entry.event == "answer"
        spending.failed += entry.event == "failed"
        spending.given_up += entry.event == "given up"

    def _broken(self, error: BaseException | None) -> JudgeError:
        kept = "nothing is lost: they are in the result of this error"
        if self.settings.journal is not None:
            kept = f"they are in {str(self.settings.journal)!r}, from which a new run goes on"
        return JudgeError(
            f"the judge does not work: {self._in_vain} calls in a row were given up after "
            f"{self.settings.patience.tries} tries each, the last one because of "
            f"{told_error(error)} ({self.entries[-1].call}). {self.spending.answered:,} answers "
            f"had come before; {kept}"
        )

    def interrupt(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the run that another thread carries out in this loop, or is about to."""
        self._interrupted = True
        if self._player is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._player.cancel)

    async def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        self.spending.in_flight = 0

    def _seen(self) -> str:
        """What the progress says: calls, cost, and who is in front."""
        spending = self.spending
        cost = f", cost {spending.cost:.4g}" if spending.cost else ""
        confidence = self.confidence()
        sure = "" if confidence is None else f" ({confidence:.0%})"
        best = self.problem.agent.best()
        front = ", ".join(map(str, best.values())) if isinstance(best, dict) else str(best)
        return f"{spending.calls:,} calls{cost}, in front: {front}{sure}"
