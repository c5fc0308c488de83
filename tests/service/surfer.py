"""A browser without a screen: pages, cookies and forms of a server, by the standard library."""

from __future__ import annotations

import html
import http.client
import re
from http.cookies import SimpleCookie
from typing import NamedTuple
from urllib.parse import urlencode

TOKEN = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def token(self) -> str:
        """What the forms of the page send back."""
        found = TOKEN.search(self.text)
        assert found is not None, f"the page has no form: {self.text[:500]}"
        return found[1]

    @property
    def words(self) -> str:
        """The page as a reader sees it, about."""
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.text)).split())


class Surfer:
    """Visits pages; follows no redirect by itself."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.cookies: dict[str, str] = {}
        self.set_cookie = ""  # the last one, as it came

    def get(self, path: str, **headers: str) -> Answer:
        """Open a page."""
        return self._send("GET", path, None, headers)

    def post(self, path: str, fields: dict[str, object], **headers: str) -> Answer:
        """Send a form as it is."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send("POST", path, urlencode(fields, doseq=True), {**kind, **headers})

    def submit(self, path: str, fields: dict[str, object], on: str | None = None) -> Answer:
        """Open a page (`on`, or the one that the form is sent to) and send its form."""
        token = self.get(on or path).token
        return self.post(path, {"csrf": token, **fields})

    def sign_in(self, key: str, onward: str = "/") -> Answer:
        """With a key."""
        return self.submit("/sign-in", {"key": key, "next": onward})

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        given = {"Accept": "text/html,*/*", **({"Cookie": cookies} if cookies else {}), **headers}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        text = answer.read().decode()
        connection.close()
        self.set_cookie = found.get("set-cookie", "")
        for name, morsel in SimpleCookie(self.set_cookie).items():
            self.cookies[name] = morsel.value
        return Answer(answer.status, found, text)
