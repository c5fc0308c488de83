"""A headless Chromium, driven by its own protocol through two pipes: no driver, no package, no
port.

Messages are JSON, each ended by a zero byte. The browser keeps every message of its console and
every address that a page asks for, which is what the tests are about.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FLAGS = (
    *(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-quic",
    ),
    *(
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--remote-debugging-pipe",
    ),
)
PATIENCE = 60.0  # seconds for an answer, on a busy machine


def executable() -> str | None:
    """Where Chromium is, if it is."""
    return next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


def _closing(pipe: tuple[int, int]) -> Iterator[int]:
    """The ends of a pipe, each closed after it was copied."""
    for end in pipe:
        yield end
        os.close(end)


class Browser:
    """One browser with one page; `errors` and `requests` are of the page that was opened last."""

    def __init__(self, program: str) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        ends = [
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
            for pipe in (os.pipe(), os.pipe())
            for end in _closing(pipe)
        ]
        theirs_in, self._write, self._read, theirs_out = ends
        silent = [(os.POSIX_SPAWN_OPEN, end, os.devnull, os.O_WRONLY, 0) for end in (1, 2)]
        wired = [
            (os.POSIX_SPAWN_DUP2, theirs_in, 3),
            (os.POSIX_SPAWN_DUP2, theirs_out, 4),
        ]  # Chromium reads 3, writes 4
        command = [program, *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = os.posix_spawn(program, command, os.environ, file_actions=[*silent, *wired])
        os.close(theirs_in)
        os.close(theirs_out)
        self._pending, self._count, self._session = b"", 0, ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser, and wait until it has ended."""
        self._session = ""
        self.call("Browser.close")
        os.waitpid(self.process, 0)
        os.close(self._write)
        os.close(self._read)
        self.folder.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask and wait for the answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(
        self,
        page: Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        phone: bool = False,
    ) -> None:
        """Open a page from disk and wait until it is loaded."""
        self.call("Page.navigate", url="about:blank")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.wish(dark)
        self.errors, self.requests = [], []
        self.call("Page.navigate", url=page.as_uri())
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def wish(self, dark: bool) -> None:
        """What the system prefers."""
        preference = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[preference])

    def run(self, code: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(
                answer["exceptionDetails"].get("exception", {}).get("description", code)
            )
        return answer["result"].get("value")

    def wait(self, code: str) -> None:
        """Until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.run(code):
            if time.monotonic() > until:
                raise TimeoutError(f"not true within {PATIENCE:.0f} s: {code}")
            time.sleep(0.05)

    def click(self, selector: str, times: int = 1) -> None:
        """A click of the mouse in the middle of an element."""
        self.run(
            f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', behavior: 'instant'}})"
        )
        box = self.run(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        place = {"x": box[0], "y": box[1], "button": "left"}
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, clickCount=count, **place)

    def press(self, key: str) -> None:
        """A key of the keyboard."""
        code = {"Enter": 13, "Tab": 9, " ": 32}[key]
        common = {"key": key, "windowsVirtualKeyCode": code}
        letters = {} if key == "Tab" else {"text": "\r" if key == "Enter" else key}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **letters)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """What is seen, or the whole page."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            if not ready:
                raise TimeoutError(f"the browser said nothing for {PATIENCE:.0f} s")
            piece = os.read(self._read, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._pending += piece
        text, _, self._pending = self._pending.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(
                str(params["exceptionDetails"].get("exception", {}).get("description"))
            )
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.errors.append(
                str([each.get("value", each.get("description")) for each in params["args"]])
            )
