"""What `Agent.diagnose` found, as data and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.agent.labels import Label, Labels

from .interaction_test import InteractionTest


class Finding(NamedTuple):
    """The strongest evidence that a level is not the best one of its factor."""

    factor: str  # "arm" in duels
    level: Label
    beaten_by: Label
    context: (
        str | None
    )  # the factor in whose company that is so ("opponent" in duels); None: whatever it plays
    when: Label  # the level that it plays then
    # the chance, at most, that this would ever be found of a level which is nowhere behind
    p_value: float


@dataclass(frozen=True)
class Diagnosis:
    """Is there a best level of each factor? Print it.

    As long as there is, `alarms` ever names a factor with chance at most `alpha`.
    """

    rounds: int  # whose rewards it rests on
    alpha: float
    findings: tuple[Finding, ...]

    def of(self, factor: str) -> tuple[Finding, ...]:
        """The findings on the levels of one factor."""
        return tuple(found for found in self.findings if found.factor == factor)

    def p_value(self, factor: str) -> float:
        """That the factor has a best level: the chance, at most, of ever seeing so much against
        every one of them.
        """
        return max(found.p_value for found in self.of(factor))

    @property
    def alarms(self) -> list[str]:
        """The factors that have no best level, at confidence 1 - alpha: each level is behind in
        some company.
        """
        return [factor for factor in self._factors() if self.p_value(factor) <= self.alpha]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The factors of `alarms`, each with a factor on which its best level depends."""
        found: dict[tuple[str, str], None] = {}
        for factor in self.alarms:
            for finding in self.of(factor):
                if finding.context is not None:
                    found[factor, finding.context] = None
        return list(found)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = [finding._asdict() for finding in self.findings]
        told = {"rounds": self.rounds, "alpha": self.alpha, "alarms": self.alarms}
        return {**told, "pairs": [list(pair) for pair in self.pairs], "findings": rows}

    def _factors(self) -> list[str]:
        return list(dict.fromkeys(found.factor for found in self.findings))

    def __str__(self) -> str:
        lines = []
        for factor in self.alarms:
            others = " and ".join(context for own, context in self.pairs if own == factor)
            depends = f": which one is best depends on {others}" if others else ""
            lines.append(
                f"{factor} has no best level (confidence {percent(self.p_value(factor))}){depends}"
            )
            lines += [f"  {_sentence(finding)}" for finding in self.of(factor)]

        if not lines:
            confidence = percent(self.alpha)
            lines = [
                f"no sign after {self.rounds:,} rounds that a factor has no best level (confidence "
                f"{confidence})"
            ]
            behind = [finding for finding in self.findings if finding.p_value <= self.alpha]
            lines += [f"  {finding.factor}: {_sentence(finding)}" for finding in behind]

        return "\n".join(lines)


def percent(p_value: float) -> str:
    """Confidence, 1 - p_value, never rounded up.

    >>> percent(0.05), percent(1e-9)
    ('95.00%', '> 99.99%')
    """
    return "> 99.99%" if p_value < 1e-4 else f"{math.floor(1e4 * (1.0 - p_value) + 1e-9) / 1e4:.2%}"


def _sentence(found: Finding) -> str:
    context = "" if found.context is None else f" when {found.context} is {found.when}"
    return f"{found.level} is behind {found.beaten_by}{context}"


def diagnosis(
    interaction_test: InteractionTest, labels: Labels, rounds: int, alpha: float
) -> Diagnosis:
    """What the bettors of `interaction_test` have found."""
    duel = labels.kind == "duel"
    findings = []

    for at, l in enumerate(interaction_test.columns):
        for level, (p_value, winner, place) in enumerate(interaction_test.worst(at)):
            context = None
            when = None
            if place < interaction_test.start[-1]:
                m = int(np.searchsorted(interaction_test.start, place, side="right")) - 1
                context = "opponent" if duel else labels.names[m]
                when = labels.levels[m][place - interaction_test.start[m]]
            levels = labels.levels[l]
            name = "arm" if duel else labels.names[l]
            findings.append(Finding(name, levels[level], levels[winner], context, when, p_value))

    return Diagnosis(rounds, alpha, tuple(findings))
