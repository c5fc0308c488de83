"""Candidates compared two at a time: the problem of `arena`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from factored_bandits.agent import Agent, Decision
from factored_bandits.agent.labels import labels
from factored_bandits.core.checks import one_of
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy

from .answers import FIRST, SECOND, TIE, Reader, read_verdict
from .budget import Budget
from .problem import Call, agent_for, checked_function, checked_items, digest, draws, horizon_of

Swap = Literal[True, "both"]


class Duels:
    """Two candidates per decision, shown in random order."""

    def __init__(
        self,
        candidates: Any,
        judge: Any,
        items: Any,
        swap: Any,
        policy: str | Policy | None,
        seed: int,
        budget: Budget,
    ) -> None:
        self._function = checked_function("judge", judge)
        self.items = checked_items(items)
        self.swap: Swap = checked_swap(swap)
        self.seed = seed

        # a mapping gives names to what the judge sees; otherwise names are all there is
        named = isinstance(candidates, Mapping)
        names = list(candidates) if named else candidates
        self.names = checked_names(names)
        self._agent = agent_for(policy, "duel", budget, seed, arms=names, self_duels="skip")
        self._shown: dict[Any, Any] = (
            dict(candidates) if named else dict(zip(self.names, self.names, strict=True))
        )
        self._horizon = horizon_of(self._agent.policy, budget)
        self._takes_ties = self._agent.policy.info.ties

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

    def document(self) -> dict[str, Any]:
        """What a journal must agree with."""
        return {
            "kind": "arena",
            "candidates": list(self.names),
            "contents": digest([self._shown[name] for name in self.names]),
            "items": None if self.items is None else [len(self.items), digest(self.items)],
            "swap": self.swap,
            "policy": self._agent.policy.label,
            "horizon": self._horizon,
            "seed": self.seed,
        }

    def calls(self, ask: int, decision: Decision) -> list[Call]:
        """The two candidates in random order, and with swap="both" in the other order, too."""
        drawn = draws(self.seed, ask, len(self.items or ()))
        pair = (decision.levels["first"], decision.levels["second"])
        orders = [pair[::-1] if drawn.swapped else pair]
        if self.swap == "both":
            orders.append(orders[0][::-1])

        calls = []
        for part, order in enumerate(orders):
            arguments = [self._shown[name] for name in order]
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


def checked_names(given: Any) -> tuple[Any, ...]:
    """Labels that an agent takes; complaints call them what the user calls them.

    >>> checked_names(["A", "A"])
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: candidates: the label 'A' stands there twice
    """
    try:
        return labels(None, given).levels[0]
    except InvalidInputError as error:
        raise InvalidInputError(str(error).replace("arms", "candidates", 1)) from None


def checked_swap(given: Any) -> Swap:
    """Sides are always drawn at random; the question is whether both are judged."""
    if given is False:
        raise InvalidInputError(
            "swap=False is not offered: judges favour a side, and only a random side keeps that "
            "from deciding who wins. A judge to which order means nothing loses nothing by it"
        )
    swap: Swap = one_of("swap", given, (True, "both"))
    return swap
