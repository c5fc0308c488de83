"""What a certificate is made of: plain data, and who can give them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.policies.base import Kind


def joint_p_value(factors: Iterable[Sequence[float] | Floats]) -> float:
    """The p-value of some other combination than that of the likeliest levels being the best.

    Per factor it is the second largest p-value of a level; over the factors they add up, to 1 at
    most.

    >>> joint_p_value([[0.01, 1.0, 0.02], [1.0, 0.03]])
    0.05
    """
    others = [float(np.sort(p_values)[-2]) for p_values in factors if len(p_values) > 1]
    return min(1.0, math.fsum(others))


class FactorEvidence(NamedTuple):
    """Anytime-valid p-values of one factor."""

    name: str  # "arm" in duels
    levels: Sequence[Any]
    p_values: Floats  # per level, of its being the best


@dataclass(frozen=True)
class Evidence:
    """What one run of a policy has shown."""

    policy: str  # its label
    kind: Kind
    rounds: int  # whose rewards it rests on
    factors: tuple[FactorEvidence, ...]  # in duels one, of the arms


@runtime_checkable
class Certifiable(Protocol):
    """A run, such as an `Agent`, of which there can be a certificate."""

    def evidence(self) -> Evidence:
        """What the run has shown; raises `InvalidInputError` where nothing is proved."""


@runtime_checkable
class CertifiableRuns(Protocol):
    """Several runs, such as a `Result`, with a certificate each."""

    @property
    def best(self) -> tuple[int, ...]:
        """The index of the level that is the best of each factor, in truth."""

    def evidences(self) -> list[Evidence]:
        """What each run has shown; raises `InvalidInputError` where nothing is proved."""
