"""`DurableAgent`: an agent whose every decision and reward is on the disk before anybody hears."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Any, Self, TypeVar, overload

import numpy as np

from factored_bandits.agent import Agent, Decision
from factored_bandits.agent.expiry import checked_age
from factored_bandits.errors import InvalidInputError, StoreError

from .comparison import HoldoutReport, holdout_report
from .engine import Ask, Control, Engine, Expire, Handle, Read, Request, Tell
from .knowledge import StoredKnowledge
from .units import hashed

T = TypeVar("T")


class DurableAgent(StoredKnowledge):
    """An agent with a database behind it; made by `fb.open`.

    It has the methods of `Agent`. A call returns when what it did is on the disk; a program that
    is killed goes on from there. Threads may share it.

    Parameters
    ----------
    engine
        What serves the experiments of its database.
    handle
        The experiment.
    timeout
        For how many seconds a call tries again while the database cannot be used.
    release
        Called once, by `close`.

    Examples
    --------
    >>> import tempfile, factored_bandits as fb
    >>> folder = tempfile.TemporaryDirectory()
    >>> arguments = {"key": "home", "factors": {"colour": ["red", "blue"]}, "seed": 3}
    >>> with fb.open(f"{folder.name}/shop.db", **arguments) as agent:
    ...     decision = agent.ask(unit="visitor 7")
    >>> with fb.open(f"{folder.name}/shop.db", **arguments) as agent:
    ...     agent.ask(unit="visitor 7") == decision, agent.tell(decision.id, 1.0)
    (True, 'accepted')
    >>> folder.cleanup()
    """

    def __init__(
        self, engine: Engine, handle: Handle, timeout: float, release: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._handle = handle
        self._timeout = timeout
        self._release: Callable[[], None] | None = release

    @property
    def key(self) -> str:
        """The name of the experiment.

        Returns
        -------
        str
            As it was given to `fb.open`.
        """
        return self._handle.key

    def _call(self, request: Request) -> Any:
        if self._release is None:
            raise StoreError(f"the agent {self.key!r} is closed")
        request.deadline = time.monotonic() + self._timeout
        return self._engine.call(self._handle.id, request)

    def _read(self, look: Callable[[Agent[Any]], T]) -> T:
        found: T = self._call(Read(look=look))
        return found

    # ------------------------------------------------------------ decisions and rewards

    def ask(self, unit: str | int | None = None, *, idempotency_key: str | None = None) -> Decision:
        """Say what to play next; it is on the disk before this returns.

        Parameters
        ----------
        unit
            For whom: the same unit has the same decision, however often it asks. A hash of it is
            kept, not itself.
        idempotency_key
            Of this call: with the same key it is the same decision, so that a call of which the
            answer was lost can be repeated.

        Returns
        -------
        Decision
            The levels to play, under an id that `tell` takes.

        Raises
        ------
        ExperimentError
            If the experiment is paused or stopped, or too many decisions are open.
        StoreError
            If the database cannot be used.

        Examples
        --------
        >>> import tempfile, factored_bandits as fb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with fb.open(f"{folder}/shop.db", key="home", arms=["A", "B"]) as agent:
        ...         agent.ask("Ada") == agent.ask("Ada"), agent.ask("Bob").id
        (True, 2)
        """
        secret = self._engine.secret
        key = hashed(secret, "idempotency key", idempotency_key)
        decision: Decision = self._call(Ask(unit=hashed(secret, "unit", unit), idem=key))
        return decision

    def tell(self, id: int, reward: float | Mapping[str, float] | Sequence[float]) -> str:
        """Tell the reward of a decision; it is on the disk before this returns.

        Parameters
        ----------
        id
            The id of the decision.
        reward
            The reward, as for `Agent.tell`.

        Returns
        -------
        str
            "accepted"; "duplicate" if the same reward was told before, which changes nothing; or
            "late" if the decision had expired: the reward is kept and not learned.

        Raises
        ------
        DecisionError
            If the id was never given out, or another reward was told before.
        RewardOutOfRangeError
            If the reward is not a number of the declared range.

        Examples
        --------
        >>> import tempfile, factored_bandits as fb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with fb.open(f"{folder}/shop.db", key="home", arms=["A", "B"]) as agent:
        ...         agent.tell(agent.ask().id, 1), agent.tell(1, 1)
        ('accepted', 'duplicate')
        """
        outcome: str = self._call(Tell(decision=_whole(id), reward=reward))
        return outcome

    def tell_unit(
        self, unit: str | int, reward: float | Mapping[str, float] | Sequence[float]
    ) -> str:
        """Tell the reward of the decision that a unit has.

        Parameters
        ----------
        unit
            Whose decision, as it was given to `ask`.
        reward
            The reward, as for `Agent.tell`.

        Returns
        -------
        str
            As `tell`.

        Raises
        ------
        DecisionError
            If the unit has no decision, or another reward was told before.

        Examples
        --------
        >>> import tempfile, factored_bandits as fb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with fb.open(f"{folder}/shop.db", key="home", arms=["A", "B"]) as agent:
        ...         _ = agent.ask("Ada")
        ...         agent.tell_unit("Ada", 1)
        'accepted'
        """
        hash = hashed(self._engine.secret, "unit", unit)
        outcome: str = self._call(Tell(unit=hash, reward=reward))
        return outcome

    @overload
    def expire(self, id: int) -> None: ...

    @overload
    def expire(self, *, older_than: int | timedelta) -> tuple[int, ...]: ...

    def expire(
        self, id: int | None = None, *, older_than: int | timedelta | None = None
    ) -> tuple[int, ...] | None:
        """Settle decisions for which no answer came, with the default reward.

        With `ttl` this happens by itself.

        Parameters
        ----------
        id
            The id of one decision.
        older_than
            An age: a number of rounds, or a `datetime.timedelta`.

        Returns
        -------
        tuple of int, or None
            With `older_than` the ids that expired.

        Raises
        ------
        DecisionError
            If the id was never given out, or is settled.
        InvalidInputError
            If there is no default reward.

        Examples
        --------
        >>> import tempfile, factored_bandits as fb
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with fb.open(f"{folder}/shop.db", key="home", arms=["A", "B"]) as agent:
        ...         agent.expire(agent.ask().id)
        ...         agent.waiting
        ()
        """
        if older_than is None:
            self._call(Expire(decision=_whole(id)))
            return None
        if id is not None:
            raise InvalidInputError("expire takes an id or older_than=..., not both")
        age = checked_age("older_than", older_than, 0)
        expired: tuple[int, ...] = self._call(Expire(older_than=age))
        return expired

    def learn(self) -> int:
        """Learn all blocks that are complete; the next `ask` would do that as well.

        Returns
        -------
        int
            0: everything is learned already when anybody looks.
        """
        return self._read(lambda agent: agent.learn())

    def pause(self, reason: str) -> None:
        """Give out no decisions until `resume`; rewards are still taken.

        Parameters
        ----------
        reason
            Why; those who ask are told.
        """
        self._call(Control(kind="pause", reason=str(reason)))

    def resume(self) -> None:
        """Give out decisions again."""
        self._call(Control(kind="resume"))

    def stop(self) -> None:
        """Give out no decisions any more; rewards are still taken."""
        self._call(Control(kind="stop"))

    # ------------------------------------------------------------ what only it knows

    @property
    def factors(self) -> dict[str, list[Any]]:
        """The levels of each factor; in duels of both positions.

        Returns
        -------
        dict
            Lists of labels by factor.
        """
        return self._handle.config.factors

    def holdout(self) -> HoldoutReport:
        """Compare the rewards of the holdout with those of the units that the agent decides for.

        Returns
        -------
        HoldoutReport
            Both means with their standard errors; print it.

        Raises
        ------
        InvalidInputError
            If the experiment was made without `holdout`.

        Examples
        --------
        >>> import tempfile, factored_bandits as fb
        >>> arguments = {"key": "home", "factors": {"colour": ["red", "blue"]}, "holdout": 0.5}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with fb.open(f"{folder}/shop.db", baseline={"colour": "red"}, **arguments) as agent:
        ...         for visitor in range(50):
        ...             _ = agent.tell(agent.ask(visitor).id, 1.0)
        ...         report = agent.holdout()
        >>> report.held.settled + report.rest.settled, report.held.mean
        (50, 1.0)
        """
        report: HoldoutReport = self._call(Read(look=holdout_report, whole=True))
        return report

    # ------------------------------------------------------------ the end

    def close(self) -> None:
        """Give the database back; can be called twice. Nothing is lost without it."""
        release = self._release
        self._release = None
        if release is not None:
            release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        closed = ", closed" if self._release is None else ""
        return f"<DurableAgent {self.key!r} in {self._engine.store.name!r}{closed}>"


def _whole(id: Any) -> Any:
    return int(id) if isinstance(id, np.integer) else id
