"""`benchmark`: policies on a suite of problems; a table for each, and one performance profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.checks import shown
from factored_bandits.core.markup import folded, joined, table_html, text_html
from factored_bandits.core.table import Table
from factored_bandits.environments import Environment
from factored_bandits.environments.suites import Instance
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy

from .checkpoints import horizon_of
from .choosing import Written, suitable
from .compare import compare
from .comparison import Comparison
from .notebook import regret_html
from .profile import Regrets, profile_table
from .result import Result
from .summaries import regret_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "factored-bandits/benchmark"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Policies on the problems of a suite; print it for the tables.

    Attributes
    ----------
    instances
        All problems that were asked for.
    comparisons
        Of those that were run, in the same order.
    refusals
        Per instance the policies that cannot play it, and why.
    repetitions
        How many repetitions were asked for.
    """

    instances: list[Instance]
    comparisons: list[Comparison]
    refusals: list[dict[str, str]]
    repetitions: int

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early."""
        unfinished = len(self.comparisons) < len(self.instances)
        return unfinished or any(one.interrupted for one in self.comparisons)

    @property
    def results(self) -> list[Result]:
        """Every result, named after its instance."""
        return [
            replace(result, name=instance.name)
            for instance, one in self._finished()
            for result in one.results
        ]

    def _finished(self) -> Iterator[tuple[Instance, Comparison]]:
        return zip(self.instances, self.comparisons, strict=False)

    def regrets(self) -> Regrets:
        """Mean regret at the horizon by problem and policy."""
        return {
            instance.name: {result.label: result.summary().mean for result in one.results}
            for instance, one in self._finished()
        }

    def profile(self) -> Table:
        """On what share of the problems each policy is within a factor of the best."""
        title = "Within a factor of the smallest mean regret"
        return profile_table(self.regrets(), title, self.caption())

    def caption(self) -> str:
        """How much was run."""
        horizons = sorted({result.horizon for one in self.comparisons for result in one.results})
        rounds = f"{horizons[0]:,}"
        if len(horizons) > 1:
            rounds += f" to {horizons[-1]:,}"

        done = len(self.comparisons)
        stopped = ""
        if self.interrupted:
            stopped = f"; interrupted: {done} of {len(self.instances)} problems"

        return f"{done} problems; {rounds} rounds; {self.repetitions} repetitions{stopped}"

    def tables(self) -> list[Table]:
        """A table per problem, with the best policy first; then the profile."""
        own = [
            regret_table(one.results, f"{instance.name}: {instance.why}", one.caption())
            for instance, one in self._finished()
        ]
        return [*own, self.profile()]

    def left_out(self) -> list[str]:
        """A line for each policy that could not play some problems, with the first reason."""
        problems: dict[str, list[str]] = {}
        reasons: dict[str, str] = {}

        for instance, refused in zip(self.instances, self.refusals, strict=True):
            for policy, reason in refused.items():
                problems.setdefault(policy, []).append(instance.name)
                reasons.setdefault(policy, reason)

        return [
            f"{policy} left out of {', '.join(names)}: {reasons[policy]}"
            for policy, names in problems.items()
        ]

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables()), *self.left_out()])

    def _repr_html_(self) -> str:
        *own, profile = self.tables()
        each = [
            folded(table.title, regret_html(one.results, replace(table, title="")))
            for table, one in zip(own, self.comparisons, strict=True)
        ]
        return joined(table_html(profile), *each, text_html("\n".join(self.left_out())))

    def plot(self, path: str | Path | None = None, *, title: str = "") -> Figure:
        """The performance profile.

        Parameters
        ----------
        path
            Where to write the figure (.png, .pdf or .svg), if anywhere.
        title
            The title; "Performance profile" by default.

        Returns
        -------
        The figure of matplotlib.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        # The one way up from here: figures are drawn by `report`, which knows results.
        from factored_bandits.report.charts import profile

        shown = title or "Performance profile"
        return profile(self.regrets(), title=shown, caption=self.caption()).figure(path)

    def to_dict(self) -> dict[str, Any]:
        """Everything that the tables and the figure show, ready for JSON."""
        profile = self.profile()
        named = zip(self.instances, self.comparisons, self.refusals, strict=False)
        instances = [
            {
                "name": instance.name,
                "why": instance.why,
                "refused": refused,
                "comparison": one.to_dict(),
            }
            for instance, one, refused in named
        ]

        return {
            "format": FORMAT,
            "version": VERSION,
            "repetitions": self.repetitions,
            "interrupted": self.interrupted,
            "instances": instances,
            "profile": {
                "columns": list(profile.columns),
                "rows": [list(row) for row in profile.rows],
            },
        }


def benchmark(
    instances: Sequence[Instance],
    policies: Written | Iterable[Written] | None = None,
    horizon: float | None = None,
    repetitions: int = 20,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
) -> Benchmark:
    """Run policies on every problem of a suite.

    After Ctrl-C, what is finished is returned, marked `interrupted`.

    Parameters
    ----------
    instances
        The problems, such as `fb.suites.factored()`.
    policies
        As in `compare`; None for all there are. One that cannot play a problem is left out there.
    horizon
        The number of rounds on every problem, instead of each one's own.
    repetitions
        How many independent repetitions to run of each policy on each problem.
    seed
        Same seed, same numbers.
    workers
        The number of threads; by default one per processor.
    progress
        Show a progress bar for each run that takes more than two seconds.

    Returns
    -------
    A `Benchmark`, which prints as a table per problem and a performance profile.

    Raises
    ------
    InvalidInputError
        If an argument is wrong, or none of the policies can play one of the problems.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> trap = [instance for instance in fb.suites.factored() if instance.name == "trap 2x16"]
    >>> found = fb.benchmark(trap, "uniform, lin_thompson", 2_000, repetitions=2, progress=False)
    >>> [row[0] for row in found.profile().rows]
    ['lin_thompson', 'uniform']
    """
    instances = _checked(instances)
    rounds = [
        horizon_of(instance.horizon if horizon is None else horizon) for instance in instances
    ]
    problems = [instance.problem() for instance in instances]
    playing = [
        _players(instance, problem, t, policies)
        for instance, problem, t in zip(instances, problems, rounds, strict=True)
    ]
    comparisons: list[Comparison] = []

    for problem, t, (able, _) in zip(problems, rounds, playing, strict=True):
        try:
            one = compare(able, problem, t, repetitions, seed, workers=workers, progress=progress)
        except KeyboardInterrupt:  # before the first repetition was finished
            break
        comparisons.append(one)
        if one.interrupted:
            break

    if not comparisons:
        raise KeyboardInterrupt
    refusals = [refused for _, refused in playing]
    return Benchmark(list(instances), comparisons, refusals, int(repetitions))


def _checked(instances: Any) -> list[Instance]:
    """The instances in a list, if they are such."""
    try:
        listed = list(instances)
    except TypeError:
        listed = [instances]

    if not listed:
        raise InvalidInputError("instances is empty: give a suite such as fb.suites.factored()")
    for each in listed:
        if not isinstance(each, Instance):
            raise InvalidInputError(
                f"instances must be a list such as fb.suites.factored(), not of {shown(each)}"
            )
    return listed


def _players(
    instance: Instance,
    problem: Environment,
    horizon: int,
    policies: Written | Iterable[Written] | None,
) -> tuple[list[Policy], dict[str, str]]:
    able, refused = suitable(problem, horizon, policies)
    if not able:
        raise InvalidInputError(
            f"none of the policies can play {instance.name!r}: {'; '.join(refused.values())}"
        )
    return able, refused
