"""Which of six prompts does a judge prefer, and when is that certain enough to stop paying?

The judge would be a language model that reads two answers to a question and says which is better.
Here it is simulated: it has ties, it likes the answer that it sees first, each call costs a little,
and now and then the service refuses or the verdict cannot be read. `fb.arena` decides who meets
next, repeats what failed, writes every verdict to a file, and stops when one prompt is certain to
be the best. Run it twice with the same file and the second run asks nothing.
"""

import asyncio
import math
import random
import tempfile
from pathlib import Path

import factored_bandits as fb

PROMPTS = {
    "plain": "Answer the question.",
    "short": "Answer in one sentence.",
    "teacher": "Answer as a patient teacher.",
    "steps": "Think step by step, then answer.",
    "example": "Answer with an example.",
    "check": "Answer, then check the answer.",
}
QUESTIONS = ["Why is the sky blue?", "What is a prime?", "Who was Ada Lovelace?"]
# what nobody knows: log-odds of being preferred
QUALITY = dict(zip(PROMPTS.values(), (0.0, -0.4, 0.9, 1.2, 0.6, 2.3), strict=True))
FIRST = 0.7  # log-odds by which the answer that is shown first is favoured
luck = random.Random(2)


class TooManyRequests(Exception):
    """What a client raises when the service refuses."""

    status_code = 429


async def judge(a, b, question):
    """1 if the answer by prompt a is better, 0 if that by b is, 0.5 for a tie."""
    await asyncio.sleep(0.001)
    if luck.random() < 0.1:
        raise TooManyRequests("slow down")
    if luck.random() < 0.05:
        raise ValueError("no verdict in the text of the model")
    if luck.random() < 0.2:
        return fb.Verdict(0.5, cost=0.002)
    lead = QUALITY[a] - QUALITY[b] + FIRST
    return fb.Verdict(int(luck.random() < 1 / (1 + math.exp(-lead))), cost=0.002)


def main():
    with tempfile.TemporaryDirectory() as folder:
        options = {
            "items": QUESTIONS,
            "budget": fb.Budget(calls=1000, cost=2.0),
            "journal": Path(folder) / "run.jsonl",
            "backoff": 0.01,
            "concurrency": 1,
        }
        result = fb.arena_sync(PROMPTS, judge, **options)
        again = fb.arena_sync(PROMPTS, judge, **options)

    print(result)
    print(f"a second run from the same file: {again.calls - result.calls} more calls")


if __name__ == "__main__":
    main()
