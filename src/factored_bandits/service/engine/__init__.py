"""The engine: requests become events in a log, and the agent is the fold of that log."""

from __future__ import annotations

from .batch import ConflictError
from .breaker import AwayError
from .engine import Engine
from .fallback import NUMBER as FALLBACK
from .fold import Fold, FoldError
from .handle import Handle, Reading
from .holdout import Group, Holdout, is_held
from .meter import SIZES, Meter
from .requests import Answer, Ask, Control, Expire, Read, Rebase, Request, Tell, Waiter
from .writer import Writer

__all__ = [
    "FALLBACK",
    "SIZES",
    "Answer",
    "Ask",
    "AwayError",
    "ConflictError",
    "Control",
    "Engine",
    "Expire",
    "Fold",
    "FoldError",
    "Group",
    "Handle",
    "Holdout",
    "Meter",
    "Read",
    "Reading",
    "Rebase",
    "Request",
    "Tell",
    "Waiter",
    "Writer",
    "is_held",
]
