"""What a provider needs of an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from factored_bandits.agent import Decision, Status
from factored_bandits.agent.labels import Label

if TYPE_CHECKING:
    from typing_extensions import TypeIs  # of typing from Python 3.13 on; only for the checker


class AgentLike(Protocol):
    """What a provider needs of an agent: these methods of `Agent`, with the same meaning.

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


class UnitAgentLike(Protocol):
    """What a provider needs of an agent that itself remembers who has which decision.

    Those of `fb.open` and `fb.connect` do: in their database a unit has one decision for ever.

    Examples
    --------
    >>> import tempfile
    >>> import factored_bandits as fb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with fb.open(f"{folder}/shop.db", key="home", arms=["A", "B"]) as agent:
    ...         unit_agent: UnitAgentLike = agent
    ...         unit_agent.ask("Ada") == unit_agent.ask("Ada")
    True
    """

    @property
    def factors(self) -> Mapping[str, Sequence[Label]]:
        """The levels of each factor; in duels of both positions.

        Returns
        -------
        dict
            Lists of labels by factor.
        """

    def ask(self, unit: str) -> Decision:
        """Say what to play for a unit; the same again is the same decision.

        Parameters
        ----------
        unit
            For whom.

        Returns
        -------
        Decision
            The levels to play, under an id.
        """

    def tell(self, id: int, reward: Any) -> str:
        """Tell the reward of a decision.

        Parameters
        ----------
        id
            The id of the decision.
        reward
            Its reward.

        Returns
        -------
        str
            What became of it.
        """

    def tell_unit(self, unit: str, reward: Any) -> str:
        """Tell the reward of the decision that a unit has.

        Parameters
        ----------
        unit
            Whose decision.
        reward
            Its reward.

        Returns
        -------
        str
            What became of it.
        """


def keeps_units(agent: AgentLike | UnitAgentLike) -> TypeIs[UnitAgentLike]:
    """Whether an agent remembers by itself who has which decision."""
    return hasattr(agent, "tell_unit")
