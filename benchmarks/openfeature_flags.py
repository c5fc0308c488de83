"""What a flag costs: microseconds of an evaluation, new and remembered, and bytes per key.

python benchmarks/openfeature_flags.py
"""

from __future__ import annotations

import time
import tracemalloc

from openfeature import api
from openfeature.evaluation_context import EvaluationContext

import factored_bandits as fb

KEYS = 5000
LEVELS = [f"level {number}" for number in range(4)]
FACTORS = {"headline": LEVELS, "image": LEVELS, "button": LEVELS}


def microseconds(work, keys) -> float:
    begin = time.process_time()
    for key in keys:
        work(key)
    return (time.process_time() - begin) / len(keys) * 1e6


def main() -> None:
    agent = fb.Agent("uniform", factors=FACTORS, compiled=False)
    provider = fb.openfeature.Provider({"page": agent})
    api.set_provider_and_wait(provider)
    client = api.get_client()
    keys = [EvaluationContext(f"visitor {number}") for number in range(KEYS)]

    def look(key) -> None:
        client.get_object_details("page", {}, key)

    def reward(key) -> None:
        client.track("page", key)

    print(f"a new decision of `uniform`, with the SDK  {microseconds(look, keys):6.0f} us")
    print(f"one that is remembered, with the SDK       {microseconds(look, keys):6.0f} us")
    print(f"a reward                                   {microseconds(reward, keys):6.0f} us")

    keys = [EvaluationContext(f"another {number}") for number in range(KEYS)]
    tracemalloc.start()
    for key in keys:
        look(key)
        reward(key)
    size = tracemalloc.get_traced_memory()[0] / KEYS
    print(f"memory of a key                            {size:6.0f} B")


if __name__ == "__main__":
    main()
