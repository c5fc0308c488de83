"""Flags: `page` is all levels of an agent, `page.headline` one of them; and which types they have.

The type of a factor follows from all its levels, not from the one that was decided. A question of
another type is refused before the agent is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openfeature.exception import FlagNotFoundError, TypeMismatchError
from openfeature.flag_evaluation import FlagResolutionDetails, FlagType, Reason

from factored_bandits.agent.labels import POSITIONS, Label
from factored_bandits.errors import InvalidInputError, did_you_mean

from .memory import Kept, Memory
from .protocol import AgentLike, UnitAgentLike, keeps_units
from .units import UnitMemory
from .values import metadata_of, value_of, variant_of

KINDS: dict[type, FlagType] = {
    bool: FlagType.BOOLEAN,
    str: FlagType.STRING,
    int: FlagType.INTEGER,
    float: FlagType.FLOAT,
}


@dataclass(frozen=True)
class Flag:
    """A key that can be asked for: an agent, and one of its factors or None for all of them."""

    key: str
    memory: Memory | UnitMemory
    factor: str | None
    kinds: tuple[FlagType, ...]

    def check(self, kind: FlagType) -> None:
        """Raise an error unless values of this kind can be asked for."""
        if kind in self.kinds:
            return

        if self.factor is None:
            expected = "an object with a level of each factor"
        elif self.kinds:
            expected = " or ".join(each.value.lower() for each in self.kinds)
        else:
            expected = "a factor with levels of several types; it is read from the object flag"
        raise TypeMismatchError(f"{self.key} is {expected}, not {kind.value.lower()}")

    def details(self, kept: Kept, new: bool, kind: FlagType) -> FlagResolutionDetails[Any]:
        """The answer of the provider."""
        decision = kept.decision
        value = value_of(decision, self.factor)
        if kind == FlagType.FLOAT:
            value = float(value)

        return FlagResolutionDetails(
            value,
            reason=Reason.SPLIT if new else Reason.CACHED,
            variant=variant_of(decision, self.factor),
            flag_metadata=metadata_of(decision, decision.id),
        )


def flags_of(name: str, memory: Memory | UnitMemory) -> list[Flag]:
    """The flags of an agent."""
    whole = Flag(name, memory, None, (FlagType.OBJECT,))
    factors = factors_of(memory.agent)
    parts = [Flag(f"{name}.{each}", memory, each, _kinds(factors[each])) for each in factors]
    return [whole, *parts]


def factors_of(agent: AgentLike | UnitAgentLike) -> dict[str, list[Label]]:
    """The levels of each factor; in duels of both positions."""
    if keeps_units(agent):
        return {name: list(labels) for name, labels in agent.factors.items()}

    levels: dict[str, list[Label]] = {}
    for row in agent.status().rows:
        levels.setdefault(row.factor, []).append(row.level)

    if isinstance(agent.best(), Mapping):
        return levels
    (arms,) = levels.values()
    return dict.fromkeys(POSITIONS, arms)


def _kinds(levels: list[Label]) -> tuple[FlagType, ...]:
    """What one may ask for; whole numbers are numbers, too."""
    types = {type(level) for level in levels}
    if types == {int}:
        return (FlagType.INTEGER, FlagType.FLOAT)
    if types == {int, float}:
        return (FlagType.FLOAT,)
    if len(types) == 1:
        return tuple(KINDS[each] for each in types if each in KINDS)
    return ()


def by_key(flags: list[Flag]) -> dict[str, Flag]:
    """Flags by their keys, each once."""
    found: dict[str, Flag] = {}
    for flag in flags:
        if flag.key in found:
            raise InvalidInputError(f"agents: there are two flags {flag.key!r}; rename one of them")
        found[flag.key] = flag
    return found


def flag_named(key: str, flags: Mapping[str, Flag]) -> Flag:
    """The flag, or the error by which OpenFeature says that there is none."""
    if key in flags:
        return flags[key]
    known = ", ".join(flags)
    raise FlagNotFoundError(f"no flag {key!r}{did_you_mean(key, flags)} (known: {known})")
