"""What every result of a run says: how it ended, what it cost, as text and for a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from factored_bandits.core.markup import joined, table_html, text_html
from factored_bandits.core.table import Table
from factored_bandits.inference.certificate import Certificate
from factored_bandits.inference.percent import percent

from .entries import Entry
from .run import Run, Stopped

ENDED = {
    "certificate": "stopped because the certificate has reached {stop_at:.4g}",
    "likely": "stopped because one is likely to be the best, which is no proof",
    "calls": "stopped because the calls of the budget are used up",
    "cost": "stopped because the cost has reached the budget",
    "settled": "stopped because the policy has nothing more to ask",
    "failures": "stopped because the judge no longer answered",
    "interrupted": "interrupted",
}


@dataclass(frozen=True, eq=False)
class Report(ABC):
    """What a run has come to: what `ArenaResult` and `TuneResult` have in common.

    Attributes
    ----------
    policy
        The label of the policy that chose what was asked.
    best
        What the policy recommends: a candidate, or a level of each factor.
    certificate
        Which candidates or levels are ruled out, at any time; None if the policy proves nothing.
    stop_at
        The confidence at which it was to stop.
    stopped
        Why it ended: "certificate", "likely", "calls", "cost", "settled" (the policy has nothing
        more to ask), "failures" or "interrupted".
    likely
        The posterior probability that `best` is the best, at least; None if the policy has no
        posterior. A belief, no confidence: of two equal candidates it names one sooner or later.
    calls
        Calls that may have been paid for, failed ones included.
    cost
        The sum of what they cost.
    failed
        How many of the calls failed and were repeated or given up.
    refused
        Tries that cost nothing, in this process: rate limits, no connection, None.
    given_up
        Calls that failed as often as was allowed.
    entries
        What happened, event by event.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> result = fb.arena_sync(["A", "B"], lambda a, b: a > b, budget=5)
    >>> result.stopped, result.calls, len(result.entries)
    ('calls', 5, 5)
    """

    policy: str
    best: Any
    certificate: Certificate | None
    stop_at: float | None
    stopped: Stopped
    likely: float | None
    calls: int
    cost: float
    failed: int
    refused: int
    given_up: int
    entries: tuple[Entry, ...]

    @property
    def confidence(self) -> float | None:
        """How sure it is that `best` is the best: that of the certificate; None without one."""
        return None if self.certificate is None else self.certificate.confidence

    @property
    def answers(self) -> list[Entry]:
        """The events in which the judge answered."""
        return [entry for entry in self.entries if entry.event == "answer"]

    @abstractmethod
    def sentence(self) -> str:
        """Who is the best, as far as that can be said."""

    @abstractmethod
    def summary(self) -> Table:
        """What is known of each candidate or level."""

    def notes(self) -> list[str]:
        """How it ended, and what it cost."""
        ended = ENDED[self.stopped].format(stop_at=self.stop_at)
        failed = f", {self.failed:,} of them failed" if self.failed else ""
        given_up = f"; {self.given_up:,} given up" if self.given_up else ""
        cost = f", cost {self.cost:.4g}" if self.cost else ""
        return [f"{ended}: {self.calls:,} calls{failed}{cost}{given_up}"]

    def assumed(self) -> str:
        """How sure, and what must hold for it."""
        assert self.certificate is not None
        p_value = self.certificate.p_value
        condition = self.certificate.assumption.replace("one arm", "one candidate")
        return f"confidence {percent(p_value)}, if {condition}"

    def in_front(self, best: str) -> str:
        """Say what is in front, and how likely that is, where nothing is certain.

        Parameters
        ----------
        best
            What is in front.

        Returns
        -------
        str
            Half a sentence.
        """
        if self.likely is None:
            return f"in front: {best}"
        return f"in front: {best} ({self.likely:.0%} likely by the posterior: no confidence)"

    def __str__(self) -> str:
        table = self.summary()
        return "\n".join([self.sentence(), str(table), *self.notes()])

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        return joined(
            text_html(self.sentence(), strong=True),
            table_html(self.summary()),
            text_html("\n".join(self.notes())),
        )


def common(run: Run, certificate: Certificate | None) -> dict[str, Any]:
    """The attributes that every result has, of a run as it is now."""
    spending = run.spending
    return {
        "policy": run.problem.agent.policy.label,
        "best": run.problem.agent.best(),
        "certificate": certificate,
        "stop_at": run.settings.stop_at,
        "stopped": run.stopped,
        "likely": run.problem.agent.likely(),
        "calls": spending.calls,
        "cost": spending.cost,
        "failed": spending.failed,
        "refused": spending.refused,
        "given_up": spending.given_up,
        "entries": tuple(run.entries),
    }
