"""`plan` and `learn` of an agent's policy: in plain Python at once, compiled where that pays.

Both forms give the same numbers to the bit, so an agent can go over from one to the other between
any two steps, and nobody can tell from what it does.

With "auto" nothing is ever compiled, and the compiler is not imported before it is worth that: the
agent begins in plain Python, and looks for compiled code on disk when its steps have taken as long
as loading takes. So it never takes more than twice the time of the better choice.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.checks import Form
from factored_bandits.core.kept import may_be_kept
from factored_bandits.core.kernel import bind, compiles, loop_name
from factored_bandits.core.progress import Progress
from factored_bandits.errors import KernelError
from factored_bandits.policies import Policy

from .step import PLAN, step

# Seconds that loading takes, most of them to import numba (`benchmarks/agent.py start`). If nothing
# is there to load, the next look comes after twice the time: it may have been compiled meanwhile.
LOADING = 0.8
WATCH_EVERY = 0.1  # seconds
COMPILING = "compiling (once; kept for next time)"


def may_be_warm(policy: Policy) -> bool:
    """Whether the compiled steps of a policy may lie on disk; told without the compiler."""
    return may_be_kept(step, loop_name(step, policy.name, _kernels(policy), policy.own))


def _kernels(policy: Policy) -> dict[str, Any]:
    """What takes the places in `step`."""
    return {"plan": policy.module.plan, "learn": policy.module.learn}


class Steps:
    """The two kernels of a policy that an agent runs.

    Parameters
    ----------
    policy
        The policy.
    params, state
        Of the policy. The arrays are the same ones as long as the agent lives.
    sizes
        The number of levels in each column of an action.
    outcomes
        How many outcomes a play has; 0: one reward.
    generator
        Draws for `plan`.
    compiled
        True compiles, or loads what is kept on disk, now; "auto" loads it, if it is there, when
        that pays; False does neither.
    """

    def __init__(
        self,
        policy: Policy,
        params: Any,
        state: Any,
        sizes: Ints,
        outcomes: int,
        generator: np.random.Generator,
        compiled: Form,
    ) -> None:
        self.choice = compiled
        self._policy = policy
        self._params = params
        self._state = state
        self._generator = generator

        longest = policy.longest_block(sizes)
        self.planned: Ints = np.zeros((longest, len(sizes)), dtype=np.int64)
        # What compiled code learns from is copied into arrays of its own: it does not look at the
        # types of what it gets.
        self._actions: Ints = np.zeros_like(self.planned)
        self._rewards: Floats = np.zeros((longest, outcomes) if outcomes else longest)

        self._entry: Callable[..., int] | None = None
        self._drawn: Any = None  # the generator as compiled code takes it
        self._seconds = 0.0  # in plain Python, so far
        self._look_after = math.inf
        if compiled is True and compiles():
            self._compile()
        elif compiled == "auto" and compiles():
            self._look_after = LOADING

    @property
    def are_compiled(self) -> bool:
        """Whether the next step is a compiled one."""
        return self._entry is not None

    def plan(self, t: int) -> int:
        """Plan a block from round t on into `planned`; the answer is its length."""
        if self._entry is not None:
            return self._entry(
                self._params, self._state, t, self._drawn, self.planned, self._rewards, PLAN
            )

        began = time.perf_counter()
        plan = self._policy.module.plan
        length = int(plan(self._params, self._state, t, self._generator, self.planned))
        self._count(time.perf_counter() - began)
        return length

    def learn(self, t: int, actions: Ints, rewards: Floats) -> None:
        """Learn the block that began in round t; rewards as the policy sees them."""
        if self._entry is not None:
            length = len(actions)
            self._actions[:length] = actions
            self._rewards[:length] = rewards
            self._entry(
                self._params, self._state, t, self._drawn, self._actions, self._rewards, length
            )
            return

        began = time.perf_counter()
        learn = self._policy.module.learn
        learn(self._params, self._state, t, actions.astype(np.int64), rewards)
        self._count(time.perf_counter() - began)

    # ------------------------------------------------------------ from one form to the other

    def _count(self, seconds: float) -> None:
        self._seconds += seconds
        if self._seconds >= self._look_after:
            self._look_after = 2.0 * self._seconds
            self.load()

    def load(self) -> None:
        """With "auto", go over to the compiled form now, if it is on disk."""
        if self._look_after == math.inf or self.are_compiled or not may_be_warm(self._policy):
            return

        try:
            self._use(self._bound(), load_only=True)
        except (ImportError, KernelError):
            # numba does not fit what else is installed, or the kernels of a policy from outside
            # are not marked as such. The agent does without, as before.
            self._look_after = math.inf

    def _compile(self) -> None:
        """Go over to the compiled form, and make it if there is none."""
        bound = self._bound()
        self._use(bound, load_only=True)
        if self._entry is None:
            shown_while(self._policy.label, lambda: self._use(bound, load_only=False))

    def _use(self, bound: Any, load_only: bool) -> None:
        # Imported here, as it imports numba.
        from factored_bandits.core.extensions.drawing import quick

        self._drawn = quick(self._generator)
        arguments = (self._params, self._state, 1, self._drawn, self._actions, self._rewards, PLAN)
        self._entry = bound.entry(*arguments, load_only=load_only)

    def _bound(self) -> Any:
        policy = self._policy
        return bind(step, policy.name, bounds_checked=policy.own, **_kernels(policy))


def shown_while(title: str, work: Callable[[], None]) -> None:
    """Do `work` in a thread, and say so if it takes more than two seconds; Ctrl-C is heard."""
    done: Future[None] = Future()

    def run() -> None:
        try:
            work()
            done.set_result(None)
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    with Progress(title, 1.0) as bar:
        while wait([done], timeout=WATCH_EVERY).not_done:
            bar.update(0.0, COMPILING)
    done.result()
