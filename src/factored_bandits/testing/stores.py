"""`check_store`: what every store of experiments must keep, whoever wrote it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from factored_bandits.service.store import (
    AccessKey,
    Brief,
    Change,
    Event,
    Experiment,
    HourTally,
    Snapshot,
    Store,
)

from .problems import require

Opened = Callable[[], Store]
UNIT = b"u" * 16
KEY = b"k" * 16
LOG = (
    Event(1, 10, 7, "ask", 1, UNIT, None, (0, 2), (0.5, 1 / 3), None, "Ada"),
    Event(2, 10, 7, "ask", 2, None, KEY, (1, 0), None, None, None),
    Event(3, 20, 2**62 + 1, "tell", 1, body=0.1),
    Event(4, 30, 9, "expire", 2, body=[0.0, 1.0]),
    Event(5, 40, 10, "late", 2, body=1e-300),
    Event(6, 50, 11, "pause", body="a 'reason' with ünïcode; --"),
)


def check_store(opened: Opened) -> None:
    """Run every check on a store; the first one that fails raises an error.

    Parameters
    ----------
    opened
        Opens the store; every time it is called, the same one. It must be empty at first.

    Raises
    ------
    AssertionError
        If the store breaks the contract; the message says in what.

    Examples
    --------
    >>> import tempfile
    >>> from factored_bandits.service.store import SqliteStore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_store(lambda: SqliteStore(f"{folder}/shop.db"))
    """
    for check in STORE_CHECKS:
        check(opened)


def a_secret_can_be_adopted_at_first(opened: Opened) -> None:
    """As long as there is no experiment whose units were hashed with the other one."""
    store = opened()
    store.adopt_secret(b"s" * 32)
    require(store.secret() == b"s" * 32, "the secret of another database was not adopted")
    store.create("first", "{}", "f")
    store.adopt_secret(b"t" * 32)
    require(store.secret() == b"s" * 32, "the secret was changed under an experiment")
    store.close()


def experiments_are_found_again(opened: Opened) -> None:
    """One experiment for each key, and the same secret for ever."""
    store = opened()
    store.create("first", "{}", "f")
    first = store.create("home", "{}", "f")
    require(store.create("home", "other", "g") == first, "a second `create` changed something")
    store.create("a'; DROP TABLE event", "{}", "f")
    secret = store.secret()
    store.close()

    store = opened()
    require(store.find("home") == first, "an experiment is another one after `close`")
    require(store.find("nowhere") is None, "`find` found what is not there")
    keys = [row.key for row in store.experiments()]
    require(keys == sorted(keys) and len(keys) == 3, f"`experiments` gives {keys}")
    require(store.secret() == secret and len(secret) >= 16, "the secret is another one")
    store.close()


def a_log_comes_back_as_it_was(opened: Opened) -> None:
    """Events are read as they were appended, by number and by what they are about."""
    store = opened()
    row = store.create("log", "{}", "f")
    tx = store.begin()
    found = tx.lock(row.id)
    require(found == row, f"`lock` gave {found}")
    after = row._replace(head=6, at=50, status="paused", reason="why", fingerprint="g")
    tx.append(after, 0, list(LOG))
    tx.save_snapshot(row.id, Snapshot(5, "old"))
    tx.save_snapshot(row.id, Snapshot(6, "body"))
    tx.commit()
    store.close()

    store = opened()
    tx = store.begin()
    require(tx.lock(row.id) == after, "the experiment is not as `append` left it")
    require(tx.events(row.id, 0, 100) == list(LOG), "the events are not those appended")
    require(tx.events(row.id, 2, 3) == list(LOG[2:5]), "`events` gave another part of the log")
    units = tx.asked_by_units(row.id, [KEY, UNIT])
    require(units == {UNIT: LOG[0]}, f"`asked_by_units` gives {units} for one that asked")
    keys = tx.asked_by_keys(row.id, [KEY, UNIT])
    require(keys == {KEY: LOG[1]}, f"`asked_by_keys` gives {keys} for one that was used")
    require(tx.asked(row.id, 2) == LOG[1], "a decision is not found")
    require(tx.settled(row.id, 1) == LOG[2], "a tell is not found")
    require(tx.settled(row.id, 2) == LOG[3], "an expire is not found")
    require(tx.late(row.id, 2) == LOG[4], "a late reward is not found")
    require(tx.late(row.id, 1) is None, "a late reward was made up")
    require(tx.mark(row.id, 3) == 2**62 + 1, "the number of a transaction is another one")
    require(tx.mark(row.id, 7) is None, "an event was made up")
    counts = {"ask": 2, "tell": 1, "expire": 1, "late": 1, "pause": 1}
    require(tx.counts(row.id) == counts, f"`counts` gives {tx.counts(row.id)}")
    require(tx.snapshot(row.id) == Snapshot(6, "body"), "the snapshot is not the last one")
    tx.rollback()
    store.close()


def readers_keep_nobody_from_writing(opened: Opened) -> None:
    """Who reads sees one moment, whatever is written meanwhile."""
    store = opened()
    row = store.create("read", "{}", "f")
    reader = store.reading()
    require(reader.events(row.id, 0, 9) == [], "there is an event at first")
    writing = threading.Thread(target=_append_one, args=(store, row))
    writing.start()
    writing.join(timeout=60)
    require(not writing.is_alive(), "who reads keeps others from writing")
    require(reader.events(row.id, 0, 9) == [], "who reads sees what came after")
    reader.rollback()
    again = store.reading()
    require(again.events(row.id, 0, 9) == [LOG[0]], "who reads does not see what there is")
    again.rollback()
    store.close()


def what_is_derived_is_kept(opened: Opened) -> None:
    """Briefs, tallies, changes of active sets, and counts; once, whoever comes second."""
    store = opened()
    row = store.create("derived", "{}", "f")
    _append_one(store, row)
    tx = store.reading()
    require(row.id in tx.behind(9), "an experiment with new events is not found")
    tail = tx.tail(row.id, 0, 9)
    require([each.action for each in tail] == ["0,2"], f"`tail` gives {tail}")
    tx.rollback()

    tx = store.begin()
    require(tx.save_brief(row.id, None, Brief(1, 5, "one")), "a first brief was refused")
    require(not tx.save_brief(row.id, None, Brief(1, 5, "two")), "a brief was made twice")
    require(not tx.save_brief(row.id, 7, Brief(8, 5, "three")), "a brief was replaced too late")
    for _ in range(2):
        tx.add_tallies(row.id, [HourTally(3, asks=2, total=0.5)])
        tx.add_changes(row.id, [Change(1, 2, 10, False)])
        tx.add_unlogged({(row.id, "duplicate"): 2})
    tx.commit()

    tx = store.reading()
    require(tx.brief(row.id) == Brief(1, 5, "one"), "a brief is not what it was")
    require(row.id not in tx.behind(9), "an experiment is found though all is counted")
    found = tx.tallies(row.id, 0)
    require(found == [HourTally(3, asks=4, total=1.0)], f"tallies do not add up: {found}")
    require(tx.changes(row.id) == [Change(1, 2, 10, False)], "a change is not what it was")
    require(tx.unlogged(row.id) == {"duplicate": 4}, "counts do not add up")
    listed = [(each.key, brief) for each, brief in tx.listed("deriv", "ERIV", 9)]
    require(listed == [("derived", "one")], f"`listed` gives {listed}")
    tx.rollback()
    store.close()


def _append_one(store: Store, row: Experiment) -> None:
    tx = store.begin()
    tx.lock(row.id)
    tx.append(row._replace(head=1, at=10), 0, [LOG[0]])
    tx.commit()


def keys_are_added_and_taken_away(opened: Opened) -> None:
    """Who may use the service."""
    store = opened()
    given = [AccessKey(bytes([n]) * 32, f"key {n}", "read") for n in range(2)]
    for key in given:
        store.add_key(key)
    require(sorted(store.keys()) == given, f"`keys` gives {store.keys()}")
    store.remove_key("key 0")
    require(store.keys() == given[1:], "`remove_key` took something else away")
    store.remove_key("key 1")
    store.close()


def what_is_not_committed_is_gone(opened: Opened) -> None:
    """Neither a rollback nor a lost connection leaves anything."""
    store = opened()
    row = store.create("gone", "{}", "f")
    for end in ("rollback", "reconnect"):
        tx = store.begin()
        tx.lock(row.id)
        tx.append(row._replace(head=1, at=10), 0, [LOG[0]])
        tx.save_snapshot(row.id, Snapshot(1, "body"))
        if end == "rollback":
            tx.rollback()
        else:
            store.reconnect()

        tx = store.begin()
        require(tx.lock(row.id) == row, f"a {end} left another experiment")
        require(tx.events(row.id, 0, 9) == [], f"a {end} left an event")
        require(tx.snapshot(row.id) is None, f"a {end} left a snapshot")
        tx.rollback()
    store.close()


def nothing_happens_twice(opened: Opened) -> None:
    """A number, a decision, a unit and a key are there once; and nobody appends elsewhere."""
    store = opened()
    row = store.create("once", "{}", "f")
    tx = store.begin()
    tx.append(row._replace(head=6, at=50), 0, list(LOG))
    tx.commit()

    refused = {
        "a number that is taken": LOG[0]._replace(n=6, decision=9, unit=None),
        "a second decision for a unit": LOG[0]._replace(n=7, decision=9),
        "a second decision for a key": LOG[1]._replace(n=7, decision=9),
        "a decision with the same id": Event(7, 60, 12, "ask", 1, action=(0, 0)),
        "a second reward": Event(7, 60, 12, "tell", 1, body=1.0),
        "a reward for what has expired": Event(7, 60, 12, "tell", 2, body=1.0),
        "a second late reward": Event(7, 60, 12, "late", 2, body=1.0),
    }
    for what, event in refused.items():
        _require_refused(store, row.id, 6, event, what)
    _require_refused(store, row.id, 5, Event(7, 60, 12, "resume"), "an append at another head")

    tx = store.begin()
    require(tx.events(row.id, 0, 99) == list(LOG), "what was refused left something")
    tx.rollback()
    store.close()


def _require_refused(store: Store, number: int, expected: int, event: Event, what: str) -> None:
    tx = store.begin()
    row = tx.lock(number)
    try:
        tx.append(row._replace(head=7, at=60), expected, [event])
        tx.commit()
    except store.errors:
        store.reconnect()
        return
    raise AssertionError(f"{what} was not refused")


def writers_wait_for_each_other(opened: Opened) -> None:
    """Who locks an experiment sees what the one before has committed, and a clock after that."""
    store = opened()
    row = store.create("lock", "{}", "f")
    tx = store.begin()
    tx.lock(row.id)
    seen: list[int] = []

    def second() -> None:
        other = store.begin()
        early = other.try_lock(row.id)
        head = other.lock(row.id).head
        seen.extend((head, other.clock(), head if early is None else early.head))
        other.rollback()
        store.reconnect()

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(0.05)
    require(not seen, "two writers had an experiment at the same time")
    tx.append(row._replace(head=1, at=10), 0, [LOG[0]])
    before_commit = tx.clock()
    tx.commit()
    thread.join(10)
    require(seen[:1] == [1], f"the second writer saw {seen[:1]} events instead of 1")
    require(seen[1] >= before_commit, "the clock was read before the lock was there")
    require(seen[2] == 1, "`try_lock` gave an experiment that another writer had")
    store.close()


def a_session_waits_and_its_event_loop_goes_on(opened: Opened) -> None:
    """Its transactions are those of the store; a greenlet waits, and the event loop does not."""
    store = opened()
    row = store.create("session", "{}", "f")
    session = store.session()
    if session is None:
        store.close()
        return
    from greenlet import greenlet

    seen: list[int] = []

    def work() -> None:
        for n in (2, 3):
            tx = session.begin()
            seen.append(tx.lock(row.id).head)
            tx.append(
                row._replace(head=n, at=n), n - 1, [LOG[0]._replace(n=n, decision=n, unit=None)]
            )
            tx.commit()

    async def visit() -> None:
        session.attach(asyncio.get_running_loop())
        tx = store.begin()
        tx.lock(row.id)
        greenlet(work).switch()
        await asyncio.sleep(0.05)
        require(not seen, "a session had an experiment that a writer had locked")
        tx.append(row._replace(head=1, at=1), 0, [LOG[0]])
        tx.commit()
        async with asyncio.timeout(10):
            while len(seen) < 2:
                await asyncio.sleep(0.001)
        require(seen == [1, 2], f"a session saw {seen} events instead of 1 and 2")
        tx = store.begin()
        head = tx.lock(row.id).head  # after the last commit of the session
        tx.rollback()
        require(head == 3, f"there are {head} events instead of 3")
        session.close()

    asyncio.run(visit())
    store.close()


STORE_CHECKS: tuple[Callable[[Opened], None], ...] = (
    a_secret_can_be_adopted_at_first,
    experiments_are_found_again,
    a_log_comes_back_as_it_was,
    readers_keep_nobody_from_writing,
    what_is_derived_is_kept,
    keys_are_added_and_taken_away,
    what_is_not_committed_is_gone,
    nothing_happens_twice,
    writers_wait_for_each_other,
    a_session_waits_and_its_event_loop_goes_on,
)
