"""Voter links: signed, so that nobody can make one up, and revocable, since the database has them.

The link says which study it is for; a cookie, random and known to one browser, is the voter from
then on. The database and the log hold a keyed hash of it, as of every unit.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets

from factored_bandits.service.units import hashed

LENGTH = 15  # bytes of the signature: 20 characters
FORM = re.compile(r"([0-9a-f]{16})\.([A-Za-z0-9_-]{20})")
WHO = "voter "  # before the hash, in the log


def signed(secret: bytes, key: str, id: str) -> str:
    """What a link to the study with a key carries.

    >>> made = signed(b"secret", "x", "0123456789abcdef")
    >>> read(b"secret", "x", made), read(b"secret", "y", made), read(b"other", "x", made)
    ('0123456789abcdef', None, None)
    """
    return f"{id}.{_signature(secret, key, id)}"


def read(secret: bytes, key: str, given: str) -> str | None:
    """The id of a link; None if it is not one of this study."""
    match = FORM.fullmatch(given)
    if match is None:
        return None
    good = hmac.compare_digest(_signature(secret, key, match[1]), match[2])
    return match[1] if good else None


def new_cookie() -> str:
    """What a browser keeps."""
    return secrets.token_urlsafe(24)


def cookie_name(key: str) -> str:
    """Under which name a browser keeps it; keys may hold what names of cookies may not."""
    return f"fb_voter_{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def voter_hash(secret: bytes, key: str, cookie: str) -> bytes:
    """What the database keeps of a cookie; another one in each study."""
    found = hashed(secret, "voter", f"{key}:{cookie}")
    assert found is not None, "a cookie is a text"
    return found


def who(voter: bytes) -> str:
    """How the log calls a voter.

    >>> voter_in_log(who(b"ab")), voter_in_log("shop key"), voter_in_log(None)
    (b'ab', None, None)
    """
    return f"{WHO}{voter.hex()}"


def voter_in_log(who: str | None) -> bytes | None:
    """The voter of an event; None if it is of somebody else."""
    if who is None or not who.startswith(WHO):
        return None
    try:
        return bytes.fromhex(who.removeprefix(WHO))
    except ValueError:
        return None


def _signature(secret: bytes, key: str, id: str) -> str:
    digest = hmac.digest(secret, f"voter link:{key}:{id}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest[:LENGTH]).decode()
