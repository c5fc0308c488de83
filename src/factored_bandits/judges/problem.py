"""What is asked and what is learned from the answer: the part in which the kinds of runs differ."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol

import numpy as np

from factored_bandits import policies
from factored_bandits.agent import Agent, Decision
from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.policies.base import Kind

from .answers import Reader
from .budget import Budget
from .settings import Settings

# Calls are paid for, regret is not: of the policies that certify, the one that needs the fewest
# calls (docs/decisions.md).
DEFAULTS: dict[Kind, str] = {"duel": "duel_top_two", "factored": "tea(bound=betting)"}
# Where nobody waits for a certificate, the one that finds the best within the calls that there are.
UNCERTIFIED: dict[Kind, str] = {"duel": "duel_top_two", "factored": "logistic_halving"}
SALT = 11  # of the draws of sides and items; any number


class Call(NamedTuple):
    """One call of the judge."""

    ask: int  # the number of the decision, from 1
    part: int  # 0, or 1 for the second call of a decision that needs two
    arguments: tuple[Any, ...]  # of the judge
    told: dict[str, Any]  # what the journal says of it


class Problem(Protocol):
    """What a run asks and learns."""

    @property
    def agent(self) -> Agent[Any]:
        """Who decides what is asked next."""

    @property
    def function(self) -> Callable[..., Any]:
        """What the user gave: a judge or a score."""

    @property
    def read(self) -> Reader:
        """The check of what it returns."""

    def document(self) -> dict[str, Any]:
        """What a journal must agree with."""

    def calls(self, ask: int, decision: Decision) -> list[Call]:
        """The calls that settle a decision."""

    def reward(self, ask: int, decision: Decision, values: Sequence[float]) -> float:
        """What the agent is told when all of these calls are answered."""

    def no_evidence(self, ask: int) -> float:
        """What it is told of a decision that no answer came for."""


class Draws(NamedTuple):
    """What is drawn for a decision beside what the policy chose."""

    swapped: bool  # whether the first is shown second
    item: int
    outcome: float  # 0 or 1: stands in for a tie where the policy takes none


def draws(seed: int, ask: int, items: int) -> Draws:
    """Side, item and outcome of a decision, by its number: a resumed run draws the same.

    Items are drawn with replacement. Without, what is left would be known before the last duels of
    a pass, and the bets of a certificate would no longer be fair.

    >>> drawn = [draws(0, ask, 4) for ask in range(1, 2001)]
    >>> [sum(each.item == item for each in drawn) for item in range(4)]
    [479, 520, 483, 518]
    >>> sum(each.swapped for each in drawn)
    988
    """
    rng = np.random.default_rng([SALT, seed, ask])
    side, outcome = rng.integers(2, size=2).tolist()
    return Draws(bool(side), int(rng.integers(max(1, items))), float(outcome))


def agent_for(
    policy: str | Policy | None, kind: Kind, how: Settings, seed: int, **problem: Any
) -> Agent[Any]:
    """The agent of a run, with the default policy unless another is named."""
    label: str | Policy = DEFAULTS[kind] if policy is None else policy
    if policy is None and how.stop_at is None and how.budget.calls is not None:
        label = UNCERTIFIED[kind]
    made = policies.make(label)
    return Agent(made, seed=seed, horizon=horizon_of(made, how.budget), **problem)


def horizon_of(policy: Policy, budget: Budget) -> int | None:
    """The number of calls, for policies that must know it.

    The others are not told: a run that goes on with a larger budget makes the same decisions.
    """
    if not policy.info.needs_horizon:
        return None
    if budget.calls is None:
        raise InvalidInputError(
            f"{policy.label} must know how many calls there will be: give "
            "budget=Budget(calls=..., cost=...)"
        )
    return budget.calls


def checked_items(given: Any) -> list[Any] | None:
    """What is judged upon, such as prompts; None if the judge needs nothing of the kind."""
    if given is None:
        return None
    if isinstance(given, (str, bytes, Mapping, Set)):
        raise InvalidInputError(f"items must be a list, not {shown(given)}")
    try:
        items = list(given)
    except TypeError:
        raise InvalidInputError(f"items must be a list, not {shown(given)}") from None
    if not items:
        raise InvalidInputError("items is empty; give at least one, or leave it out")
    return items


def digest(content: Any) -> str | None:
    """A short name of what JSON can hold; None of anything else, which has no lasting name.

    >>> digest(["a", 1]), digest([object()])
    ('2657442bb4a4', None)
    """
    try:
        text = json.dumps(content, sort_keys=True)
    except (TypeError, ValueError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def checked_function(
    name: str, given: Any, sides: tuple[str, ...], items: Any
) -> Callable[..., Any]:
    """Something that can be called with both sides, and with an item if there are any."""
    if not callable(given):
        raise InvalidInputError(f"{name} must be a function, not {shown(given)}")

    arguments = sides if items is None else (*sides, "item")
    function: Callable[..., Any] = given
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function  # written in C: what it takes shows when it is called

    try:
        signature.bind(*arguments)
    except TypeError as error:
        why = "" if items is None else ", because there are items"
        raise InvalidInputError(
            f"{name} is called as {name}({', '.join(arguments)}){why}; yours takes {signature}"
        ) from error
    return function
