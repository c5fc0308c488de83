"""Which of eight prompts do people like best?

They see two answers and pick one, call it a tie, or skip the question. The agent begins with the
picks of yesterday and decides which two prompts meet next. Prompts that another one beats with high
confidence are no longer shown. A question that was skipped expires, and counts as a tie. The
program stops when one prompt is left.
"""

import math

import numpy as np

import factored_bandits as fb

PROMPTS = [
    "plain",
    "step by step",
    "with examples",
    "as a teacher",
    "short",
    "polite",
    "as a list",
    "with a check",
]
APPEAL = [0.0, 0.9, 1.5, 0.7, -0.3, 0.1, 0.4, 2.4]  # what nobody knows: log-odds of being picked
QUESTIONS = 5000  # at most
rng = np.random.default_rng(5)


def answer(first, second):
    """1 if a person picks the first answer, 0 the second, 0.5 a tie, None if none is given."""
    if rng.random() < 0.1:
        return None
    if rng.random() < 0.15:
        return 0.5
    difference = APPEAL[PROMPTS.index(first)] - APPEAL[PROMPTS.index(second)]
    return 1 if rng.random() < 1 / (1 + math.exp(-difference)) else 0


def picks_of_yesterday():
    """Past duels as (winner, loser, tie), which is what a CSV file would hold."""
    picks = []
    for _ in range(60):
        first, second = (str(prompt) for prompt in rng.choice(PROMPTS, 2, replace=False))
        outcome = answer(first, second)
        if outcome is not None:
            winner, loser = (second, first) if outcome == 0 else (first, second)
            picks.append((winner, loser, outcome == 0.5))
    return picks


def main():
    agent = fb.Agent(
        "savage", arms=PROMPTS, history=picks_of_yesterday(), horizon=QUESTIONS, seed=1
    )
    print(f"after yesterday the best seems to be {agent.best()!r}")
    asked = skipped = 0
    while asked < QUESTIONS and agent.confidence() == 0.0:
        decision = agent.ask()
        outcome = answer(decision.levels["first"], decision.levels["second"])
        asked += 1
        if outcome is None:
            agent.expire(decision.id)
            skipped += 1
        else:
            agent.tell(decision.id, outcome)
    print(agent.status())
    print(f"{asked} questions, {skipped} of them skipped; sure to {agent.confidence():.2%}")
    print(f"the winner is {agent.best()!r}")


if __name__ == "__main__":
    main()
