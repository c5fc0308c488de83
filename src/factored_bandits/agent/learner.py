"""The policy at work: plan and learn, and back to where it was if one of them fails.

Kernels change arrays in place, so an error in the middle of one leaves them half changed. The
learner therefore keeps a copy of them. That of a small state is renewed before every step. That of
a large one, which would take longer to copy than to change, is some steps old; to undo, the learner
takes the copy and repeats the steps since then, which are deterministic (docs/decisions.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, side_by_side
from factored_bandits.core.checks import Form
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.interaction_test import InteractionTest
from factored_bandits.policies import Policy

from .ledger import Block
from .rewards import Rewards
from .steps import Steps

SMALL = 2**18  # bytes
# a larger state is copied after this many bytes per step, so that a step costs the same; and after
# so many steps, because repeating them takes time
BYTES_PER_STEP = 1000
MOST_STEPS = 10_000


class Plan(NamedTuple):
    """A block to be given out."""

    actions: Ints  # (n, columns)
    probabilities: Floats | None  # (n, columns) of the levels chosen; None: not known


@dataclass
class Copy:
    """The arrays of some moment, and what was done since: the round of a plan, or a block."""

    arrays: list[np.ndarray[Any, Any]]
    generator: Any
    most_steps: int  # with more, the copy is renewed
    steps: list[int | Block]


class Learner:
    """The state of a policy, with everything that changes it."""

    def __init__(
        self,
        policy: Policy,
        params: Any,
        state: Any,
        sizes: Ints,
        rewards: Rewards,
        generator: np.random.Generator,
        interaction_test: InteractionTest | None,
        past: int,
        compiled: Form,
    ) -> None:
        self.policy = policy
        self.params = params
        self.state, self._state_arrays = _together(state)
        self.rewards = rewards
        self.generator = generator
        self.interaction_test = interaction_test
        self.past = past  # duels of the past, which count as rounds
        self.on_learned: Callable[[Block], None] | None = None  # for replays that look closely

        self.steps = Steps(policy, params, self.state, sizes, rewards.outcomes, generator, compiled)
        self._sizes = tuple(sizes.tolist())
        self._copy: Copy | None = None
        self._touched = False  # whether a kernel has begun in this call
        self._planned_since_copy = False  # which alone draws random numbers

    def plan(self, t: int) -> Plan:
        """Plan the block that begins in round t."""
        self._touched = True
        self._planned_since_copy = True
        made = self._planned(t)
        self._kept.steps.append(t)
        return made

    def learn(self, block: Block) -> None:
        """Learn a complete block; the interaction test too."""
        self._touched = True
        self._learned(block)
        self._kept.steps.append(block)
        if self.on_learned is not None:
            self.on_learned(block)

    def _planned(self, t: int) -> Plan:
        steps = self.steps
        length = steps.plan(t)
        if not 1 <= length <= len(steps.planned):
            raise InvalidInputError(
                f"{self.policy.name} planned {length} plays for round {t}; a block has 1 to "
                f"{len(steps.planned)}"
            )

        actions = steps.planned[:length].copy()
        for action in actions.tolist():
            for level, size in zip(action, self._sizes, strict=True):
                if not 0 <= level < size:
                    raise InvalidInputError(
                        f"{self.policy.name} planned {tuple(action)} for a play from round {t} on; "
                        f"levels are counted from 0, and there are {self._sizes}"
                    )

        if not self.policy.randomises:
            return Plan(actions, None)

        probabilities = np.empty(actions.shape)
        per_level = self.policy.module.propensities(self.params, self.state, length)
        for column, known in enumerate(per_level):
            probabilities[:, column] = known[actions[:, column]]
        return Plan(actions, probabilities)

    def _learned(self, block: Block) -> None:
        seen = self.rewards.mapped(block.rewards)
        self.steps.learn(self.past + block.start, block.actions, seen)

        if self.interaction_test is not None:
            actions = block.actions.astype(np.int64)
            self.interaction_test.learn(actions, self.rewards.share(block.rewards))

    # ------------------------------------------------------------ undo

    @property
    def _kept(self) -> Copy:
        assert self._copy is not None, "begin comes first"
        return self._copy

    def begin(self) -> int:
        """What `undo` takes to return to this moment."""
        self._touched = False
        kept = self._copy
        if kept is None:
            kept = self._copy = self._copied()
        elif len(kept.steps) > kept.most_steps:
            for saved, array in zip(kept.arrays, self._arrays(), strict=True):
                saved[...] = array
            if self._planned_since_copy:
                kept.generator = self.generator.bit_generator.state
                self._planned_since_copy = False
            # last, so that a renewal that is interrupted is done again
            kept.steps.clear()
        return len(kept.steps)

    def _copied(self) -> Copy:
        arrays = [array.copy() for array in self._arrays()]
        size = sum(array.nbytes for array in arrays)
        most_steps = 0 if size <= SMALL else min(size // BYTES_PER_STEP, MOST_STEPS)
        return Copy(arrays, self.generator.bit_generator.state, most_steps, [])

    def undo(self, steps: int) -> None:
        """Return to the moment of `begin`; can be interrupted and repeated."""
        kept = self._kept
        if self._touched:
            for array, saved in zip(self._arrays(), kept.arrays, strict=True):
                array[...] = saved
            self.generator.bit_generator.state = kept.generator
            for step in kept.steps[:steps]:
                self._learned(step) if isinstance(step, Block) else self._planned(step)

        del kept.steps[steps:]

    def _arrays(self) -> list[np.ndarray[Any, Any]]:
        arrays = list(self._state_arrays)
        if self.interaction_test is not None:
            arrays.append(self.interaction_test.seen)
            arrays += [array for bets in self.interaction_test.bets for array in bets]
        return arrays


def _together(state: Any) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """The state, its arrays side by side if they are small, and what is to be copied."""
    if sum(array.nbytes for array in state) > SMALL:
        return state, list(state)

    moved = side_by_side(state)
    if moved is None:
        return state, list(state)
    memory, views = moved
    return type(state)(*views), [memory]
