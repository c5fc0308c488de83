"""No kernel of the library counts an index from the end, as compiled ones could not."""

from __future__ import annotations

import dis
import sys
from typing import Any

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core import loop
from factored_bandits.core.extensions import indexing
from factored_bandits.core.kernel import bind, kernel
from factored_bandits.core.rng import generators
from factored_bandits.errors import InvalidInputError
from factored_bandits.simulation.runner import Runner, check_playable
from golden.cases import environments, labels

QUICK = ("tea", "flat_ucb1", "per_factor_ucb", "dueling_tea", "dts", "rmed1", "merge_rucb", "rucb")
ROUNDS = 150


class Watched(np.ndarray):
    """An array that refuses a negative index, unless it is a constant of the code."""

    def __getitem__(self, index: Any) -> Any:
        refuse_negative(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        refuse_negative(index)
        super().__setitem__(index, value)


def refuse_negative(index: Any) -> None:
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, (int, np.integer)) and part < 0 and not is_constant(sys._getframe(2)):
            code = sys._getframe(2).f_code
            raise AssertionError(f"{code.co_qualname} uses the index {index}")


def is_constant(frame: Any) -> bool:
    """Whether the access that this frame is at has its index written in the code."""
    steps = [step for step in dis.get_instructions(frame.f_code) if step.offset <= frame.f_lasti]
    return steps[-2].opname == "LOAD_CONST" and isinstance(steps[-2].argval, int)


def watched(data: Any) -> Any:
    """A NamedTuple with its arrays watched."""
    return type(data)(
        *[part.view(Watched) if isinstance(part, np.ndarray) else part for part in data]
    )


@kernel
def last(numbers: Any, place: int) -> float:
    return numbers[-1] + numbers[place]


def test_a_negative_index_is_noticed_unless_it_is_a_constant() -> None:
    numbers = np.arange(3.0).view(Watched)
    assert last(numbers, 1) == 3.0
    with pytest.raises(AssertionError, match="last uses the index -2"):
        last(numbers, -2)


def test_kernels_of_others_may_count_from_the_end() -> None:
    """This one is not the library's: compiled, too, -2 is the last but one."""
    assert bind(last, "from_the_end")(np.arange(3.0), -2) == 3.0
    assert indexing.PACKAGE == "factored_bandits"


@pytest.mark.parametrize(
    "label",
    [
        label if label in QUICK else pytest.param(label, marks=pytest.mark.full)
        for label in labels()
    ],
)
def test_no_policy_counts_from_the_end(label: str) -> None:
    policy = fb.policies.make(label)
    for environment in environments(policy.info.kind).values():
        runner = Runner(policy, environment, np.array([ROUNDS // 2, ROUNDS]), seed=1)
        if not playable(runner):
            continue
        policy_rng, rng = generators(1)
        state = runner.new_state()
        run = watched(runner.prepare(rng, state))
        play = bind(loop.play, label, compiled=False, **runner.kernels())
        data = watched(environment.data)
        play(runner.params, watched(state), data, run, policy_rng, rng, ROUNDS)
        assert run.clock[0] > ROUNDS // 4


def playable(runner: Runner) -> bool:
    try:
        check_playable(runner.policy, runner.environment, ROUNDS)
    except InvalidInputError:
        return False
    return True
