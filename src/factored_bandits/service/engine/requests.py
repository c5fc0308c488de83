"""What is asked of an experiment, and how an answer finds its way back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from factored_bandits.agent.expiry import Age

FOREVER = float("inf")


class Answer:
    """What a request is answered; who waits for it is a matter of those who make it."""

    _value: Any = None
    _error: BaseException | None = None

    def put(self, value: Any, error: BaseException | None) -> None:
        """The answer; called once, by the writer."""
        self._value = value
        self._error = error


class Waiter(Answer):
    """Where one request of a thread is answered; made anew for each."""

    def __init__(self) -> None:
        self._answered = threading.Event()

    def wake(self) -> None:
        """Wake whoever waits; after all answers of a batch are put."""
        self._answered.set()

    def result(self) -> Any:
        """Wait for the answer; raises the error if it is one."""
        self._answered.wait()
        if self._error is not None:
            raise self._error
        return self._value


@dataclass(eq=False, slots=True)
class Request:
    """Something to do in one experiment."""

    waiter: Any = field(default=None, kw_only=True)  # a `Waiter`, unless it is given
    deadline: float = field(default=FOREVER, kw_only=True)  # of `time.monotonic`
    who: str | None = field(default=None, kw_only=True)
    # False: rather an error at once than an answer later, while the database is away
    patient: bool = field(default=True, kw_only=True)

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for the answer any longer."""
        return time.monotonic() > self.deadline


@dataclass(eq=False, slots=True)
class Ask(Request):
    """A decision; for a unit, or under an idempotency key, always the same one."""

    unit: bytes | None = None
    idem: bytes | None = None


@dataclass(eq=False, slots=True)
class Tell(Request):
    """The reward of a decision, which is named, or that of a unit."""

    decision: Any = None
    unit: bytes | None = None
    reward: Any = None


@dataclass(eq=False)
class Expire(Request):
    """Settle one decision, or all older ones, with the default reward."""

    decision: Any = None
    older_than: Age | None = None


@dataclass(eq=False)
class Read(Request):
    """Look at the agent when everything that is complete is learned."""

    look: Callable[[Any], Any] = field(default=lambda agent: None)
    whole: bool = False  # at the fold, with the holdout, and not only at its agent


@dataclass(eq=False)
class Control(Request):
    """Pause, resume or stop an experiment."""

    kind: str = "pause"
    reason: str | None = None


@dataclass(eq=False)
class Rebase(Request):
    """Go on with this library on this machine from where another one stopped."""
