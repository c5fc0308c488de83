"""An agent for a program that makes many calls at once: the engine of the service.

Each call of an `Agent` takes a lock, remembers how to undo itself, and looks for what is due. Here
many plays share that: they happen all together, or not at all.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from factored_bandits.core.arrays import Bools
from factored_bandits.errors import BacklogWarning

from .backlog import EVERY
from .decision import Decision
from .expiry import Age
from .journal import log_expired
from .ledger import Play
from .playing import PORTION

if TYPE_CHECKING:
    from .agent import Agent

Given = TypeVarTuple("Given")
T = TypeVar("T")


class Driver:
    """What one thread does with an agent that it has to itself.

    `ask`, `play`, `tell` and `expire` are calls of their own, or parts of one in a function that is
    given to `together`. Nothing expires by itself: whoever drives an agent looks for what is due.

    Parameters
    ----------
    agent
        The agent. It remains whole, and may be read by others at any time.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]})
    >>> driver = Driver(agent)
    >>> driver.together(lambda: [driver.ask().id for _ in range(3)])
    [1, 2, 3]
    >>> driver.tell(2, 1.0)
    >>> agent.waiting, driver.backlog
    ((1, 3), 3)
    """

    def __init__(self, agent: Agent[Any]) -> None:
        self._agent = agent
        self.eliminates = agent.policy.eliminates  # whether there are active sets
        self._inside = False
        self._looks = 0  # how often EVERY decisions were asked when the backlog was last looked at

    def together(self, work: Callable[[*Given], T], *args: *Given) -> T:
        """Do `work` as one call of the agent; if it raises anything, all of it is undone.

        It must not wait for anybody: who wants to read the agent waits for it. `work` may do this,
        too: that is a part of the same call.
        """
        if self._inside:
            return work(*args)
        self._look()
        self._inside = True
        try:
            return self._agent._calls.change(work, *args)
        finally:
            self._inside = False

    @property
    def is_inside(self) -> bool:
        """Whether this is a part of something that is done together."""
        return self._inside

    def _look(self) -> None:
        """What an agent says before a call."""
        agent = self._agent
        agent._log_levels()
        looks = agent._ledger.asked // EVERY
        if looks != self._looks:
            self._looks = looks
            # where warnings are errors: nobody who asks is here to catch it, and the log has it
            with contextlib.suppress(BacklogWarning):
                agent._watch_backlog()

    def ask(self) -> Decision:
        """The next decision."""
        # most often a part of a call, in which nothing more is to be done
        decide = self._agent._decide
        return decide() if self._inside else self.together(decide)

    def play(self) -> tuple[int, Play]:
        """The next decision as its id, the indices of its levels, and their probabilities."""
        id = self.together(self._agent._next)
        return id, self._agent._ledger.play(id)

    def tell(self, id: int, reward: Any) -> None:
        """The reward of a decision."""
        if self._inside:
            self._agent._tell(id, reward)
        else:
            self.together(self._agent._tell, id, reward)

    def expire(self, id: int) -> None:
        """Settle a decision with the default reward."""
        self.together(self._agent._expire_one, id, None)

    def expire_older(self, age: Age) -> tuple[int, ...]:
        """Settle the decisions that are older with the default reward; which these are."""
        expired = self._agent._older(age)
        if expired:
            log_expired(self.together(self._agent._expire_older, age))
        return expired

    def learn(self, most: int | None = None) -> bool:
        """Learn what is complete, `most` blocks of it; whether that was all."""
        # a call learns that many by itself, and a block has a play at least
        if self.backlog <= PORTION:
            return True
        return self.together(self._agent._learn, most) != most

    def load_steps(self) -> None:
        """Do not wait until loading compiled steps pays, if there are any on disk: it will."""
        self._agent._learner.steps.load()

    # ------------------------------------------------------------ what needs no lock

    @property
    def backlog(self) -> int:
        """How many decisions are given out and not learned."""
        counters = self._agent._ledger.counters
        return counters.asked - counters.learned

    @property
    def since_oldest(self) -> int:
        """How many decisions are given out from the oldest on that waits; 0 if none does.

        Those before it are answered, and learned as soon as their block is complete.
        """
        oldest = self._agent._ledger.oldest()
        return 0 if oldest is None else self._agent._ledger.asked - oldest + 1

    def is_waiting(self, id: Any) -> bool:
        """Whether a decision would take a reward."""
        return self._agent._ledger.is_waiting(id)

    def check_reward(self, reward: Any) -> None:
        """Raise an error unless it is a reward of this agent."""
        self._agent._rewards.taken(reward)

    @property
    def default(self) -> float:
        """What stands in for an answer that never came."""
        return self._agent._rewards.missing()

    @property
    def steps(self) -> tuple[int, int]:
        """Where the policy stands: plays planned, and learned."""
        counters = self._agent._ledger.counters
        return counters.planned, counters.learned

    def active_sets(self) -> tuple[Bools, int]:
        """The active levels of a policy that eliminates, and how often they have changed."""
        agent = self._agent
        active, version = agent.policy.module.active_sets(agent._params, agent._state)
        return active, int(version)
