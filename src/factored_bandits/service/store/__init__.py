"""Where experiments are kept: the contract of a store, and the stores that there are."""

from __future__ import annotations

from .contract import (
    KINDS,
    STATUSES,
    AccessKey,
    Event,
    Experiment,
    Found,
    Snapshot,
    Store,
    Transaction,
)
from .places import name_of, opened
from .sqlite import SqliteStore

__all__ = [
    "KINDS",
    "STATUSES",
    "AccessKey",
    "Event",
    "Experiment",
    "Found",
    "Snapshot",
    "SqliteStore",
    "Store",
    "Transaction",
    "name_of",
    "opened",
]
