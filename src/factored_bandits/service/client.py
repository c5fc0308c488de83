"""`fb.connect`: the methods of an agent that a service keeps."""

from __future__ import annotations

import logging
import math
import queue
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from factored_bandits.agent import Decision
from factored_bandits.core.checks import finite
from factored_bandits.errors import (
    DecisionError,
    ExperimentError,
    FactoredBanditsError,
    InvalidInputError,
    MissingExtraError,
    RewardOutOfRangeError,
    StoreError,
    UnknownNameError,
)

from .config import factors_of

LOGGER = logging.getLogger("factored_bandits.service")
PAUSE = 0.05  # seconds before a call is repeated; doubled each time
LONGEST_PAUSE = 2.0
AGAIN = (429, 502, 503, 504)  # answers after which the same call is worth repeating
NOT_LEARNED = 0  # the id of a decision that the service made without its database
MOST_AT_ONCE = 500  # rewards of the background queue in one request
KINDS: dict[int, type[Exception]] = {
    401: InvalidInputError,
    403: InvalidInputError,
    404: UnknownNameError,
    409: ExperimentError,
}


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
        try:
            import httpx2
        except ImportError:
            raise MissingExtraError.of("httpx2", "serve", "fb.connect") from None

        self._experiment = experiment
        self._timeout = timeout
        self._lost: tuple[type[Exception], ...] = (httpx2.TransportError,)
        self._client = httpx2.Client(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=10.0
        )
        self._later: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._sender: threading.Thread | None = None
        self._starting = threading.Lock()
        self._end = math.inf  # of the background, by `time.monotonic`

    def _call(
        self,
        method: str,
        path: str,
        body: Any = None,
        key: str | None = None,
        *,
        background: bool = False,
    ) -> Any:
        """The answer; the same call again while nobody answers, which does no harm."""
        until = time.monotonic() + self._timeout
        headers = {} if key is None else {"Idempotency-Key": key}
        pause = PAUSE
        while True:
            try:
                answer = self._client.request(method, path, json=body, headers=headers)
                if answer.status_code not in AGAIN:
                    return _content(answer)
                why = _detail(answer)
            except self._lost as error:
                why = f"{type(error).__name__}: {error}"
            # nobody waits for the background, until `close` does
            if time.monotonic() + pause > (self._end if background else until):
                raise StoreError(f"the service {self._client.base_url} does not answer: {why}")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _path(self, rest: str = "") -> str:
        from urllib.parse import quote

        return f"/v1/experiments/{quote(self._experiment, safe='')}{rest}"

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
        body = {} if unit is None else {"units": [unit]}
        key = secrets.token_hex(12) if unit is None else None
        made = self._call("POST", self._path("/decisions"), body, key)["decisions"][0]
        return Decision(
            made["id"] or NOT_LEARNED, tuple(made["action"]), made["levels"], made["propensity"]
        )

    def tell(
        self,
        id: int,
        reward: float | Mapping[str, float] | Sequence[float],
        *,
        wait: bool = True,
    ) -> str:
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

    def tell_unit(
        self,
        unit: str,
        reward: float | Mapping[str, float] | Sequence[float],
        *,
        wait: bool = True,
    ) -> str:
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

    def _told(self, named: dict[str, Any], reward: Any, wait: bool) -> str:
        value = dict(reward) if isinstance(reward, Mapping) else reward
        item = {"experiment": self._experiment, **named, "reward": value}
        if not wait:
            self._later.put(item)
            self._start()
            return "queued"

        found = self._call("POST", "/v1/rewards", {"rewards": [item]})["outcomes"][0]
        outcome: str = found["outcome"]
        if outcome in ("unknown", "conflict"):
            raise DecisionError(found["detail"])
        if outcome == "refused":
            raise RewardOutOfRangeError(found["detail"])
        return outcome

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
                self._deliver(rewards)

    def _deliver(self, rewards: list[dict[str, Any]]) -> None:
        """Send rewards; one that the service refuses does not keep the others from it."""
        try:
            self._call("POST", "/v1/rewards", {"rewards": rewards}, background=True)
        except StoreError as error:
            LOGGER.warning("%d queued rewards were not sent: %s", len(rewards), error)
        except FactoredBanditsError as error:
            if len(rewards) == 1:
                LOGGER.warning("a queued reward was refused: %s", error)
                return
            for each in rewards:
                self._deliver([each])

    @property
    def factors(self) -> dict[str, list[Any]]:
        """The levels of each factor; in duels of both positions.

        Returns
        -------
        dict
            Lists of labels by factor.
        """
        return factors_of(self._call("GET", self._path())["configuration"])

    def status(self) -> dict[str, Any]:
        """Report what the agent knows of every level.

        Returns
        -------
        dict
            As the service sends it.
        """
        found: dict[str, Any] = self._call("GET", self._path("/status"))
        return found

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
        self._call("POST", self._path("/pause"), {"reason": reason})

    def resume(self) -> None:
        """Give out decisions again."""
        self._call("POST", self._path("/resume"))

    def stop(self) -> None:
        """Give out no decisions any more."""
        self._call("POST", self._path("/stop"))

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


def _content(answer: Any) -> Any:
    if answer.status_code < 400:
        return answer.json()
    raise KINDS.get(answer.status_code, InvalidInputError)(_detail(answer))


def _detail(answer: Any) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, LookupError, TypeError):
        return f"status {answer.status_code}"
