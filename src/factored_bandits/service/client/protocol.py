"""What a client of the service says, and how it takes the answers; it sends nothing itself.

An exchange is a generator. It yields what is to be done, a `Call` to send or a number of seconds to
wait, and is sent the answer of the call or the error of the transport. Whoever drives it waits as
it likes: one client blocks its thread, the other one suspends a coroutine.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from factored_bandits.agent import Decision
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
from factored_bandits.service.config import factors_of

LOGGER = logging.getLogger("factored_bandits.service")
PAUSE = 0.05  # seconds before a call is repeated; doubled each time
LONGEST_PAUSE = 2.0
LONGEST_ANSWER = 15.0  # seconds; the service itself gives up after ten
AGAIN = (429, 502, 503, 504)  # answers after which the same call is worth repeating
NOT_LEARNED = 0  # the id of a decision that the service made without its database
MOST_AT_ONCE = 500  # rewards of the background queue in one request
KINDS: dict[int, type[Exception]] = {
    401: InvalidInputError,
    403: InvalidInputError,
    404: UnknownNameError,
    409: ExperimentError,
}

T = TypeVar("T")
Reward = float | Mapping[str, float] | Sequence[float]


class Call(NamedTuple):
    """A request; the same one again does no harm."""

    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = {}  # noqa: RUF012 (nobody changes it)


Exchange = Generator[Call | float, Any, T]


def library() -> Any:
    """httpx2, which sends the requests."""
    try:
        import httpx2
    except ImportError:
        raise MissingExtraError.of("httpx2", "serve", "fb.connect") from None
    return httpx2


class Protocol:
    """The exchanges about one experiment.

    Parameters
    ----------
    url
        Where the service listens, for messages.
    experiment
        The key of the experiment.
    timeout
        For how many seconds a call is repeated while nobody answers.
    """

    def __init__(self, url: str, experiment: str, timeout: float) -> None:
        self._url = url
        self._experiment = experiment
        self._timeout = timeout

    def path(self, rest: str = "") -> str:
        """Of the experiment."""
        return f"/v1/experiments/{quote(self._experiment, safe='')}{rest}"

    def call(self, call: Call, until: Callable[[], float] | None = None) -> Exchange[Any]:
        """The content of the answer; the same call again while nobody answers.

        `until` gives the time of `time.monotonic` at which to give up.
        """
        end = time.monotonic() + self._timeout
        pause = PAUSE
        while True:
            answer = yield call
            if isinstance(answer, Exception):
                why = f"{type(answer).__name__}: {answer}"
            elif answer.status_code not in AGAIN:
                return _content(answer)
            else:
                why = _detail(answer)
            if time.monotonic() + pause > (end if until is None else until()):
                raise StoreError(f"the service {self._url} does not answer: {why}")
            yield pause
            pause = min(2 * pause, LONGEST_PAUSE)

    def ask(self, unit: str | None) -> Exchange[Decision]:
        """A decision; an anonymous one has an idempotency key, by which it can be repeated."""
        body = {} if unit is None else {"units": [unit]}
        headers = {"Idempotency-Key": secrets.token_hex(12)} if unit is None else {}
        said = yield from self.call(Call("POST", self.path("/decisions"), body, headers))
        made = said["decisions"][0]
        return Decision(
            made["id"] or NOT_LEARNED, tuple(made["action"]), made["levels"], made["propensity"]
        )

    def item(self, named: dict[str, Any], reward: Reward) -> dict[str, Any]:
        """A reward as it is sent; its decision is named by its id or by its unit."""
        value = dict(reward) if isinstance(reward, Mapping) else reward
        return {"experiment": self._experiment, **named, "reward": value}

    def tell(self, item: dict[str, Any]) -> Exchange[str]:
        """What became of a reward."""
        body = {"rewards": [item]}
        said = yield from self.call(Call("POST", "/v1/rewards", body))
        found = said["outcomes"][0]
        outcome: str = found["outcome"]
        if outcome in ("unknown", "conflict"):
            raise DecisionError(found["detail"])
        if outcome == "refused":
            raise RewardOutOfRangeError(found["detail"])
        return outcome

    def deliver(self, rewards: list[dict[str, Any]], until: Callable[[], float]) -> Exchange[None]:
        """Send rewards of the queue; one that is refused does not keep the others from it."""
        try:
            yield from self.call(Call("POST", "/v1/rewards", {"rewards": rewards}), until)
        except StoreError as error:
            LOGGER.warning("%d queued rewards were not sent: %s", len(rewards), error)
        except FactoredBanditsError as error:
            if len(rewards) == 1:
                LOGGER.warning("a queued reward was refused: %s", error)
                return
            for each in rewards:
                yield from self.deliver([each], until)

    def status(self) -> Exchange[dict[str, Any]]:
        """What the agent knows."""
        found: dict[str, Any] = yield from self.call(Call("GET", self.path("/status")))
        return found

    def factors(self) -> Exchange[dict[str, list[Any]]]:
        """The levels of each factor."""
        found = yield from self.call(Call("GET", self.path()))
        return factors_of(found["configuration"])

    def control(self, verb: str, reason: str | None = None) -> Exchange[None]:
        """Pause, resume or stop."""
        body = None if reason is None else {"reason": reason}
        yield from self.call(Call("POST", self.path(f"/{verb}"), body))


def _content(answer: Any) -> Any:
    if answer.status_code < 400:
        return answer.json()
    raise KINDS.get(answer.status_code, InvalidInputError)(_detail(answer))


def _detail(answer: Any) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, LookupError, TypeError):
        return f"status {answer.status_code}"
