"""When to try again: how long to wait after a failure, and which failures no retry heals."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from factored_bandits.core.checks import finite, integer, shown
from factored_bandits.errors import InvalidInputError

LONGEST_WAIT = 60.0  # seconds, unless the service asks for more
LONGEST_ASKED = 600.0  # seconds: what a service may ask for
# the statuses of HTTP by which a service refuses to work at all: too many requests, unavailable,
# overloaded
REFUSALS = (429, 503, 529)
# A mistake in the judge's code, or an answer that is none. If nothing has worked yet, nothing will.
MISTAKES = (
    InvalidInputError,
    TypeError,
    NameError,
    AttributeError,
    ImportError,
    NotImplementedError,
    SyntaxError,
)


@dataclass(frozen=True)
class Patience:
    """How long to wait for a call and how often to repeat it; made by `patience`."""

    tries: int
    timeout: float  # seconds; infinite for no limit
    backoff: float  # seconds

    def wait_after(self, tries: int, error: BaseException | None) -> float:
        """Seconds until the next try: doubled each time, at random so that calls spread out.

        A service that says when to come again (`Retry-After`) is taken at its word.

        >>> waits = [Patience(5, 120.0, 1.0).wait_after(3, None) for _ in range(1000)]
        >>> 2.0 <= min(waits) < max(waits) <= 4.0
        True
        """
        asked = retry_after(error)
        if asked is not None:
            return min(LONGEST_ASKED, asked) + random.random() * self.backoff

        longest = max(LONGEST_WAIT, self.backoff)
        wait = min(longest, self.backoff * 2.0 ** (tries - 1))
        return wait * (0.5 + 0.5 * random.random())


def patience(tries: Any, timeout: Any, backoff: Any) -> Patience:
    """The arguments of a run, checked.

    >>> patience(5, None, 1)
    Patience(tries=5, timeout=inf, backoff=1.0)
    """
    seconds = math.inf if timeout is None else finite("timeout", timeout)
    if seconds <= 0.0:
        raise InvalidInputError(
            f"timeout must be a positive number of seconds or None, not {shown(timeout)}"
        )
    wait = finite("backoff", backoff)
    if wait < 0.0:
        raise InvalidInputError(f"backoff must be a number of seconds from 0, not {shown(backoff)}")
    return Patience(integer("tries", tries, 1), seconds, wait)


def is_refusal(error: BaseException) -> bool:
    """Whether the service did no work, so that nothing was paid.

    >>> from urllib.error import HTTPError
    >>> is_refusal(HTTPError("http://x", 429, "", {}, None)), is_refusal(TimeoutError())
    (True, False)
    >>> is_refusal(ConnectionRefusedError())
    True
    """
    return isinstance(error, ConnectionRefusedError) or _status(error) in REFUSALS


def _status(error: BaseException) -> Any:
    """The status of HTTP, as openai, anthropic, httpx, requests, aiohttp and urllib tell it."""
    response = getattr(error, "response", None)
    for source in (error, response):
        for name in ("status_code", "status", "code"):
            status = getattr(source, name, None)
            if isinstance(status, int):
                return status
    return None


def retry_after(error: BaseException | None) -> float | None:
    """The seconds that a service asks to wait; None if it does not say.

    >>> from urllib.error import HTTPError
    >>> retry_after(HTTPError("http://x", 429, "", {"Retry-After": "7"}, None))
    7.0
    """
    response = getattr(error, "response", None)
    headers = getattr(error, "headers", None) or getattr(response, "headers", None)
    said = headers.get("Retry-After") if headers is not None else None
    try:
        seconds = float(said)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # a date, which few services send, or nothing
        return None
    return seconds if 0.0 <= seconds < math.inf else None
