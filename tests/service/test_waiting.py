"""Requests of coroutines are handed to the writers together, and never wait for others for long."""

from __future__ import annotations

import asyncio

import pytest
from shop import Shop

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from factored_bandits.errors import DecisionError, StoreError
from factored_bandits.service.api.waiting import MANY, TURNS, Loop, answers, check_all
from factored_bandits.service.engine import Ask, AwayError


@pytest.fixture
def shop(tmp_path):
    made = Shop(tmp_path / "shop.db", agent_time=60.0)  # a slow machine makes no more batches
    yield made
    made.close()


def test_what_comes_in_together_is_one_batch(shop):
    async def visit():
        loop = Loop(shop.engine)
        futures = [loop.submit(1, Ask()) for _ in range(20)]
        await asyncio.sleep(0)
        futures += [loop.submit(1, Ask()) for _ in range(10)]
        for _ in range(TURNS):
            await asyncio.sleep(0)
        while shop.engine.step():
            pass
        return await answers(futures)

    assert [decision.id for decision in asyncio.run(visit())] == list(range(1, 31))
    assert (sum(shop.engine.meter.batches), shop.engine.meter.requests) == (1, 30)


def test_who_came_first_does_not_wait_for_an_endless_row(shop):
    async def visit():
        loop = Loop(shop.engine)
        first = loop.submit(1, Ask())
        for _ in range(TURNS + 1):
            await asyncio.sleep(0)
            loop.submit(1, Ask())
        while shop.engine.step():
            pass
        await asyncio.sleep(0)
        return first.done()

    assert asyncio.run(visit())


def test_many_wait_for_no_more(shop):
    async def visit():
        loop = Loop(shop.engine)
        futures = [loop.submit(1, Ask()) for _ in range(MANY)]
        await asyncio.sleep(0)
        while shop.engine.step():
            pass
        await asyncio.sleep(0)
        return all(future.done() for future in futures)

    assert asyncio.run(visit())


def test_errors_are_answers_too(shop):
    async def visit():
        loop = Loop(shop.engine)
        shop.engine.breaker.failed()
        away = loop.submit(1, Ask(patient=False))
        waits = loop.submit(1, Ask())
        for _ in range(TURNS):
            await asyncio.sleep(0)
        while shop.engine.step():
            pass
        shop.engine._queue.close()
        closed = loop.submit(1, Ask())
        return await answers([away, waits, closed])

    away, decision, closed = asyncio.run(visit())
    assert isinstance(away, AwayError)
    assert decision.id == 1
    assert isinstance(closed, StoreError)


def test_an_error_says_how_many_are_stored_all_the_same():
    """Requests that came together may be in several transactions."""
    first, second = object(), object()
    away, unknown = AwayError("away"), DecisionError("unknown")
    check_all([first, away], (AwayError,), "decisions")
    check_all([first, unknown, second], (DecisionError,), "rewards")
    failed = StoreError("the disk is full")
    with pytest.raises(StoreError) as caught:
        check_all([first, unknown, failed, second, failed], (DecisionError,), "rewards")
    assert str(caught.value) == (
        "2 of these 5 rewards are stored, the others are not: the disk is full. The same call "
        "again, with the same units or key, has the same answer for those that are"
    )
    for error in (failed, unknown):  # of whom nothing is stored, and one that is no refusal
        with pytest.raises(type(error)) as caught:
            check_all([error, failed], (AwayError,), "decisions")
        assert caught.value is error
