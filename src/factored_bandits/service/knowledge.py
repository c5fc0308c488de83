"""What a durable agent knows: each question goes to the agent that the log makes."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, TypeVar

from factored_bandits.agent import Agent, Diagnosis, Status
from factored_bandits.core.checks import probability
from factored_bandits.inference.evidence import Evidence
from factored_bandits.policies import Policy

T = TypeVar("T")


class StoredKnowledge(abc.ABC):
    """The methods of `Agent` that only look; `DurableAgent` has them."""

    @abc.abstractmethod
    def _read(self, look: Callable[[Agent[Any]], T]) -> T:
        """Look at the agent when everything that is complete is learned."""

    @property
    def policy(self) -> Policy:
        """The policy with its parameters.

        Returns
        -------
        Policy
            The one that the experiment began with, whatever the default is now.
        """
        return self._read(lambda agent: agent.policy)

    @property
    def waiting(self) -> tuple[int, ...]:
        """The ids that were given out and are neither answered nor expired, oldest first.

        Returns
        -------
        tuple of int
            As `Agent.waiting`.
        """
        return self._read(lambda agent: agent.waiting)

    @property
    def backlog(self) -> int:
        """How many rounds were given out and are not learned.

        Returns
        -------
        int
            As `Agent.backlog`.
        """
        return self._read(lambda agent: agent.backlog)

    def is_waiting(self, id: int) -> bool:
        """Say whether a decision was given out and is neither answered nor expired.

        Parameters
        ----------
        id
            The id of the decision.

        Returns
        -------
        bool
            Whether `tell` would take its reward.
        """
        return self._read(lambda agent: agent.is_waiting(id))

    def best(self) -> Any:
        """Give the best action as far as is known.

        Returns
        -------
        dict or label
            A label per factor; for duels the label of an arm.
        """
        return self._read(lambda agent: agent.best())

    def evidence(self) -> Evidence:
        """Give what `fb.certificate` rests on: an anytime-valid p-value per level.

        Returns
        -------
        Evidence
            As `Agent.evidence`.

        Raises
        ------
        InvalidInputError
            If nothing is proved: the message says why.
        """
        return self._read(lambda agent: agent.evidence())

    def confidence(self) -> float | None:
        """Say how sure it is that the winner is the best: the confidence of the certificate.

        Returns
        -------
        float or None
            `fb.certificate(agent).confidence`; None where the policy proves nothing.
        """
        return self._read(lambda agent: agent.confidence())

    def status(self) -> Status:
        """Report what is known of every level.

        Returns
        -------
        Status
            As `Agent.status`; print it.
        """
        return self._read(lambda agent: agent.status())

    def diagnose(self, alpha: float = 0.05) -> Diagnosis:
        """Test whether each factor has a best level at all, or that depends on the others.

        Parameters
        ----------
        alpha
            The probability of a false alarm.

        Returns
        -------
        Diagnosis
            As `Agent.diagnose`; print it.
        """
        level = probability("alpha", alpha)
        return self._read(lambda agent: agent.diagnose(level))

    def dump(self) -> str:
        """Give the agent as text, for `Agent.load`: a copy that goes on in memory.

        Returns
        -------
        str
            JSON on one line, with the times of open decisions.
        """
        return self._read(lambda agent: agent.dump())
