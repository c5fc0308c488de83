"""Events as rows of a table, and back: numbers as they are, the rest as short JSON."""

from __future__ import annotations

import functools
import json
import math
from typing import Any

from .data import Event, Experiment

EVENT = "n, at, tx, kind, decision, unit, idem, action, propensity, body, who"
EXPERIMENT = "id, key, config, fingerprint, status, reason, head, at"
COLUMNS = EVENT.count(",") + 2  # and the number of the experiment

SHORT = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

Row = tuple[Any, ...]


def text(value: Any) -> str | None:
    """Short JSON; None stays None, which a column holds as NULL.

    >>> text([0.0, 2.0]), text(0.5), text(None)
    ('[0.0,2.0]', '0.5', None)
    """
    if type(value) is float and math.isfinite(value):
        return repr(value)  # the same text as below, without an encoder
    return None if value is None else SHORT.encode(value)


def listed(values: tuple[float, ...] | None) -> str | None:
    """Numbers as JSON without the brackets.

    >>> listed((0, 2)), listed(None)
    ('0,2', None)
    """
    return None if values is None else ",".join(map(repr, values))


# Many decisions in a row have the same. One for each, because 1 and 1.0 are the same to a cache.
action_text = functools.lru_cache(1024)(listed)
propensity_text = functools.lru_cache(1024)(listed)


def row_of(experiment: int, event: Event) -> Row:
    """The row of an event; the number of its experiment comes first."""
    n, at, tx, kind, decision, unit, idem, action, propensity, body, who = event
    return (
        experiment,
        n,
        at,
        tx,
        kind,
        decision,
        unit,
        idem,
        action_text(action),
        propensity_text(propensity),
        text(body),
        who,
    )


def event_of(row: Row) -> Event:
    """The event of a row without the number of its experiment.

    >>> event = Event(1, 5, 77, "ask", 1, None, None, (0, 2), (0.5, 1 / 3))
    >>> event_of(row_of(9, event)[1:]) == event
    True
    """
    n, at, tx, kind, decision, unit, idem, action, propensity, body, who = row
    return Event(
        n,
        at,
        tx,
        kind,
        decision,
        None if unit is None else bytes(unit),
        None if idem is None else bytes(idem),
        None if action is None else tuple(map(int, action.split(","))),
        None if propensity is None else tuple(map(float, propensity.split(","))),
        None if body is None else json.loads(body),
        who,
    )


def experiment_of(row: Row) -> Experiment:
    """The experiment of a row."""
    return Experiment(*row)
