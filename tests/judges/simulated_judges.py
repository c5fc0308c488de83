"""Judges for tests: a strength per candidate, drawn outcomes, and failures on demand."""

from __future__ import annotations

import math
import random
from typing import Any

STRENGTHS = {"a": 0.0, "b": 0.7, "c": 1.0, "d": 2.6}


class Simulated:
    """A judge by strengths (Bradley and Terry), that remembers what it was asked.

    Its verdicts come from its own generator in the order of the calls.
    """

    def __init__(
        self,
        strengths: dict[Any, float] | None = None,
        *,
        ties: float = 0.0,
        first: float = 0.0,
        seed: int = 1,
    ) -> None:
        self.strengths = STRENGTHS if strengths is None else strengths
        self.ties = ties
        self.first = first  # log-odds by which the one shown first is favoured
        self.random = random.Random(seed)
        self.asked: list[tuple[Any, ...]] = []

    def verdict(self, *shown: Any) -> float:
        self.asked.append(shown)
        if self.random.random() < self.ties:
            return 0.5
        lead = self.strengths[shown[0]] - self.strengths[shown[1]] + self.first
        return float(self.random.random() < 1.0 / (1.0 + math.exp(-lead)))

    async def __call__(self, *shown: Any) -> float:
        return self.verdict(*shown)


class HTTPError(Exception):
    """As the clients of several services raise it."""

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status
        self.headers = headers or {}
