"""The session of an event loop beside threads: what is cut, what waits, what comes meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from itertools import chain
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("greenlet", reason="the extra [postgres] is not installed")

from greenlet import greenlet
from lane_shop import LONGEST, LOOPS, USUAL
from shop import CONFIG

from factored_bandits.service.api.waiting import Loop
from factored_bandits.service.config import made
from factored_bandits.service.engine import Ask, Engine, Read, lane
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import postgres_session
from factored_bandits.service.store.postgres import PostgresStore
from factored_bandits.service.verify import verify

pytestmark = pytest.mark.xdist_group("postgres")


@contextlib.asynccontextmanager
async def served(url, ttl="1h"):
    """An engine with its threads, the event loop as it sees them, and the session of its lane."""
    store = PostgresStore(url)
    row = store.create("home", made({**CONFIG, "ttl": ttl}, {})[0].text(), fingerprint())
    engine = Engine(store, writers=2)
    engine.serve(row, compiled=False)
    loop = Loop(engine)
    try:
        await until(lambda: loop._lane._session is not None)
        await loop.submit(1, Read(look=lambda agent: None))  # a writer loads the agent
        yield engine, loop, loop._lane._session
    finally:
        await loop.close()
        engine.close()


async def until(done):
    async with asyncio.timeout(LONGEST):
        while not done():
            await asyncio.sleep(0.01)


def run(loop, work):
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(work)


def test_it_closes_after_the_transaction_that_runs(own):
    import psycopg

    async def visit():
        async with served(own) as (engine, requests, session):
            with psycopg.connect(own) as other:
                other.execute("SELECT FROM factored_bandits.experiment FOR UPDATE")
                asked = [requests.submit(1, Ask()) for _ in range(5)]
                await until(lambda: session._waiting is not None)
                closing = asyncio.create_task(requests.close())
                await asyncio.sleep(0.05)
                assert not closing.done()
                assert not asked[0].done()
            await closing
            assert [(await each).id for each in asked] == [1, 2, 3, 4, 5]
            assert session._connection.closed
            assert len({event.tx for event in log_of(engine)}) == 1
            assert (await requests.submit(1, Ask())).id == 6

    run(USUAL, visit())


@pytest.mark.parametrize("loop", LOOPS)
def test_a_session_that_is_cut_answers_all_the_same(own, loop):
    import psycopg

    async def visit():
        async with served(own) as (engine, requests, session):
            with psycopg.connect(own) as other:
                other.execute("SELECT FROM factored_bandits.experiment FOR UPDATE")
                asked = requests.submit(1, Ask())
                await until(lambda: session._waiting is not None)
                os.kill(session._connection.info.backend_pid, signal.SIGTERM)
                await until(lambda: requests._lane._session is not session)
            assert (await asked).id == 1
            await until(lambda: requests._lane._session is not None)
            await until_used(requests)
            assert verified(engine)

    run(loop, visit())


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="it looks at processes as Linux has them"
)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_session_that_is_reset_says_so(own, loop):
    """libuv tells of that once, when only what was said before it is read: see LOOK."""

    async def visit():
        async with served(own) as (_, _, session):
            found = []

            def work():
                tx = session.begin()
                tx.lock(1)
                os.kill(session._connection.info.backend_pid, signal.SIGSTOP)
                try:
                    found.append(tx.events(1, 0, 99))
                except session.errors as error:
                    found.append(error)

            greenlet(work).switch()
            backend = session._connection.info.backend_pid
            await until(lambda: state_of(backend) == "T")
            os.kill(backend, signal.SIGTERM)
            os.kill(backend, signal.SIGCONT)
            while state_of(backend) not in (None, "Z"):
                time.sleep(0.01)  # and not the event loop, which hears of everything at once
            await until(lambda: found)
            assert isinstance(found[0], session.errors)

    run(loop, visit())


def state_of(process):
    """A letter, as `ps` shows it; None if there is no such process."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()[0]


def log_of(engine):
    tx = engine.store.reading()
    events = tx.events(1, 0, 10_000)
    tx.rollback()
    return events


def verified(engine):
    tx = engine.store.reading()
    found = verify(tx, engine.store.find("home"))
    tx.rollback()
    return found.fault is None


async def until_used(requests):
    """Ask until the event loop does the transaction; a writer may have the experiment still."""
    used = meanwhile(requests._lane._session)
    async with asyncio.timeout(LONGEST):
        while not used:
            await requests.submit(1, Ask())


def meanwhile(session):
    """The transactions that a session begins from now on."""
    used = []
    begin = session.begin
    session.begin = lambda: used.append(begin()) or used[-1]
    return used


def test_the_event_loop_goes_on_while_the_database_works(own):
    import psycopg

    async def visit():
        async with served(own) as (_, requests, session):
            with psycopg.connect(own) as other:
                other.execute("SELECT FROM factored_bandits.experiment FOR UPDATE")
                asked = requests.submit(1, Ask())
                await until(lambda: session._waiting is not None)
                for _ in range(20):
                    await asyncio.sleep(0.01)
                assert session._waiting is not None
                assert not asked.done()
            assert (await asked).id == 1

    run(USUAL, visit())


def test_more_than_a_socket_takes_at_once_is_sent(own, monkeypatch):
    """The event loop then waits until it takes more, and goes on meanwhile."""
    monkeypatch.setattr(postgres_session, "LOOK", 1e6)  # it is told, and does not look

    async def visit():
        async with served(own) as (_, _, session):
            found = []

            def work():
                text = "x" * 30_000_000
                found.append(session._connection.execute("SELECT length(%s)", [text]).fetchone())

            greenlet(work).switch()
            assert not found
            await until(lambda: found)
            assert found == [(30_000_000,)]

    run(USUAL, visit())


def test_those_who_come_while_another_replica_writes_are_in_the_same_transaction(own):
    import psycopg

    async def visit():
        async with served(own) as (engine, requests, session):
            engine._handles[1].is_shared = True  # as after another replica has written
            with psycopg.connect(own) as other:
                other.execute("SELECT FROM factored_bandits.experiment FOR UPDATE")
                asked = [requests.submit(1, Ask())]
                await until(lambda: session._waiting is not None)
                asked += [requests.submit(1, Ask()) for _ in range(50)]
                asked += [requests.submit(1, Read(look=lambda agent: agent.status().asked))]
                asked += [requests.submit(1, Ask())]
                await asyncio.sleep(0.05)
            found = [await each for each in asked]
            assert [each.id for each in found[:51]] == list(range(1, 52))
            assert (found[51], found[52].id) == (51, 52)
            assert len({event.tx for event in log_of(engine)[:51]}) == 1

    run(USUAL, visit())


def test_what_is_due_expires_though_no_writer_was_asked(own):
    async def visit():
        async with served(own, ttl="1s") as (engine, requests, session):
            used = meanwhile(session)
            decision = await requests.submit(1, Ask())
            assert used

            def expired():
                return [event.decision for event in log_of(engine) if event.kind == "expire"]

            await until(expired)
            assert expired() == [decision.id]

    run(USUAL, visit())


def test_requests_beside_the_event_loop_are_one_log(own):
    """Threads that ask as `fb.open` does, and others through the event loop, all at once."""

    async def visit():
        async with served(own) as (engine, requests, session):
            used = meanwhile(session)

            def thread():
                return [asked() for _ in range(50)]

            def asked():
                time.sleep(0.002)  # so that there are moments in which nobody waits
                return engine.call(1, Ask()).id

            async def coroutine():
                return [(await requests.submit(1, Ask())).id for _ in range(50)]

            several = [asyncio.to_thread(thread) for _ in range(3)]
            several += [coroutine() for _ in range(5)]
            found = chain.from_iterable(await asyncio.gather(*several))
            assert sorted(found) == list(range(1, 401))
            assert used
            assert verified(engine)

    run(USUAL, visit())


def test_a_database_that_gives_no_session_is_asked_again(own, monkeypatch, caplog):
    """Said once; meanwhile the writers do everything."""
    import psycopg

    refused = []
    session = PostgresStore.session

    def none_left(store):
        refused.append(store)
        raise psycopg.OperationalError("too many connections, by order")

    async def visit():
        monkeypatch.setattr(lane, "AGAIN", 0.01)
        monkeypatch.setattr(PostgresStore, "session", none_left)
        store = PostgresStore(own)
        row = store.create("home", made(CONFIG, {})[0].text(), fingerprint())
        engine = Engine(store, writers=1)
        engine.serve(row, compiled=False)
        loop = Loop(engine)
        await until(lambda: len(refused) > 2)
        assert [(await loop.submit(1, Ask())).id for _ in range(2)] == [1, 2]
        monkeypatch.setattr(PostgresStore, "session", session)
        await until(lambda: loop._lane._session is not None)
        await until_used(loop)
        await loop.close()
        engine.close()

    with caplog.at_level(logging.WARNING):
        run(USUAL, visit())
    said = [each.getMessage() for each in caplog.records]
    assert sum("gives no session: too many connections, by order" in each for each in said) == 1


def test_without_greenlet_the_writers_do_everything(own, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "greenlet", None)
    monkeypatch.delitem(sys.modules, lane.__name__)

    async def visit():
        store = PostgresStore(own)
        row = store.create("home", made(CONFIG, {})[0].text(), fingerprint())
        engine = Engine(store, writers=1)
        engine.serve(row, compiled=False)
        loop = Loop(engine)
        assert loop._lane is None
        assert (await loop.submit(1, Ask())).id == 1
        await loop.close()
        engine.close()

    run(USUAL, visit())
    assert "pip install 'factored-bandits[postgres]'" in caplog.text
