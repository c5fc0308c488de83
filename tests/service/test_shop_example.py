"""examples/shop in a real browser: visitors come, some click, the service hears of it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("playwright", reason="playwright drives the browser")
from playwright.sync_api import sync_playwright
from served import Visitor, serving, shop_at

from browser import FLAGS, executable

SHOP = Path(__file__).parents[2] / "examples" / "shop" / "shop.py"


@pytest.fixture
def opened(tmp_path):
    """The address of the shop, and a visitor of the service behind it."""
    place = tmp_path / "shop.db"
    key = shop_at(place)
    with serving(place) as (_, port):
        service = Visitor(port, key)
        command = [sys.executable, str(SHOP), "--port", "0", "--key", key]
        with subprocess.Popen(
            [*command, "--service", f"http://127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process.stdout.readline().split()[-1], service, port
            finally:
                process.kill()
        service.close()


def state(service, port):
    service.to(port)
    return service.call("GET", "/v1/experiments/tea/status")[1]


def test_visitors_come_and_click(opened):
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium here")
    address, service, port = opened
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        errors = []
        for clicks in (True, False, True):
            context = browser.new_context()
            context.on("weberror", lambda error: errors.append(str(error.error)))
            context.on("console", lambda message: errors.append(message.text))
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector("body[data-shown]")
            shown = page.get_attribute("body", "data-shown")
            page.reload()
            page.wait_for_selector("body[data-shown]")
            assert page.get_attribute("body", "data-shown") == shown  # the same visitor
            if clicks:
                page.click("#button")
                page.wait_for_selector("#thanks:visible")
            headline, image, _ = shown.split()
            others = {"cup", "leaf"} - {image}
            assert page.is_visible(f"#{image}")
            assert not any(page.is_visible(f"#{other}") for other in others)
            assert headline in ("plain", "question", "number")
            assert "fb_" not in page.content()
            context.close()  # the beacon goes out though the page is left
        browser.close()
        assert errors == []

    until = time.monotonic() + 30
    while (found := state(service, port))["waiting"] != 1 and time.monotonic() < until:
        time.sleep(0.05)
    assert (found["asked"], found["waiting"]) == (3, 1)


def test_the_shop_passes_on_nothing_else(opened):
    address, service, port = opened
    outside = Visitor(int(address.rstrip("/").rpartition(":")[2]), "none")
    for method, path in (("GET", "/v1/experiments"), ("POST", "/v1/experiments/home/decisions")):
        outside.to(int(address.rstrip("/").rpartition(":")[2]))
        outside._connection.request(method, path, "{}")
        assert outside._connection.getresponse().status == 404
    outside.close()
    # a visitor cannot ask in the name of others
    outside.to(int(address.rstrip("/").rpartition(":")[2]))
    body = {"units": ["Ada", "Bob"]}
    status, made = outside.call("POST", "/v1/experiments/tea/decisions", body, Cookie="visitor=x")
    assert (status, len(made["decisions"])) == (200, 1)
    assert made["decisions"][0]["unit"] == "x"
    outside.close()
    assert state(service, port)["asked"] == 1
