"""`adapt`: an object with `select` and `update` as a policy, run in plain Python."""

from __future__ import annotations

import itertools
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints, offsets_of
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import ContractError

from .base import Info, Kind, Range
from .policy import Policy

Create = Callable[[tuple[int, ...], np.random.Generator], Any]


class Params(NamedTuple):
    """Parameters are the business of whoever creates the object."""


class State(NamedTuple):
    """The object, and what it has played."""

    learner: Any  # (1,) the object; None until the first play
    offsets: Ints  # (L + 1,) index of the first level of each factor
    plays: Ints  # (levels,) how often each level was played


def adapt(create: Create, *, name: str, kind: Kind = "factored", scale: Range = (0, 1)) -> Policy:
    """Make a policy of a class with `select` and `update`, to compare it with those of the library.

    It runs in plain Python: about a hundred times slower than a compiled policy. Its recommendation
    is the level of each factor that it has played most. An `Agent` cannot save it.

    Parameters
    ----------
    create
        Called with the number of levels of each factor and a random generator, once per repetition;
        its answer has `select()`, which gives one level per factor (for one factor, a number), and
        `update(action, reward)`, which gets what `select` gave. With random numbers from this
        generator only, the same seed gives the same results.
    name
        What results call it.
    kind
        "factored", or "duel": then `select` gives two arms.
    scale
        The range onto which bounded rewards are mapped before `update` sees them.

    Returns
    -------
    Policy
        For `simulate` and `compare`.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> class Greedy:
    ...     def __init__(self, arms, rng):
    ...         self.means, self.plays, self.rng = [1.0] * arms, [1] * arms, rng
    ...     def select(self):
    ...         return max(range(len(self.means)), key=lambda arm: self.means[arm])
    ...     def update(self, arm, reward):
    ...         self.plays[arm] += 1
    ...         self.means[arm] += (reward - self.means[arm]) / self.plays[arm]
    >>> greedy = fb.policies.adapt(lambda sizes, rng: Greedy(sizes[0], rng), name="greedy")
    >>> problem = fb.environments.make("additive", effects=[[0.1, 0.9, 0.2]])
    >>> fb.simulate(greedy, problem, 1000, repetitions=5, progress=False).summary().correct
    1.0
    """

    def init(params: Params, sizes: Ints, horizon: int) -> State:
        offsets = offsets_of(sizes)
        learner = np.array([None], dtype=object)
        return State(learner, offsets, np.zeros(offsets[-1], dtype=np.int64))

    @kernel
    def plan(params: Params, state: State, t: int, rng: np.random.Generator, actions: Ints) -> int:
        if state.learner[0] is None:
            sizes = tuple(np.diff(state.offsets).tolist())
            state.learner[0] = create(sizes, rng)

        chosen = np.atleast_1d(state.learner[0].select())
        if chosen.shape != actions[0].shape or chosen.dtype.kind not in "iu":
            raise ContractError(
                f"{name}: select() gave {chosen.tolist()} in round {t}; it must give "
                f"{actions.shape[1]} whole numbers, one per factor or the two arms of a duel"
            )
        actions[0] = chosen
        return 1

    @kernel
    def recommend(params: Params, state: State, action: Ints) -> None:
        plays = [state.plays[a:b] for a, b in itertools.pairwise(state.offsets)]
        if kind == "duel":
            plays = [plays[0] + plays[1]] * 2
        action[:] = [each.argmax() for each in plays]

    module: Any = types.ModuleType(re.sub(r"\W", "_", name))
    module.__doc__ = f"{name}: an object with select and update."
    module.INFO = Info(
        title=name,
        kind=kind,
        scale=scale,
        assumption="that of its author",
        guarantee="that of its author",
        reference="an object with select and update",
    )
    module.COMPILED = False
    module.Params = Params
    module.State = State
    module.init = init
    module.plan = plan
    module.learn = learn
    module.recommend = recommend
    return Policy(module.__name__, module, Params())


@kernel
def learn(params: Params, state: State, t: int, actions: Ints, rewards: Any) -> None:
    """Hand the play and its reward over."""
    action = actions[0].tolist()
    for l, level in enumerate(action):
        state.plays[state.offsets[l] + level] += 1

    chosen = action[0] if len(action) == 1 else tuple(action)
    state.learner[0].update(chosen, float(rewards[0]))
