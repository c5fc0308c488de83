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

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints

Range = tuple[float, float]
Kind = Literal["factored", "duel"]
# a choice as kernels see it, a number: `PAPER: Code = 0` can be compared with a parameter that is a
# Literal
Code = Any
FROM_ENVIRONMENT: Literal["environment"] = "environment"
FOREVER = 2**62  # rounds: what `idle` returns when nothing will ever change again


@dataclass(frozen=True)
class Info:
    """What a policy is, in words and in the few facts that the library acts on.

    Attributes
    ----------
    title
        The name of the algorithm, as people write it.
    kind
        The problems that it plays: "factored" or "duel".
    scale
        The range onto which bounded rewards are mapped before the policy sees them.
    assumption
        What must hold of a problem, in words.
    guarantee
        What is proved then, in words.
    reference
        The paper, with the algorithm in it.
    needs_horizon
        Whether it must know how many rounds will be played.
    ties
        Duels: whether it can learn from a tie.
    self_duel
        Duels: what an agent may take for the outcome of a duel of an arm with itself, which nobody
        can answer. "random", 0 or 1 with probability one half each, is what every analysis
        expects of it; "tie" where outcomes need only have the mean one half and be bounded, or
        where the policy does not look at such outcomes, because a tie adds no noise.
    self_duel_counts
        Duels: whether a duel of an arm with itself is a play like any other for the next choice, as
        it is for base bandits. An agent that skips such duels then skips none while verdicts are
        outstanding: it could not be learned before them, and the policy would repeat it.
    combinations
        Duels: whether it can compare whole combinations of several factors, beside single arms.
    feedback
        What it learns from: the reward, or with "semi-bandit" the outcome of each factor.
    shuffled
        Whether every column of a block is in random order, independent of the others.
    style
        Colour and dashes in every figure; None if the palette finds a free pair.
    cost
        Nanoseconds of a round at 16 x 16 levels or 16 arms, and the power of the number of levels
        (of combinations, with `flat`) with which they grow. Tasks of the laboratory are cut by it.
    slowdown
        Nanoseconds of a step over those of uniform play in the same run, at most: at 16 x 16 levels
        or 16 arms, and at 128 arms. `make bench` prints it beside what it measures; empty for no
        limit.
    narrow
        Whether its loop is compiled on its own for two factors, which is worth it where a round
        takes hardly longer than the loop around it.
    flat
        Whether it keeps one statistic per combination, not per level.
    theorem
        The theorem of the paper that bounds its regret.
    flat_peer
        The policy over all combinations that a plan compares it with.
    any_plays
        Factored: whether `learn` may be given plays that others chose, one at a time, in any state.
        It may if its statistics are about combinations, or about a model of them, and not about
        levels in the contexts that it chose itself, and if it recommends by estimates, not by its
        number of plays. `Agent(history=...)` relies on it.
    drops
        Whether a decision that nobody answers may be left out, as if it had not been made: its
        blocks are single plays, and `plan` counts on no answer. `Agent.drop` relies on it.

    Examples
    --------
    >>> from factored_bandits import policies
    >>> info = policies.load("tea").INFO
    >>> info.title, info.kind, info.theorem
    ('Temporary Elimination Algorithm', 'factored', 2)
    """

    title: str
    kind: Kind
    scale: Range
    assumption: str
    guarantee: str
    reference: str
    needs_horizon: bool = False
    ties: bool = True
    self_duel: Literal["tie", "random"] = "random"
    self_duel_counts: bool = False
    combinations: bool = False
    feedback: Literal["reward", "semi-bandit"] = "reward"
    shuffled: bool = False
    style: tuple[str, str] | None = None
    cost: tuple[float, float] = (500.0, 1.0)
    slowdown: tuple[float, ...] = ()
    narrow: bool = False
    flat: bool = False
    theorem: Literal[2, 3] | None = None
    flat_peer: str = "flat_ucb1"
    any_plays: bool = False
    drops: bool = False


class LevelReport(NamedTuple):
    """What a policy knows of one level, in the units of `INFO.scale`.

    Attributes
    ----------
    active
        Whether the level is played; False if it is eliminated.
    gap
        The estimated distance to the leader; nan where it is not known.
    lower
        What the gap is at least, as long as the confidence bounds hold; nan where it is not known.
    reentry
        The round in which the level re-enters; None while it is active.
    """

    active: bool
    gap: float
    lower: float
    reentry: int | None


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
        """A report per factor and level, at round t."""


@runtime_checkable
class Randomises(Protocol):
    """A policy that knows its probabilities."""

    def propensities(self, params: Any, state: Any, length: int) -> list[Floats]:
        """Per factor the probability of each level in the block just planned."""


@runtime_checkable
class Certifies(Protocol):
    """A policy with anytime-valid p-values."""

    def p_values(self, params: Any, state: Any) -> list[Floats] | None:
        """Per factor and level the p-value of its being the best; None: nothing is proved."""


@runtime_checkable
class Bets(Protocol):
    """A policy whose p-values are one over the most money that was ever won by bets."""

    def log_wealth(self, params: Any, state: Any) -> list[Floats]:
        """Per factor and level the log of the money now; learning a play adds to it or not."""


@runtime_checkable
class Believes(Protocol):
    """A policy with a posterior of what is the best."""

    def posterior_error(self, params: Any, state: Any) -> float:
        """At most the posterior probability that what it recommends is not the best; no proof."""


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
