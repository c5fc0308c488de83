"""What an experiment found: three tidy frames, and the means that claims are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import UnknownNameError
from factored_bandits.report.claims import Verdict, verdict_of

from .spec import PresetName, Spec
from .store import Store
from .tasks import make_tasks

if TYPE_CHECKING:
    import pandas


class Mean(NamedTuple):
    """A mean over the repetitions, with its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        if abs(self.value) >= 10:
            return f"{self.value:,.0f} +- {self.error:,.0f}"
        small = abs(self.value) < 1e-3 * self.error  # rounding, not a difference
        return f"{0.0 if small else self.value:.2g} +- {self.error:.2g}"


@dataclass(frozen=True, eq=False)
class Results:
    """The results of one experiment at one size, as far as it is finished."""

    spec: Spec
    size: PresetName
    frame: pandas.DataFrame  # a row per problem, policy, repetition and checkpoint
    eliminations: pandas.DataFrame  # a row per level that went out or came back in
    plays: pandas.DataFrame  # a row per problem, policy, repetition and level
    missing: int = 0  # units that are not finished

    @classmethod
    def read(cls, store: Store, spec: Spec, size: PresetName) -> Results:
        """Those of the current code that the folder holds."""
        chosen = make_tasks(spec, size)
        missing = sum(not store.has(task) for task in chosen)
        frame, eliminations, plays = (
            store.read(name, chosen) for name in ("results", "eliminations", "plays")
        )
        return cls(spec, size, frame, eliminations, plays, missing)

    @property
    def problems(self) -> list[str]:
        """The names of the problems, in the order of the experiment."""
        return [instance.name for instance in self.spec.instances(self.size)]

    def policies(self, problem: str | None = None) -> list[str]:
        """The labels of the policies that played, in the order of the experiment."""
        frame = self.frame if problem is None else self.frame[self.frame.problem == problem]
        return list(dict.fromkeys(frame.policy))

    def final(self, problem: str, policy: str) -> Floats:
        """Regret at the horizon, one number per repetition."""
        return self.curve(problem, policy)[:, -1]

    def curve(self, problem: str, policy: str) -> Floats:
        """Regret (repetitions, checkpoints)."""
        chosen = self.frame[(self.frame.problem == problem) & (self.frame.policy == policy)]
        if not len(chosen):
            raise UnknownNameError.of(f"result of {policy} on", problem, self.problems)
        ordered = chosen.sort_values(["repetition", "round"])
        return np.asarray(
            ordered.regret.to_numpy().reshape(ordered.repetition.nunique(), -1), dtype=np.float64
        )

    def rounds(self, problem: str) -> Floats:
        """The checkpoints of a problem."""
        return np.sort(self.frame[self.frame.problem == problem]["round"].unique()).astype(
            np.float64
        )

    def mean(self, problem: str, policy: str) -> Mean:
        """Mean regret at the horizon."""
        return mean_of(self.final(problem, policy))

    def lead(self, problem: str, better: str, worse: str) -> Mean:
        """By how much the mean regret of `better` is smaller; paired, since both met the same
        noise.
        """
        one = self.final(problem, better)
        other = self.final(problem, worse)
        both = min(len(one), len(other))  # a slow policy may have fewer repetitions: the first ones
        return mean_of(other[:both] - one[:both])

    def beats(self, problem: str, better: str, worse: str) -> Verdict:
        """Whether `better` has the smaller mean regret, by three standard errors."""
        return verdict_of(*self.lead(problem, better, worse))


def mean_of(values: Floats) -> Mean:
    """The mean and its standard error; infinite for a single value, of which nothing is known.

    >>> mean_of(np.array([1.0, 3.0]))
    Mean(value=2.0, error=1.0)
    """
    error = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.inf
    return Mean(float(values.mean()), error)


def all_of(verdicts: list[Verdict]) -> Verdict:
    """Holds if all hold, fails if one fails.

    >>> all_of(["holds", "undecided"]), all_of(["holds", "fails", "undecided"])
    ('undecided', 'fails')
    """
    return "fails" if "fails" in verdicts else "undecided" if "undecided" in verdicts else "holds"
