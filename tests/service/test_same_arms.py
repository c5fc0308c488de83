"""An A/A experiment over HTTP: rewards are late, lost and repeated, and failures of one arm slow.

Both arms are the same: any difference that is found is an error. It may be found with probability
ALPHA for each arm, whatever happens to the rewards on their way.
"""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from shop import MINUTE
from starlette.testclient import TestClient

from factored_bandits.service.api.access import new_key
from factored_bandits.service.api.app import application
from factored_bandits.service.engine import Engine
from factored_bandits.service.store import SqliteStore

ALPHA = 0.05
TTL = 30  # minutes
UNITS = 40  # a minute
SAME = {"A": 0.5, "B": 0.5}
SLOW = 20  # minutes that a failure of arm A takes; half of the rewards of B need none


def most_of(runs, probability, p_value=1e-6):
    """The smallest number that a binomial count exceeds with a probability below `p_value`."""
    tail = 1.0
    count = -1
    while tail > p_value:
        count += 1
        tail -= math.comb(runs, count) * probability**count * (1 - probability) ** (runs - count)
    return count


class World:
    """Many experiments with two arms that are the same, in one service."""

    def __init__(self, folder, runs, means):
        self.means = means
        self.now = 1000 * MINUTE
        self.engine = Engine(SqliteStore(folder / "shop.db", clock=lambda: self.now))
        key = new_key(self.engine.store, "tests", "admin")
        self.headers = {"Authorization": f"Bearer {key}"}
        self.client = TestClient(application(self.engine))
        self.rng = np.random.default_rng(12)
        self.names = [f"aa {run}" for run in range(runs)]
        self.surest = dict.fromkeys(self.names, 0.0)
        self.eliminated = set()
        self.outcomes = {}
        self.on_the_way = []  # minute of arrival, a number, token, reward

    def call(self, method, path, body=None):
        found = self.client.request(method, path, json=body, headers=self.headers)
        assert found.status_code < 300, found.text
        return found.json()

    def make(self):
        for seed, name in enumerate(self.names):
            body = {
                "key": name, "factors": {"page": ["A", "B"]}, "policy": "tea", "seed": seed,
                "params": {"bound": "hoeffding"}, "ttl": f"{TTL}m", "default": 0.0,
            }  # fmt: skip
            self.call("POST", "/v1/experiments", body)

    def minute(self, minute):
        self.now += MINUTE
        for name in self.names:
            units = [f"{minute} {number}" for number in range(UNITS)]
            path = f"/v1/experiments/{name}/decisions"
            for one in self.call("POST", path, {"units": units})["decisions"]:
                self.happen(minute, one)
        self.arrive(minute)

    def happen(self, minute, one):
        """What the visitor does, and when the service hears of it."""
        reward = float(self.rng.random() < self.means[one["levels"]["page"]])
        luck = self.rng.random()
        if luck < 0.1:
            return  # lost, whatever it was
        delay = int(self.rng.integers(3))
        if one["levels"]["page"] == "A" and reward == 0.0:
            delay = SLOW
        elif one["levels"]["page"] == "B" and reward == 0.0 and luck < 0.3:
            return  # lost, and worth what silence is worth
        elif luck > 0.95:
            delay = TTL + 5  # too late
        for _ in range(1 + (0.5 < luck < 0.6)):
            arrival = (minute + delay, self.rng.random(), one["token"], reward)
            heapq.heappush(self.on_the_way, arrival)

    def arrive(self, minute):
        rewards = []
        while self.on_the_way and self.on_the_way[0][0] <= minute:
            _, _, token, reward = heapq.heappop(self.on_the_way)
            rewards.append({"token": token, "reward": reward})
        for start in range(0, len(rewards), 1000):
            said = self.call("POST", "/v1/rewards", {"rewards": rewards[start : start + 1000]})
            for each in said["outcomes"]:
                self.outcomes[each["outcome"]] = self.outcomes.get(each["outcome"], 0) + 1

    def look(self):
        for name in self.names:
            found = self.call("GET", f"/v1/experiments/{name}/status")
            self.surest[name] = max(self.surest[name], found["confidence"])
            if not all(level["active"] for level in found["levels"]):
                self.eliminated.add(name)


def run(folder, runs, minutes, means=SAME):
    """The world after its last minute, looked at often on the way."""
    world = World(folder, runs, means)
    with world.client:
        world.make()
        for minute in range(minutes):
            world.minute(minute)
            if minute % 4 == 3:
                world.look()
    world.engine.close()
    return world


def found_out(world):
    """Experiments in which one of two equal arms was ruled out."""
    sure = {name for name, confidence in world.surest.items() if confidence >= 1 - ALPHA}
    return len(sure | world.eliminated)


def check(world, runs):
    assert set(world.outcomes) == {"accepted", "duplicate", "late"}
    assert found_out(world) <= most_of(runs, 2 * ALPHA)


def test_same_arms_are_hardly_ever_told_apart(tmp_path):
    runs = 6
    check(run(tmp_path, runs, minutes=37), runs)


@pytest.mark.full
def test_same_arms_are_hardly_ever_told_apart_in_many_experiments(tmp_path):
    runs = 60
    world = run(tmp_path, runs, minutes=60)
    check(world, runs)
    print(f"{found_out(world)} of {runs} told apart, at most {most_of(runs, 2 * ALPHA)} by luck")


@pytest.mark.full
def test_arms_that_differ_are_told_apart(tmp_path):
    """The same rewards get lost and come late, and yet a difference that is there is found."""
    runs = 20
    world = run(tmp_path, runs, minutes=60, means={"A": 0.3, "B": 0.7})
    assert found_out(world) == runs
