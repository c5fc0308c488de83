"""Plans of easy experiments: small, without the flat test, without progress."""

from __future__ import annotations

from typing import Any

import factored_bandits as fb

EASY = fb.Assumptions(factors=(3, 2), base_rate=0.3, lift=0.8)


def make(
    assumptions: Any = EASY,
    traffic: Any = None,
    policies: Any = "tea",
    repetitions: int = 8,
    **options: Any,
) -> fb.planning.Plan:
    """`fb.plan` with these arguments."""
    return fb.plan(
        assumptions, traffic, policies, repetitions, **{"flat": False, "progress": False, **options}
    )
