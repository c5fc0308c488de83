"""What must hold of tallies, briefs and changes of active sets, over every store."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from shop import CONFIG, FACTORS, MINUTE

from factored_bandits.service.engine import is_held
from factored_bandits.service.store import HourTally
from factored_bandits.service.tallies import Follower, Shape, Tally, advance, follower
from factored_bandits.service.timeline import Timeline

HOUR = 60 * MINUTE
BEST = {"headline": "long", "button": "blue"}
CONFIGURED = {**CONFIG, "policy": "tea(bound=betting)", "holdout": 0.2}


def played(shops, units=300, config=CONFIGURED, reopened=True):
    """A shop with rewards, silence, late rewards, a holdout, and levels that are eliminated."""
    shop = shops(config, snapshot_every=50)
    rng = random.Random(5)
    for unit in range(units):
        decision = shop.agent.ask(unit)
        shop.now += rng.randrange(0, 2 * MINUTE)
        if unit % 40 == 0:
            shop.now += 28 * MINUTE  # nearly too late
        if rng.random() < 0.9:
            right = sum(decision.levels[name] == BEST[name] for name in FACTORS)
            shop.agent.tell(decision.id, right / 2)
        elif rng.random() < 0.3:
            # as if the page had been left open
            shop.now += 31 * MINUTE
            shop.agent.ask(f"extra {unit}")
            shop.agent.tell(decision.id, 1.0)
        if reopened and unit % 70 == 69:
            shop.reopen()
    return shop


def expected(shop):
    """Hours and levels, counted by hand."""
    log = shop.log()
    asks = {event.decision: event for event in log if event.kind == "ask"}
    hours: dict[int, Counter] = {}
    levels = [[0, 0, 0.0, 0.0] for _ in range(5)]
    for event in log:
        counts = hours.setdefault(event.at // HOUR, Counter())
        held = is_held(event.decision)
        if event.kind in ("ask", "late"):
            counts[f"{event.kind}s"] += 1
        if event.kind == "ask":
            counts["held_asks"] += held
        elif event.kind in ("tell", "expire"):
            counts[f"{event.kind}s"] += 1
            counts["held_settled" if held else "settled"] += 1
            counts["held_total" if held else "total"] += event.body
            age = event.at - asks[event.decision].at
            counts["slow"] += event.kind == "tell" and age > 0.9 * 30 * MINUTE
        if event.kind in ("ask", "tell", "expire") and not held:
            headline, button = asks[event.decision].action
            for level in (headline, 2 + button):
                levels[level][0] += event.kind == "ask"
                levels[level][1] += event.kind != "ask"
                reward = 0 if event.kind == "ask" else event.body
                levels[level][2] += reward
                levels[level][3] += reward**2
    return [HourTally(hour, **counts) for hour, counts in sorted(hours.items())], levels


def of(store, hours=1):
    """The tallies and the brief that a store has."""
    tx = store.reading()
    found = tx.tallies(1, 0, hours)
    brief = tx.brief(1)
    tx.rollback()
    return found, None if brief is None else Tally.of(brief.body)


def shape(shop):
    return lambda number: Shape.of(shop.config)


def tallies_are_what_the_log_says(shops, monkeypatch):
    monkeypatch.setattr(follower, "PORTION", 37)
    shop = played(shops)
    store = shop.engine.store
    counted = advance(store, shape(shop))
    hours, levels = expected(shop)
    found, brief = of(store)
    assert counted == brief.n == len(shop.log())
    assert found == hours
    assert brief.levels == levels
    assert len(hours) > 3
    for name in HourTally._fields[1:]:
        assert getattr(brief, name) == sum(getattr(hour, name) for hour in hours), name
        assert getattr(brief, name) > 0, name
    kept = [bucket.number for bucket in brief.buckets("hour")]
    assert kept == [hour.hour for hour in hours][-48:]
    days = of(store, 24)[0]
    assert sum(day.asks for day in days) == brief.asks
    assert all(day.hour % 24 == 0 for day in days)

    # made anew from the log it is the same, and nothing is counted twice
    assert advance(store, shape(shop)) == 0
    tx = store.begin()
    tx.forget(1)
    tx.commit()
    monkeypatch.setattr(follower, "PORTION", 10**6)
    advance(store, shape(shop))
    assert of(store) == (found, brief)
    shop.close()


def two_who_count_change_nothing(shops):
    shop = played(shops, 60)
    store = shop.engine.store
    first = Follower(store, shape(shop))
    second = Follower(store, shape(shop))
    steps = []
    real = first._step

    def late(number, said):
        steps.append(real(number, said))
        assert second.advance([1]) > 0  # in between, somebody else counts the same events
        return steps[-1]

    first._step = late
    assert first.advance([1]) == 0
    assert of(store)[0] == expected(shop)[0]
    shop.agent.ask("one more")
    steps.clear()
    first._seen.clear()  # as if it had just begun
    assert first.advance([1]) == 0
    assert steps[0] is not None
    assert of(store)[0] == expected(shop)[0]
    shop.close()


def who_counts_is_left_alone_until_they_stop(shops):
    shop = played(shops, 60)
    store = shop.engine.store
    first = Follower(store, shape(shop))
    second = Follower(store, shape(shop))
    assert first.advance([1]) == len(shop.log())
    assert second.advance([1]) == 0
    shop.agent.ask("one more")
    assert first.advance([1]) == 1
    shop.agent.ask("another one")
    assert second.advance([1]) == 0  # somebody has counted since it last looked
    assert second.advance([1]) == 1  # and nobody since then
    assert of(store)[0] == expected(shop)[0]
    shop.close()


def changes_are_those_of_the_timeline(shops):
    shop = played(shops)
    store = shop.engine.store
    tx = store.reading()
    timeline = Timeline(tx.lock(1))
    timeline.advance(tx, 10**6)
    stored = tx.changes(1)
    tx.rollback()
    names = [(factor, level) for factor, levels in FACTORS.items() for level in levels]
    found = [(each.n, each.at, *names[each.level], each.active) for each in stored]
    assert found == [(c.event, c.at, c.factor, c.level, c.active) for c in timeline.changes]
    assert found
    shop.close()


def changes_before_their_table_are_seen_at_the_next_decision(shops):
    """A database of an earlier version knows no changes; the next decision shows them."""
    shop = played(shops, reopened=False)
    store = shop.engine.store
    tx = store.begin()
    gone = {each.level: each.active for each in tx.changes(1)}
    tx._change("DELETE FROM change")
    tx.commit()
    shop.reopen()
    shop.agent.ask("another")
    tx = shop.engine.store.reading()
    found = tx.changes(1)
    head = tx.lock(1).head
    tx.rollback()
    out = {level for level, active in gone.items() if not active}
    assert {each.level for each in found if not each.active} == out
    assert out
    assert {each.n for each in found} == {head}
    shop.close()


def unlogged_add_up(shops):
    shop = shops()
    store = shop.engine.store
    follower = Follower(store, shape(shop))
    follower.advance([], unlogged={(1, "duplicate"): 2, (0, "unknown"): 1})
    follower.advance([], unlogged={(1, "duplicate"): 3, (1, "conflict"): 1})
    tx = store.reading()
    assert tx.unlogged(1) == {"duplicate": 5, "conflict": 1}
    assert tx.unlogged(0) == {"unknown": 1}
    tx.rollback()
    shop.close()


def lists_go_on_where_they_ended(shops):
    shop = shops()
    store = shop.engine.store
    for key in ("Zebra", "apple", "100% pure", "home_2", "home-2", "é"):
        store.create(key, "{}", "f")
    tx = store.reading()
    keys = []
    after = ""
    while page := tx.listed(after, "", 3):
        keys += [row.key for row, brief in page]
        assert all(brief is None for _, brief in page)
        after = keys[-1]
    assert keys == sorted(keys)
    assert len(keys) == tx.amount() == 7
    assert [row.key for row, _ in tx.listed("", "home", 9)] == ["home", "home-2", "home_2"]
    assert [row.key for row, _ in tx.listed("", "E_", 9)] == ["home_2"]
    assert [row.key for row, _ in tx.listed("", "0% P", 9)] == ["100% pure"]
    tx.rollback()

    for reason in ("first", "second"):
        shop.agent.pause(reason)
        shop.agent.resume()
    tx = store.reading()
    kinds = [(event.kind, event.body) for event in tx.audit(1, 2**62, 3)]
    assert kinds == [("resume", None), ("pause", "second"), ("resume", None)]
    assert [event.body for event in tx.audit(1, 2, 3)] == ["first"]
    tx.rollback()
    shop.close()


def a_reader_cannot_write(shops):
    shop = shops()
    store = shop.engine.store
    tx = store.reading()
    with pytest.raises(store.errors):
        tx.add_unlogged({(1, "duplicate"): 1})
    tx.rollback()
    tx = store.begin()  # of the same thread
    tx.add_unlogged({(1, "duplicate"): 1})
    tx.commit()
    shop.close()


SCENARIOS = (
    a_reader_cannot_write,
    two_who_count_change_nothing,
    who_counts_is_left_alone_until_they_stop,
    changes_are_those_of_the_timeline,
    changes_before_their_table_are_seen_at_the_next_decision,
    unlogged_add_up,
    lists_go_on_where_they_ended,
)
