"""A real process under kill -9: nothing that was acknowledged is lost, and nothing counts twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import factored_bandits as fb
from factored_bandits.service.store import SqliteStore
from factored_bandits.service.units import hashed
from factored_bandits.service.verify import verify

PROGRAM = Path(__file__).with_name("killed_shop.py")


def run_and_kill(place: Path, run: int, seconds: float) -> list[str]:
    """What a program said until it was killed."""
    said = place.with_name(f"{run}.txt")
    with said.open("w") as out:
        process = subprocess.Popen([sys.executable, str(PROGRAM), str(place), str(run)], stdout=out)
        try:
            while "open" not in said.read_text():
                assert process.poll() is None, "the program has ended by itself"
                time.sleep(0.01)
            time.sleep(seconds)
        finally:
            process.kill()
            process.wait()
    # the last line may be torn
    return said.read_text().splitlines(keepends=True)


def read_log(store: Any) -> tuple[dict[bytes, int], set[int]]:
    """The decision of each unit, and the decisions with a reward; the log is checked on the way."""
    tx = store.begin()
    found = verify(tx, tx.lock(1))
    events = tx.events(1, 0, 10**9)
    tx.rollback()

    assert found.fault is None, found.fault
    asks = [event for event in events if event.kind == "ask"]
    told = [event.decision for event in events if event.kind == "tell"]
    asked = {event.unit: event.decision for event in asks}
    assert len(asks) == len(asked) == len(set(asked.values()))
    assert len(told) == len(set(told))
    return asked, set(told)


def check_lines(store: Any, lines: list[str]) -> int:
    """How many rewards were acknowledged; each of them is in the log, once."""
    secret = store.secret()
    asked, counted = read_log(store)
    acknowledged = 0
    for line in lines:
        words = line.split()
        if not line.endswith("\n") or len(words) != 3:
            continue
        word, unit, decision = words
        assert asked[hashed(secret, "unit", unit)] == int(decision)
        if word == "told":
            acknowledged += 1
            assert int(decision) in counted, f"the reward of {unit} is lost"
    return acknowledged


def kill_often(folder: Path, times: int) -> None:
    place = folder / "shop.db"
    rng = random.Random(5)
    lines: list[str] = []
    for run in range(times):
        lines += run_and_kill(place, run, rng.uniform(0.0, 0.5))
    store = SqliteStore(place, read_only=True)
    assert check_lines(store, lines) > 0
    store.close()

    factors = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
    with fb.open(place, "tea", key="home", factors=factors, ttl="1h", default=0.0) as agent:
        assert agent.status().asked >= sum(line.startswith("asked") for line in lines)


def test_a_killed_program_goes_on(tmp_path):
    kill_often(tmp_path, 2)


@pytest.mark.full
def test_a_program_that_is_killed_often_goes_on(tmp_path):
    kill_often(tmp_path, 20)
