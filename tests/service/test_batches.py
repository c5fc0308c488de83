"""Which requests share a transaction: all that came before the experiment was locked."""

from __future__ import annotations

import pytest
from shop import Shop

from factored_bandits.errors import ExperimentError
from factored_bandits.service.engine import Ask
from factored_bandits.service.engine.batch import Batch
from factored_bandits.service.engine.queue import MOST


@pytest.fixture
def shop(tmp_path):
    made = Shop(tmp_path / "shop.db", agent_time=60.0)  # a slow machine makes no more batches
    yield made
    made.close()


def while_it_waits_for_the_lock(shop, come, times=1):
    """Let requests come between BEGIN and the lock; gives the transactions so far, by number."""
    begin = shop.engine.store.begin
    begun = []

    def slow():
        begun.append(len(begun))
        if len(begun) <= times:
            for request in come():
                shop.engine.submit(1, request)
        return begin()

    shop.engine.store.begin = slow
    return begun


def test_what_comes_before_the_lock_is_in_the_same_transaction(shop):
    late = [Ask(unit=b"second"), Ask(unit=b"first")]
    begun = while_it_waits_for_the_lock(shop, lambda: late)
    first = Ask(unit=b"first")
    shop.engine.submit(1, first)
    assert shop.engine.step()
    assert not shop.engine.step()
    assert begun == [0]
    assert [each.waiter.result().id for each in (first, *late)] == [1, 2, 1]
    assert len({event.tx for event in shop.log()}) == 1


def test_a_batch_has_an_upper_bound_all_the_same(shop):
    late = [Ask() for _ in range(MOST)]
    while_it_waits_for_the_lock(shop, lambda: late)
    shop.engine.submit(1, Ask())
    while shop.engine.step():
        pass
    assert [each.waiter.result().id for each in late] == list(range(2, MOST + 2))
    assert len({event.tx for event in shop.log()}) == 2


def test_who_makes_an_agent_fail_is_found_though_more_come(shop, monkeypatch):
    """Requests are done one at a time then, and nobody new joins them."""
    ask = Batch._ask

    def failing(self, request):
        if request.unit == b"bad":
            raise ZeroDivisionError("by order")
        return ask(self, request)

    monkeypatch.setattr(Batch, "_ask", failing)
    begun = while_it_waits_for_the_lock(shop, lambda: [Ask()], times=50)
    good = Ask(unit=b"good")
    bad = Ask(unit=b"bad")
    shop.engine.submit(1, good)
    shop.engine.submit(1, bad)
    assert shop.engine.step()
    # all of them; then good, bad and the one who came with them alone, and the pause
    assert len(begun) == 5
    assert good.waiter.result().id == 1
    with pytest.raises(ExperimentError, match="is paused: ZeroDivisionError: by order"):
        bad.waiter.result()
