"""What an experiment is: problems, policies, sizes, a seed. Data only; nothing here runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from factored_bandits.environments.suites import Instance

PresetName = str  # "quick" or "full"; "fullx100" for a hundred times the repetitions
EVERY = "*"  # in `Spec.policies`: all policies that can play the problem


@dataclass(frozen=True)
class Preset:
    """How much of an experiment is run.

    >>> Preset(repetitions=20).horizon_of(Instance("small", lambda: None, 1000, ""))
    1000
    """

    repetitions: int
    horizon: int | None = None  # for all problems, instead of each one's own
    shorten: int = 1  # by how much the problems' own horizons are divided
    problems: tuple[str, ...] = ()  # only these; empty for all
    policies: tuple[str, ...] = ()  # instead of those of the experiment; empty for all
    fewer: tuple[tuple[str, int], ...] = ()  # (policy, repetitions) of those that are slow
    left_out: tuple[tuple[str, str], ...] = ()  # (policy, problem) that would take too long

    def horizon_of(self, instance: Instance) -> int:
        """The rounds of one problem."""
        return (
            self.horizon if self.horizon is not None else max(1, instance.horizon // self.shorten)
        )

    def times(self, factor: int) -> Preset:
        """The same with so many times the repetitions.

        >>> Preset(repetitions=20).times(100).repetitions
        2000
        """
        fewer = tuple((policy, factor * repetitions) for policy, repetitions in self.fewer)
        return replace(self, repetitions=factor * self.repetitions, fewer=fewer)

    def repetitions_of(self, policy: str) -> int:
        """The repetitions of one policy."""
        return dict(self.fewer).get(policy, self.repetitions)


@dataclass(frozen=True)
class Spec:
    """One experiment: one figure or table."""

    name: str
    title: str
    text: str  # what it shows, for the report
    problems: tuple[Instance, ...]
    policies: tuple[str, ...]  # as people write them; "*" for all that can play
    quick: Preset
    full: Preset
    seed: int = 0
    unit: str = ""  # of regret, which all problems must have; empty if they may differ
    checkpoints: int = 60
    seconds: float = 5.0  # of work per unit, about, where repetitions are short enough
    source: str = ""  # the text of the file that it was read from, if it was not shipped

    def size(self, name: PresetName) -> Preset:
        """The size of this name."""
        base, _, factor = name.partition("x")
        size = self.quick if base == "quick" else self.full
        return size.times(int(factor)) if factor else size

    def instances(self, name: PresetName) -> list[Instance]:
        """The problems at this size."""
        only = self.size(name).problems
        return [instance for instance in self.problems if not only or instance.name in only]
