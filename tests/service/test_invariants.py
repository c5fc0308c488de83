"""Invariants 1 to 9 as a state machine: a client, a clock, deaths, and the agent in memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from postgres_shop import shops as shops_at
from scenarios import check_acknowledged, check_log
from shop import CONFIG, FACTORS, MINUTE, Death, Faults, Make, shops

import factored_bandits as fb
from factored_bandits.errors import DecisionError, ExperimentError

UNITS = st.sampled_from(["Ada", "Bob", "Cyd", "Dot", None, None, None])
REWARDS = st.sampled_from([0.0, 1.0, 0.25])
FAULTS = st.none() | st.tuples(
    st.integers(1, 9), st.booleans(), st.sampled_from(["death", "error"])
)


class Client(RuleBasedStateMachine):
    """Every step may meet a fault; a step that was not answered is repeated."""

    def __init__(self, make: Make) -> None:
        super().__init__()
        self.shop = make()
        self.last = 0
        self.memory: fb.Agent[Any] = fb.Agent(
            CONFIG["policy"],
            factors=FACTORS,
            default=0.0,
            seed=CONFIG["seed"],
            expire_after=timedelta(minutes=30),
            clock=lambda: self.last / 1e6,
            compiled=False,
        )
        self.by_unit: dict[str, fb.agent.Decision] = {}
        self.told: dict[int, float] = {}
        self.late: dict[int, float] = {}
        self.paused = False

    def tick(self) -> None:
        """The time that the engine takes for its next transaction."""
        self.last = max(self.last + 1, self.shop.now)
        self.memory.expire(older_than=timedelta(minutes=30))

    def do(self, call: Any, fault: Any) -> Any:
        """A call that may die; then the program starts again and repeats it."""
        if fault is not None:
            at, after, kind = fault
            self.shop.faults = Faults(at, after=after, kind=kind)
        try:
            return call()
        except Death:
            self.shop.faults = Faults()
            self.shop.reopen()
            return call()
        finally:
            self.shop.faults = Faults()

    @rule(unit=UNITS, fault=FAULTS, number=st.integers(0, 10**9))
    def ask(self, unit: str | None, fault: Any, number: int) -> None:
        if fault is not None and unit is None:
            unit = f"visitor {number}"  # who repeats a call says who it is
        known = unit in self.by_unit
        try:
            decision = self.do(lambda: self.shop.agent.ask(unit), fault)
        except ExperimentError:
            assert self.paused
            assert not known
            self.resynchronise()
            return

        if known:
            assert decision == self.by_unit[unit or ""]
            self.resynchronise()
            return
        self.follow(decision.id)
        if unit is not None:
            self.by_unit[unit] = decision

    def follow(self, decision: int) -> None:
        """Ask the agent in memory at the time that the log tells."""
        event = next(e for e in self.shop.log() if e.kind == "ask" and e.decision == decision)
        self.at(event.at)
        expected = self.memory.ask()
        assert self.shop.config.decision(event) == expected

    def at(self, moment: int) -> None:
        assert moment >= self.last
        self.last = moment
        self.memory.expire(older_than=timedelta(minutes=30))

    def resynchronise(self) -> None:
        """Nothing was decided, but what was due has expired."""
        events = self.shop.log()
        if events:
            self.at(events[-1].at)

    @rule(data=st.data(), reward=REWARDS, fault=FAULTS)
    def tell(self, data: st.DataObject, reward: float, fault: Any) -> None:
        asked = self.memory.status().asked
        id = data.draw(st.integers(1, asked + 1))
        try:
            said = self.do(lambda: self.shop.agent.tell(id, reward), fault)
        except DecisionError:
            assert id > asked or self.told.get(id, reward) != reward
            self.resynchronise()
            return

        self.resynchronise()
        if self.memory.is_waiting(id):
            assert said == "accepted" or (fault is not None and said == "duplicate")
            self.memory.tell(id, reward)
            self.told[id] = reward
        elif id in self.told:
            assert said == "duplicate"
            assert self.told[id] == reward
        else:
            assert said == "late"
            self.late.setdefault(id, reward)

    @rule(minutes=st.integers(0, 20))
    def wait(self, minutes: int) -> None:
        self.shop.now += minutes * MINUTE

    @rule()
    def restart(self) -> None:
        self.shop.reopen()

    @rule(fault=FAULTS)
    def pause_or_resume(self, fault: Any) -> None:
        if self.paused:
            self.do(lambda: self.shop.agent.resume(), fault)
        else:
            self.do(lambda: self.shop.agent.pause("for lunch"), fault)
        self.paused = not self.paused
        self.resynchronise()

    @invariant()
    def memory_is_the_fold_and_equals_the_agent(self) -> None:
        state = self.shop.agent.dump()
        self.resynchronise()
        assert state == self.memory.dump()
        waiting = self.shop.agent.waiting  # a microsecond later, when something else may be due
        self.resynchronise()
        assert waiting == self.memory.waiting

    def teardown(self) -> None:
        check_acknowledged(self.shop, {**self.told, **self.late})
        check_log(self.shop)
        self.shop.close()


def run(make: Make, examples: int, steps: int) -> None:
    run_state_machine_as_test(
        lambda: Client(make),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_invariants(tmp_path):
    run(shops(tmp_path), examples=12, steps=25)


@pytest.mark.xdist_group("postgres")
def test_invariants_in_postgres(url):
    run(shops_at(url), examples=3, steps=15)


def shops_with_loops(url):
    """Event loops do the transactions of decisions and rewards."""
    pytest.importorskip("greenlet", reason="the extra [postgres] is not installed")
    from lane_shop import shops

    return shops(url)


@pytest.mark.xdist_group("postgres")
def test_invariants_in_an_event_loop(url):
    run(shops_with_loops(url), examples=3, steps=15)


@pytest.mark.full
def test_invariants_for_long(tmp_path):
    run(shops(tmp_path), examples=300, steps=50)


@pytest.mark.full
@pytest.mark.xdist_group("postgres")
def test_invariants_in_postgres_for_long(url):
    run(shops_at(url), examples=100, steps=40)


@pytest.mark.full
@pytest.mark.xdist_group("postgres")
def test_invariants_in_an_event_loop_for_long(url):
    run(shops_with_loops(url), examples=100, steps=40)
