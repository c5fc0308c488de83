"""Units and idempotency keys as the log holds them: keyed hashes.

A unit is a person, and the log is for ever. The key of the hash is kept in the database, so that
the same unit has the same hash in every process.
"""

from __future__ import annotations

import functools
import hmac
from typing import Any

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

LENGTH = 12  # bytes: two of 10^9 units agree with a probability of 10^-11
LONGEST = 1000


def hashed(secret: bytes, kind: str, given: Any) -> bytes | None:
    """The hash of a unit or a key; None stays None.

    >>> hashed(b"secret", "unit", "visitor 7") == hashed(b"secret", "unit", "visitor 7")
    True
    """
    if given is None:
        return None
    if not isinstance(given, (str, int)) or isinstance(given, bool):
        raise InvalidInputError(f"a {kind} must be a text or a whole number, not {shown(given)}")

    text = str(given)
    if not 0 < len(text) <= LONGEST:
        raise InvalidInputError(f"a {kind} must have 1 to {LONGEST} characters")
    message = f"{kind}:{text}".encode("utf-8", "surrogatepass")
    return keyed_hash(secret, message)[:LENGTH]


def keyed_hash(secret: bytes, message: bytes) -> bytes:
    """HMAC-SHA256; the key is the same all the time, and taken in only once."""
    found = _keyed(secret).copy()
    found.update(message)
    return found.digest()


@functools.lru_cache(8)
def _keyed(secret: bytes) -> hmac.HMAC:
    return hmac.new(secret, digestmod="sha256")
