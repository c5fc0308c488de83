"""Which advertisement, and where? An agent learns from clicks that come late, or never.

A visitor who clicks does so after some time. One who does not click says nothing, so a decision
without an answer is settled with `expire` after a while, which counts as no click.
"""

import heapq

import numpy as np

import factored_bandits as fb

# the agent does not know these
ATTRACTIVENESS = {"travel": 0.9, "shoes": 0.3, "books": 0.2, "insurance": 0.1}
VISIBILITY = {"top": 1.0, "side": 0.4, "bottom": 0.3}
VISITORS = 20_000
SLOWEST = 150  # a click comes within the time of so many further visitors
PATIENCE = 200  # after so many, a decision without a click is given up


def main():
    rng = np.random.default_rng(1)
    factors = {"ad": list(ATTRACTIVENESS), "position": list(VISIBILITY)}
    agent = fb.Agent("tea", factors=factors, seed=1)
    on_their_way = []  # (arrival, id) of clicks
    unanswered = {}  # id and visitor, the oldest first
    clicks = 0

    for visitor in range(VISITORS):
        decision = agent.ask()
        unanswered[decision.id] = visitor
        shown = decision.levels
        if rng.random() < ATTRACTIVENESS[shown["ad"]] * VISIBILITY[shown["position"]]:
            heapq.heappush(on_their_way, (visitor + rng.integers(1, SLOWEST), decision.id))

        while on_their_way and on_their_way[0][0] <= visitor:
            _, answered = heapq.heappop(on_their_way)
            agent.tell(answered, 1.0)
            del unanswered[answered]
            clicks += 1
        for silent in [id for id, when in unanswered.items() if when <= visitor - PATIENCE]:
            agent.expire(silent)
            del unanswered[silent]

    print(agent.status())
    print(f"\nbest so far: {agent.best()}")
    highest = max(ATTRACTIVENESS.values()) * max(VISIBILITY.values()) * VISITORS
    print(f"{clicks:,} clicks from {VISITORS:,} visitors")
    print(f"always the best combination: about {highest:,.0f}")


if __name__ == "__main__":
    main()
