"""Mistakes that are easy to make, made on purpose: the checks must see every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from scenarios import (
    answers_are_committed,
    commits,
    late_and_foreign_rewards_change_nothing,
    order_between_asks_does_not_matter,
    silence_counts,
    survives,
    undisturbed,
)
from shop import Death, Faults, Shop, shops

from factored_bandits.agent.agent import Agent
from factored_bandits.agent.ledger import Block
from factored_bandits.service.engine.batch import Batch
from factored_bandits.service.engine.engine import Engine
from factored_bandits.service.engine.fold import Fold
from factored_bandits.service.engine.transacting import Transacting
from factored_bandits.service.engine.writer import Writer
from factored_bandits.service.store.sqlite import SqliteTransaction


def deaths(make: Any, kind: str = "death") -> None:
    """The script with a fault at its commits; all of it is a check."""
    expected = undisturbed(make)
    for at in commits(expected):
        for after in (False, True):
            survives(make, Faults(at, after=after, kind=kind), expected)


def lost_connections(make: Any) -> None:
    deaths(make, "error")


def acknowledge_before_commit(patch: pytest.MonkeyPatch) -> None:
    commit = Transacting._commit

    def early(self: Transacting, tx: Any, attempt: Any, mark: int) -> None:
        self._answer(attempt.answers)
        commit(self, tx, attempt, mark)

    patch.setattr(Transacting, "_commit", early)


def learn_as_completed(patch: pytest.MonkeyPatch) -> None:
    """A reward is learned when it comes, whatever was planned before it."""

    def at_once(self: Agent[Any], id: int, reward: Any) -> None:
        self._ledger.settle(id, self._rewards.taken(reward))
        actions = self._ledger.actions.read(id, 1)
        self._learner.learn(Block(id, actions, self._ledger.rewards.read(id, 1)))

    def only_count(self: Agent[Any], most: int | None) -> int:
        while self._ledger.ready() is not None:
            self._ledger.advance()
        return 0

    patch.setattr(Agent, "_tell", at_once)
    patch.setattr(Agent, "_learn", only_count)


def no_deduplication(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Batch, "_known", lambda self, request: None)


def drop_unrewarded(patch: pytest.MonkeyPatch) -> None:
    """What is due is forgotten instead of being counted."""

    def forgotten(self: Batch) -> None:
        self._fold.expire_due()

    patch.setattr(Batch, "expire_due", forgotten)


def expire_after_the_tells(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Batch, "expire_due", lambda self: None)


def outcome_unknown_taken_for_failed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Writer, "_has_happened", lambda self, groups, attempt, error: _reconnected(self))


def _reconnected(writer: Writer) -> bool:
    writer._store.reconnect()
    return False


def outcome_unknown_taken_for_done(patch: pytest.MonkeyPatch) -> None:
    def done(self: Writer, groups: Any, attempt: Any, error: Exception) -> bool:
        self._store.reconnect()
        return attempt.mark is not None

    patch.setattr(Writer, "_has_happened", done)


def state_kept_after_a_failed_commit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Writer, "_forget", lambda self, groups: None)


def late_rewards_learned(patch: pytest.MonkeyPatch) -> None:
    def learned(self: Batch, decision: int, reward: Any, who: Any) -> str:
        self._fold.agent.tell(self._fold.ask().id, reward)
        return "late"

    patch.setattr(Batch, "_came_late", learned)


def duplicates_counted(patch: pytest.MonkeyPatch) -> None:
    def again(self: Batch, request: Any) -> str:
        if not self._fold.is_waiting(request.decision):
            self._fold.ask()
        return tell(self, request)

    tell = Batch._tell
    patch.setattr(Batch, "_tell", again)


def learned_in_portions_by_each_call(patch: pytest.MonkeyPatch) -> None:
    """Without learning all before an ask, the order of rewards counts; see test_equality."""
    patch.setattr(Fold, "learn", lambda self, most=None: True)
    patch.setattr("factored_bandits.agent.playing.PORTION", 1)


def snapshot_before_the_last_event(patch: pytest.MonkeyPatch) -> None:
    save = SqliteTransaction.save_snapshot

    def stale(self: Any, experiment: int, snapshot: Any) -> None:
        save(self, experiment, snapshot._replace(n=snapshot.n - 1))

    patch.setattr(SqliteTransaction, "save_snapshot", stale)


def asked_again_without_looking(patch: pytest.MonkeyPatch) -> None:
    """What an event loop could not finish waits for a writer as if nothing had happened."""

    def again(self: Engine, group: Any, attempt: Any, error: Exception) -> None:
        handle, requests = group
        handle.forget()
        self._queue.put_back(handle.id, requests)
        self._queue.release(handle.id)

    patch.setattr(Engine, "_settle", again)


MUTANTS: list[tuple[Any, Any]] = [
    (acknowledge_before_commit, answers_are_committed),
    (learn_as_completed, order_between_asks_does_not_matter),
    (no_deduplication, deaths),
    (drop_unrewarded, silence_counts),
    (expire_after_the_tells, silence_counts),
    (outcome_unknown_taken_for_failed, lost_connections),
    (outcome_unknown_taken_for_done, lost_connections),
    (state_kept_after_a_failed_commit, lost_connections),
    (late_rewards_learned, late_and_foreign_rewards_change_nothing),
    (duplicates_counted, late_and_foreign_rewards_change_nothing),
    (learned_in_portions_by_each_call, order_between_asks_does_not_matter),
    (snapshot_before_the_last_event, deaths),
]


@pytest.mark.parametrize(("mutant", "check"), MUTANTS, ids=[m.__name__ for m, _ in MUTANTS])
def test_the_checks_see_the_mutant(mutant, check, tmp_path, monkeypatch):
    mutant(monkeypatch)
    with pytest.raises(Exception) as caught:
        check(shops(tmp_path))
    assert not isinstance(caught.value, (Death, AttributeError, TypeError, NameError))


IN_A_LOOP: list[tuple[Any, Any]] = [
    (acknowledge_before_commit, answers_are_committed),
    (asked_again_without_looking, lost_connections),
    (outcome_unknown_taken_for_failed, lost_connections),
    (outcome_unknown_taken_for_done, lost_connections),
    (state_kept_after_a_failed_commit, lost_connections),
]


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize(("mutant", "check"), IN_A_LOOP, ids=[m.__name__ for m, _ in IN_A_LOOP])
def test_the_checks_see_the_mutant_of_an_event_loop(mutant, check, url, monkeypatch):
    pytest.importorskip("greenlet", reason="the extra [postgres] is not installed")
    from lane_shop import LaneShop

    made: list[LaneShop] = []

    def make(*given: Any, **named: Any) -> LaneShop:
        made.append(LaneShop(url, *given, **named))
        return made[-1]

    mutant(monkeypatch)
    with pytest.raises(Exception) as caught:
        check(make)
    for shop in made:
        shop.die()  # where the check has failed, it is open still
    assert not isinstance(caught.value, (Death, AttributeError, TypeError, NameError, TimeoutError))


def test_the_shop_uses_the_agent_that_the_mutants_change(tmp_path):
    shop = Shop(tmp_path / "shop.db")
    assert isinstance(shop.agent._read(lambda agent: agent), Agent)
    shop.close()
