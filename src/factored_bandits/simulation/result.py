"""What a simulation found: the `Result` that holds the records of its repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.checks import probability
from factored_bandits.core.markup import joined
from factored_bandits.core.stats import mean_of
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.inference.evidence import Evidence, FactorEvidence
from factored_bandits.policies import Policy
from factored_bandits.policies.base import Kind

from .notebook import result_html
from .record import Elimination, RunRecord

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Summary:
    """Regret at the horizon over the repetitions.

    Heavy tails show in the distance from the median to the worst.
    """

    policy: str
    problem: str
    unit: str
    horizon: int
    repetitions: int
    mean: float
    standard_error: float  # nan for a single repetition
    median: float
    worst: float
    correct: float  # share of repetitions whose last recommendation was a best action
    settled: float  # median round from which the recommendation stayed right; inf where it did not

    def __str__(self) -> str:
        return (
            f"{self.policy} on {self.problem}, horizon {self.horizon:,}, "
            f"{self.repetitions} repetitions: "
            f"regret {self.mean:,.1f} +- {self.standard_error:,.1f} "
            f"(median {self.median:,.1f}, worst {self.worst:,.1f}; unit: {self.unit}); "
            f"best found in {self.correct:.0%}"
        )


@dataclass(frozen=True, eq=False)
class Result:
    """One policy on one problem: a record per repetition, and arrays made of them.

    Attributes
    ----------
    policy
        The policy that was run; `str(policy)` is its label.
    environment
        The problem that it was run on.
    records
        One `RunRecord` per finished repetition, in ascending order.
    checkpoints
        The rounds (C,) at which regret was noted; the last is the horizon.
    seed
        The seed of the simulation.
    interrupted
        Whether Ctrl-C ended it early: only finished repetitions are here.
    name
        What the problem is called in tables and figures; empty: `str(environment)`.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("dueling_tea", problem, 2_000, repetitions=3, seed=1, progress=False)
    >>> result.label, result.problem, result.regret.shape, result.plays[0].shape
    ('dueling_tea', 'duel_utility (4 arms)', (3, 100), (3, 4))
    >>> result.records[2].repetition
    2
    """

    policy: Policy
    environment: Environment
    records: tuple[RunRecord, ...]
    checkpoints: Ints
    seed: int
    interrupted: bool = False
    name: str = ""

    def _repr_html_(self) -> str:
        return joined(result_html(self))

    @property
    def label(self) -> str:
        """The label of the policy."""
        return self.policy.label

    @property
    def problem(self) -> str:
        """What the problem is called."""
        return self.name or str(self.environment)

    @property
    def unit(self) -> str:
        """The unit of the regret."""
        return self.environment.unit

    @property
    def kind(self) -> Kind:
        """The kind of the problem: "factored" or "duel"."""
        return self.environment.kind

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each factor; of a duel, the number of arms twice."""
        return self.environment.sizes

    @property
    def best(self) -> tuple[int, ...]:
        """The best level of each factor."""
        return self.environment.best

    @property
    def horizon(self) -> int:
        """The last checkpoint."""
        return int(self.checkpoints[-1])

    @property
    def repetitions(self) -> int:
        """How many repetitions are here."""
        return len(self.records)

    @cached_property
    def regret(self) -> Floats:
        """Cumulative pseudo-regret (repetitions, C)."""
        return np.array([record.regret for record in self.records])

    @cached_property
    def correct(self) -> Bools:
        """Whether the recommendation was a best action (repetitions, C)."""
        return np.array([record.correct for record in self.records])

    @cached_property
    def simple_regret(self) -> Floats:
        """What a round with the recommendation would lose (repetitions, C); nan if not known."""
        return self._noted("simple_regret")

    @cached_property
    def confidence(self) -> Floats:
        """Of the certificate (repetitions, C), after `certify="checkpoints"`; otherwise nan."""
        return self._noted("confidence")

    def _noted(self, name: str) -> Floats:
        unknown = np.full(len(self.checkpoints), np.nan)
        noted = [getattr(record, name) for record in self.records]
        return np.array([unknown if values is None else values for values in noted])

    @cached_property
    def plays(self) -> list[Ints]:
        """Per factor how often each level was played (repetitions, levels)."""
        return _per_factor([record.plays for record in self.records])

    @cached_property
    def p_values(self) -> list[Floats] | None:
        """Per factor the p-values (repetitions, levels) at the horizon, after `certify=True`."""
        found = [record.p_values for record in self.records if record.p_values is not None]
        return _per_factor(found) if len(found) == len(self.records) else None

    @cached_property
    def eliminations(self) -> list[Elimination]:
        """Every event of every repetition; empty for a policy that does not eliminate."""
        return [event for record in self.records for event in record.eliminations()]

    def evidences(self) -> list[Evidence]:
        """Per repetition what `fb.certificate` rests on.

        Raises
        ------
        InvalidInputError
            If the result holds no p-values.
        """
        found = self.p_values
        if found is None:
            raise InvalidInputError(
                "this result holds no p-values to certify from; simulate it with certify=True"
            )

        names = self.environment.factor_names
        evidences = []
        for row in range(self.repetitions):
            factors = [
                FactorEvidence(name, range(values.shape[1]), values[row])
                for name, values in zip(names, found, strict=True)
            ]
            evidences.append(Evidence(self.label, self.kind, self.horizon, tuple(factors)))

        return evidences

    def settled(self) -> Floats:
        """Per repetition the first checkpoint from which the recommendation stayed right.

        Returns
        -------
        Rounds (repetitions,); inf where the last recommendation was wrong.
        """
        rounds = np.full(self.repetitions, np.inf)

        for row, right in enumerate(self.correct):
            wrong = np.flatnonzero(~right)
            first = wrong[-1] + 1 if len(wrong) else 0
            if first < len(right):
                rounds[row] = self.checkpoints[first]

        return rounds

    def certified_after(self, confidence: float = 0.95) -> Floats:
        """Per repetition the first checkpoint at which the certificate was so sure of the best.

        A certificate may be wrong, with a probability of at most 1 - `confidence`; `correct` says.

        Parameters
        ----------
        confidence
            How sure.

        Returns
        -------
        Rounds (repetitions,); inf where it was not so sure by the end.

        Raises
        ------
        InvalidInputError
            If the result was not simulated with `certify="checkpoints"`.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> problem = fb.environments.identical_gap(3, 0.9)
        >>> options = {"repetitions": 4, "seed": 1, "progress": False, "certify": "checkpoints"}
        >>> result = fb.simulate("dueling_leader_tea", problem, 1_000, **options)
        >>> bool((result.certified_after(0.95) < 500).all())
        True
        """
        wanted = probability("confidence", confidence)
        if np.isnan(self.confidence).any():
            raise InvalidInputError(
                "this result does not say how sure the certificate was at the checkpoints; "
                "simulate it with certify='checkpoints'"
            )
        sure = self.confidence >= wanted
        first = self.checkpoints[sure.argmax(axis=1)]
        return np.where(sure.any(axis=1), first, np.inf)

    def summary(self) -> Summary:
        """Mean, standard error, median and worst regret at the horizon; how often it was right."""
        last = self.regret[:, -1]
        mean = mean_of(last)

        return Summary(
            policy=self.label,
            problem=self.problem,
            unit=self.unit,
            horizon=self.horizon,
            repetitions=self.repetitions,
            mean=mean.value,
            standard_error=mean.error,
            median=float(np.median(last)),
            worst=float(last.max()),
            correct=float(self.correct[:, -1].mean()),
            settled=float(np.median(self.settled())),
        )

    def columns(self) -> dict[str, Any]:
        """The result as tidy columns, one row per repetition and checkpoint."""
        rows = self.regret.size
        numbers = [record.repetition for record in self.records]

        return {
            "policy": [self.label] * rows,
            "problem": [self.problem] * rows,
            "unit": [self.unit] * rows,
            "seed": np.full(rows, self.seed),
            "repetition": np.repeat(numbers, len(self.checkpoints)),
            "round": np.tile(self.checkpoints, self.repetitions),
            "regret": self.regret.reshape(-1),
            "correct": self.correct.reshape(-1),
            "simple_regret": self.simple_regret.reshape(-1),
        }

    def to_frame(self) -> pandas.DataFrame:
        """The result as a tidy pandas frame, one row per repetition and checkpoint.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame_of(self.columns())


def frame_of(columns: dict[str, Any]) -> pandas.DataFrame:
    """The columns as a pandas frame, or an error that says what to install."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError.of("pandas", "frame", "to_frame()") from None

    return pd.DataFrame(columns)


def _per_factor(rows: list[tuple[Any, ...]]) -> list[Any]:
    """One array (repetitions, levels) per factor, from one tuple of arrays per repetition."""
    return [np.array(factor) for factor in zip(*rows, strict=True)]
