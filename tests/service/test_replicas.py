"""Replicas over HTTP on one PostgreSQL, or one alone: killed, frozen, and always one agent."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from served import FACTORS, Visitor, end, shop_at, start
from starlette.testclient import TestClient
from test_killed import read_log

import factored_bandits as fb
from factored_bandits.service.api.access import new_key
from factored_bandits.service.api.app import application
from factored_bandits.service.engine import Engine
from factored_bandits.service.store import SqliteStore, opened
from factored_bandits.service.units import hashed

pytestmark = pytest.mark.xdist_group("postgres")
PATIENCE = 3.0  # seconds until a visitor tries another replica: this one may be frozen
LONGEST = 60.0  # seconds until a visitor gives up, and the test fails
LOST = (OSError, http.client.HTTPException)


class Replicas:
    """Servers, each of which keeps its port."""

    def __init__(self, url: str, count: int = 2) -> None:
        self._url = url
        self.processes = [start(url) for _ in range(count)]
        self.ports = [port for _, port in self.processes]

    def kill(self, which: int) -> None:
        """kill -9, and a new one in its place."""
        end(self.processes[which][0])
        self.processes[which] = start(self._url, self.ports[which])

    def freeze(self, which: int, seconds: float) -> None:
        """SIGSTOP, maybe in the middle of a transaction, and SIGCONT."""
        process = self.processes[which][0]
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        for process, _ in self.processes:
            end(process)


class WrongError(Exception):
    """What no visitor should meet."""


class Customer(threading.Thread):
    """Asks and tells at any replica; what was not answered is said again, to any of them."""

    def __init__(self, name: str, ports: list[int], key: str, stop: threading.Event) -> None:
        super().__init__()
        self._name = name
        self._ports = ports
        self._turn = random.Random(name)
        self._visitor = Visitor(ports[0], key, timeout=PATIENCE)
        self._stop_now = stop
        self.asked: dict[str, int] = {}
        self.told: dict[int, float] = {}
        self.wrong: list[Any] = []

    def _until_answered(self, call: str, *args: Any) -> Any:
        """The answer; a `WrongError` if it is one that no visitor should see, or none comes."""
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            with contextlib.suppress(*LOST):
                status, said = getattr(self._visitor, call)(*args)
                if status == 200:
                    return said
                if status != 503:
                    raise WrongError(status, said)
            self._visitor.to(self._turn.choice(self._ports))
        raise WrongError(f"no answer in {LONGEST:.0f} s", call, args)

    def run(self) -> None:
        try:
            self._visit()
        except WrongError as error:
            self.wrong.append(error)
        self._visitor.close()

    def _visit(self) -> None:
        number = 0
        while not self._stop_now.is_set():
            number += 1
            unit = f"{self._name}-{number}"
            made = self._until_answered("ask", unit)
            if not made["learn"]:
                self.wrong.append(made)
                continue
            self.asked[unit] = made["id"]
            if number % 5 == 0:
                again = self._until_answered("ask", unit)
                if again != made:
                    self.wrong.append((made, again))
            reward = float(self._turn.random() < 0.5)
            for _ in range(1 + (number % 4 == 0)):
                outcome = self._until_answered("tell", made["token"], reward)
                if outcome not in ("accepted", "duplicate"):
                    self.wrong.append(outcome)
            self.told[made["id"]] = reward


def attacked(url: str, replicas: Replicas, key: str, attacks: int, customers: int) -> int:
    """Kill and freeze under load; the number of rewards that were acknowledged."""
    rng = random.Random(8)
    stop = threading.Event()
    crowd = [Customer(f"customer {i}", replicas.ports, key, stop) for i in range(customers)]
    for customer in crowd:
        customer.start()
    try:
        for attack in range(attacks):
            time.sleep(rng.uniform(0.1, 0.5))
            which = rng.randrange(len(replicas.processes))
            if attack % 2:
                # now and then longer than a session may be silent in a transaction (5 s)
                replicas.freeze(which, 6.0 if attack % 12 == 11 else rng.uniform(0.1, 0.6))
            else:
                replicas.kill(which)
        time.sleep(0.3)
    finally:
        stop.set()
        for customer in crowd:
            customer.join()

    store = opened(url, read_only=True)
    asked, told = read_log(store)
    secret = store.secret()
    rewards = {e.decision: e.body for e in store.begin().events(1, 0, 10**9) if e.kind == "tell"}
    store.close()

    handed_out: dict[int, str] = {}
    acknowledged = 0
    for customer in crowd:
        assert not customer.wrong, customer.wrong[0]
        for unit, decision in customer.asked.items():
            assert asked[hashed(secret, "unit", unit)] == decision
            assert handed_out.setdefault(decision, unit) == unit, "handed to two units"
        for decision, reward in customer.told.items():
            assert decision in told, f"the reward of {decision} is lost"
            assert rewards[decision] == reward
            acknowledged += 1
    return acknowledged


def script(seed: int, steps: int) -> list[tuple[Any, ...]]:
    """What a client does: units ask, some twice; rewards come late, out of order and twice."""
    rng = np.random.default_rng(seed)
    made: list[tuple[Any, ...]] = []
    waiting: list[int] = []
    asked = 0
    for _ in range(steps):
        if rng.random() < 0.55 or not waiting:
            asked += 1
            made.append(("ask", f"unit {asked}"))
            waiting.append(asked)
        else:
            decision = waiting.pop(int(rng.integers(len(waiting))))
            made.append(("tell", decision, float(rng.integers(2))))
        if rng.random() < 0.1:
            made.append(made[int(rng.integers(len(made)))])
    made += [("tell", decision, 1.0) for decision in waiting]
    return made


def played(agents: list[Any], steps: list[tuple[Any, ...]], memory: bool = False) -> list[Any]:
    """The answers of agents that take turns."""
    found: list[Any] = []
    known: dict[str, Any] = {}
    for number, step in enumerate(steps):
        agent = agents[number % len(agents)]
        if step[0] == "ask":
            if memory:  # it knows no units
                known.setdefault(step[1], None)
                known[step[1]] = known[step[1]] or agent.ask()
                found.append(known[step[1]])
            else:
                found.append(agent.ask(step[1]))
        elif not memory or agent.is_waiting(step[1]):
            agent.tell(step[1], step[2])
    return found


def state(agent: Any) -> dict[str, Any]:
    """A dump without the times at which decisions were asked, which are those of this run."""
    document: dict[str, Any] = json.loads(agent.dump())
    del document["checksum"]
    document["agent"]["rounds"].pop("times", None)
    return document


def all_forms_are_one(folder: Any, own: str, replicas: Replicas, key: str, steps: int) -> None:
    """In memory, on disk, in PostgreSQL, one server, two servers: decisions and dumps."""
    arguments: dict[str, Any] = {"key": "equal", "factors": FACTORS, "seed": 11}
    told = script(2, steps)
    memory: fb.Agent[Any] = fb.Agent("tea", factors=FACTORS, seed=11, compiled=False)
    expected = played([memory], told, memory=True)
    expected_state = state(memory)

    with fb.open(folder / "equal.db", "tea", **arguments) as on_disk:
        assert played([on_disk], told) == expected
        assert state(on_disk) == expected_state
    with fb.open(own, "tea", **{**arguments, "key": "equal 0"}) as in_postgres:
        assert played([in_postgres], told) == expected
        assert state(in_postgres) == expected_state

    engine = Engine(SqliteStore(folder / "served.db"))
    admin = new_key(engine.store, "tests", "admin")
    with TestClient(application(engine)) as client:
        body = {**arguments, "policy": "tea"}
        headers = {"Authorization": f"Bearer {admin}"}
        assert client.post("/v1/experiments", json=body, headers=headers).status_code == 201
        assert played([ByHand(client, admin)], told) == expected
    engine.close()
    with fb.open(folder / "served.db", key="equal") as on_disk:
        assert state(on_disk) == expected_state

    for number, ports in enumerate((replicas.ports[:1], replicas.ports), start=1):
        name = f"equal {number}"
        visitor = Visitor(ports[0], key)
        body = {**arguments, "key": name, "policy": "tea"}
        assert visitor.call("POST", "/v1/experiments", body)[0] == 201
        visitor.close()
        remotes = [
            fb.connect(f"http://127.0.0.1:{port}", key=key, experiment=name) for port in ports
        ]
        assert played(remotes, told) == expected
        for remote in remotes:
            remote.close()
        with fb.open(own, key=name) as in_postgres:
            assert state(in_postgres) == expected_state


class ByHand:
    """The calls of an agent, through a test client."""

    def __init__(self, client: TestClient, key: str) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {key}"}

    def ask(self, unit: str) -> Any:
        found = self._client.post(
            "/v1/experiments/equal/decisions", json={"units": [unit]}, headers=self._headers
        ).json()["decisions"][0]
        action = tuple(found["action"])
        return fb.agent.Decision(found["id"], action, found["levels"], found["propensity"])

    def tell(self, decision: int, reward: float) -> None:
        item = {"experiment": "equal", "decision": decision, "reward": reward}
        said = self._client.post("/v1/rewards", json={"rewards": [item]}, headers=self._headers)
        assert said.json()["outcomes"][0]["outcome"] in ("accepted", "duplicate")


def test_replicas(own, tmp_path):
    key = shop_at(own)
    with contextlib.closing(Replicas(own)) as replicas:
        all_forms_are_one(tmp_path, own, replicas, key, steps=60)
        assert attacked(own, replicas, key, attacks=2, customers=3) > 0


@pytest.mark.full
def test_all_forms_are_one_for_long(own, tmp_path):
    key = shop_at(own)
    with contextlib.closing(Replicas(own)) as replicas:
        all_forms_are_one(tmp_path, own, replicas, key, steps=1000)


def test_a_server_alone(own):
    """Its event loop does the transactions; with two of them, mostly the writers do."""
    key = shop_at(own)
    with contextlib.closing(Replicas(own, 1)) as replicas:
        assert attacked(own, replicas, key, attacks=2, customers=3) > 0


@pytest.mark.full
@pytest.mark.parametrize("count", [1, 2])
def test_replicas_under_many_attacks(own, count):
    key = shop_at(own)
    with contextlib.closing(Replicas(own, count)) as replicas:
        acknowledged = attacked(own, replicas, key, attacks=26, customers=8)
    assert acknowledged > 100
    print(f"26 attacks, {acknowledged:,} rewards acknowledged, none lost, none twice")
