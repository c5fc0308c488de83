"""What an experiment is: problems, policies, sizes, a seed. Data only; nothing here runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from factored_bandits.environments.suites import Case

SizeName = str  # "quick" or "full"; "fullx100" for a hundred times the repetitions
EVERY = "*"  # in `Spec.policies`: all policies that can play the problem


@dataclass(frozen=True)
class Size:
    """How much of an experiment is run.

    >>> Size(repetitions=20).horizon_of(Case("small", lambda: None, 1000, ""))
    1000
    """

    repetitions: int
    horizon: int | None = None  # for all problems, instead of each one's own
    shorten: int = 1  # by how much the problems' own horizons are divided
    problems: tuple[str, ...] = ()  # only these; empty for all
    policies: tuple[str, ...] = ()  # instead of those of the experiment; empty for all
    fewer: tuple[tuple[str, int], ...] = ()  # (policy, repetitions) of those that are slow
    left_out: tuple[tuple[str, str], ...] = ()  # (policy, problem) that would take too long

    def horizon_of(self, case: Case) -> int:
        """The rounds of one problem."""
        return self.horizon if self.horizon is not None else max(1, case.horizon // self.shorten)

    def times(self, factor: int) -> Size:
        """The same with so many times the repetitions.

        >>> Size(repetitions=20).times(100).repetitions
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
    problems: tuple[Case, ...]
    policies: tuple[str, ...]  # as people write them; "*" for all that can play
    quick: Size
    full: Size
    seed: int = 0
    unit: str = ""  # of regret, which all problems must have; empty if they may differ
    checkpoints: int = 60
    seconds: float = 5.0  # of work per unit, about, where repetitions are short enough
    source: str = ""  # the text of the file that it was read from, if it was not shipped

    def size(self, name: SizeName) -> Size:
        """The size of this name."""
        base, _, factor = name.partition("x")
        size = self.quick if base == "quick" else self.full
        return size.times(int(factor)) if factor else size

    def cases(self, name: SizeName) -> list[Case]:
        """The problems at this size."""
        only = self.size(name).problems
        return [case for case in self.problems if not only or case.name in only]
