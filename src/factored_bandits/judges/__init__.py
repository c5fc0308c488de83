"""Judges of language models and the like: the best candidate, or combination, in few calls.

`arena` compares candidates two at a time, `tune` chooses a level of each factor. Both ask an agent
what to try next, call the judge, several calls at once, write every answer to a journal before the
agent learns from it, and stop when the certificate is sure or the budget is spent.
"""

from __future__ import annotations

from .answers import Score, Verdict
from .arena import arena, arena_sync
from .budget import Budget
from .entries import Entry
from .report import Report
from .result import ArenaResult
from .tallies import PositionBias, Tally
from .tune import tune, tune_sync
from .tune_result import LevelMean, TuneResult

__all__ = [
    "ArenaResult",
    "Budget",
    "Entry",
    "LevelMean",
    "PositionBias",
    "Report",
    "Score",
    "Tally",
    "TuneResult",
    "Verdict",
    "arena",
    "arena_sync",
    "tune",
    "tune_sync",
]
