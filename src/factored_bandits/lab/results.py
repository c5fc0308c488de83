"""What an experiment found: three tidy frames, and the means that claims are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.stats import Mean, Verdict, mean_of, verdict_of_runs
from factored_bandits.errors import UnknownNameError
from factored_bandits.simulation.result import Result

from .spec import PresetName, Spec
from .store import Store
from .tables import records_of
from .tasks import Cell, make_tasks

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Results:
    """The results of one experiment and preset, as far as it is finished.

    Parameters
    ----------
    spec
        The experiment.
    preset
        How much of it was run.
    frame
        A row per problem, policy, repetition and checkpoint.
    eliminations
        A row per elimination and re-entry of a level.
    plays
        A row per problem, policy, repetition and level, with its p-value if there is one.
    missing
        How many tasks are not finished.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from factored_bandits import lab
    >>> spec = lab.load("horizon").SPEC
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = Results.read(Store(Path(folder)), spec, "quick")
    >>> results.problems, results.policies()
    (['u*v*=0.75'], [])
    >>> results.missing == len(make_tasks(spec, "quick"))
    True
    """

    spec: Spec
    preset: PresetName
    frame: pandas.DataFrame
    eliminations: pandas.DataFrame
    plays: pandas.DataFrame
    missing: int = 0

    @classmethod
    def read(cls, store: Store, spec: Spec, preset: PresetName) -> Results:
        """Read what a folder holds of the current code.

        Parameters
        ----------
        store
            The folder.
        spec
            The experiment.
        preset
            How much of it was run.

        Returns
        -------
        Results
            Also if some tasks are not finished; `missing` says how many. Files that are damaged
            count as missing, and a `DamagedFileWarning` names them.
        """
        every = make_tasks(spec, preset)
        sound = store.sound(every)
        return cls(
            spec=spec,
            preset=preset,
            frame=store.read("results", sound),
            eliminations=store.read("eliminations", sound),
            plays=store.read("plays", sound),
            missing=len(every) - len(sound),
        )

    def result(self, problem: str, policy: str) -> Result:
        """One policy on one problem, as `fb.simulate` would have returned it.

        Parameters
        ----------
        problem
            The name of the problem.
        policy
            The label of the policy.

        Returns
        -------
        Result
            The repetitions that are finished, with their numbers.

        Raises
        ------
        UnknownNameError
            If the policy did not play the problem.
        """
        cell = self._cells.get((problem, policy))
        if cell is None or (problem, policy) not in self._rows_of("results"):
            raise self._unknown(problem, policy)

        records = records_of(
            self._chosen("results", problem, policy),
            self._chosen("eliminations", problem, policy),
            self._chosen("plays", problem, policy),
            cell.problem.sizes,
        )
        return Result(
            policy=cell.policy,
            environment=cell.problem,
            records=records,
            checkpoints=self.rounds(problem).astype(np.int64),
            seed=self.spec.seed,
            name=problem,
        )

    def certified(self) -> list[Result]:
        """The results of all policies that have p-values, problem by problem.

        Returns
        -------
        list of Result
            As `fb.simulate(..., certify=True)` would have returned them; `fb.certificate` takes
            them.
        """
        known = self.plays[self.plays.p_value.notna()]
        pairs = set(zip(known.problem, known.policy, strict=True))
        return [
            self.result(problem, policy)
            for problem in self.problems
            for policy in self.policies(problem)
            if (problem, policy) in pairs
        ]

    @cached_property
    def _cells(self) -> dict[tuple[str, str], Cell]:
        """The policies and problems as objects, from the tasks of the experiment."""
        return {
            (chunk.cell.instance.name, chunk.cell.policy.label): chunk.cell
            for task in make_tasks(self.spec, self.preset)
            for chunk in task.chunks
        }

    def _unknown(self, problem: str, policy: str) -> UnknownNameError:
        return UnknownNameError.of(f"result of {policy} on", problem, self.problems)

    @property
    def _frames(self) -> dict[str, pandas.DataFrame]:
        return {"results": self.frame, "eliminations": self.eliminations, "plays": self.plays}

    @cached_property
    def _rows(self) -> dict[str, dict[tuple[str, str], Ints]]:
        """Per frame that was asked for, the indices of the rows of each problem and policy."""
        return {}

    def _rows_of(self, frame: str) -> dict[tuple[str, str], Ints]:
        """The rows of a frame, looked for once: a report asks often."""
        if frame not in self._rows:
            grouped: Any = self._frames[frame].groupby(["problem", "policy"], sort=False)
            self._rows[frame] = grouped.indices
        return self._rows[frame]

    def _chosen(self, frame: str, problem: str, policy: str) -> pandas.DataFrame:
        rows = self._rows_of(frame).get((problem, policy), np.empty(0, dtype=np.int64))
        return self._frames[frame].iloc[rows]

    @cached_property
    def _policies(self) -> dict[str, list[str]]:
        """Per problem the policies that played it, as their rows appear."""
        found: dict[str, list[str]] = {}
        pairs = self.frame[["problem", "policy"]].drop_duplicates()
        for problem, policy in pairs.itertuples(index=False):
            found.setdefault(problem, []).append(policy)
        return found

    @property
    def problems(self) -> list[str]:
        """The names of the problems, in the order of the experiment."""
        return [instance.name for instance in self.spec.instances(self.preset)]

    def policies(self, problem: str | None = None) -> list[str]:
        """The labels of the policies that played, in the order of the experiment.

        Parameters
        ----------
        problem
            Only those that played this problem.

        Returns
        -------
        list of str
            The labels.
        """
        if problem is not None:
            return list(self._policies.get(problem, []))
        return list(dict.fromkeys(self.frame.policy))

    def final(self, problem: str, policy: str) -> Floats:
        """Regret at the horizon, one number per repetition.

        Parameters
        ----------
        problem
            The name of the problem.
        policy
            The label of the policy.

        Returns
        -------
        array (repetitions,)
            In the order of the repetitions.

        Raises
        ------
        UnknownNameError
            If the policy did not play the problem.
        """
        return self.curve(problem, policy)[:, -1]

    def curve(self, problem: str, policy: str) -> Floats:
        """Regret over time, one row per repetition.

        Parameters
        ----------
        problem
            The name of the problem.
        policy
            The label of the policy.

        Returns
        -------
        array (repetitions, checkpoints)
            Cumulative.

        Raises
        ------
        UnknownNameError
            If the policy did not play the problem.
        """
        rows = self._rows_of("results").get((problem, policy))
        if rows is None:
            raise self._unknown(problem, policy)

        regret = self.frame.regret.to_numpy(dtype=np.float64)[rows]
        repetition = self.frame.repetition.to_numpy()[rows]
        order = np.lexsort((self.frame["round"].to_numpy()[rows], repetition))
        # all repetitions have the same checkpoints
        return np.asarray(regret[order].reshape(len(np.unique(repetition)), -1))

    def rounds(self, problem: str) -> Floats:
        """The checkpoints of a problem.

        Parameters
        ----------
        problem
            The name of the problem.

        Returns
        -------
        array (checkpoints,)
            The rounds; the last is the horizon.
        """
        rounds = self.frame[self.frame.problem == problem]["round"].unique()
        return np.sort(rounds).astype(np.float64)

    def mean(self, problem: str, policy: str) -> Mean:
        """Mean regret at the horizon.

        Parameters
        ----------
        problem
            The name of the problem.
        policy
            The label of the policy.

        Returns
        -------
        Mean
            With its standard error, nan for a single repetition.

        Raises
        ------
        UnknownNameError
            If the policy did not play the problem.
        """
        return mean_of(self.final(problem, policy))

    def unit(self, problem: str | None = None) -> str:
        """What the numbers of `mean` are: regret in which unit, after how many rounds.

        Parameters
        ----------
        problem
            Of this problem; by default of all.

        Returns
        -------
        str
            Such as "regret in unit 'reward' at T = 1,000,000".
        """
        frame = self.frame if problem is None else self.frame[self.frame.problem == problem]
        ends = sorted({int(end) for end in frame.groupby("problem")["round"].max()})
        told = f"{ends[0]:,}" if len(ends) == 1 else f"{ends[0]:,} to {ends[-1]:,}"
        return f"regret in unit '{self.spec.unit}' at T = {told}"

    def lead(self, problem: str, better: str, worse: str) -> Mean:
        """By how much the mean regret of `better` is smaller.

        The difference is taken per repetition, since both met the same noise.

        Parameters
        ----------
        problem
            The name of the problem.
        better, worse
            The labels of two policies.

        Returns
        -------
        Mean
            Positive if `better` has the smaller regret.

        Raises
        ------
        UnknownNameError
            If the policy did not play the problem.
        """
        return mean_of(self._leads(problem, better, worse))

    def _leads(self, problem: str, better: str, worse: str) -> Floats:
        one = self.final(problem, better)
        other = self.final(problem, worse)
        # a slow policy may have fewer repetitions: the first ones
        both = min(len(one), len(other))
        return np.asarray(other[:both] - one[:both])

    def beats(self, problem: str, better: str, worse: str, comparisons: int = 1) -> Verdict:
        """Whether `better` has the smaller mean regret, by Student's t at the 1 % level.

        Parameters
        ----------
        problem
            The name of the problem.
        better, worse
            The labels of two policies.
        comparisons
            How many comparisons decide a claim together; each has this share of the level.

        Returns
        -------
        Verdict
            `"holds"`, `"fails"` or `"undecided"`.

        Raises
        ------
        UnknownNameError
            If the policy did not play the problem.
        """
        return verdict_of_runs(self._leads(problem, better, worse), comparisons)


def all_of(verdicts: list[Verdict]) -> Verdict:
    """Holds if all hold, fails if one fails.

    >>> all_of(["holds", "undecided"]), all_of(["holds", "fails", "undecided"])
    ('undecided', 'fails')
    """
    if "fails" in verdicts:
        return "fails"
    if "undecided" in verdicts:
        return "undecided"
    return "holds"
