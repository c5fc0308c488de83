"""An experiment cut into units of work: `"rank1/17"` is some repetitions of one policy, on one
problem or several.

A unit is a pure function of its name, the size and the version of the code. Chance depends on the
seed and the number of the repetition only, so it does not matter how an experiment is cut, or who
runs what.
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
from factored_bandits.simulation.compare import suitable

from . import cost as _cost
from . import lookup as _lookup
from .code import code_version
from .spec import EVERY, PresetName, Spec

SMALLEST = 0.1  # of what a unit should be: below, policies share one


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
        """A fingerprint of everything that its results depend on."""
        arrays = [
            (name, np.asarray(value).tobytes())
            for name, value in self.problem.data._asdict().items()
        ]
        problem = [
            self.instance.name,
            self.problem.name,
            self.problem.unit,
            self.problem.sizes,
            arrays,
        ]
        chosen = [self.policy.label, self.horizon, self.spec.checkpoints, self.spec.seed, self.code]
        return hashlib.sha256(repr((problem, chosen)).encode()).hexdigest()


class Chunk(NamedTuple):
    """Some repetitions of a setting."""

    cell: Cell
    first: int
    repetitions: int
    seconds: float  # estimated


@dataclass(frozen=True, eq=False)
class Task:
    """Pieces that are run together: of one policy, or of several where they are small."""

    name: str
    size: PresetName
    spec: Spec
    chunks: tuple[Chunk, ...]

    @property
    def seconds(self) -> float:
        """Estimated."""
        return sum(chunk.seconds for chunk in self.chunks)

    @property
    def file(self) -> str:
        """The name of the file with its results: another name for other code, another problem,
        another size ...
        """
        facts = [(chunk.cell.digest, chunk.first, chunk.repetitions) for chunk in self.chunks]
        number = self.name.partition("/")[2]
        return f"{self.size}-{int(number):05d}-{hashlib.sha256(repr(facts).encode()).hexdigest()[:12]}.parquet"


@functools.lru_cache(maxsize=64)
def make_tasks(spec: Spec, size: PresetName) -> tuple[Task, ...]:
    """All units of an experiment, policy by policy, so that a worker seldom changes its policy.

    >>> from factored_bandits import lab
    >>> [task.name for task in make_tasks(lab.load("horizon").SPEC, "quick")][0]
    'horizon/0'
    """
    groups: list[list[Chunk]] = []
    every = cells(spec, size)
    order = list(dict.fromkeys(cell.policy.label for cell in every))

    for cell in sorted(every, key=lambda cell: order.index(cell.policy.label)):
        for chunk in _cut(cell):
            last = groups[-1] if groups else []
            so_far = sum(other.seconds for other in last)
            same = bool(last) and last[-1].cell.policy.label == cell.policy.label
            if (
                not last
                or so_far + chunk.seconds > spec.seconds
                or (not same and so_far > SMALLEST * spec.seconds)
            ):
                groups.append([])
            groups[-1].append(chunk)

    return tuple(
        Task(f"{spec.name}/{i}", size, spec, tuple(chunks)) for i, chunks in enumerate(groups)
    )


def _cut(cell: Cell) -> list[Chunk]:
    """Its repetitions in pieces that are not longer than a unit should be, or one by one."""
    each = _cost.seconds(cell.policy, cell.problem, cell.horizon, cell.own_play)
    number = math.ceil(cell.repetitions / max(1, int(cell.spec.seconds / each)))
    edges = np.linspace(0, cell.repetitions, number + 1).round().astype(int).tolist()
    return [
        Chunk(cell, first, end - first, each * (end - first))
        for first, end in itertools.pairwise(edges)
    ]


def cells(spec: Spec, size: PresetName) -> list[Cell]:
    """Every policy on every problem that it can play, problem by problem."""
    found = []
    refusals = {}

    for instance in spec.instances(size):
        problem = instance.problem()
        horizon = spec.size(size).horizon_of(instance)
        if spec.unit and problem.unit != spec.unit:
            raise InvalidInputError(
                f"{spec.name}: regret of {instance.name!r} is in {problem.unit!r}, not in "
                f"{spec.unit!r}"
            )
        able, refused = _policies(spec, size, instance, problem, horizon)
        for policy in able:
            repetitions = spec.size(size).repetitions_of(policy.label)
            found.append(Cell(spec, instance, problem, policy, horizon, repetitions))
        refusals.update(refused)

    played = {cell.policy.label for cell in found}
    nowhere = [why for label, why in refusals.items() if label not in played]
    if nowhere:
        raise InvalidInputError(f"{spec.name}: {nowhere[0]}")
    return found


def _policies(
    spec: Spec, size: PresetName, instance: Instance, problem: Environment, horizon: int
) -> tuple[list[Policy], dict[str, str]]:
    """Those that play; and of those that were named, the ones that cannot, with the reason."""
    able: dict[str, Policy] = {}
    refusals: dict[str, str] = {}

    for text in spec.size(size).policies or spec.policies:
        chosen, refused = suitable(problem, horizon, None if text == EVERY else text)
        able.update({policy.label: policy for policy in chosen})
        refusals.update({} if text == EVERY else refused)

    out = {policy for policy, name in spec.size(size).left_out if name == instance.name}
    return [policy for label, policy in able.items() if label not in out], refusals
