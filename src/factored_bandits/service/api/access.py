"""Keys of those who may read, write or administer; the database holds digests of them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from factored_bandits.core.checks import shown
from factored_bandits.errors import ExperimentError, InvalidInputError, UnknownNameError
from factored_bandits.service.store import AccessKey, Store

ROLES = ("read", "write", "admin")  # each may do what those before it may
PREFIX = "fb_"
PATIENCE = 1.0  # seconds until unknown keys are looked for again in the database
LONGEST = 5.0  # seconds that a key which was revoked elsewhere may still be used here


def new_key(store: Store, name: str, role: str) -> str:
    """Make a key; only its digest is kept, so that this is the one time to see it."""
    key = PREFIX + secrets.token_urlsafe(24)
    store.add_key(AccessKey(digest(key), name, role))
    return key


def digest(key: str) -> bytes:
    """What the database holds; a key is random, so that there is nothing to guess."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def revoke(store: Store, name: str) -> AccessKey:
    """Take a key away; never the last one that may make others."""
    keys = store.keys()
    found = [each for each in keys if each.name == name]
    if not found:
        raise UnknownNameError.of("key", name, [each.name for each in keys])
    if not any(each.role == "admin" and each.name != name for each in keys):
        raise ExperimentError(f"{name!r} is the last key with the role admin: make another first")
    store.remove_key(name)
    return found[0]


def name_checked(name: str) -> str:
    """The name of a key, which the log shows."""
    if not name.isprintable() or not name.strip():
        raise InvalidInputError(f"the name of a key must be printable, not {shown(name)}")
    return name


class Access:
    """Who has which role."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.keys = store.keys()
        self._read = time.monotonic()

    def role_of(self, key: str) -> AccessKey | None:
        """The holder of a key; None if nobody has it."""
        wanted = digest(key)
        holder = None
        # all of them are compared, and each in constant time
        for each in self.keys:
            if hmac.compare_digest(each.digest, wanted):
                holder = each
        return holder

    def is_stale(self, patience: float = PATIENCE) -> bool:
        """Whether an unknown key is worth a look into the database."""
        return time.monotonic() - self._read > patience

    def refresh(self) -> None:
        """Read the keys again: another replica may have made one."""
        self.keys = self._store.keys()
        self._read = time.monotonic()


def may(role: str, needed: str) -> bool:
    """Whether a role suffices.

    >>> may("admin", "write"), may("read", "write")
    (True, False)
    """
    return ROLES.index(role) >= ROLES.index(needed)
