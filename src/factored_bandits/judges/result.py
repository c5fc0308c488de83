"""What `arena` found: the best candidate, or those that cannot be told apart."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.table import Table
from factored_bandits.inference.percent import percent

from .report import Report
from .tallies import WINNERS, PositionBias, Tally, position_bias, tally_candidates

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("candidate", "verdict", "n", "wins", "ties", "losses", "win rate", "not the best")


@dataclass(frozen=True, eq=False)
class ArenaResult(Report):
    """What `arena` found; print it.

    Attributes
    ----------
    policy, best, certificate, stop_at, stopped, likely
        What was played, found and certified, and why it ended; as in `Report`.
    calls, cost, failed, refused, given_up, entries
        What was spent, and every event; as in `Report`.
    candidates
        Their names.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> def judge(a, b):
    ...     return 1 if len(a) > len(b) else 0
    >>> result = fb.arena_sync(["short", "longer", "the longest"], judge, budget=100)
    >>> result.best, result.stopped, result.confidence > 0.95
    ('the longest', 'certificate', True)
    """

    candidates: tuple[Any, ...]

    @property
    def top(self) -> tuple[Any, ...]:
        """The candidates that are not ruled out; all of them if the policy proves nothing.

        More than one: they cannot be told apart at the confidence wanted. None: every candidate is
        ruled out, so that there is none that does best against every other.
        """
        if self.certificate is None:
            return self.candidates
        ruled_out = self.certificate.ruled_out()["arm"]
        return tuple(name for name in self.candidates if name not in ruled_out)

    @cached_property
    def tallies(self) -> dict[Any, Tally]:
        """Wins, ties and losses of each candidate."""
        return tally_candidates(self.candidates, self.entries)

    @cached_property
    def bias(self) -> PositionBias:
        """How often the candidate won that was shown first."""
        return position_bias(entry.value for entry in self.answers if entry.value is not None)

    @property
    def round_robin_calls(self) -> int:
        """Calls of a round robin in which every candidate is judged as often as the best was."""
        return -(-len(self.candidates) * self.tallies[self.best].n // 2)

    @property
    def saved_calls(self) -> int:
        """How many calls fewer than that were made."""
        return self.round_robin_calls - self.calls

    @property
    def saved_cost(self) -> float:
        """What they would have cost, at the mean cost of a call."""
        return self.saved_calls * self.cost / self.calls if self.calls else 0.0

    def sentence(self) -> str:
        """Who is the best, as far as that can be said.

        Returns
        -------
        str
            One sentence.
        """
        if self.certificate is None:
            front = self.in_front(str(self.best))
            return f"{front}; {self.policy} proves nothing, so nobody is ruled out"

        top = self.top
        if len(top) == 1:
            return f"best: {top[0]}, {self.assumed()}"
        wanted = f"{1.0 - self.certificate.alpha:.4g}"
        if not top:
            return (
                f"every candidate is ruled out at confidence {wanted}: bad luck, or none does best "
                "against every other"
            )
        names = ", ".join(map(str, top))
        return f"not told apart at confidence {wanted}: {names}; {self.in_front(str(self.best))}"

    def summary(self) -> Table:
        """Verdicts on each candidate, the best first.

        Returns
        -------
        Table
            With how sure it is that each is not the best.
        """
        claims = {}
        if self.certificate is not None:
            claims = {claim.level: claim for claim in self.certificate.claims}

        rows = []
        for name in sorted(self.candidates, key=lambda k: (k != self.best, -self.tallies[k].rate)):
            tally = self.tallies[name]
            verdict = "-"
            sure = "-"
            if name in claims:
                verdict = claims[name].verdict(self.certificate.alpha)  # type: ignore[union-attr]
                sure = percent(claims[name].p_value)
            counts = (tally.n, tally.wins, tally.ties, tally.losses)
            rows.append((str(name), verdict, *map(str, counts), f"{tally.rate:.0%}", sure))
        return Table("", COLUMNS, rows, align="llrrrrrr")

    def notes(self) -> list[str]:
        """How it ended, what it cost and saved, and whether the judge favours a side.

        Returns
        -------
        list of str
            Sentences.
        """
        notes = super().notes()
        if self.saved_calls > 0:
            cost = f" and {self.saved_cost:.4g}" if self.cost else ""
            notes.append(
                f"a round robin with as many verdicts on everybody: {self.round_robin_calls:,} "
                f"calls; {self.saved_calls:,} calls{cost} saved"
            )
        if self.bias.verdicts:
            notes.append(str(self.bias))
        return notes

    def to_pairs(self, path: str | Path | None = None) -> dict[str, list[Any]]:
        """Give all verdicts as columns, as evalica and arena-rank read them.

        Parameters
        ----------
        path
            Where to write them as a CSV file, if anywhere; `fb.load_duels` reads it.

        Returns
        -------
        dict
            `model_a`, who was shown first, `model_b`, and `winner`: "model_a", "model_b" or "tie".
            `pandas.DataFrame(result.to_pairs())` makes a frame of it.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> result = fb.arena_sync(["a", "b"], lambda x, y: x < y, budget=2, concurrency=1)
        >>> result.to_pairs()["winner"], result.to_pairs()["model_a"]
        (['model_a', 'model_b'], ['a', 'b'])
        """
        answers = self.answers
        columns = {
            "model_a": [entry.call["first"] for entry in answers],
            "model_b": [entry.call["second"] for entry in answers],
            "winner": [WINNERS[float(entry.value or 0.0)] for entry in answers],
        }
        if path is not None:
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows(zip(*columns.values(), strict=True))
        return columns

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """Draw the win rate of each candidate, with an interval.

        Parameters
        ----------
        path
            Where to write the figure (.png, .pdf or .svg), if anywhere.
        title
            The title; by default who is the best.

        Returns
        -------
        Figure
            The figure of matplotlib.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        # The one way up from here: figures are drawn by `report`, which knows results.
        from factored_bandits.report.charts.judged import win_rates

        return win_rates(self, title or self.sentence()).figure(path)
