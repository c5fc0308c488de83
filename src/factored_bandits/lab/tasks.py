"""Tasks: some repetitions of one policy, on one problem or several.

A task is a pure function of its name, the preset and the version of the code. Random numbers
depend on the seed and the number of the repetition only. So it does not matter how an experiment
is cut into tasks, or who runs which.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factored_bandits.environments import Environment
from factored_bandits.environments.suites import Instance
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.simulation.choosing import suitable

from . import cost as _cost
from . import lookup as _lookup
from .code import code_version
from .spec import EVERY, PresetName, Spec

SMALLEST = 0.1  # of what a task should be: below, policies share one


@dataclass(frozen=True, eq=False)
class Cell:
    """One policy on one problem."""

    spec: Spec
    instance: Instance
    problem: Environment
    policy: Policy
    horizon: int
    repetitions: int

    @property
    def own_play(self) -> bool:
        """Whether the experiment plays in a way of its own, and not by the simulator."""
        return not self.spec.source and _lookup.own_play(self.spec.name) is not None

    @functools.cached_property
    def code(self) -> str:
        """The version of the code that it runs."""
        return code_version(self.policy.name, self.spec.name if self.own_play else "")

    @functools.cached_property
    def digest(self) -> str:
        """A digest of everything that its results depend on."""
        data = self.problem.data._asdict()
        problem = [
            self.instance.name,
            self.problem.name,
            self.problem.unit,
            self.problem.sizes,
            [(name, np.asarray(value).tobytes()) for name, value in data.items()],
        ]
        chosen = [self.policy.label, self.horizon, self.spec.checkpoints, self.spec.seed, self.code]
        chosen += ["confidence"] * self.spec.confidence
        return hashlib.sha256(repr((problem, chosen)).encode()).hexdigest()


class Chunk(NamedTuple):
    """Some repetitions of a cell."""

    cell: Cell
    first: int
    repetitions: int
    seconds: float  # estimated


@dataclass(frozen=True, eq=False)
class Task:
    """Chunks that are run together: of one policy, or of several where they are small.

    Attributes
    ----------
    name
        The name of the experiment and the number of the task, such as "horizon/0".
    preset
        How much of the experiment is run.
    spec
        The experiment.
    chunks
        What is run: some repetitions of one policy on one problem each.

    Examples
    --------
    >>> from factored_bandits import lab
    >>> task = make_tasks(lab.load("horizon").SPEC, "quick")[0]
    >>> task.name, task.chunks[0].cell.policy.label, task.chunks[0].first
    ('horizon/0', 'tea', 0)
    """

    name: str
    preset: PresetName
    spec: Spec
    chunks: tuple[Chunk, ...]

    @property
    def seconds(self) -> float:
        """How long it will take, by estimate."""
        return sum(chunk.seconds for chunk in self.chunks)

    @property
    def file(self) -> str:
        """The name of the file with its results: another one for other code, problem or preset."""
        facts = [(chunk.cell.digest, chunk.first, chunk.repetitions) for chunk in self.chunks]
        digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
        number = int(self.name.partition("/")[2])
        return f"{self.preset}-{number:05d}-{digest}.parquet"


@functools.lru_cache(maxsize=64)
def make_tasks(spec: Spec, preset: PresetName) -> tuple[Task, ...]:
    """All tasks of an experiment, policy by policy, so that a worker seldom changes its policy.

    Parameters
    ----------
    spec
        The experiment.
    preset
        `"quick"`, `"full"`, or a multiple such as `"fullx100"`.

    Returns
    -------
    tuple of Task
        Numbered from 0 in the order in which they should be run.

    Raises
    ------
    InvalidInputError
        If a problem has another unit of regret than the experiment, or a policy can play none of
        the problems.

    Examples
    --------
    >>> from factored_bandits import lab
    >>> [task.name for task in make_tasks(lab.load("horizon").SPEC, "quick")][0]
    'horizon/0'
    """
    groups: list[list[Chunk]] = []
    every = cells(spec, preset)
    order = list(dict.fromkeys(cell.policy.label for cell in every))

    for cell in sorted(every, key=lambda cell: order.index(cell.policy.label)):
        for chunk in _cut(cell):
            if not groups or _is_full(groups[-1], chunk, spec.seconds):
                groups.append([])
            groups[-1].append(chunk)

    return tuple(
        Task(f"{spec.name}/{i}", preset, spec, tuple(chunks)) for i, chunks in enumerate(groups)
    )


def _is_full(group: list[Chunk], chunk: Chunk, seconds: float) -> bool:
    """Whether the chunk belongs into a new group, since this one is large enough."""
    so_far = sum(other.seconds for other in group)
    if so_far + chunk.seconds > seconds:
        return True
    same_policy = group[-1].cell.policy.label == chunk.cell.policy.label
    return not same_policy and so_far > SMALLEST * seconds


def _cut(cell: Cell) -> list[Chunk]:
    """Its repetitions in chunks that are not longer than a task should be, or one by one."""
    each = _cost.seconds(cell.policy, cell.problem, cell.horizon, cell.own_play)
    if cell.own_play:
        each = _lookup.own_seconds(cell.spec.name) or each
    number = math.ceil(cell.repetitions / max(1, int(cell.spec.seconds / each)))
    edges = np.linspace(0, cell.repetitions, number + 1).round().astype(int).tolist()
    return [
        Chunk(cell, first, end - first, each * (end - first))
        for first, end in itertools.pairwise(edges)
    ]


def cells(spec: Spec, preset: PresetName) -> list[Cell]:
    """Every policy on every problem that it can play, problem by problem."""
    found = []
    refusals = {}

    for instance in spec.instances(preset):
        problem = instance.problem()
        horizon = spec.preset(preset).horizon_of(instance)
        if spec.unit and problem.unit != spec.unit:
            raise InvalidInputError(
                f"{spec.name}: regret of {instance.name!r} is in {problem.unit!r}, not in "
                f"{spec.unit!r}"
            )

        able, refused = _policies(spec, preset, instance, problem, horizon)
        for policy in able:
            repetitions = spec.preset(preset).repetitions_of(policy.label)
            found.append(Cell(spec, instance, problem, policy, horizon, repetitions))
        refusals.update(refused)

    played = {cell.policy.label for cell in found}
    nowhere = [why for label, why in refusals.items() if label not in played]
    if nowhere:
        raise InvalidInputError(f"{spec.name}: {nowhere[0]}")

    return found


def _policies(
    spec: Spec, preset: PresetName, instance: Instance, problem: Environment, horizon: int
) -> tuple[list[Policy], dict[str, str]]:
    """Those that play; and of those that were named, the ones that cannot, with the reason."""
    able: dict[str, Policy] = {}
    refusals: dict[str, str] = {}

    for text in spec.preset(preset).policies or spec.policies:
        chosen, refused = suitable(problem, horizon, None if text == EVERY else text)
        able.update({policy.label: policy for policy in chosen})
        if text != EVERY:
            refusals.update(refused)

    left_out = spec.preset(preset).left_out
    absent = {policy for policy, name in left_out if name == instance.name}
    return [policy for label, policy in able.items() if label not in absent], refusals
