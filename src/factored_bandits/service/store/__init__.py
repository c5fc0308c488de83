"""Where experiments are kept: the contract of a store, and the stores that there are."""

from __future__ import annotations

from .contract import Session, Store, Transaction
from .data import KINDS, STATUSES, AccessKey, Event, Experiment, Found, Snapshot
from .derived import Brief, Change, HourTally, Settled
from .places import name_of, opened
from .sqlite import SqliteStore

__all__ = [
    "KINDS",
    "STATUSES",
    "AccessKey",
    "Brief",
    "Change",
    "Event",
    "Experiment",
    "Found",
    "HourTally",
    "Session",
    "Settled",
    "Snapshot",
    "SqliteStore",
    "Store",
    "Transaction",
    "name_of",
    "opened",
]
