"""The form of a new experiment: what was typed, as it was typed; and what it means."""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

from factored_bandits.errors import InvalidInputError
from factored_bandits.planning import Assumptions
from factored_bandits.service.pages import Visit

from .wishes import BY_NAME, TESTED, policy_of

FACTORS = 3  # empty ones to begin with
MOST_FACTORS = 30
DEFAULTS = {
    "key": "",
    "kind": "factors",
    "arms": "",
    "low": "0",
    "high": "1",
    "default": "0",
    "ttl": "1h",
    "wish": "soon",
    "traffic": "2000",
    "rate": "5",
    "lift": "20",
    "holdout": "",
}


class Typed(NamedTuple):
    """What somebody has typed."""

    texts: dict[str, str]
    factors: list[tuple[str, str]]  # name, and levels, one a line

    @classmethod
    def empty(cls) -> Typed:
        """Before anything is typed."""
        return cls(dict(DEFAULTS), [("", "")] * FACTORS)

    @classmethod
    def of(cls, visit: Visit) -> Typed:
        """From what was sent."""
        texts = {name: visit.text(name, default) for name, default in DEFAULTS.items()}
        names = visit.texts("factor")[:MOST_FACTORS]
        levels = visit.texts("levels")[:MOST_FACTORS]
        return cls(texts, list(zip(names, levels, strict=False)) or [("", "")])

    @property
    def is_duel(self) -> bool:
        """Whether candidates are compared."""
        return self.texts["kind"] == "arms"

    @property
    def wish(self) -> str:
        """What is wanted."""
        return self.texts["wish"] if self.texts["wish"] in BY_NAME else "soon"

    @property
    def policy(self) -> str:
        """The policy that fits the wish."""
        return policy_of(self.wish, self.is_duel)

    def levels(self) -> dict[str, list[str]]:
        """The levels of each factor that has any."""
        found: dict[str, list[str]] = {}
        for number, (name, lines) in enumerate(self.factors, 1):
            levels = _lines(lines)
            if not name.strip() and not levels:
                continue
            if not name.strip():
                raise InvalidInputError(f"Factor {number} has levels and no name.")
            if name.strip() in found:
                raise InvalidInputError(f"Two factors are called “{name.strip()}”.")
            if len(levels) < 2:
                raise InvalidInputError(f"“{name.strip()}” needs two levels or more, one a line.")
            found[name.strip()] = levels
        if not found:
            raise InvalidInputError("Name a factor, and give it two levels or more, one a line.")
        return found

    def given(self) -> dict[str, Any]:
        """The arguments of an experiment; an error says what is wrong."""
        ttl = self.texts["ttl"] or None
        low, high = self.number("low", "The least reward"), self.number("high", "The most reward")
        common = {
            "policy": self.policy,
            "reward_range": (low, high),
            "ttl": ttl,
            "default": self.number("default", "No reward"),
            "seed": secrets.randbits(31),
        }
        if self.is_duel:
            arms = _lines(self.texts["arms"])
            if len(arms) < 2:
                raise InvalidInputError("Give two candidates or more, one a line.")
            default = 0.5 if common["default"] == 0.0 else common["default"]
            return {**common, "arms": arms, "reward_range": (0.0, 1.0), "default": default}
        holdout = self.number("holdout", "The holdout", 0.0) / 100.0
        return {
            **common,
            "factors": self.levels(),
            "diagnostics": self.policy in TESTED,
            "holdout": holdout or None,
        }

    def assumptions(self) -> tuple[Assumptions, float]:
        """What the planner needs: the sizes, today's rate, the lift; and decisions a day."""
        sizes = tuple(len(levels) for levels in self.levels().values())
        rate = self.number("rate", "Today's rate") / 100.0
        lift = self.number("lift", "What a good level adds") / 100.0
        traffic = self.number("traffic", "Visitors a day")
        if traffic <= 0:
            raise InvalidInputError("Visitors a day must be more than 0.")
        return Assumptions(sizes, base_rate=rate, lift=lift), traffic

    def number(self, name: str, shown: str, empty: float | None = None) -> float:
        """A number that was typed, perhaps with commas and a percent sign."""
        text = self.texts[name].replace(",", "").replace("%", "").strip()
        if not text and empty is not None:
            return empty
        try:
            found = float(text)
        except ValueError:
            raise InvalidInputError(f"{shown} must be a number, not “{text}”.") from None
        if not abs(found) < 1e12:
            raise InvalidInputError(f"{shown} must be a number below 10^12.")
        return found


def _lines(text: str) -> list[str]:
    """One a line, without blanks around and empty ones."""
    return [line.strip() for line in text.splitlines() if line.strip()]
