"""What a simulation found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas


class Elimination(NamedTuple):
    """A level of a factor went out, or came back in, at the beginning of a round."""

    repetition: int
    round: int
    factor: int
    level: int
    event: str  # "out" or "in"


@dataclass(frozen=True)
class Summary:
    """Regret at the horizon over the repetitions; heavy tails show in the distance from median to
    worst.
    """

    policy: str
    problem: str
    unit: str
    horizon: int
    repetitions: int
    mean: float
    standard_error: float
    median: float
    worst: float
    correct: float  # share of repetitions whose last recommendation was a best action
    settled: float  # median round from which the recommendation stayed right; inf where it did not

    def __str__(self) -> str:
        return (
            f"{self.policy} on {self.problem}, horizon {self.horizon:,}, {self.repetitions} "
            "repetitions: regret "
            f"{self.mean:,.1f} +- {self.standard_error:,.1f} (median {self.median:,.1f}, worst "
            f"{self.worst:,.1f}; "
            f"unit: {self.unit}); best found in {self.correct:.0%}"
        )


@dataclass(frozen=True, eq=False)
class Result:
    """One policy on one problem; rows are repetitions, columns checkpoints."""

    policy: str
    problem: str
    unit: str
    seed: int
    sizes: tuple[int, ...]
    checkpoints: Ints  # (C,)
    regret: Floats  # (repetitions, C) cumulative pseudo-regret
    correct: Bools  # (repetitions, C) was the recommendation a best action?
    plays: list[Ints]  # per factor (repetitions, levels)
    eliminations: list[Elimination]
    best: tuple[int, ...]
    interrupted: bool = False  # Ctrl-C: only the repetitions that were finished are here
    p_values: list[Floats] | None = (
        None  # per factor (repetitions, levels), after simulate(certify=True): p-values
    )

    @property
    def horizon(self) -> int:
        """The last checkpoint."""
        return int(self.checkpoints[-1])

    @property
    def repetitions(self) -> int:
        """How many repetitions are here."""
        return len(self.regret)

    def settled(self) -> Floats:
        """Per repetition the first checkpoint from which the recommendation stayed right; inf where
        it did not.
        """
        rounds = np.full(self.repetitions, np.inf)
        for row, right in enumerate(self.correct):
            wrong = np.flatnonzero(~right)
            first = wrong[-1] + 1 if len(wrong) else 0
            if first < len(right):
                rounds[row] = self.checkpoints[first]
        return rounds

    def summary(self) -> Summary:
        """Mean, standard error, median and worst regret at the horizon, and how often the best was
        found.
        """
        last = self.regret[:, -1]
        spread = float(last.std(ddof=1) / np.sqrt(len(last))) if len(last) > 1 else float("nan")

        return Summary(
            policy=self.policy,
            problem=self.problem,
            unit=self.unit,
            horizon=self.horizon,
            repetitions=self.repetitions,
            mean=float(last.mean()),
            standard_error=spread,
            median=float(np.median(last)),
            worst=float(last.max()),
            correct=float(self.correct[:, -1].mean()),
            settled=float(np.median(self.settled())),
        )

    def columns(self) -> dict[str, Any]:
        """The results as tidy columns, one row per repetition and checkpoint."""
        rows = self.regret.size
        return {
            "policy": [self.policy] * rows,
            "problem": [self.problem] * rows,
            "unit": [self.unit] * rows,
            "seed": np.full(rows, self.seed),
            "repetition": np.repeat(np.arange(self.repetitions), len(self.checkpoints)),
            "round": np.tile(self.checkpoints, self.repetitions),
            "regret": self.regret.reshape(-1),
            "correct": self.correct.reshape(-1),
        }

    def to_frame(self) -> pandas.DataFrame:
        """The results as a tidy pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError.of("pandas", "frame", "to_frame()") from None
        return pd.DataFrame(self.columns())
