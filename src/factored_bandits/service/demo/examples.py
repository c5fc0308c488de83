"""What the examples are, and how their simulated visitors behave."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any, NamedTuple

from factored_bandits.agent import Decision

TTL = "2m"


class Example(NamedTuple):
    """An experiment and those who visit it.

    Attributes
    ----------
    key
        Its name, which says that it is simulated.
    given
        What it is, as `fb.open` takes it.
    base
        The log-odds of a reward without any effect.
    effects
        What levels add to the log-odds; or how strong candidates are.
    silent
        The share of visitors who never answer.
    late
        The share of answers that come when it is too late.
    """

    key: str
    given: dict[str, Any]
    base: float
    effects: Mapping[str, float]
    silent: float = 0.1
    late: float = 0.0

    @property
    def is_duel(self) -> bool:
        """Whether candidates are compared."""
        return "arms" in self.given

    def reward(self, decision: Decision, rng: random.Random) -> float:
        """What one visitor answers."""
        if self.is_duel:
            first, second = decision.levels["first"], decision.levels["second"]
            odds = self.effects.get(str(first), 0.0) - self.effects.get(str(second), 0.0)
        else:
            odds = self.base + sum(self.effects.get(str(v), 0.0) for v in decision.levels.values())
        return float(rng.random() < 1.0 / (1.0 + math.exp(-odds)))


COMMON = {"ttl": TTL, "default": 0.0}
EXAMPLES = (
    Example(
        "demo: shop page (simulated)",
        {
            **COMMON,
            "policy": "tea(bound=betting)",
            "factors": {
                "headline": ["Fresh every morning", "Save 20 %", "Loved by 9,000 cooks"],
                "image": ["cup", "leaf"],
                "button": ["Buy now", "Add to basket", "Try it", "Order"],
            },
            "holdout": 0.1,
            "diagnostics": True,
            "seed": 7,
        },
        -1.9,
        {"Save 20 %": 0.9, "leaf": 0.7, "Try it": 0.8, "Order": -0.4},
    ),
    Example(
        "demo: newsletter (simulated)",
        {
            **COMMON,
            "policy": "leader_tea",
            "factors": {
                "subject": ["question", "number", "name"],
                "hour": ["7:00", "12:00", "18:00"],
            },
            "diagnostics": True,
            "seed": 8,
        },
        -1.2,
        {"name": 0.8, "18:00": 0.9, "12:00": 0.2},
        silent=0.3,
        late=0.06,
    ),
    Example(
        "demo: which logo (simulated)",
        {
            "ttl": TTL,
            "default": 0.5,
            "policy": "duel_top_two",
            "arms": ["circle", "wave", "letter", "bird", "grid", "no logo"],
            "seed": 9,
        },
        0.0,
        {"bird": 1.6, "wave": 0.9, "circle": 0.5, "no logo": -0.8},
    ),
)
