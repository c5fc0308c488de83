"""A fixed target: a level of each factor, or probabilities; factors that are left out as logged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import finite, shown
from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.logs import Log

from .blocks import Blocks, blocks_of, possible

CLOSE = 1e-9


class Target(NamedTuple):
    """Per factor the probability of each level; None: as the log has it."""

    name: str
    probabilities: tuple[Floats | None, ...]

    def weights(self, log: Log) -> Floats:
        """Per row the probability of what was played under the target over that in the log."""
        chosen = np.ones(len(log))
        for column, probabilities in enumerate(self.probabilities):
            if probabilities is not None:
                chosen *= probabilities[log.actions[:, column]]

        return chosen / _divisors(log, self.probabilities)

    def playable(self, log: Log) -> tuple[Log, Blocks | None]:
        """The rows in which it could be played, as far as the blocks of the log tell; its blocks.

        Without blocks all rows: that is assumed.
        """
        blocks = blocks_of(log)
        if blocks is None:
            return log, None
        wanted = tuple(None if each is None else each > 0.0 for each in self.probabilities)
        some = log.some(possible(log, blocks, wanted))
        if not len(some):
            raise InvalidInputError(f"{self.name} could not be played in any row of the log")
        return some, blocks_of(some) or Blocks(np.arange(len(some)), blocks.longest)

    def caps(self, log: Log, least: float | None) -> tuple[float | None, float]:
        """What a weight is at most, if that is known; and by the smallest propensity of the log.

        It is known by `least`, and if all rows of the log have the same propensity.
        """
        largest = math.prod(float(p.max()) for p in self.probabilities if p is not None)
        divisors = _divisors(log, self.probabilities)
        seen = largest / float(divisors.min())
        if least is None:
            return (seen if (divisors == divisors[0]).all() else None), seen

        if divisors.min() < least * (1.0 - CLOSE):
            row = int(divisors.argmin())
            raise InvalidInputError(
                f"least={least:g}, but row {row + 1} of the log had the probability "
                f"{divisors[row]:.6g}"
            )
        return largest / least, largest / least


def _divisors(log: Log, probabilities: tuple[Floats | None, ...]) -> Floats:
    """The propensities of the named factors, if they are drawn independently of the others."""
    named = [column for column, each in enumerate(probabilities) if each is not None]
    if len(named) == len(probabilities):
        return log.known_joint("an evaluation by weighting")
    if log.propensities is None:
        raise InvalidInputError(
            "a target that leaves factors out, and effects of single factors, need a propensity "
            "for each factor: fb.load_log(..., propensity={factor: column, ...})"
        )
    product: Floats = log.propensities[:, named].prod(axis=1)
    return product


def target_of(given: Mapping[str, Any], log: Log) -> Target:
    """The target, checked against the factors of the log."""
    for name in given:
        if name not in log.factors:
            raise UnknownNameError.of("factor", name, log.factors)
    if not given:
        raise InvalidInputError("the target must name a level of at least one factor, not {}")

    probabilities = tuple(
        _probabilities(name, given[name], levels) if name in given else None
        for name, levels in log.factors.items()
    )
    words = [f"{name}={_word(given[name])}" for name in log.factors if name in given]
    return Target(", ".join(words), probabilities)


def _word(given: Any) -> str:
    if isinstance(given, Mapping):
        return "/".join(f"{level}:{share:g}" for level, share in given.items())
    return str(given)


def _probabilities(name: str, given: Any, levels: tuple[Any, ...]) -> Floats:
    shares = given if isinstance(given, Mapping) else {given: 1.0}
    found = np.zeros(len(levels))
    for level, share in shares.items():
        if level not in levels:
            raise UnknownNameError.of(f"level of {name!r}", level, map(str, levels))
        found[levels.index(level)] = finite(f"the probability of {level!r}", share)

    if (found < 0.0).any() or abs(found.sum() - 1.0) > CLOSE:
        raise InvalidInputError(
            f"the probabilities of {name!r} must not be negative and add up to 1, not "
            f"{shown(dict(shares))}"
        )
    return found
