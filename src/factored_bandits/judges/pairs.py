"""Two sides per decision, shown in random order: what all problems with duels share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal

from factored_bandits.agent import Agent, Decision
from factored_bandits.core.checks import one_of
from factored_bandits.errors import InvalidInputError

from .answers import FIRST, SECOND, TIE, Reader, read_verdict
from .problem import Call, checked_function, checked_items, digest, draws, horizon_of
from .settings import Settings

Swap = Literal[True, "both"]


class Pairs(ABC):
    """A judge who compares the two sides of a decision."""

    def __init__(
        self, agent: Agent[Any], judge: Any, items: Any, swap: Any, seed: int, how: Settings
    ) -> None:
        self._agent = agent
        self._function = checked_function("judge", judge, ("a", "b"), items)
        self.items = checked_items(items)
        self.swap: Swap = checked_swap(swap)
        self.seed = seed
        self._horizon = horizon_of(agent.policy, how.budget)
        self._takes_ties = agent.policy.info.ties

    @property
    def agent(self) -> Agent[Any]:
        """Who decides which two meet next."""
        return self._agent

    @property
    def function(self) -> Callable[..., Any]:
        """The judge."""
        return self._function

    @property
    def read(self) -> Reader:
        """The check of a verdict."""
        return read_verdict

    @abstractmethod
    def what(self) -> dict[str, Any]:
        """What is compared, for the document."""

    @abstractmethod
    def shown(self, side: Any) -> Any:
        """What the judge gets of a side of a decision."""

    def document(self) -> dict[str, Any]:
        """What a journal must agree with."""
        return {
            **self.what(),
            "items": None if self.items is None else [len(self.items), digest(self.items)],
            "swap": self.swap,
            "policy": self._agent.policy.label,
            "horizon": self._horizon,
            "seed": self.seed,
        }

    def calls(self, ask: int, decision: Decision) -> list[Call]:
        """The two sides in random order, and with swap="both" in the other order, too."""
        drawn = draws(self.seed, ask, len(self.items or ()))
        pair = (decision.levels["first"], decision.levels["second"])
        orders = [pair[::-1] if drawn.swapped else pair]
        if self.swap == "both":
            orders.append(orders[0][::-1])

        calls = []
        for part, order in enumerate(orders):
            arguments = [self.shown(side) for side in order]
            told: dict[str, Any] = {"first": order[0], "second": order[1]}
            if self.items is not None:
                arguments.append(self.items[drawn.item])
                told["item"] = drawn.item
            calls.append(Call(ask, part, tuple(arguments), told))
        return calls

    def reward(self, ask: int, decision: Decision, values: Sequence[float]) -> float:
        """1 if the first of the decision won; two verdicts that differ are a tie."""
        swapped = draws(self.seed, ask, 0).swapped
        # the second call shows the other order
        verdicts = {
            1.0 - value if swapped != bool(part) else value for part, value in enumerate(values)
        }
        verdict = verdicts.pop() if len(verdicts) == 1 else TIE
        return verdict if verdict != TIE else self.no_evidence(ask)

    def no_evidence(self, ask: int) -> float:
        """A tie; for policies that take none, either outcome with probability one half."""
        if self._takes_ties:
            return TIE
        return FIRST if draws(self.seed, ask, 0).outcome else SECOND


def checked_swap(given: Any) -> Swap:
    """Sides are always drawn at random; the question is whether both are judged."""
    if given is False:
        raise InvalidInputError(
            "swap=False is not offered: judges favour a side, and only a random side keeps that "
            "from deciding who wins. A judge to which order means nothing loses nothing by it"
        )
    swap: Swap = one_of("swap", given, (True, "both"))
    return swap
