"""One level of each factor, scored or compared with a baseline: the problem of `tune`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from factored_bandits.agent import Agent, Decision
from factored_bandits.agent.labels import Labels, labels
from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.policies.parameters import checked_range

from .answers import TIE, Reader, read_verdict, score_reader
from .pairs import Swap, checked_swap
from .problem import Call, agent_for, checked_function, checked_items, digest, draws, horizon_of
from .settings import Settings


class Combinations:
    """A combination per decision: scored, or shown beside the baseline in random order."""

    def __init__(
        self,
        factors: Any,
        score: Any,
        judge: Any,
        against: Any,
        items: Any,
        swap: Any,
        reward_range: Any,
        policy: str | Policy | None,
        seed: int,
        how: Settings,
    ) -> None:
        check_question(score, judge, against)
        self.compares = judge is not None
        if self.compares:
            self._function = checked_function("judge", judge, ("a", "b"), items)
        else:
            self._function = checked_function("score", score, ("levels",), items)
        self.against = against
        self.items = checked_items(items)
        self.swap: Swap = checked_swap(swap)
        self.seed = seed
        self.range = checked_scale(reward_range, self.compares)
        self.labels: Labels = labels(factors, None)
        self._agent = agent_for(
            policy, "factored", how, seed, factors=factors, reward_range=self.range
        )
        self._horizon = horizon_of(self._agent.policy, how.budget)
        if self._agent.policy.info.feedback == "semi-bandit":
            raise InvalidInputError(
                f"{self._agent.policy.label} learns from an outcome of each factor, and there is "
                "one answer for the whole combination: choose another policy"
            )

    @property
    def agent(self) -> Agent[Any]:
        """Who decides which combination is tried next."""
        return self._agent

    @property
    def function(self) -> Callable[..., Any]:
        """The score, or the judge."""
        return self._function

    @property
    def read(self) -> Reader:
        """The check of what it returns."""
        return read_verdict if self.compares else score_reader(*self.range)

    def document(self) -> dict[str, Any]:
        """What a journal must agree with."""
        return {
            "kind": "tune",
            "factors": self.labels.document()["factors"],
            "asks": "judge" if self.compares else "score",
            "against": digest(self.against) if self.compares else None,
            "reward_range": list(self.range),
            "items": None if self.items is None else [len(self.items), digest(self.items)],
            "swap": self.swap,
            "policy": self._agent.policy.label,
            "horizon": self._horizon,
            "seed": self.seed,
        }

    def calls(self, ask: int, decision: Decision) -> list[Call]:
        """The combination alone, or beside the baseline, in one order or in both."""
        drawn = draws(self.seed, ask, len(self.items or ()))
        levels = dict(decision.levels)
        told: dict[str, Any] = {"levels": levels}
        about: tuple[Any, ...] = ()
        if self.items is not None:
            about = (self.items[drawn.item],)
            told["item"] = drawn.item
        if not self.compares:
            return [Call(ask, 0, (dict(levels), *about), told)]

        pair = (dict(levels), self.against)
        calls = []
        for part, second in enumerate((drawn.swapped, not drawn.swapped)):
            shown_as = {**told, "position": "second" if second else "first"}
            calls.append(Call(ask, part, (*(pair[::-1] if second else pair), *about), shown_as))
        return calls if self.swap == "both" else calls[:1]

    def reward(self, ask: int, decision: Decision, values: Sequence[float]) -> float:
        """The score, or the share of its verdicts that the combination has won."""
        if not self.compares:
            return values[0]
        swapped = draws(self.seed, ask, 0).swapped
        won = [1.0 - value if swapped != bool(part) else value for part, value in enumerate(values)]
        return math.fsum(won) / len(won)

    def no_evidence(self, ask: int) -> float:
        """A tie with the baseline; of scores, the middle of the range."""
        return TIE if self.compares else 0.5 * sum(self.range)


def check_question(score: Any, judge: Any, against: Any) -> None:
    """Either a score or a judge; a baseline only for a judge."""
    if (score is None) == (judge is None):
        given = "neither" if score is None else "both"
        raise InvalidInputError(
            "give either score=..., a function of a combination, or judge=..., which compares two "
            f"of them, or each with the baseline against=...; not {given}"
        )
    if score is not None and against is not None:
        raise InvalidInputError("against is what a judge compares with; a score takes no baseline")


def checked_scale(given: Any, compares: bool) -> tuple[float, float]:
    """What answers can be: declared for scores, from 0 to 1 for verdicts."""
    found = checked_range(given)
    if found is None:
        raise InvalidInputError("reward_range must be (low, high): what scores can be at all")
    if compares and found != (0.0, 1.0):
        raise InvalidInputError(
            f"verdicts of a judge lie from 0 to 1: reward_range={shown(given)} is for scores"
        )
    return found
