"""One call with its retries, until it is answered, given up, or the run is over.

A retry is a new decision where the policy can take the old one back: it is taken back when the try
fails, not when the wait is over, so that it holds up nothing. Otherwise it is the same call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, NamedTuple

from .answers import Answer
from .budget import Spending
from .calling import called
from .problem import Call, Problem
from .retries import MISTAKES, Patience, is_refusal


class Ending(NamedTuple):
    """How a call ended: with an answer, given up, left because the run is over, or dropped.

    In place of one that is dropped there is to be another decision, after so many tries.
    """

    how: Literal["answered", "given up", "left", "dropped"]
    answer: Answer | None = None
    error: BaseException | None = None
    tries: int = 0


class Attempts:
    """Calls of the judge, each repeated until it is answered, or dropped for a new decision.

    Parameters
    ----------
    problem
        Whose function is called.
    patience
        How long to wait, and how often to try.
    spending
        Whether there may be another try.
    note
        Is told of every try that failed and may have been paid for, and of its cost.
    drop
        Takes a decision back whose call has failed, if that is possible, and says whether it was.
    """

    def __init__(
        self,
        problem: Problem,
        patience: Patience,
        spending: Spending,
        note: Callable[[Call, BaseException | None, float], None],
        drop: Callable[[Call, BaseException | None], bool],
    ) -> None:
        self._problem = problem
        self._patience = patience
        self._spending = spending
        self._note = note
        self._drop = drop
        self.over = asyncio.Event()  # wakes those that wait for their next try
        self.has_worked = False  # the judge, in this process

    async def ending_of(self, call: Call, tries: int = 0) -> Ending:
        """Make a call, and make it again until it has an ending.

        `tries` were made in vain of decisions in whose place this one is.
        """
        patience = self._patience
        while True:
            tries += 1
            answer, error = await self._tried(call)
            if answer.value is not None:
                self.has_worked = True
                return Ending("answered", answer)

            self._note_failure(call, error, answer.cost)
            if tries == patience.tries:
                return Ending("given up", error=error)
            dropped = self._drop(call, error)
            if self._spending.limit(retry=True) is not None:
                return Ending("left", error=error)
            if await self._is_over_after(patience.wait_after(tries, error)):
                return Ending("left", error=error)
            if dropped:
                return Ending("dropped", error=error, tries=tries)

    async def _tried(self, call: Call) -> tuple[Answer, Exception | None]:
        """The answer to one try, without a value if there is none, and why there is none."""
        function = self._problem.function
        try:
            given = await called(function, call.arguments, self._patience.timeout)
            return self._problem.read(given), None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise  # the run is being ended
            return Answer(None, 0.0), RuntimeError("the judge cancelled its own task")
        except MISTAKES as error:
            if not self.has_worked:
                raise
            return Answer(None, 0.0), error
        except Exception as error:
            return Answer(None, 0.0), error

    def _note_failure(self, call: Call, error: Exception | None, cost: float) -> None:
        """Count a try that brought nothing; what may have been paid for is written down."""
        unpaid = cost == 0.0 if error is None else is_refusal(error)
        if unpaid:
            self._spending.refused += 1
        else:
            self._note(call, error, cost)

    async def _is_over_after(self, seconds: float) -> bool:
        """Whether the run is over by then; wait until one of the two."""
        try:
            async with asyncio.timeout(seconds):
                await self.over.wait()
        except TimeoutError:
            return False
        return True


def told_error(error: BaseException | None) -> str:
    """An error for a line of the journal.

    >>> told_error(TimeoutError()), told_error(ValueError("no\\nverdict")), told_error(None)
    ('TimeoutError', 'ValueError: no verdict', 'no verdict (None)')
    """
    if error is None:
        return "no verdict (None)"
    said = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
