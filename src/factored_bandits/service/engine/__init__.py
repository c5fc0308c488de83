"""The engine: requests become events in a log, and the agent is the fold of that log."""

from __future__ import annotations

from .batch import ConflictError
from .engine import Engine
from .fold import Fold, FoldError
from .handle import Handle
from .requests import Ask, Control, Expire, Read, Rebase, Request, Tell, Waiter
from .writer import Writer

__all__ = [
    "Ask",
    "ConflictError",
    "Control",
    "Engine",
    "Expire",
    "Fold",
    "FoldError",
    "Handle",
    "Read",
    "Rebase",
    "Request",
    "Tell",
    "Waiter",
    "Writer",
]
