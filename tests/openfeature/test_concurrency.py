"""Threads, the event loop, and agents that are none of ours but have the methods."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from openfeature.evaluation_context import EvaluationContext

import factored_bandits as fb


class Elsewhere:
    """The methods that a provider needs, and no others, with a gate before `ask`."""

    def __init__(self, agent: fb.Agent, gate: threading.Event) -> None:
        self.agent = agent
        self.gate = gate
        self.tell = agent.tell
        self.expire = agent.expire
        self.is_waiting = agent.is_waiting
        self.best = agent.best
        self.status = agent.status

    def ask(self) -> object:
        assert self.gate.wait(60), "nobody opened the gate"
        return self.agent.ask()


def test_threads_get_one_decision_per_key(agent, client_of):
    client = client_of(fb.openfeature.Provider({"page": agent}))
    barrier = threading.Barrier(8)

    def visit(number: int) -> list[int]:
        barrier.wait()
        found = []
        for key in range(60):
            who = EvaluationContext(str(key))
            details = client.get_object_details("page", {}, who)
            found.append(details.flag_metadata["decision"])
            if key % 8 == number:
                client.track("page", who)
        return found

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(visit, range(8)))
    assert all(each == seen[0] for each in seen)
    assert sorted(seen[0]) == list(range(1, 61))
    assert agent.status().asked == 60
    assert agent.waiting == ()


def test_the_event_loop_goes_on_while_an_agent_thinks(agent, client_of):
    gate = threading.Event()
    client = client_of(fb.openfeature.Provider({"page": Elsewhere(agent, gate)}))
    who = EvaluationContext("one")

    async def visits() -> list[object]:
        asked = [
            asyncio.create_task(client.get_object_details_async("page", {}, who)) for _ in range(3)
        ]
        await asyncio.sleep(0)
        gate.set()  # only a loop that is not held up gets here
        return [*await asyncio.gather(*asked), client.get_object_details("page", {}, who)]

    found = asyncio.run(visits())
    assert {each.flag_metadata["decision"] for each in found} == {1}
    assert agent.status().asked == 1


def test_every_type_can_be_awaited(agent, client_of):
    client = client_of(fb.openfeature.Provider({"page": agent}))
    who = EvaluationContext("one")

    async def visits() -> dict[str, object]:
        return {
            "headline": await client.get_string_value_async("page.headline", "", who),
            "columns": await client.get_integer_value_async("page.columns", 0, who),
            "size": await client.get_float_value_async("page.size", 0.0, who),
            "dark": await client.get_boolean_value_async("page.dark", None, who),
        }

    assert asyncio.run(visits()) == client.get_object_value("page", {}, who)


def test_a_caller_who_gives_up_loses_no_decision(agent, client_of):
    gate = threading.Event()
    client = client_of(fb.openfeature.Provider({"page": Elsewhere(agent, gate)}))
    who = EvaluationContext("one")

    async def impatient() -> None:
        asking = asyncio.create_task(client.get_object_details_async("page", {}, who))
        await asyncio.sleep(0)
        asking.cancel()
        gate.set()

    asyncio.run(impatient())  # which waits for its threads at the end
    assert client.get_object_details("page", {}, who).flag_metadata["decision"] == 1
    assert agent.waiting == (1,)


def test_a_decision_that_could_not_expire_is_tried_again(agent, client_of):
    """An agent behind a network that is gone for a moment."""
    elsewhere = Elsewhere(agent, threading.Event())
    elsewhere.gate.set()
    down = [True]

    def expire(id: int) -> None:
        if down[0]:
            raise ConnectionError("nobody there")
        agent.expire(id)

    elsewhere.expire = expire
    client = client_of(fb.openfeature.Provider({"page": elsewhere}, remember=1))
    client.get_object_value("page", {}, EvaluationContext("one"))
    failed = client.get_object_details("page", {"by": "default"}, EvaluationContext("two"))
    assert (failed.error_code.value, failed.error_message) == ("GENERAL", "nobody there")
    assert failed.value == {"by": "default"}

    down[0] = False
    client.get_object_value("page", {}, EvaluationContext("two"))
    assert agent.waiting == (2,)
