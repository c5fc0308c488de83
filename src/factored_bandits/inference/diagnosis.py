"""What `Agent.diagnose` found, as data and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.markup import Bar, joined, table_html
from factored_bandits.core.table import Table
from factored_bandits.policies.base import Kind

from .interaction_test import InteractionTest
from .percent import percent


class Finding(NamedTuple):
    """The strongest evidence that a level is not the best one of its factor.

    Attributes
    ----------
    factor
        The name of the factor; "arm" in duels.
    level
        The level that is behind.
    beaten_by
        The level of the same factor that is ahead of it.
    context
        The factor on which that depends, "opponent" in duels; None if it holds whatever the other
        factors play.
    when
        The level of `context` with which that holds; None without a context.
    p_value
        Anytime-valid: it bounds the probability that this is ever found of a level that is nowhere
        worse than another.
    """

    factor: str
    level: Any
    beaten_by: Any
    context: str | None
    when: Any
    p_value: float


@dataclass(frozen=True)
class Diagnosis:
    """Is there a best level of each factor? Print it.

    As long as there is, `alarms` ever names a factor with probability at most `alpha`.

    Attributes
    ----------
    rounds
        How many rounds it rests on.
    alpha
        The probability of a false alarm.
    findings
        A finding per level.

    Examples
    --------
    >>> red = Finding("colour", "red", "blue", "size", "small", 0.001)
    >>> blue = Finding("colour", "blue", "red", "size", "large", 0.002)
    >>> found = Diagnosis(rounds=1000, alpha=0.05, findings=(red, blue))
    >>> found.alarms, found.pairs
    (['colour'], [('colour', 'size')])
    >>> print(found)
    colour has no best level (confidence 99.80%): which one is best depends on size
      red is behind blue when size is small
      blue is behind red when size is large
    """

    rounds: int
    alpha: float
    findings: tuple[Finding, ...]

    def of(self, factor: str) -> tuple[Finding, ...]:
        """The findings on the levels of one factor.

        Parameters
        ----------
        factor
            The name of the factor; "arm" in duels.

        Returns
        -------
        tuple of Finding
            One per level; empty if there is no such factor.
        """
        return tuple(found for found in self.findings if found.factor == factor)

    def p_value(self, factor: str) -> float:
        """The anytime-valid p-value of the hypothesis that a factor has a best level.

        Parameters
        ----------
        factor
            The name of the factor; "arm" in duels.

        Returns
        -------
        float
            The largest p-value of its levels: each of them must be behind another one.
        """
        return max(found.p_value for found in self.of(factor))

    @property
    def alarms(self) -> list[str]:
        """The factors that have no best level, at confidence 1 - alpha.

        Each of their levels is worse than another one in some context.
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
        """Give everything as JSON can hold it."""
        return {
            "rounds": self.rounds,
            "alpha": self.alpha,
            "alarms": self.alarms,
            "pairs": [list(pair) for pair in self.pairs],
            "findings": [finding._asdict() for finding in self.findings],
        }

    def _factors(self) -> list[str]:
        return list(dict.fromkeys(found.factor for found in self.findings))

    def __str__(self) -> str:
        lines = []
        for factor in self.alarms:
            lines.append(self._alarm(factor))
            lines += [f"  {_sentence(finding)}" for finding in self.of(factor)]
        if lines:
            return "\n".join(lines)

        behind = [finding for finding in self.findings if finding.p_value <= self.alpha]
        said = (f"  {finding.factor}: {_sentence(finding)}" for finding in behind)
        return "\n".join([self._no_alarm(), *said])

    def _repr_html_(self) -> str:
        rows = [(found.factor, _sentence(found), percent(found.p_value)) for found in self.findings]
        alarms = self.alarms
        sentences = "\n".join(map(self._alarm, alarms)) or self._no_alarm()
        bars = [Bar(1.0 - found.p_value, found.factor not in alarms) for found in self.findings]
        table = Table(sentences, ("factor", "finding", "confidence"), rows, align="llr")
        return joined(table_html(table, {"confidence": bars}))

    def _alarm(self, factor: str) -> str:
        others = " and ".join(context for own, context in self.pairs if own == factor)
        depends = f": which one is best depends on {others}" if others else ""
        return f"{factor} has no best level (confidence {percent(self.p_value(factor))}){depends}"

    def _no_alarm(self) -> str:
        return (
            f"no sign after {self.rounds:,} rounds that a factor has no best level "
            f"(confidence {percent(self.alpha)})"
        )


def _sentence(found: Finding) -> str:
    context = "" if found.context is None else f" when {found.context} is {found.when}"
    return f"{found.level} is behind {found.beaten_by}{context}"


def diagnosis(
    test: InteractionTest,
    kind: Kind,
    names: Sequence[str],
    levels: Sequence[Sequence[Any]],
    rounds: int,
    alpha: float,
) -> Diagnosis:
    """What the bettors of an interaction test have found; names and levels are of each column."""
    duel = kind == "duel"
    findings = []

    for row, factor in enumerate(test.columns):
        name = "arm" if duel else names[factor]
        for level, worst in enumerate(test.worst(row)):
            context = None
            when = None
            if worst.context < test.offsets[-1]:
                other = int(np.searchsorted(test.offsets, worst.context, side="right")) - 1
                context = "opponent" if duel else names[other]
                when = levels[other][worst.context - test.offsets[other]]

            own = levels[factor]
            beaten_by = own[worst.winner]
            findings.append(Finding(name, own[level], beaten_by, context, when, worst.p_value))

    return Diagnosis(rounds, alpha, tuple(findings))
