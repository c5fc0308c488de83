"""Who is signed in: a cookie that the server signs, so that it keeps no list of sessions.

The cookie names a key without containing it. It ends by itself, and with the key: whoever revokes
a key ends the sessions that began with it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Iterable
from typing import NamedTuple

from factored_bandits.service.store import AccessKey

COOKIE = "fb_session"
LIFE = 12 * 3600  # seconds
NOBODY = "-"
FORM = re.compile(r"([A-Za-z0-9_-]{22})\.([0-9a-f]{32}|-)\.([0-9]{1,12})\.([0-9a-f]{64})")


class Session(NamedTuple):
    """One browser.

    Attributes
    ----------
    nonce
        A random text; what forms send back depends on it.
    who
        Names the key of whoever has signed in; `NOBODY` before that.
    ends
        Seconds since 1970.
    """

    nonce: str
    who: str
    ends: int


class Sessions:
    """Makes and reads sessions.

    Parameters
    ----------
    secret
        Of the database, so that every replica reads the sessions of the others.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def begin(self, key: AccessKey | None = None, now: float | None = None) -> Session:
        """A session, of the holder of a key or of nobody; its nonce is new."""
        ends = int((time.time() if now is None else now) + LIFE)
        return Session(secrets.token_urlsafe(16), NOBODY if key is None else self._name(key), ends)

    def cookie(self, session: Session) -> str:
        """The content of the cookie."""
        content = f"{session.nonce}.{session.who}.{session.ends}"
        return f"{content}.{self._signed('session', content)}"

    def read(self, cookie: str, now: float | None = None) -> Session | None:
        """The session of a cookie; None if it is not ours, or over."""
        match = FORM.fullmatch(cookie)
        if match is None:
            return None
        content, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._signed("session", content), signature):
            return None
        session = Session(match[1], match[2], int(match[3]))
        return session if session.ends > (time.time() if now is None else now) else None

    def holder(self, session: Session, keys: Iterable[AccessKey]) -> AccessKey | None:
        """The key that a session began with, if there still is one."""
        found = None
        # all of them are compared, and each in constant time
        for key in keys:
            if hmac.compare_digest(self._name(key), session.who):
                found = key
        return found

    def token(self, session: Session) -> str:
        """What a form of this browser must send back, which no other site can know."""
        return self._signed("form", f"{session.nonce}.{session.who}")

    def is_token(self, session: Session, given: str) -> bool:
        """Whether a form was made for this browser."""
        wanted = self.token(session).encode()
        return hmac.compare_digest(wanted, given.encode("utf-8", "replace"))

    def _name(self, key: AccessKey) -> str:
        return self._signed("key", key.digest.hex())[:32]

    def _signed(self, purpose: str, content: str) -> str:
        return hmac.new(self._secret, f"{purpose}:{content}".encode(), hashlib.sha256).hexdigest()
