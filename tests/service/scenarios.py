"""What a client does, and what must hold afterwards whatever happened in between.

Each check raises an AssertionError if it does not hold. The mutants of test_mutants.py are there to
show that they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from shop import CONFIG, MINUTE, Death, Faults, Make, Shop

from factored_bandits.errors import DecisionError
from factored_bandits.service.engine import Tell, Waiter

Step = tuple[Any, ...]
# Visitors ask, answer in another order, some twice and one never. All of it can be repeated.
SCRIPT: tuple[Step, ...] = (
    ("ask", "Ada"),
    ("ask", "Bob"),
    ("ask", "Cyd"),
    ("tell", 2, 1.0),
    ("ask", "Dot"),
    ("tell", 1, 0.0),
    ("tell", 3, 1.0),
    ("tell", 2, 1.0),
    ("wait", 31),
    ("ask", "Eve"),
    ("tell", 4, 1.0),
    ("ask", "Ada"),
    ("tell", 5, 1.0),
)


def do(shop: Shop, step: Step) -> Any:
    """One step of a client; what it was told."""
    kind = step[0]
    if kind == "ask":
        return shop.agent.ask(unit=step[1])
    if kind == "tell":
        return shop.agent.tell(step[1], step[2])
    shop.now += step[1] * MINUTE
    return None


Expected = tuple[list[Any], str, list[str]]


def undisturbed(make: Make) -> Expected:
    """The answers to the script, the state after it, and the statements that it took."""
    shop = make()
    shop.faults = Faults()
    answers = [do(shop, step) for step in SCRIPT]
    statements = list(shop.faults.statements)
    state = shop.agent.dump()
    check_log(shop)
    shop.close()
    return answers, state, statements


def commits(expected: Expected) -> list[int]:
    """Where the script commits, counted in statements."""
    return [at for at, statement in enumerate(expected[2], start=1) if statement.endswith("COMMIT")]


def check_log(shop: Shop) -> None:
    """Invariants 1 to 4: no gaps, memory is the fold of the log, nothing twice."""
    events = shop.log()
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    settled = Counter(e.decision for e in events if e.kind in ("tell", "expire"))
    asked = Counter(e.decision for e in events if e.kind == "ask")
    units = Counter(e.unit for e in events if e.kind == "ask" and e.unit is not None)
    assert max([*settled.values(), *asked.values(), *units.values()], default=1) == 1
    assert set(settled) <= set(asked)

    found = shop.verify()
    assert found.fault is None, found.fault
    assert found.recomputed == found.events == len(events)


def check_acknowledged(shop: Shop, told: dict[int, float]) -> None:
    """Invariant 3: every reward that was acknowledged is in the log, exactly once."""
    kept = [(e.decision, e.body) for e in shop.log() if e.kind in ("tell", "late")]
    for decision, reward in told.items():
        assert kept.count((decision, reward)) == 1, f"the reward of {decision} is not in the log"


def survives(make: Make, faults: Faults, expected: Expected) -> bool:
    """The script with one fault in it, and a client who repeats what was not answered.

    Whether the fault came at all.
    """
    answers, state, _ = expected
    shop = make()
    shop.faults = faults
    told: dict[int, float] = {}
    for step, answer in zip(SCRIPT, answers, strict=True):
        repeated = False
        try:
            said = do(shop, step)
        except Death:
            shop.faults = Faults()
            shop.reopen()
            repeated = True
            said = do(shop, step)
        if step[0] == "tell":
            told[step[1]] = step[2]
            allowed = {answer, "duplicate"} if repeated and answer == "accepted" else {answer}
            assert said in allowed, f"{step} was answered by {said!r} instead of {answer!r}"
        else:
            assert said == answer, f"{step} was answered by {said} instead of {answer}"

    check_acknowledged(shop, told)
    assert shop.agent.dump() == state
    shop.reopen()
    assert shop.agent.dump() == state
    check_log(shop)
    shop.close()
    return faults.count >= faults.at


class Listener(Waiter):
    """Says at once what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Any] = []

    def wake(self) -> None:
        self.heard.append(self._value)
        super().wake()


def answers_are_committed(make: Make) -> None:
    """Whoever was answered finds the answer in the log, though the process dies right then."""
    shop = make()
    first = shop.agent.ask(unit="Ada")
    listener = Listener()
    for statement in range(1, 30):
        shop.faults = Faults(at=statement)
        listener = Listener()
        try:
            request = Tell(decision=first.id, reward=1.0, waiter=listener)
            shop.engine.submit(1, request)
            while shop.engine.step():
                pass
        except Death:
            shop.faults = Faults()
            shop.reopen()
        if listener.heard:
            break
    check_acknowledged(shop, {first.id: 1.0})
    check_log(shop)
    shop.close()


def silence_counts(make: Make) -> None:
    """Invariant 7: every decision is settled by ttl and one batch, with the default reward."""
    shop = make()
    decisions = [shop.agent.ask() for _ in range(6)]
    shop.agent.tell(decisions[3].id, 1.0)
    shop.now += 31 * MINUTE
    assert shop.agent.waiting == ()
    expired = {e.decision: e.body for e in shop.log() if e.kind == "expire"}
    assert expired == {d.id: 0.0 for d in decisions if d is not decisions[3]}
    assert shop.agent.status().learned == 6
    check_log(shop)
    shop.close()


def order_between_asks_does_not_matter(make: Make) -> None:
    """Invariant 8: rewards between two asks may come in any order, and more than once."""
    orders = [(1, 2, 3, 4, 5, 6), (6, 2, 1, 5, 4, 3), (3, 3, 6, 1, 4, 2, 5)]
    for policy in ("tea", "lb_inf"):
        states = []
        for order in orders:
            config = {**CONFIG, "policy": policy}
            shop = make(config)
            decisions = [shop.agent.ask() for _ in range(6)]
            for id in order:
                shop.agent.tell(id, float(id % 2))
            states.append((decisions, shop.agent.dump(), shop.agent.ask()))
            check_log(shop)
            shop.close()
        assert states[0] == states[1] == states[2]


def late_and_foreign_rewards_change_nothing(make: Make) -> None:
    """Invariant 6."""
    shop = make()
    first = shop.agent.ask()
    second = shop.agent.ask()
    shop.agent.tell(second.id, 1.0)
    shop.now += 31 * MINUTE
    state = shop.agent.dump()
    assert shop.agent.tell(first.id, 1.0) == "late"
    assert shop.agent.tell(first.id, 0.5) == "late"
    assert shop.agent.tell(second.id, 1.0) == "duplicate"
    for id, reward in ((second.id, 0.0), (99, 1.0), (0, 1.0), (2**70, 1.0)):
        refused(lambda id=id, reward=reward: shop.agent.tell(id, reward))
    assert shop.agent.dump() == state
    assert [e.body for e in shop.log() if e.kind == "late"] == [1.0]
    check_log(shop)
    shop.close()


def refused(call: Callable[[], Any]) -> None:
    try:
        call()
    except DecisionError:
        return
    raise AssertionError("it was not refused")


SCENARIOS = (
    answers_are_committed,
    silence_counts,
    order_between_asks_does_not_matter,
    late_and_foreign_rewards_change_nothing,
)
