"""How many of 600 questions are about the same candidate twice, per dueling policy.

    python benchmarks/self_duels.py

Eight candidates and simulated voters, five runs each; with `self_duels="skip"` it is none until the
policy has nothing else to ask.
"""

import math
import random

import factored_bandits as fb

QUESTIONS = 600
CANDIDATES = list(range(8))
RUNS = 5


def same_twice(policy, seed):
    """Questions about the same candidate twice; candidates with larger numbers are better."""
    agent = fb.Agent(policy, arms=CANDIDATES, seed=seed, horizon=QUESTIONS)
    people = random.Random(seed)
    same = 0
    for _ in range(QUESTIONS):
        decision = agent.ask()
        first, second = decision.action
        same += first == second
        likes_first = 1 / (1 + math.exp((second - first) / 2))
        agent.tell(decision.id, int(people.random() < likes_first))
    return same


def main():
    print(f"questions of {QUESTIONS} about the same candidate twice, mean and largest of {RUNS}")
    for policy in fb.policies.names("duel"):
        counts = [same_twice(policy, seed) for seed in range(1, RUNS + 1)]
        print(f"{policy:20} {sum(counts) / RUNS:6.0f} {max(counts):6}")


if __name__ == "__main__":
    main()
