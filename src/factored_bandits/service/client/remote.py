"""`fb.connect`: the methods of an agent that a service keeps."""

from __future__ import annotations

import math
import queue
import threading
import time
from types import TracebackType
from typing import Any, Self, TypeVar

from factored_bandits.agent import Decision
from factored_bandits.core.checks import finite

from .protocol import (
    LONGEST_ANSWER,
    MOST_AT_ONCE,
    NOT_LEARNED,
    Exchange,
    Protocol,
    Reward,
    library,
)

T = TypeVar("T")


def connect(url: str, *, key: str, experiment: str, timeout: float = 30.0) -> RemoteAgent:
    """Use an experiment that a service keeps, as if its agent were here.

    Parameters
    ----------
    url
        Where the service listens, such as "http://127.0.0.1:8000".
    key
        A key of the service with the role write; with the role admin, `pause` and the like work.
    experiment
        The key of the experiment.
    timeout
        For how many seconds a call tries again while the service cannot be reached.

    Returns
    -------
    RemoteAgent
        It has the methods of `Agent` that a client needs; close it, or use it in a `with`
        statement.

    Raises
    ------
    UnknownNameError
        If the service has no such experiment.
    InvalidInputError
        If the key is not one of the service.
    StoreError
        If the service cannot be reached in time.
    MissingExtraError
        If httpx2 is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> address = "http://127.0.0.1:9"  # where nobody listens
    >>> fb.connect(address, key="fb_...", experiment="home", timeout=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    factored_bandits.errors.StoreError: the service http://127.0.0.1:9 does not answer: ...
    """
    agent = RemoteAgent(url, key, experiment, finite("timeout", timeout))
    try:
        agent.status()
    except BaseException:
        agent.close()
        raise
    return agent


class RemoteAgent:
    """An agent that a service keeps; made by `fb.connect`. Threads may share it.

    Parameters
    ----------
    url
        Where the service listens.
    key
        A key of the service.
    experiment
        The key of the experiment.
    timeout
        For how many seconds a call tries again while the service cannot be reached.

    Examples
    --------
    >>> with RemoteAgent("http://127.0.0.1:9", "fb_...", "home", 0.1) as agent:  # nobody listens
    ...     agent.tell(1, 1.0, wait=False)
    'queued'
    """

    def __init__(self, url: str, key: str, experiment: str, timeout: float) -> None:
        httpx2 = library()
        self._timeout = timeout
        self._lost: tuple[type[Exception], ...] = (httpx2.TransportError,)
        self._client = httpx2.Client(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=LONGEST_ANSWER
        )
        self._protocol = Protocol(str(self._client.base_url), experiment, timeout)
        self._later: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._sender: threading.Thread | None = None
        self._starting = threading.Lock()
        self._end = math.inf  # of the background, by `time.monotonic`

    def _run(self, exchange: Exchange[T]) -> T:
        """Do what an exchange wants done, and wait for it."""
        answer: Any = None
        while True:
            try:
                wanted = exchange.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(wanted, float):
                time.sleep(wanted)
                continue
            try:
                answer = self._client.request(
                    wanted.method, wanted.path, json=wanted.body, headers=wanted.headers
                )
            except self._lost as error:
                answer = error

    def ask(self, unit: str | None = None) -> Decision:
        """Say what to play next; a call whose answer is lost is repeated with the same result.

        Parameters
        ----------
        unit
            For whom: the same unit has the same decision.

        Returns
        -------
        Decision
            The levels to play, under an id that `tell` takes. While the service cannot reach its
            database: the best as far as is known, with the id 0; no reward is learned for it.
        """
        return self._run(self._protocol.ask(unit))

    def tell(self, id: int, reward: Reward, *, wait: bool = True) -> str:
        """Tell the reward of a decision.

        Parameters
        ----------
        id
            The id of the decision.
        reward
            The reward, as for `Agent.tell`.
        wait
            False: return at once, and send it in the background, again and again until the
            service has taken it; `close` waits for that.

        Returns
        -------
        str
            "accepted", "duplicate" or "late", as `DurableAgent.tell`; "queued" without waiting;
            "not learned" for the id 0, which is sent to nobody.

        Raises
        ------
        DecisionError
            If the id was never given out, or another reward was told before.
        RewardOutOfRangeError
            If the reward is not a number of the declared range.
        """
        if id == NOT_LEARNED:
            return "not learned"
        return self._told({"decision": id}, reward, wait)

    def tell_unit(self, unit: str, reward: Reward, *, wait: bool = True) -> str:
        """Tell the reward of the decision that a unit has.

        Parameters
        ----------
        unit
            Whose decision, as it was given to `ask`.
        reward
            The reward, as for `Agent.tell`.
        wait
            As for `tell`.

        Returns
        -------
        str
            As `tell`.

        Raises
        ------
        DecisionError
            If the unit has no decision, or another reward was told before.
        RewardOutOfRangeError
            If the reward is not a number of the declared range.
        """
        return self._told({"unit": unit}, reward, wait)

    def _told(self, named: dict[str, Any], reward: Reward, wait: bool) -> str:
        item = self._protocol.item(named, reward)
        if wait:
            return self._run(self._protocol.tell(item))
        self._later.put(item)
        self._start()
        return "queued"

    def _start(self) -> None:
        with self._starting:
            if self._sender is None:
                self._sender = threading.Thread(target=self._send, daemon=True)
                self._sender.start()

    def _send(self) -> None:
        """Send what is queued, many at a time, until the end of the queue."""
        ended = False
        while not ended:
            items = [self._later.get()]
            while len(items) < MOST_AT_ONCE and not self._later.empty():
                items.append(self._later.get())
            ended = None in items
            rewards = [item for item in items if item is not None]
            if rewards:
                # nobody waits for the background, until `close` does
                self._run(self._protocol.deliver(rewards, lambda: self._end))

    @property
    def factors(self) -> dict[str, list[Any]]:
        """The levels of each factor; in duels of both positions.

        Returns
        -------
        dict
            Lists of labels by factor.
        """
        return self._run(self._protocol.factors())

    def status(self) -> dict[str, Any]:
        """Report what the agent knows of every level.

        Returns
        -------
        dict
            As the service sends it.
        """
        return self._run(self._protocol.status())

    def best(self) -> Any:
        """Give the best action as far as is known.

        Returns
        -------
        dict or label
            A label per factor; for duels the label of an arm.
        """
        return self.status()["best"]

    def confidence(self) -> float | None:
        """Say how sure it is that the winner is the best.

        Returns
        -------
        float or None
            As `Agent.confidence`.
        """
        found: float | None = self.status()["confidence"]
        return found

    def pause(self, reason: str) -> None:
        """Give out no decisions until `resume`; rewards are still taken.

        Parameters
        ----------
        reason
            Why; those who ask are told.
        """
        self._run(self._protocol.control("pause", reason))

    def resume(self) -> None:
        """Give out decisions again."""
        self._run(self._protocol.control("resume"))

    def stop(self) -> None:
        """Give out no decisions any more."""
        self._run(self._protocol.control("stop"))

    def close(self) -> None:
        """Wait until the queued rewards are sent, for `timeout` seconds at most, and disconnect."""
        if self._sender is not None:
            self._end = time.monotonic() + self._timeout
            self._later.put(None)
            self._sender.join()
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
