"""An experiment cut into units of work: `"rank1/17"` is some repetitions of one policy on one problem.

A unit is a pure function of its name, the size and the version of the code. Chance depends on the seed and the number
of the repetition only, so it does not matter how an experiment is cut, or who runs what.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from dataclasses import dataclass

import numpy as np

from ..comparison import suitable
from ..environments import Problem
from ..errors import InvalidInput
from ..policies import Policy
from ..suite import Case
from . import _cost, _lookup
from ._code import code_version
from ._spec import EVERY, SizeName, Spec

TARGET = 5.0  # seconds per unit, if repetitions are short enough


@dataclass(frozen=True, eq=False)
class Setting:
    """One policy on one problem."""

    spec: Spec
    case: Case
    problem: Problem
    policy: Policy
    horizon: int
    repetitions: int

    @functools.cached_property
    def code(self) -> str:
        """The version of the code that it runs."""
        own = self.spec.name if not self.spec.source and _lookup.own_play(self.spec.name) else ""
        return code_version(self.policy.name, own)

    @functools.cached_property
    def digest(self) -> str:
        """A fingerprint of everything that its results depend on."""
        arrays = [(name, np.asarray(value).tobytes()) for name, value in self.problem.data._asdict().items()]
        facts: list[object] = [
            self.case.name,
            self.problem.name,
            self.problem.unit,
            self.problem.sizes,
            self.policy.label,
        ]
        facts += [self.horizon, self.spec.checkpoints, self.spec.seed, self.code, arrays]
        return hashlib.sha256(repr(facts).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Unit:
    """Some repetitions of a setting."""

    name: str
    size: SizeName
    setting: Setting
    first: int
    count: int
    seconds: float  # estimated

    @property
    def file(self) -> str:
        """The name of the file with its results: another name for other code, another problem, another size ..."""
        facts = f"{self.setting.digest} {self.first} {self.count}"
        number = self.name.partition("/")[2]
        return f"{self.size}-{int(number):05d}-{hashlib.sha256(facts.encode()).hexdigest()[:12]}.parquet"


@functools.lru_cache(maxsize=64)
def units(spec: Spec, size: SizeName) -> tuple[Unit, ...]:
    """All units of an experiment, in order.

    >>> from factored_bandits import lab
    >>> [unit.name for unit in units(lab.load("horizon").SPEC, "quick")][0]
    'horizon/0'
    """
    found: list[Unit] = []
    for setting in settings(spec, size):
        each = _cost.seconds(setting.policy, setting.problem, setting.horizon)
        pieces = math.ceil(setting.repetitions / max(1, int(TARGET / each)))
        edges = np.linspace(0, setting.repetitions, pieces + 1).round().astype(int).tolist()
        for first, end in itertools.pairwise(edges):
            name = f"{spec.name}/{len(found)}"
            found.append(Unit(name, size, setting, first, end - first, each * (end - first)))
    return tuple(found)


def settings(spec: Spec, size: SizeName) -> list[Setting]:
    """Every policy on every problem that it can play, problem by problem."""
    found, refusals = [], {}
    for case in spec.cases(size):
        problem, horizon = case.problem(), spec.size(size).horizon_of(case)
        if spec.unit and problem.unit != spec.unit:
            raise InvalidInput(f"{spec.name}: regret of {case.name!r} is in {problem.unit!r}, not in {spec.unit!r}")
        able, refused = _policies(spec, size, case, problem, horizon)
        found += [Setting(spec, case, problem, policy, horizon, spec.size(size).repetitions) for policy in able]
        refusals.update(refused)
    played = {setting.policy.label for setting in found}
    nowhere = [why for label, why in refusals.items() if label not in played]
    if nowhere:
        raise InvalidInput(f"{spec.name}: {nowhere[0]}")
    return found


def _policies(
    spec: Spec, size: SizeName, case: Case, problem: Problem, horizon: int
) -> tuple[list[Policy], dict[str, str]]:
    """Those that play; and of those that were named, the ones that cannot, with the reason."""
    able: dict[str, Policy] = {}
    refusals: dict[str, str] = {}
    for text in spec.size(size).policies or spec.policies:
        chosen, refused = suitable(problem, horizon, None if text == EVERY else text)
        able.update({policy.label: policy for policy in chosen})
        refusals.update({} if text == EVERY else refused)
    out = {policy for policy, name in spec.left_out if name == case.name}
    return [policy for label, policy in able.items() if label not in out], refusals
