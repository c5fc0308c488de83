"""What `tune` found: the best level of each factor, or those that cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from factored_bandits.core.table import Table
from factored_bandits.inference.percent import percent

from .entries import Entry
from .report import Report
from .tallies import PositionBias, position_bias

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class LevelMean(NamedTuple):
    """The answers to calls with one level.

    Attributes
    ----------
    n
        How many there were.
    mean
        Their mean; nan if there is none.
    """

    n: int
    mean: float


@dataclass(frozen=True, eq=False)
class TuneResult(Report):
    """What `tune` found; print it.

    Attributes
    ----------
    policy, best, certificate, stop_at, stopped, likely
        What was played, found and certified, and why it ended; as in `Report`.
    calls, cost, failed, refused, given_up, entries
        What was spent, and every event; as in `Report`.
    factors
        The levels of each factor.
    reward_range
        What an answer can be.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> factors = {"prompt": ["plain", "kind"], "temperature": [0.0, 0.5, 1.0]}
    >>> def score(levels):
    ...     return 0.4 * (levels["prompt"] == "kind") + 0.4 * (levels["temperature"] == 0.5)
    >>> result = fb.tune_sync(factors, score=score, budget=2_000, concurrency=1)
    >>> result.best, result.top
    ({'prompt': 'kind', 'temperature': 0.5}, {'prompt': ('kind',), 'temperature': (0.5,)})
    """

    factors: Mapping[str, Sequence[Any]]
    reward_range: tuple[float, float]

    @property
    def top(self) -> dict[str, tuple[Any, ...]]:
        """Per factor the levels that are not ruled out; all if the policy proves nothing."""
        ruled_out: dict[str, list[Any]] = {}
        if self.certificate is not None:
            ruled_out = self.certificate.ruled_out()
        return {
            name: tuple(level for level in levels if level not in ruled_out.get(name, []))
            for name, levels in self.factors.items()
        }

    @property
    def combinations(self) -> int:
        """How many combinations there are."""
        return math.prod(len(levels) for levels in self.factors.values())

    @property
    def of_pairs(self) -> bool:
        """Whether two combinations met; then a mean is a share of verdicts that a level has won."""
        return any("first" in entry.call for entry in self.answers)

    @cached_property
    def means(self) -> dict[str, dict[Any, LevelMean]]:
        """Per factor and level, how many answers there were and their mean."""
        answers = self.answers
        return {
            name: {
                level: _mean(
                    [share for e in answers for at, share in shares(e, name) if at == level]
                )
                for level in levels
            }
            for name, levels in self.factors.items()
        }

    @cached_property
    def bias(self) -> PositionBias | None:
        """How often what was shown first won; None of scores."""
        compared = [e for e in self.answers if "position" in e.call or "first" in e.call]
        shown = [e.value for e in compared if e.value is not None]
        return position_bias(shown) if shown else None

    @property
    def grid_calls(self) -> int:
        """Calls that try every combination as often as the best one was; 0 where two meet."""
        tried = sum(entry.call.get("levels") == self.best for entry in self.answers)
        return self.combinations * tried

    def sentence(self) -> str:
        """Give the best combination, as far as that can be said.

        Returns
        -------
        str
            One sentence.
        """
        best = ", ".join(f"{name} {level}" for name, level in self.best.items())
        if self.certificate is None:
            return f"{self.in_front(best)}; {self.policy} proves nothing, so no level is ruled out"
        if self.certificate.contradictions():
            names = ", ".join(self.certificate.contradictions())
            return (
                f"every level of {names} is ruled out: bad luck, or which one is best depends on "
                "the other factors"
            )
        if all(len(levels) == 1 for levels in self.top.values()):
            return f"best: {best}, {self.assumed()}"

        several = "; ".join(
            f"{name}: {', '.join(map(str, levels))}"
            for name, levels in self.top.items()
            if len(levels) > 1
        )
        wanted = f"{1.0 - self.certificate.alpha:.4g}"
        return f"not told apart at confidence {wanted}: {several}; {self.in_front(best)}"

    def summary(self) -> Table:
        """Answers to each level, in the order of the factors.

        Returns
        -------
        Table
            With how sure it is that each is not the best.
        """
        claims = {}
        if self.certificate is not None:
            claims = {(c.factor, c.level): c for c in self.certificate.claims}

        rows = []
        for name, levels in self.factors.items():
            for level in levels:
                count, mean = self.means[name][level]
                verdict = "-"
                sure = "-"
                if (name, level) in claims:
                    claim = claims[name, level]
                    verdict = claim.verdict(self.certificate.alpha)  # type: ignore[union-attr]
                    sure = percent(claim.p_value)
                told = "-" if math.isnan(mean) else f"{mean:.3f}"
                rows.append((name, str(level), verdict, str(count), told, sure))

        what = "won" if self.of_pairs else "mean"
        columns = ("factor", "level", "verdict", "n", what, "not the best")
        return Table("", columns, rows, align="lllrrr")

    def notes(self) -> list[str]:
        """How it ended, what it cost and saved, and whether the judge favours a side.

        Returns
        -------
        list of str
            Sentences.
        """
        notes = super().notes()
        if self.grid_calls > self.calls:
            notes.append(
                f"trying all {self.combinations:,} combinations as often as the best one: "
                f"{self.grid_calls:,} calls; {self.grid_calls - self.calls:,} saved"
            )
        if self.bias is not None:
            notes.append(str(self.bias).replace("candidate", "one", 1))
        return notes

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """Draw the mean of each level, with an interval.

        Parameters
        ----------
        path
            Where to write the figure (.png, .pdf or .svg), if anywhere.
        title
            The title; by default what is the best.

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
        from factored_bandits.report.charts.judged import level_means

        return level_means(self, title or self.sentence()).figure(path)

    def columns(self) -> dict[str, list[Any]]:
        """All answers as columns, one per factor, and `score`, `item` and `cost`.

        Where two combinations meet there is one per side and factor, such as `first prompt`, and
        `score` is 1 if the first was better. `pandas.DataFrame(result.columns())` makes a frame.
        """
        answers = self.answers
        if self.of_pairs:
            found = {
                f"{side} {name}": [entry.call[side][name] for entry in answers]
                for side in ("first", "second")
                for name in self.factors
            }
        else:
            found = {name: [e.call["levels"][name] for e in answers] for name in self.factors}
        found["item"] = [e.call.get("item") for e in answers]
        found["score"] = [score_of(e) for e in answers]
        found["cost"] = [e.cost for e in answers]
        return found


def score_of(entry: Entry) -> float:
    """The answer as the combination's own: a score, or the share that it won of a verdict."""
    assert entry.value is not None
    return 1.0 - entry.value if entry.call.get("position") == "second" else entry.value


def shares(entry: Entry, factor: str) -> list[tuple[Any, float]]:
    """The levels of a factor that an answer is about, and what it says of each.

    Of two combinations that have the same level, nothing.

    >>> call = {"first": {"a": 1, "b": 2}, "second": {"a": 1, "b": 3}}
    >>> entry = Entry("answer", 1, 0, 1, call, value=1.0)
    >>> shares(entry, "a"), shares(entry, "b")
    ([], [(2, 1.0), (3, 0.0)])
    """
    if "levels" in entry.call:
        return [(entry.call["levels"][factor], score_of(entry))]
    first, second = (entry.call[side][factor] for side in ("first", "second"))
    value = score_of(entry)
    return [] if first == second else [(first, value), (second, 1.0 - value)]


def _mean(values: Sequence[float]) -> LevelMean:
    return LevelMean(len(values), math.fsum(values) / len(values) if values else math.nan)
