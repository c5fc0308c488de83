"""How a run is carried out, apart from what is judged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factored_bandits.core.checks import flag, integer, probability, shown
from factored_bandits.errors import InvalidInputError

from .budget import Budget, checked_budget
from .retries import Patience, patience

MOST_CONCURRENT = 10_000


@dataclass(frozen=True)
class Settings:
    """The arguments that all runs share; made by `settings`."""

    budget: Budget
    concurrency: int
    stop_at: float | None
    likely_at: float | None
    journal: Path | None
    progress: bool
    patience: Patience


def settings(
    *,
    budget: Any,
    concurrency: Any,
    stop_at: Any,
    likely_at: Any,
    journal: Any,
    progress: Any,
    tries: Any,
    timeout: Any,
    backoff: Any,
) -> Settings:
    """The arguments, checked."""
    if journal is not None and not isinstance(journal, (str, os.PathLike)):
        raise InvalidInputError(f"journal must be the path of a file, not {shown(journal)}")

    return Settings(
        checked_budget(budget),
        integer("concurrency", concurrency, 1, MOST_CONCURRENT),
        None if stop_at is None else probability("stop_at", stop_at),
        None if likely_at is None else probability("likely_at", likely_at),
        None if journal is None else Path(journal),
        flag("progress", progress),
        patience(tries, timeout, backoff),
    )
