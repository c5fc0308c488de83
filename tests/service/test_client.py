"""`fb.connect` against a real server, which is killed and started again meanwhile."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("httpx2", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

import factored_bandits as fb
from factored_bandits.errors import (
    DecisionError,
    ExperimentError,
    InvalidInputError,
    RewardOutOfRangeError,
    StoreError,
    UnknownNameError,
)
from factored_bandits.service.api.access import new_key
from factored_bandits.service.store import SqliteStore

FACTORS = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}


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


def start(place, port=0):
    command = [sys.executable, "-m", "factored_bandits", "serve", "--quiet", "--db", str(place)]
    process = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split()[-1]


def end(process):
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_client_of_a_server_that_is_killed(place, key):
    process, url = start(place)
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
        process, _ = start(place, url.rpartition(":")[2])
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
