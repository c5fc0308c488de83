"""A program that is killed: it asks and tells for ever, and says what was acknowledged."""

from __future__ import annotations

import sys
import threading

import factored_bandits as fb

FACTORS = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
SAYING = threading.Lock()


def say(*words: object) -> None:
    with SAYING:
        print(*words, flush=True)


def visitors(agent: fb.service.DurableAgent, name: str, number: int) -> None:
    while True:
        number += 1
        unit = f"{name}-{number}"
        decision = agent.ask(unit)
        say("asked", unit, decision.id)
        if number % 7:
            agent.tell(decision.id, float(number % 3 == 0))
            say("told", unit, decision.id)


def main(place: str, run: str) -> None:
    with fb.open(place, "tea", key="home", factors=FACTORS, ttl="1h", default=0.0) as agent:
        say("open")
        threads = [
            threading.Thread(target=visitors, args=(agent, f"{run}-{i}", 0), daemon=True)
            for i in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
