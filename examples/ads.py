"""Which advertisement, and where? An agent learns from clicks that come late, and from those that
never come.

A visitor who clicks does so after some time; one who does not click says nothing. So a decision
without an answer is settled after a while with `expire`, which counts as no click.
"""

import heapq

import numpy as np

import factored_bandits as fb

ATTRACTIVENESS = {
    "travel": 0.9,
    "shoes": 0.3,
    "books": 0.2,
    "insurance": 0.1,
}  # the agent does not know these
VISIBILITY = {"top": 1.0, "side": 0.4, "bottom": 0.3}
VISITORS = 20_000
SLOWEST = 150  # a click comes within the time of so many further visitors
PATIENCE = 200  # after so many, a decision without a click is given up


def main():
    rng = np.random.default_rng(1)
    agent = fb.Agent(
        "tea", factors={"ad": list(ATTRACTIVENESS), "position": list(VISIBILITY)}, seed=1
    )
    on_their_way, unanswered, clicks = [], {}, 0  # (arrival, id) of clicks; ids, the oldest first

    for visitor in range(VISITORS):
        decision = agent.ask()
        unanswered[decision.id] = visitor
        if (
            rng.random()
            < ATTRACTIVENESS[decision.levels["ad"]] * VISIBILITY[decision.levels["position"]]
        ):
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
    highest = max(ATTRACTIVENESS.values()) * max(VISIBILITY.values())
    print(
        f"{clicks:,} clicks from {VISITORS:,} visitors; always the best combination: about "
        f"{highest * VISITORS:,.0f}"
    )


if __name__ == "__main__":
    main()
