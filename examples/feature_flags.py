"""A page behind feature flags of OpenFeature: who decides is a bandit, and what it learns from too.

The program that shows the page knows OpenFeature only: it asks for flags and tracks an event. Five
thousand visitors come; half of those who buy look at the page twice and see the same one.
"""

import math
import random
import statistics
from datetime import timedelta

from openfeature import api
from openfeature.evaluation_context import EvaluationContext

import factored_bandits as fb

# what nobody knows: how each level changes the probability of a purchase
APPEAL = {
    "headline": {"plain": 0.4, "question": 0.9, "numbers": 0.6},
    "image": {"people": 0.5, "product": 0.95},
    "columns": {1: 0.8, 2: 0.9, 3: 0.6},
}
VISITORS = 5000


def shop(client, people):
    """The program with the page; returns how many bought."""
    bought = 0
    for number in range(VISITORS):
        visitor = EvaluationContext(f"visitor {number}")
        page = client.get_object_value("page", {}, visitor)

        likes = 1.0
        for factor, level in page.items():
            likes *= APPEAL[factor][level]
        if people.random() >= likes:
            continue

        if people.random() < 0.5:
            assert client.get_string_value("page.headline", "", visitor) == page["headline"]
        client.track("purchase", visitor)
        bought += 1
    return bought


def main():
    factors = {factor: list(levels) for factor, levels in APPEAL.items()}
    agent = fb.Agent(factors=factors, seed=1, expire_after=timedelta(hours=24))
    provider = fb.openfeature.Provider({"page": agent}, rewards={"purchase": "page"}, remember=1000)
    api.set_provider_and_wait(provider)
    bought = shop(api.get_client(), random.Random(1))

    provider.expire()  # the day is over: those who have not bought will not
    best = ", ".join(f"{factor} {level}" for factor, level in agent.best().items())
    at_random = math.prod(statistics.mean(levels.values()) for levels in APPEAL.values())
    print(f"{VISITORS} visitors, {bought} bought; of pages at random {at_random * VISITORS:.0f}")
    print(f"the best page: {best}; sure to {agent.confidence():.1%}")
    print(f"decisions that wait: {len(agent.waiting)}")


if __name__ == "__main__":
    main()
