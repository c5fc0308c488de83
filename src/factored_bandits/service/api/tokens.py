"""Tokens of decisions: whoever has one may tell the reward of that decision, and of no other."""

from __future__ import annotations

import base64
import hmac
import re

from factored_bandits.service.units import keyed_hash

LENGTH = 15  # bytes of the signature: 20 characters
FORM = re.compile(r"([1-9][0-9]{0,8})\.([1-9][0-9]{0,14})\.([A-Za-z0-9_-]{20})")


def token(secret: bytes, experiment: int, decision: int) -> str:
    """The token of a decision.

    >>> made = token(b"secret", 3, 17)
    >>> made.startswith("3.17."), read(b"secret", made), read(b"other", made)
    (True, (3, 17), None)
    """
    return f"{experiment}.{decision}.{_signature(secret, experiment, decision)}"


def read(secret: bytes, given: str) -> tuple[int, int] | None:
    """Experiment and decision of a token; None if it is not one of ours."""
    match = FORM.fullmatch(given)
    if match is None:
        return None
    experiment, decision = int(match[1]), int(match[2])
    signed = _signature(secret, experiment, decision)
    return (experiment, decision) if hmac.compare_digest(signed, match[3]) else None


def _signature(secret: bytes, experiment: int, decision: int) -> str:
    message = f"decision:{experiment}:{decision}".encode()
    digest = keyed_hash(secret, message)[:LENGTH]
    return base64.urlsafe_b64encode(digest).decode()
