"""The database goes away under load: what those hear who ask meanwhile."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from postgres_shop import PostgresShop, crash, servers
from served import FACTORS, Patient, Visitor, serving, shop_at
from shop import Faults
from test_killed import read_log

import factored_bandits as fb
from factored_bandits.service.engine import Ask, AwayError
from factored_bandits.service.store import opened
from factored_bandits.service.units import hashed

ENOUGH = 8  # answers of a kind that each visitor has before the next thing happens


class Load:
    """Visitors who ask and tell for ever, and what they were told."""

    def __init__(self, port: int, key: str, visitors: int) -> None:
        self.stop = threading.Event()
        self.asked: list[tuple[str, int]] = []  # unit, decision
        self.fallbacks: list[str] = []
        self.told: list[int] = []
        self.refused: list[str] = []
        self.wrong: list[object] = []
        self._names = [f"visitor {i}" for i in range(visitors)]
        self._threads = [
            threading.Thread(target=self._run, args=(Visitor(port, key), name))
            for name in self._names
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, visitor: Visitor, name: str) -> None:
        number = 0
        while not self.stop.is_set():
            number += 1
            unit = f"{name}-{number}"
            status, said = visitor.ask(unit)
            if status == 503:  # it was being committed when the database went away
                self.refused.append(unit)
            elif status != 200:
                self.wrong.append(said)
            elif said["learn"]:
                self.asked.append((unit, said["id"]))
                if number % 3:
                    continue  # a reward waits for the database, so that not all are to tell one
                status, outcome = visitor.tell(said["token"], float(said["id"] % 2))
                if (status, outcome) == (200, "accepted"):
                    self.told.append(said["id"])
                elif status != 503:
                    self.wrong.append((status, outcome))
            else:
                if said["token"] is not None or set(said["levels"]) != set(FACTORS):
                    self.wrong.append(said)
                self.fallbacks.append(unit)
        visitor.close()

    def wait_for(self, more: list[object]) -> None:
        """Until every visitor has enough answers of a kind beyond those there are."""
        before = len(more)
        wait = threading.Event()
        while not self._enough(more[before:]):
            assert not self.wrong, self.wrong[0]
            wait.wait(0.01)

    def _enough(self, new: list[object]) -> bool:
        units = [each[0] if isinstance(each, tuple) else str(each) for each in new]
        counts = Counter(unit.rpartition("-")[0] for unit in units)
        return all(counts[name] >= ENOUGH for name in self._names)

    def end(self) -> None:
        self.stop.set()
        for thread in self._threads:
            thread.join()


def outages(times: int, visitors: int) -> None:
    """A real server is stopped as by a crash and started again, while visitors ask and tell."""
    with contextlib.closing(servers()) as running_ones:
        running = next(running_ones)
        url = running.get_uri()
        key = shop_at(url)
        with serving(url) as (_, port):
            load = Load(port, key, visitors)
            other = Patient(port, key)
            agent = fb.connect(f"http://127.0.0.1:{port}", key=key, experiment="home")
            shown = []
            try:
                load.wait_for(load.asked)
                for outage in range(times):
                    crash(running)
                    while other.ask("while it goes away")[1].get("learn") is not False:
                        pass
                    # from the moment that the breaker is open nobody waits for the database:
                    # it is not there until this loop is over
                    for number in range(20):
                        unit = f"other {outage} {number}"
                        status, said = other.ask(unit)
                        assert (status, said["learn"], said["id"]) == (200, False, None)
                        shown.append(unit)
                    assert other.call("GET", "/readyz")[0] == 503
                    assert (agent.ask().id, agent.tell(0, 1.0)) == (0, "not learned")
                    running.ensure_postgres_running()
                    load.wait_for(load.asked)
                    assert other.ask(f"back {outage}")[1]["learn"]
            finally:
                load.end()
                other.close()
                agent.close()

        assert not load.wrong, load.wrong[0]
        store = opened(url, read_only=True)
        asked, told = read_log(store)
        secret = store.secret()
        store.close()
        for unit in (*load.fallbacks, *shown):
            assert hashed(secret, "unit", unit) not in asked, (
                f"{unit} has a fallback and a decision"
            )
        for unit, decision in load.asked:
            assert asked[hashed(secret, "unit", unit)] == decision
        assert set(load.told) <= told
        next(running_ones, None)


class Away(Faults):
    """From one statement on the connection is lost, and so are the next ones."""

    def __init__(self, at: int, *, after: bool, failures: int) -> None:
        super().__init__(at, after=after, kind="error")
        self.until = at + failures

    def around(self, statement, run):
        if self.at < self.count + 1 < self.until:
            self.count += 1
            raise self.error
        return super().around(statement, run)


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_what_may_be_stored_is_never_a_fallback(after, url):
    """The database goes away around every statement: a fallback, or a decision, and never both."""
    shop = PostgresShop(url, snapshot_every=10**6)
    shop.agent.ask("Ada")
    shop.faults = Faults()
    shop.agent.ask("Bob")
    statements = shop.faults.statements
    assert statements[-1].endswith("COMMIT")

    fallbacks = 0
    for at, statement in enumerate(statements, start=1):
        before = len(shop.log())
        shop.faults = Away(at, after=after, failures=4)
        ask = Ask(unit=f"unit {at}".encode(), patient=False)
        shop.engine.submit(1, ask)
        while shop.engine.step():
            pass
        if statement.endswith("COMMIT"):
            # it cannot be known without the database, which comes back: then it is known
            assert ask.waiter.result().id == before + 1
            assert len(shop.log()) == before + 1
        else:
            fallbacks += 1
            with pytest.raises(AwayError, match="Nothing was stored"):
                ask.waiter.result()
            assert len(shop.log()) == before
            with pytest.raises(AwayError):
                shop.engine.submit(1, Ask(patient=False))
        shop.faults = Faults()
        shop.engine.step()
        assert not shop.engine.breaker.is_open
        shop.agent.ask()  # connected, with the agent in memory, as before
    assert fallbacks == len(statements) - 1
    shop.close()


@pytest.mark.xdist_group("postgres")
def test_a_database_that_goes_away_under_load():
    outages(times=1, visitors=4)


@pytest.mark.full
@pytest.mark.xdist_group("postgres")
def test_a_database_that_goes_away_often():
    outages(times=6, visitors=16)
