"""What a policy module says of itself, and how it is made, checked and described.

A policy module holds (DESIGN in docs/explanation/contract.md):

    INFO = Info(...)                                      what it is, for people and for the simulator
    class Params(NamedTuple)                              immutable scalars with defaults; choices are `Literal`s
    class State(NamedTuple)                               arrays only
    init(params, sizes, horizon) -> State
    @kernel plan(params, state, t, rng, actions) -> int   fill actions[:n], n >= 1 plays from round t
    @kernel learn(params, state, t, actions, rewards)     the block that began at round t, rewards on INFO.scale; with
                                                          INFO.feedback == "semi-bandit" (n, L), the
                                                          outcome of each factor
    @kernel recommend(params, state, action)              the best action as far as is known, into `action`
  and, where they make sense,
    @kernel idle(params, state, t) -> int                 rounds from t in which the play is fixed (one row, no chance)
                                                          and no reward can change the state
    @kernel standing(params, state) -> (flags, version)   which levels are in; the version changes whenever they do
    propensities(params, state, length) -> list           per factor the chance of each level in the block just planned
    status(params, state, t) -> list                      per factor and level a `LevelReport`
    block_length(sizes) -> int                            the longest block (default: the largest size)
    warm_start(params, state, wins)                           past duels into a new state: wins (K, K) of row over column
    confidence(params, state, t) -> float | None          how sure it is that all is out but what it recommends, else 0
    p_values(params, state) -> list | None                  per factor and level an anytime p-value of its being the best
"""

from __future__ import annotations

import math
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from factored_bandits.errors import InvalidInputError, UnknownNameError

Range = tuple[float, float]
# a choice as kernels see it, a number: `PAPER: Code = 0` can be compared with a parameter that is a
# Literal
Code = Any
FROM_ENVIRONMENT: Literal["environment"] = "environment"
FOREVER = 2**62  # rounds: what `idle` returns when nothing will ever change again


@dataclass(frozen=True)
class Info:
    """What a policy is, in words and in the few facts that the library acts on."""

    title: str
    kind: Literal["factored", "duel"]
    scale: Range  # onto which bounded rewards are mapped before the policy sees them
    assumption: str
    guarantee: str
    reference: str
    needs_horizon: bool = False
    ties: bool = True  # duels: can it learn from a tie?
    feedback: Literal["reward", "semi-bandit"] = (
        "reward"  # what it learns from: the reward, or the outcome of each factor
    )
    shuffled: bool = False  # is every column of a block in random order, independent of the others?


class LevelReport(NamedTuple):
    """What a policy knows of one level, in the units of `INFO.scale`."""

    active: bool
    gap: float  # estimated distance to the leader
    lower: float  # what the gap is at least, as long as the confidence bounds hold
    reentry: int | None  # the round at which the level comes back, None while it is in


@dataclass(frozen=True)
class Policy:
    """An algorithm with its parameters; made by `policies.make`."""

    name: str
    module: types.ModuleType
    params: Any
    reward_range: Range | Literal["environment"] | None = FROM_ENVIRONMENT

    @property
    def info(self) -> Info:
        """What the module says of itself."""
        return typing.cast(Info, self.module.INFO)

    @property
    def label(self) -> str:
        """The name, with every parameter that is not at its default.

        >>> from factored_bandits import policies
        >>> policies.make("flat_ucb1", alpha=0.5).label
        'flat_ucb1(alpha=0.5)'
        """
        defaults = self.params._field_defaults
        changed = {n: v for n, v in self.params._asdict().items() if v != defaults[n]}
        if self.reward_range != FROM_ENVIRONMENT:
            changed["reward_range"] = self.reward_range
        if not changed:
            return self.name
        return f"{self.name}({', '.join(f'{n}={v}' for n, v in changed.items())})"

    def encoded(self) -> Any:
        """The parameters as kernels see them: a choice becomes its position among the choices."""
        hints = typing.get_type_hints(type(self.params))
        values = [
            typing.get_args(hints[name]).index(value) if isinstance(value, str) else value
            for name, value in self.params._asdict().items()
        ]
        return type(self.params)(*values)


def parameters(module: types.ModuleType, given: dict[str, Any]) -> Any:
    """`Params` of a policy module from keyword arguments, each checked against its annotation."""
    name = module.__name__.rpartition(".")[2]
    hints = typing.get_type_hints(module.Params)
    for key in given:
        if key not in hints:
            raise UnknownNameError.of(f"parameter of {name}", key, [*hints, "reward_range"])
    return module.Params(**{k: _checked(name, k, v, hints[k]) for k, v in given.items()})


def _checked(policy: str, name: str, value: Any, annotation: Any) -> Any:
    if typing.get_origin(annotation) is Literal:
        choices = typing.get_args(annotation)
        if value not in choices:
            known = " or ".join(map(repr, choices))
            raise InvalidInputError(f"{policy}: {name} must be {known}, not {value!r}")
        return value
    if annotation is bool:
        if not isinstance(value, bool):
            raise InvalidInputError(f"{policy}: {name} must be True or False, not {value!r}")
        return value
    try:
        converted = annotation(value)
    except (TypeError, ValueError):
        converted = None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if converted is None or not number or not math.isfinite(converted) or converted != value:
        raise InvalidInputError(
            f"{policy}: {name} must be a finite {annotation.__name__}, not {value!r}"
        )
    return converted


def checked_range(reward_range: Any) -> Range | None:
    """`(low, high)` as two floats, or None for raw rewards.

    >>> checked_range((0, 1))
    (0.0, 1.0)
    """
    if reward_range is None:
        return None
    try:
        low, high = (float(end) for end in reward_range)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInputError(
            "reward_range must be (low, high) with low < high, or None for raw rewards, not "
            f"{reward_range!r}"
        )
    return low, high


def scaling(reward_range: Range | None, scale: Range) -> tuple[float, float]:
    """`shift` and `slope` that map rewards of `reward_range` onto `scale`; (0, 1) for raw rewards.

    >>> scaling((0.0, 1.0), (-1.0, 1.0))
    (-1.0, 2.0)
    """
    if reward_range is None:
        return 0.0, 1.0
    low, high = reward_range
    slope = (scale[1] - scale[0]) / (high - low)
    return scale[0] - slope * low, slope
