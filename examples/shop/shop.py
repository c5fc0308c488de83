"""A shop with one page: a headline, an image and a button, decided by a service for each visitor.

    factored-bandits serve --db shop.db --port 8000
    python examples/shop/shop.py --service http://127.0.0.1:8000 --key fb_...

The page asks and rewards through client.js, on the paths of the service. This server passes them
on: it knows who the visitor is, by a cookie, and it holds the key, which no browser ever sees.
"""

from __future__ import annotations

import argparse
import json
import secrets
import urllib.error
import urllib.request
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

EXPERIMENT = {
    "key": "tea",
    "factors": {
        "headline": ["plain", "question", "number"],
        "image": ["cup", "leaf"],
        "button": ["buy", "try", "more"],
    },
    "ttl": "1h",  # who has not clicked by then will not
    "default": 0.0,
}
DECISIONS = "/v1/experiments/tea/decisions"
REWARDS = "/v1/rewards"
PAGE = Path(__file__).with_name("index.html").read_bytes()
LARGEST_BODY = 10_000


class Service:
    """The service behind this shop."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url.rstrip("/")
        self.key = key

    def call(self, path: str, body: bytes | None = None, known: bool = False) -> tuple[int, bytes]:
        """Status and content of an answer; with the key only if we ask for ourselves."""
        headers = {"Authorization": f"Bearer {self.key}"} if known else {}
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return 503, b"{}"  # the page shows what it would show without us


class Handler(BaseHTTPRequestHandler):
    """One request of a browser."""

    service: Service

    def do_GET(self) -> None:
        if self.path == "/":
            self.answer(200, PAGE, "text/html; charset=utf-8")
        elif self.path == "/client.js":
            status, script = self.service.call("/client.js")
            self.answer(status, script, "text/javascript")
        else:
            self.answer(404, b"", "text/plain")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length <= LARGEST_BODY else b""
        if self.path == REWARDS:
            # the token in it is the permission
            status, content = self.service.call(REWARDS, body)
        elif self.path == DECISIONS:
            # one visitor, one decision: what the browser says of units is not looked at
            wanted = json.dumps({"units": [self.visitor()]}).encode()
            status, content = self.service.call(DECISIONS, wanted, known=True)
        else:
            status, content = 404, b""
        self.answer(status, content, "application/json")

    def visitor(self) -> str:
        """Who it is, by the cookie that came with the page."""
        cookie = SimpleCookie(self.headers.get("Cookie", ""))
        return cookie["visitor"].value if "visitor" in cookie else secrets.token_hex(8)

    def answer(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if self.path == "/" and "visitor=" not in self.headers.get("Cookie", ""):
            kept = "Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"
            self.send_header("Set-Cookie", f"visitor={secrets.token_hex(8)}; {kept}")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass  # tokens and cookies belong into no log


def main() -> None:
    parser = argparse.ArgumentParser(description="A shop with one page.")
    parser.add_argument("--service", required=True, help="where factored-bandits serve listens")
    parser.add_argument("--key", required=True, help="a key of the service")
    parser.add_argument("--port", type=int, default=8080)
    given = parser.parse_args()

    Handler.service = Service(given.service, given.key)
    status, said = Handler.service.call("/v1/experiments", json.dumps(EXPERIMENT).encode(), True)
    if status not in (200, 201, 403):  # 403: a key that may not make experiments; it is there
        raise SystemExit(f"the experiment cannot be made: {said.decode()}")

    server = ThreadingHTTPServer(("127.0.0.1", given.port), Handler)
    print(f"the shop is open: http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
