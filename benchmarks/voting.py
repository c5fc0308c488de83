"""What a vote costs: bytes and first paint of its pages, and processor time of a vote and a report.

    python benchmarks/voting.py pages          # needs Chromium and the extra [vote]
    python benchmarks/voting.py votes [VOTES]  # by default 1,000 votes of 20 voters on 8 candidates

First paint is what the browser measures on this machine, from the request on, over loopback; on a
busy machine trust the bytes.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "service")]

PAINT = (
    "performance.getEntriesByType('paint').filter((e) => e.name === 'first-contentful-paint')"
    ".map((e) => e.startTime)[0]"
)
WEIGHT = (
    "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    ".reduce((sum, e) => sum + e.encodedBodySize, 0)"
)


def pages(folder: Path) -> None:
    """Bytes and first paint of the pages, as a browser counts them."""
    from playwright.sync_api import sync_playwright
    from served import Patient, serving

    from browser import FLAGS, executable
    from factored_bandits.service.api.access import new_key
    from factored_bandits.service.store import opened

    store = opened(folder / "votes.db")
    key = new_key(store, "benchmark", "admin")
    store.close()
    answers = {"A": "x " * 2000, "B": "y " * 2000}
    body = {"key": "vote", "title": "A vote", "items": [{"item": "?", "answers": answers}]}
    with serving(folder / "votes.db") as (_, port), sync_playwright() as driver:
        api = Patient(port, key)
        api.call("POST", "/v1/studies", body)
        link = api.call("POST", "/v1/studies/vote/links", {"name": "all"})[1]["path"]
        browser = driver.chromium.launch(executable_path=executable(), args=FLAGS)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}{link}")
        page.click("text=Start")
        page.wait_for_selector("#vote.ready")
        for _ in range(10):
            with page.expect_navigation():
                page.keyboard.press("1")
            page.wait_for_selector("#vote.ready")
        print("page                 kB    first paint, ms (5 times, fresh cache)")
        show(browser, page.context.storage_state(), "a duel, 4 kB each", page.url)
        page.goto(f"http://127.0.0.1:{port}/sign-in?next=/studies/vote")
        page.fill("#key", key)
        page.click("button.main")
        page.wait_for_selector("#links")
        show(browser, page.context.storage_state(), "results", page.url)
        browser.close()
        api.close()


def show(browser: object, state: object, name: str, url: str) -> None:
    """One line."""
    paints = []
    for _ in range(5):
        context = browser.new_context(storage_state=state)  # type: ignore[attr-defined]
        page = context.new_page()
        page.goto(url)
        while (paint := page.evaluate(PAINT)) is None:
            page.wait_for_timeout(20)
        paints.append(paint)
        weight = page.evaluate(WEIGHT)
        context.close()
    print(f"{name:18}{weight / 1000:6.1f}    {' '.join(f'{paint:.0f}' for paint in paints)}")


def votes(folder: Path, number: int) -> None:
    """Processor time of a vote, and of a report after all of them."""
    from hall import better, in_file

    hall = in_file(folder, names="ABCDEFGH", cap=number, undo=0.0, alpha=1e-12)
    voters = [hall.voter() for _ in range(20)]
    rng = random.Random(1)

    def taste(left: int, right: int) -> str:
        return rng.choice("12") if rng.random() < 0.5 else better(left, right)

    began = time.process_time()
    for vote in range(number):
        hall.judge(voters[vote % len(voters)], taste)
    spent = time.process_time() - began
    print(f"{number:,} votes: {1000 * spent / number:.1f} ms of processor time each")
    for name in ("the first report", "the next report"):
        began = time.process_time()
        hall.report()
        print(f"{name}: {time.process_time() - began:.2f} s")
    hall.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        if sys.argv[1:2] == ["pages"]:
            pages(Path(made))
        else:
            votes(Path(made), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
