"""What happened in a run, event by event: the lines of its journal."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from factored_bandits.core.checks import shown
from factored_bandits.errors import DumpError

Event = Literal["answer", "failed", "dropped", "given up"]
EVENTS = ("answer", "failed", "dropped", "given up")


class Entry(NamedTuple):
    """One event.

    Attributes
    ----------
    event
        "answer": the judge has answered. "failed": a try that may have been paid for. "dropped":
        a try failed, the decision is taken back, and the retry is a new one. "given up": the last
        try failed, and the decision is taken back or settled without evidence.
    ask
        The number of the decision, from 1.
    part
        0, or 1 for the second call of a decision that needs two.
    asks
        How many decisions the agent had been asked for by then.
    call
        What was shown, in JSON's types.
    value
        The answer, None if there is none.
    cost
        What the call cost.
    error
        Why there is no answer.
    """

    event: Event
    ask: int
    part: int
    asks: int
    call: dict[str, Any]
    value: float | None = None
    cost: float = 0.0
    error: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON holds it, without what says nothing."""
        told = {name: value for name, value in self._asdict().items() if value not in (None, "")}
        return told if self.cost else {k: v for k, v in told.items() if k != "cost"}


def entry_of(document: Any, where: str) -> Entry:
    """An entry from what JSON held.

    >>> entry_of({"event": "answer", "ask": 1, "part": 0, "asks": 2, "call": {}, "value": 1}, "x")
    Entry(event='answer', ask=1, part=0, asks=2, call={}, value=1, cost=0.0, error='')
    """
    if not isinstance(document, dict) or not _fits(document):
        raise DumpError(f"{where} is no event of a run: {shown(document)}")
    return Entry(**document)


def _fits(document: dict[str, Any]) -> bool:
    """Whether a line has the fields of an event, in the right types."""
    numbers = all(
        type(document.get(name)) is int and document[name] >= low
        for name, low in (("ask", 1), ("part", 0), ("asks", 1))
    )
    answered = document.get("event") == "answer"
    return (
        numbers
        and set(document) <= set(Entry._fields)
        and document.get("event") in EVENTS
        and isinstance(document.get("call"), dict)
        and document["ask"] <= document["asks"]
        and type(document.get("value")) in ((int, float) if answered else (type(None),))
        and isinstance(document.get("cost", 0.0), int | float)
        and isinstance(document.get("error", ""), str)
    )
