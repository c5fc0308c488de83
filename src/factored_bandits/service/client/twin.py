"""`fb.connect_async`: the twin of `fb.connect` for coroutines."""

from __future__ import annotations

import asyncio
import math
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


async def connect_async(
    url: str, *, key: str, experiment: str, timeout: float = 30.0
) -> AsyncRemoteAgent:
    """Use an experiment that a service keeps, from coroutines.

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
    AsyncRemoteAgent
        It has the methods of `RemoteAgent`, to be awaited; close it, or use it in an `async with`
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
    >>> import asyncio, factored_bandits as fb
    >>> address = "http://127.0.0.1:9"  # where nobody listens
    >>> connecting = fb.connect_async(address, key="fb_...", experiment="home", timeout=0.1)
    >>> asyncio.run(connecting)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    factored_bandits.errors.StoreError: the service http://127.0.0.1:9 does not answer: ...
    """
    agent = AsyncRemoteAgent(url, key, experiment, finite("timeout", timeout))
    try:
        await agent.status()
    except BaseException:
        await agent.close()
        raise
    return agent


class AsyncRemoteAgent:
    """An agent that a service keeps, for the coroutines of one event loop.

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
    >>> import asyncio
    >>> async def visit():
    ...     async with AsyncRemoteAgent("http://127.0.0.1:9", "fb_...", "home", 0.1) as agent:
    ...         return await agent.tell(1, 1.0, wait=False)  # nobody listens
    >>> asyncio.run(visit())
    'queued'
    """

    def __init__(self, url: str, key: str, experiment: str, timeout: float) -> None:
        httpx2 = library()
        self._timeout = timeout
        self._lost: tuple[type[Exception], ...] = (httpx2.TransportError,)
        self._client = httpx2.AsyncClient(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=LONGEST_ANSWER
        )
        self._protocol = Protocol(str(self._client.base_url), experiment, timeout)
        self._later: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._sender: asyncio.Task[None] | None = None
        self._end = math.inf  # of the background, by `time.monotonic`

    async def _run(self, exchange: Exchange[T]) -> T:
        """Do what an exchange wants done, and let others run meanwhile."""
        answer: Any = None
        while True:
            try:
                wanted = exchange.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(wanted, float):
                await asyncio.sleep(wanted)
                continue
            try:
                answer = await self._client.request(
                    wanted.method, wanted.path, json=wanted.body, headers=wanted.headers
                )
            except self._lost as error:
                answer = error

    async def ask(self, unit: str | None = None) -> Decision:
        """Say what to play next; a call whose answer is lost is repeated with the same result.

        Parameters
        ----------
        unit
            For whom: the same unit has the same decision.

        Returns
        -------
        Decision
            As `RemoteAgent.ask`.
        """
        return await self._run(self._protocol.ask(unit))

    async def tell(self, id: int, reward: Reward, *, wait: bool = True) -> str:
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
            As `RemoteAgent.tell`.

        Raises
        ------
        DecisionError
            If the id was never given out, or another reward was told before.
        RewardOutOfRangeError
            If the reward is not a number of the declared range.
        """
        if id == NOT_LEARNED:
            return "not learned"
        return await self._told({"decision": id}, reward, wait)

    async def tell_unit(self, unit: str, reward: Reward, *, wait: bool = True) -> str:
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
        return await self._told({"unit": unit}, reward, wait)

    async def _told(self, named: dict[str, Any], reward: Reward, wait: bool) -> str:
        item = self._protocol.item(named, reward)
        if wait:
            return await self._run(self._protocol.tell(item))
        self._later.put_nowait(item)
        if self._sender is None:
            self._sender = asyncio.create_task(self._send())
        return "queued"

    async def _send(self) -> None:
        """Send what is queued, many at a time, until the end of the queue."""
        ended = False
        while not ended:
            items = [await self._later.get()]
            while len(items) < MOST_AT_ONCE and not self._later.empty():
                items.append(self._later.get_nowait())
            ended = None in items
            rewards = [item for item in items if item is not None]
            if rewards:
                # nobody waits for the background, until `close` does
                await self._run(self._protocol.deliver(rewards, lambda: self._end))

    async def factors(self) -> dict[str, list[Any]]:
        """Give the levels of each factor; in duels of both positions.

        Returns
        -------
        dict
            Lists of labels by factor.
        """
        return await self._run(self._protocol.factors())

    async def status(self) -> dict[str, Any]:
        """Report what the agent knows of every level.

        Returns
        -------
        dict
            As the service sends it.
        """
        return await self._run(self._protocol.status())

    async def best(self) -> Any:
        """Give the best action as far as is known.

        Returns
        -------
        dict or label
            A label per factor; for duels the label of an arm.
        """
        return (await self.status())["best"]

    async def confidence(self) -> float | None:
        """Say how sure it is that the winner is the best.

        Returns
        -------
        float or None
            As `Agent.confidence`.
        """
        found: float | None = (await self.status())["confidence"]
        return found

    async def pause(self, reason: str) -> None:
        """Give out no decisions until `resume`; rewards are still taken.

        Parameters
        ----------
        reason
            Why; those who ask are told.
        """
        await self._run(self._protocol.control("pause", reason))

    async def resume(self) -> None:
        """Give out decisions again."""
        await self._run(self._protocol.control("resume"))

    async def stop(self) -> None:
        """Give out no decisions any more."""
        await self._run(self._protocol.control("stop"))

    async def close(self) -> None:
        """Wait until the queued rewards are sent, for `timeout` seconds at most, and disconnect."""
        if self._sender is not None:
            self._end = time.monotonic() + self._timeout
            self._later.put_nowait(None)
            await self._sender
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
