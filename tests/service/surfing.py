"""A real Chromium for pages of a server; what it complains about and asks for is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from browser import FLAGS, executable

AXE = Path(__file__).parent / "node" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 60_000  # milliseconds, on a busy machine


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for all tests of a module; or a reason why there is none."""
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium here")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """One page in a profile of its own."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.address = address
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.context.on("console", self._note)
        self.context.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.context.on("dialog", lambda dialog: (self.errors.append("dialog"), dialog.dismiss()))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page: Page = self.context.new_page()

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning", "assert"):
            self.errors.append(message.text)

    def sign_in(self, key: str) -> None:
        """As a person does."""
        self.open("/sign-in")
        self.page.fill("#key", key)
        self.page.press("#key", "Enter")
        self.page.wait_for_url(f"{self.address}/")

    def open(self, path: str) -> None:
        """A page, until it is there."""
        self.page.goto(f"{self.address}{path}")

    def weight(self, path: str) -> dict[str, int]:
        """The bytes of a page and of everything that it loads, by address, unpacked."""
        self.open(path)
        self.page.wait_for_load_state("load")
        found: dict[str, int] = self.page.evaluate(
            "() => Object.fromEntries(['navigation', 'resource']"
            ".flatMap((kind) => performance.getEntriesByType(kind))"
            ".map((each) => [each.name, each.decodedBodySize]))"
        )
        return found

    def violations(self) -> list[str]:
        """What axe-core finds that is serious or critical."""
        if not AXE.is_file():
            pytest.skip("axe-core is not installed: npm install in tests/service/node")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run().then(result => result.violations)")
        return [
            f"{each['id']}: {node['html']} {node.get('failureSummary', '')}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    def close(self) -> None:
        self.context.close()
