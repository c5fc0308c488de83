"""An agent as text, and as what `pickle` and `copy` make of it."""

from __future__ import annotations

import importlib
import pickle
import sys
import types
from typing import Any, Self

from factored_bandits.agent.expiry import Clock
from factored_bandits.agent.parts import Parts
from factored_bandits.core.checks import Form
from factored_bandits.errors import DumpError

from . import snapshot
from .dump import seal, unseal


class Saving(Parts):
    """The saving half of `Agent`: `pickle`, `copy.copy` and `copy.deepcopy` go through a dump."""

    def dump(self) -> str:
        """Give everything as text, the random generator included.

        Returns
        -------
        str
            JSON on one line; `load` goes on from there as if nothing had happened.

        Raises
        ------
        DumpError
            If the agent is damaged: there is never a dump that cannot be loaded.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("tea", factors={"colour": ["red", "blue"]})
        >>> fb.Agent.load(agent.dump()).dump() == agent.dump()
        True
        """
        return seal(self._calls.read(snapshot.snapshot, self))

    @classmethod
    def load(
        cls,
        text: str,
        policy: types.ModuleType | None = None,
        clock: Clock | None = None,
        compiled: Form = "auto",
    ) -> Self:
        """Make the agent that `dump` wrote.

        Parameters
        ----------
        text
            What `dump` returned.
        policy
            The module of the policy, if it was a module of your own.
        clock
            The clock of the agent; see `Agent`. With a clock, decisions that the dump holds without
            their time count as asked now.
        compiled
            Whether the steps of its policy are compiled ones; see `Agent`. A dump does not say, as
            it is the same text with either.

        Returns
        -------
        Agent
            It goes on where the other one was, random numbers included.

        Raises
        ------
        DumpError
            If the text is damaged, foreign or of another version.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
        >>> fb.Agent.load(agent.dump()).ask() == agent.ask()
        True
        """
        agent: Self = snapshot.restored(cls, unseal(text), policy, clock, compiled)
        return agent

    def __copy__(self) -> Self:
        choice = self._learner.steps.choice
        return self.load(self.dump(), self._own_module(), self._times.given, choice)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the dump, with the name of the policy's module if it is one's own."""
        module = self._own_module()
        name = None if module is None else module.__name__
        if module is not None and sys.modules.get(module.__name__) is not module:
            raise pickle.PicklingError(
                f"the agent's policy is the module {name!r}, which cannot be imported by that "
                "name, so that no other process would find it; save the agent by dump() and give "
                "the module to Agent.load(text, policy=module)"
            )
        choice = self._learner.steps.choice
        return _unpickled, (type(self), self.dump(), name, self._times.given, choice)

    def _own_module(self) -> types.ModuleType | None:
        module: types.ModuleType = self._policy.module
        return module if snapshot.is_own(module) else None


def _unpickled(
    kind: type[Saving],
    text: str,
    module: str | None,
    clock: Clock | None,
    compiled: Form = "auto",  # where it was pickled by an earlier version
) -> Saving:
    """The agent that `__reduce__` described; its policy is imported by name."""
    if module is None:
        return kind.load(text, None, clock, compiled)
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise DumpError(
            f"the agent's policy is the module {module!r}, which cannot be imported here: {error}"
        ) from error
    return kind.load(text, found, clock, compiled)
