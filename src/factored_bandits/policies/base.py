"""What a policy is: a module that follows the contract, with its parameters.

A policy module holds (docs/explanation/contract.md):

    INFO = Info(...)                                what it is, for people and for the library
    class Params(NamedTuple)                        immutable scalars with defaults
    class State(NamedTuple)                         arrays only
    init(params, sizes, horizon) -> State
    plan, learn, recommend                          kernels, see `PolicyModule`

and, where they make sense, the functions of the protocols below. `Policy` finds out once what a
module can do; nobody else asks.
"""

from __future__ import annotations

import math
import types
import typing
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.errors import InvalidInputError, UnknownNameError

Range = tuple[float, float]
Kind = Literal["factored", "duel"]
# a choice as kernels see it, a number: `PAPER: Code = 0` can be compared with a parameter that is a
# Literal
Code = Any
FROM_ENVIRONMENT: Literal["environment"] = "environment"
FOREVER = 2**62  # rounds: what `idle` returns when nothing will ever change again


@dataclass(frozen=True)
class Info:
    """What a policy is, in words and in the few facts that the library acts on."""

    title: str
    kind: Kind
    scale: Range  # onto which bounded rewards are mapped before the policy sees them
    assumption: str
    guarantee: str
    reference: str
    needs_horizon: bool = False
    # duels: can it learn from a tie?
    ties: bool = True
    # what it learns from: the reward, or the outcome of each factor
    feedback: Literal["reward", "semi-bandit"] = "reward"
    # is every column of a block in random order, independent of the others?
    shuffled: bool = False
    # colour and dashes in every figure; None: the palette finds a free pair
    style: tuple[str, str] | None = None
    # nanoseconds of a round at 16 x 16 levels or 16 arms, and the power of the number of levels (of
    # combinations, with `flat`) with which they grow: what tasks of the laboratory are cut by
    cost: tuple[float, float] = (500.0, 1.0)
    # nanoseconds of a step over those of uniform play in the same run, at most, at 16 x 16 levels
    # or 16 arms, and at 128 arms: what `make bench` holds it to
    slowdown: tuple[float, ...] = ()
    # one statistic per combination, not per level
    flat: bool = False
    # the theorem of the paper that bounds its regret
    theorem: Literal[2, 3] | None = None
    # the policy over all combinations that a plan compares it with
    flat_peer: str = "flat_ucb1"


class LevelReport(NamedTuple):
    """What a policy knows of one level, in the units of `INFO.scale`."""

    active: bool
    gap: float  # estimated distance to the leader
    lower: float  # what the gap is at least, as long as the confidence bounds hold
    reentry: int | None  # the round in which the level re-enters, None while it is active


class PolicyModule(Protocol):
    """What every policy module has; kernels are plain functions that can be compiled."""

    INFO: Info
    Params: type[Any]
    State: type[Any]

    def init(self, params: Any, sizes: Ints, horizon: int) -> Any:
        """The state before the first round; `horizon` is 0 where it is not known."""

    def plan(self, params: Any, state: Any, t: int, rng: np.random.Generator, actions: Ints) -> int:
        """Kernel: fill actions[:n] with n >= 1 plays from round t, return n."""

    def learn(self, params: Any, state: Any, t: int, actions: Ints, rewards: Floats) -> None:
        """Kernel: learn the block that began at round t, rewards on `INFO.scale`.

        With semi-bandit feedback `rewards` is (n, L), the outcome of each factor.
        """

    def recommend(self, params: Any, state: Any, action: Ints) -> None:
        """Kernel: the best action as far as is known, into `action`."""


@runtime_checkable
class Skips(Protocol):
    """A policy that says for how long nothing can change."""

    def idle(self, params: Any, state: Any, t: int) -> int:
        """Kernel: rounds from t with one fixed play and no reward able to change the state."""


@runtime_checkable
class Eliminates(Protocol):
    """A policy with active sets."""

    def active_sets(self, params: Any, state: Any) -> tuple[Bools, int]:
        """Kernel: a flag per level, and a version that changes whenever a flag does."""


@runtime_checkable
class Reports(Protocol):
    """A policy that tells what it knows of each level."""

    def status(self, params: Any, state: Any, t: int) -> list[list[LevelReport]]:
        """Per factor and level."""


@runtime_checkable
class Randomises(Protocol):
    """A policy that knows its probabilities."""

    def propensities(self, params: Any, state: Any, length: int) -> list[Floats]:
        """Per factor the probability of each level in the block just planned."""


@runtime_checkable
class Certifies(Protocol):
    """A policy with anytime-valid p-values."""

    def p_values(self, params: Any, state: Any) -> list[Floats] | None:
        """Per factor and level, of its being the best; None: nothing is proved."""


@runtime_checkable
class WarmStarts(Protocol):
    """A policy that can begin with duels of the past."""

    def warm_start(self, params: Any, state: Any, wins: Floats) -> None:
        """Past duels into a new state: wins (K, K) of row over column."""


@runtime_checkable
class Checks(Protocol):
    """A policy that cannot take every problem."""

    def check(self, params: Any, sizes: Ints, horizon: int) -> None:
        """Raise `InvalidInputError` for parameters or sizes that it cannot take; cheap."""


@runtime_checkable
class PlansBlocks(Protocol):
    """A policy whose blocks may be longer than its largest factor."""

    def longest_block(self, sizes: Ints) -> int:
        """The most plays that `plan` ever fills."""
