"""`benchmark`: policies on a whole suite of problems; a table for each, and one performance
profile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.table import Table, regret_table
from factored_bandits.environments import Environment
from factored_bandits.environments.suites import Instance
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.report.charts import profile

from .compare import Comparison, Written, compare, suitable
from .profile import Regrets, profile_table
from .simulate import LONGEST, integer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT, VERSION = "factored-bandits/survey", 1


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Policies on the problems of a suite; print it for the tables."""

    instances: list[Instance]  # all that were asked for
    comparisons: list[Comparison]  # of those that were run, in the same order
    refusals: list[dict[str, str]]  # per case the policies that cannot play it, and why
    repetitions: int  # as asked for

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it early."""
        return len(self.comparisons) < len(self.instances) or any(
            one.interrupted for one in self.comparisons
        )

    def regrets(self) -> Regrets:
        """Mean regret at the horizon by problem and policy."""
        named = zip(self.instances, self.comparisons, strict=False)
        return {
            instance.name: {r.policy: r.summary().mean for r in one.results}
            for instance, one in named
        }

    def profile(self) -> Table:
        """On what share of the problems each policy is within a factor of the best."""
        return profile_table(
            self.regrets(), "Within a factor of the smallest mean regret", self.caption()
        )

    def caption(self) -> str:
        """How much was run."""
        horizons = sorted({result.horizon for one in self.comparisons for result in one.results})
        rounds = f"{horizons[0]:,}" + (f" to {horizons[-1]:,}" if len(horizons) > 1 else "")
        done = len(self.comparisons)
        stopped = (
            f"; interrupted: {done} of {len(self.instances)} problems" if self.interrupted else ""
        )
        return f"{done} problems; {rounds} rounds; {self.repetitions} repetitions{stopped}"

    def tables(self) -> list[Table]:
        """One per problem: mean, median and worst regret, the best policy first; then the profile."""
        named = zip(self.instances, self.comparisons, strict=False)
        own = [
            regret_table(one.results, f"{instance.name}: {instance.why}", one.caption())
            for instance, one in named
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

    def plot(self, path: str | Path | None = None, *, title: str = "") -> Figure:
        """The performance profile; written to `path` (.png, .pdf or .svg) if given."""
        return profile(
            self.regrets(), title=title or "Performance profile", caption=self.caption()
        ).figure(path)

    def to_dict(self) -> dict[str, Any]:
        """Everything that the tables and the figure show, ready for JSON."""
        named = zip(self.instances, self.comparisons, self.refusals, strict=False)
        return {
            "format": FORMAT,
            "version": VERSION,
            "repetitions": self.repetitions,
            "interrupted": self.interrupted,
            "cases": [
                {
                    "name": instance.name,
                    "why": instance.why,
                    "refused": refused,
                    "comparison": one.to_dict(),
                }
                for instance, one, refused in named
            ],
            "profile": {
                "columns": list(self.profile().columns),
                "rows": [list(row) for row in self.profile().rows],
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

    `policies`: as in `compare`; None for all there are. One that cannot play a problem is left out
    there. `horizon`: for all problems, instead of each one's own. After Ctrl-C, what is finished
    comes back, marked `interrupted`.

    >>> import factored_bandits as fb
    >>> trap = [instance for instance in fb.suites.factored() if instance.name == "trap 2x16"]
    >>> found = fb.benchmark(trap, "uniform, lin_thompson", horizon=2_000, repetitions=2, progress=False)
    >>> [row[0] for row in found.profile().rows]
    ['lin_thompson', 'uniform']
    """
    if not instances:
        raise InvalidInputError("cases is empty: give a suite such as fb.suites.factored()")
    rounds = [
        integer("horizon", instance.horizon if horizon is None else horizon, 1, LONGEST)
        for instance in instances
    ]
    problems = [instance.problem() for instance in instances]
    playing = [
        _players(instance, problem, t, policies)
        for instance, problem, t in zip(instances, problems, rounds, strict=True)
    ]
    comparisons: list[Comparison] = []

    for problem, t, (able, _) in zip(problems, rounds, playing, strict=True):
        try:
            comparisons.append(
                compare(able, problem, t, repetitions, seed, workers=workers, progress=progress)
            )
        except KeyboardInterrupt:
            break
        if comparisons[-1].interrupted:
            break

    if not comparisons:
        raise KeyboardInterrupt
    return Benchmark(
        list(instances), comparisons, [refused for _, refused in playing], int(repetitions)
    )


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
