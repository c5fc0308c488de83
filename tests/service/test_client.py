"""`fb.connect` and its twin against real servers, killed and started again meanwhile."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("httpx2", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from playwright.sync_api import sync_playwright
from served import FACTORS, Visitor, end, start

import factored_bandits as fb
from browser import FLAGS, executable
from factored_bandits.errors import (
    DecisionError,
    ExperimentError,
    InvalidInputError,
    RewardOutOfRangeError,
    StoreError,
    UnknownNameError,
)
from factored_bandits.service.api.access import new_key
from factored_bandits.service.api.app import CLIENT
from factored_bandits.service.store import SqliteStore


@pytest.fixture
def place(tmp_path):
    place = tmp_path / "shop.db"
    fb.open(place, "tea", key="home page", factors=FACTORS, seed=3, ttl="1h", default=0.0).close()
    return place


@pytest.fixture
def key(place):
    store = SqliteStore(place)
    made = new_key(store, "tests", "admin")
    store.close()
    return made


def test_a_client_of_a_server_that_is_killed(place, key):
    process, port = start(place)
    url = f"http://127.0.0.1:{port}"
    try:
        agent = fb.connect(url, key=key, experiment="home page", timeout=30)
        memory = fb.Agent("tea", factors=FACTORS, seed=3, compiled=False)
        decisions = [agent.ask(f"visitor {n}") for n in range(4)]
        assert decisions == [memory.ask() for _ in range(4)]
        assert agent.ask("visitor 0") == decisions[0]
        assert agent.tell(1, 1.0) == "accepted"
        assert agent.tell(1, 1.0) == "duplicate"
        with pytest.raises(DecisionError, match="the first one stands"):
            agent.tell(1, 0.0)
        with pytest.raises(DecisionError, match="never given out"):
            agent.tell(99, 0.0)
        with pytest.raises(RewardOutOfRangeError):
            agent.tell(2, 7.0)

        end(process)
        agent.tell(2, "much", wait=False)  # it will be refused, alone
        for id in (2, 3):  # nobody is there
            assert agent.tell(id, 1.0, wait=False) == "queued"
        process, _ = start(place, port)
        assert agent.tell(4, 0.0) == "accepted"
        agent.close()

        with fb.connect(url, key=key, experiment="home page") as again:
            assert (again.status()["asked"], again.status()["waiting"]) == (4, 0)
            assert again.best().keys() == FACTORS.keys()
            assert again.confidence() == 0.0
            again.pause("lunch")
            with pytest.raises(ExperimentError, match="is paused: lunch"):
                again.ask()
            again.resume()
            assert again.ask().id == 5
        with pytest.raises(UnknownNameError, match="no experiment named 'away'"):
            fb.connect(url, key=key, experiment="away")
        with pytest.raises(InvalidInputError, match="give a key"):
            fb.connect(url, key="fb_wrong", experiment="home page")
    finally:
        end(process)
    with pytest.raises(StoreError, match="does not answer"):
        fb.connect(url, key=key, experiment="home page", timeout=0.1)


async def visit(url, key, kill, restart):
    """Coroutines that ask at once, a server that dies, and rewards that wait for the next one."""
    async with await fb.connect_async(url, key=key, experiment="home page") as agent:
        units = [f"visitor {n}" for n in range(6)]
        decisions = await asyncio.gather(*(agent.ask(unit) for unit in units))
        assert sorted(each.id for each in decisions) == [1, 2, 3, 4, 5, 6]
        assert await agent.ask("visitor 0") == decisions[0]
        assert (await agent.ask()).id == 7
        assert await agent.factors() == FACTORS
        assert await agent.tell(1, 1.0) == "accepted"
        with pytest.raises(DecisionError, match="the first one stands"):
            await agent.tell(1, 0.0)
        with pytest.raises(RewardOutOfRangeError):
            await agent.tell(2, 7.0)

        kill()
        for id in (2, 3, 4):  # nobody is there
            assert await agent.tell(id, 1.0, wait=False) == "queued"
        fifth = next(unit for unit, made in zip(units, decisions, strict=True) if made.id == 5)
        waiting = asyncio.create_task(agent.tell_unit(fifth, 1.0))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await asyncio.to_thread(restart)
        assert await waiting == "accepted"

    async with await fb.connect_async(url, key=key, experiment="home page") as agent:
        assert (await agent.status())["waiting"] == 2
        assert (await agent.best()).keys() == FACTORS.keys()
        assert await agent.confidence() == 0.0
        await agent.pause("lunch")
        with pytest.raises(ExperimentError, match="is paused: lunch"):
            await agent.ask()
        await agent.resume()
        await agent.stop()
    with pytest.raises(UnknownNameError, match="no experiment named 'away'"):
        await fb.connect_async(url, key=key, experiment="away")


def test_coroutines_and_a_server_that_is_killed(place, key):
    running = [start(place)]
    port = running[0][1]

    def restart():
        running.append(start(place, port))

    try:
        asyncio.run(visit(f"http://127.0.0.1:{port}", key, lambda: end(running.pop()[0]), restart))
    finally:
        for process, _ in running:
            end(process)


def test_a_page_tells_a_reward(place, key):
    """In a real browser, by a token and without a key."""
    program = executable()
    if program is None:
        pytest.skip("there is no Chromium here")
    process, port = start(place)
    url = f"http://127.0.0.1:{port}"
    try:
        visitor = Visitor(port, key)
        token = visitor.ask("Ada", "home%20page")[1]["token"]
        visitor.close()
        with fb.connect(url, key=key, experiment="home page") as agent:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=program, args=FLAGS)
                page = browser.new_page()
                page.goto(f"{url}/healthz")
                page.add_script_tag(url=f"{url}/client.js")
                page.evaluate("token => FactoredBandits.reward(token, 1)", token)
                for _ in range(200):
                    if agent.status()["waiting"] == 0:
                        break
                    page.wait_for_timeout(20)
                browser.close()
            assert agent.status()["waiting"] == 0
            assert agent.tell(1, 1.0) == "duplicate"
    finally:
        end(process)


def test_the_script_is_small():
    assert CLIENT.stat().st_size < 3000
