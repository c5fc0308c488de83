"""The system's Chromium without a window, driven by playwright.

The browser keeps every message of the console and every address that a page asks for, which is
what the tests are about.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    WebError,
    sync_playwright,
)

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 60.0  # seconds for an answer, on a busy machine


def executable() -> str | None:
    """Where Chromium is, if it is."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One browser with one page; `errors` and `requests` are of the page that was opened last."""

    context: BrowserContext
    page: Page

    def __init__(self, program: str) -> None:
        self.driver = sync_playwright().start()
        self.browser = self.driver.chromium.launch(executable_path=program, args=FLAGS)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.opened: tuple[Path, dict[str, Any]] | None = None  # the page, and with which options
        self.untouched = ""  # how that page was at first, for tests that share it

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.browser.close()
        self.driver.stop()

    def open(self, path: Path, **options: Any) -> None:
        """Open a page from disk in a fresh profile, and wait until it is loaded."""
        self._open(path, **options)
        self.opened = path, options

    def _open(
        self,
        path: Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        phone: bool = False,
    ) -> None:
        for old in self.browser.contexts:
            old.close()

        self.errors = []
        self.requests = []
        self.context = self.browser.new_context(
            viewport={"width": width, "height": height},
            is_mobile=phone,
            color_scheme="dark" if dark else "light",
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.on("console", self._note_message)
        self.context.on("weberror", self._note_exception)
        self.context.on("request", self._note_request)

        self.page = self.context.new_page()
        self.page.goto(path.as_uri())

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.errors.append(message.text)

    def _note_exception(self, error: WebError) -> None:
        self.errors.append(str(error.error))

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)

    def wish(self, dark: bool) -> None:
        """What the system prefers."""
        self.page.emulate_media(color_scheme="dark" if dark else "light")

    def run(self, code: str) -> Any:
        """The value of a JavaScript expression."""
        return self.page.evaluate(code)

    def wait(self, code: str) -> None:
        """Until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.run(code):
            if time.monotonic() > until:
                raise TimeoutError(f"not true within {PATIENCE:.0f} s: {code}")
            self.page.wait_for_timeout(50)

    def click(self, selector: str, times: int = 1) -> None:
        """A click of the mouse in the middle of an element."""
        self.page.locator(selector).first.click(click_count=times)

    def press(self, key: str) -> None:
        """A key of the keyboard."""
        self.page.keyboard.press(key)
