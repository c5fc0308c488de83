"""What a database holds of experiments: their events, what they are, snapshots, keys."""

from __future__ import annotations

from typing import Any, NamedTuple

# what can happen in an experiment
KINDS = ("ask", "tell", "expire", "late", "pause", "resume", "stop", "rebase")
STATUSES = ("running", "paused", "stopped")


class Event(NamedTuple):
    """One line of the log of an experiment.

    Attributes
    ----------
    n
        Its number, from 1.
    at
        When, in microseconds since 1970; never less than in the event before.
    tx
        A random number of the transaction that wrote it.
    kind
        One of `KINDS`. An ask is the decision itself.
    decision
        The id of the decision that it is about.
    unit
        A keyed hash of whom the decision was made for.
    idem
        A keyed hash of the idempotency key of an ask.
    action
        The levels of an ask, as indices.
    propensity
        The probability that each of these levels had.
    body
        The reward of a tell, an expire or a late; the reason of a pause; the dump of a rebase.
    who
        Who sent it, for the audit.
    """

    n: int
    at: int
    tx: int
    kind: str
    decision: int | None = None
    unit: bytes | None = None
    idem: bytes | None = None
    action: tuple[int, ...] | None = None
    propensity: tuple[float, ...] | None = None
    body: Any = None
    who: str | None = None


class Experiment(NamedTuple):
    """An experiment as the database has it.

    Attributes
    ----------
    id
        Its number in this database.
    key
        Its name.
    config
        What it is, as JSON (`service/config.py`).
    fingerprint
        Of the library and the processor that its log can be computed with again.
    status
        One of `STATUSES`.
    reason
        Why it is paused.
    head
        The number of its last event.
    at
        When that was, in microseconds.
    """

    id: int
    key: str
    config: str
    fingerprint: str
    status: str = "running"
    reason: str | None = None
    head: int = 0
    at: int = 0


class AccessKey(NamedTuple):
    """Who may use the service: the digest of a key, a name for the audit, and a role."""

    digest: bytes
    name: str
    role: str


class Snapshot(NamedTuple):
    """The dump of an agent after the event `n`."""

    n: int
    body: str


class Found(NamedTuple):
    """What a statement found, and how many rows it changed."""

    rows: list[tuple[Any, ...]]
    changed: int
