"""Which prompt, model and temperature, if a judge can only say which of two answers is better?

Two whole combinations meet, and every factor in which they differ learns from the verdict. The
judge would be a language model; here it is simulated, with ties and a liking for the answer that it
sees first. The temperature does not matter to it: what cannot be told apart stays a set.
"""

import math
import random

import factored_bandits as fb

FACTORS = {
    "prompt": ["plain", "steps", "example"],
    "model": ["small", "large"],
    "temperature": [0.0, 0.7],
}
# what nobody knows: log-odds of being preferred
WORTH = {"plain": 0.0, "steps": 1.3, "example": 0.4, "small": 0.0, "large": 1.1}
luck = random.Random(3)


def judge(a, b):
    """1 if the answer of combination a is better, 0 if that of b is, 0.5 for a tie."""
    if luck.random() < 0.1:
        return 0.5
    lead = sum(WORTH.get(a[name], 0.0) - WORTH.get(b[name], 0.0) for name in FACTORS)
    return int(luck.random() < 1 / (1 + math.exp(-lead - 0.3)))


def main():
    print(fb.tune_sync(FACTORS, judge=judge, budget=500, concurrency=1, progress=False))


if __name__ == "__main__":
    main()
