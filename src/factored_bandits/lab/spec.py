"""What an experiment is: problems, policies, presets, a seed. Data only; nothing here runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from factored_bandits.environments.suites import Instance

PresetName = str  # "glance", "quick" or "full"; "fullx100": a hundred times the repetitions
EVERY = "*"  # in `Spec.policies`: all policies that can play the problem


@dataclass(frozen=True)
class Preset:
    """How much of an experiment is run.

    Parameters
    ----------
    repetitions
        How often every policy plays every problem.
    horizon
        Rounds on all problems, instead of each one's own.
    shorten
        By how much the problems' own horizons are divided.
    problems
        Only these problems; empty for all.
    policies
        Instead of those of the experiment; empty for these.
    fewer
        Pairs (policy, repetitions) for slow policies.
    left_out
        Pairs (policy, problem) that would take too long.

    Examples
    --------
    >>> Preset(repetitions=20).horizon_of(Instance("small", lambda: None, 1000, ""))
    1000
    """

    repetitions: int
    horizon: int | None = None
    shorten: int = 1
    problems: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    fewer: tuple[tuple[str, int], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    def horizon_of(self, instance: Instance) -> int:
        """The rounds of one problem.

        Parameters
        ----------
        instance
            The problem.

        Returns
        -------
        int
            The horizon of the preset, or the problem's own, shortened.
        """
        if self.horizon is not None:
            return self.horizon
        return max(1, instance.horizon // self.shorten)

    def times(self, factor: int) -> Preset:
        """The same with so many times the repetitions.

        Parameters
        ----------
        factor
            How many times.

        Returns
        -------
        Preset
            A copy.

        Examples
        --------
        >>> Preset(repetitions=20).times(100).repetitions
        2000
        """
        fewer = tuple((policy, factor * repetitions) for policy, repetitions in self.fewer)
        return replace(self, repetitions=factor * self.repetitions, fewer=fewer)

    def repetitions_of(self, policy: str) -> int:
        """The repetitions of one policy.

        Parameters
        ----------
        policy
            The label of the policy.

        Returns
        -------
        int
            Fewer for slow policies.
        """
        return dict(self.fewer).get(policy, self.repetitions)


@dataclass(frozen=True)
class Spec:
    """One experiment: one figure or table.

    Parameters
    ----------
    name
        Letters, digits and `_`; the folder of its results.
    title
        The heading in the report.
    text
        What it shows, for the report.
    problems
        The problems that are played.
    policies
        The policies as people write them; `"*"` for all that can play.
    quick, full
        How much is run: a first look, or as much as in the paper.
    seed
        The same seed, the same numbers.
    unit
        Of regret, which all problems must have; empty if they may differ.
    checkpoints
        How many rounds, log-spaced, at which regret is noted.
    seconds
        Of work per task, about, where repetitions are short enough.
    source
        The text of the file that it was read from, if it was not shipped.
    confidence
        Note at every checkpoint how sure the certificate is; some policies need milliseconds each.
    glance
        What `factored-bandits demo` shows of it, in seconds; None for `quick`.

    Examples
    --------
    >>> from factored_bandits.environments import suites
    >>> spec = Spec(
    ...     name="mine",
    ...     title="A first look",
    ...     text="Two policies on every factored problem.",
    ...     problems=tuple(suites.factored()),
    ...     policies=("tea", "flat_ucb1"),
    ...     quick=Preset(repetitions=2, horizon=1000),
    ...     full=Preset(repetitions=20),
    ... )
    >>> spec.preset("quick").horizon, spec.preset("fullx100").repetitions
    (1000, 2000)
    """

    name: str
    title: str
    text: str
    problems: tuple[Instance, ...]
    policies: tuple[str, ...]
    quick: Preset
    full: Preset
    seed: int = 0
    unit: str = ""
    checkpoints: int = 60
    seconds: float = 5.0
    source: str = ""
    confidence: bool = False
    glance: Preset | None = None

    def preset(self, name: PresetName) -> Preset:
        """The preset of a name.

        Parameters
        ----------
        name
            `glance`, `quick`, `full`, or a multiple such as `fullx100`.

        Returns
        -------
        Preset
            With so many times the repetitions.
        """
        base, _, factor = name.partition("x")
        presets = {"glance": self.glance or self.quick, "quick": self.quick}
        chosen = presets.get(base, self.full)
        return chosen.times(int(factor)) if factor else chosen

    def instances(self, name: PresetName) -> list[Instance]:
        """The problems of a preset.

        Parameters
        ----------
        name
            The name of the preset.

        Returns
        -------
        list of Instance
            In the order of the experiment.
        """
        only = self.preset(name).problems
        return [instance for instance in self.problems if not only or instance.name in only]

    def instance(self, problem: str) -> Instance:
        """The problem of a name.

        Parameters
        ----------
        problem
            The name.

        Returns
        -------
        Instance
            The problem.
        """
        [found] = [instance for instance in self.problems if instance.name == problem]
        return found
