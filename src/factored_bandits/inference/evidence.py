"""What a certificate is made of: plain data, and who can give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from factored_bandits.core.arrays import Floats
from factored_bandits.policies.base import Kind


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
