"""What a provider needs of an agent."""

from __future__ import annotations

from typing import Any, Protocol

from factored_bandits.agent import Decision, Status


class AgentLike(Protocol):
    """What a provider needs of an agent: these methods of `Agent`, with the same meaning.

    An agent on disk or the client of a service has them too.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent: AgentLike = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
    >>> agent.ask().levels
    {'colour': 'red'}
    """

    def ask(self) -> Decision:
        """Say what to play next.

        Returns
        -------
        Decision
            The levels to play, under an id.
        """

    def tell(self, id: int, reward: Any) -> None:
        """Tell the reward of a decision; a `DecisionError` if it is settled or unknown.

        Parameters
        ----------
        id
            The id of the decision.
        reward
            Its reward.
        """

    def expire(self, id: int) -> Any:
        """Settle a decision for which no answer came.

        Parameters
        ----------
        id
            The id of the decision.

        Returns
        -------
        object
            Not looked at.
        """

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

    def best(self) -> Any:
        """Give the best action as far as is known.

        Returns
        -------
        dict or label
            A label per factor; for duels the label of an arm.
        """

    def status(self) -> Status:
        """Report what is known of every level.

        Returns
        -------
        Status
            Its rows name the factors and their levels.
        """
