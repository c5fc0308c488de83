"""What the golden digests are taken of: every policy with every choice, on several problems.

Everything here runs interpreted, which gives the same numbers as compiled code to the bit and
starts at once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import typing
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import factored_bandits as fb
from factored_bandits.simulation.record import RE_ENTERED

REPETITIONS = 2
SLOW_ROUNDS = 200
USUAL_ROUNDS = 800
ROUNDS_TO_ELIMINATE = 3_000
SLOW = (
    "glm_ucb",
    "logistic_thompson",
    "logistic_halving",
)  # a millisecond a round and more, interpreted


def environments(kind: str) -> dict[str, Any]:
    """The problems for policies of one kind; `easy` is decided within the long run."""
    make = fb.environments.make
    if kind == "duel":
        return {
            "easy": fb.environments.identical_gap(4, 0.95),
            "arithmetic": fb.environments.arithmetic(7),
            "pair": fb.environments.identical_gap(2, 0.8),
            "condorcet": fb.environments.hard_condorcet(5),
            "cycle": fb.environments.cyclic(4),
            "ties": fb.environments.ties(4),
        }
    return {
        "easy": make("rank1", factors=[[1.0, 0.1, 0.1], [1.0, 0.1, 0.1]]),
        "product": make("rank1", factors=[[0.9, 0.5, 0.3], [0.8, 0.4, 0.3, 0.2]]),
        "sum": make("additive", effects=[[0.3, 0.0, 0.1], [0.2, 0.0], [0.1, 0.3]], base=0.05),
        "single": make("additive", effects=[[0.6, 0.0, 0.3, 0.1]], base=0.2),
        "logistic": make("logistic", effects=[[2.0, 0.0, -1.0], [1.0, -1.0, 0.0]]),
        "moving": make(
            "stochastically_constrained", effects=[[0.2, 0.0, 0.1], [0.0, 0.15]], swing=0.4
        ),
    }


def labels() -> list[str]:
    """Every policy with its defaults, then with each other choice of each of its parameters.

    >>> {"tea", "tea(bound=betting)", "dueling_tea(positions=both)"} <= set(labels())
    True
    """
    found = []
    for name in fb.policies.names():
        params = fb.policies.make(name).module.Params
        found.append(name)
        for field, hint in typing.get_type_hints(params).items():
            others = [c for c in typing.get_args(hint) if c != params._field_defaults[field]]
            found += [f"{name}({field}={choice})" for choice in others]
    return found


def made(label: str) -> Any:
    """The policy of a label."""
    from factored_bandits.policies import make

    return make(label)


def digest(*parts: Any) -> str:
    """A fingerprint of numbers, by ten digits of each: libraries differ in the last ones."""
    sha = hashlib.sha256()
    for part in parts:
        for number in np.ravel(np.asarray(part)).tolist():
            sha.update(
                (f"{number:.10g}" if isinstance(number, float) else repr(number)).encode() + b";"
            )
    return sha.hexdigest()[:16]


def simulated(label: str) -> Iterator[tuple[str, str]]:
    """The digest of `simulate` on every problem that the policy takes."""
    policy = made(label)
    for name, environment in environments(policy.info.kind).items():
        try:
            result = fb.simulate(
                policy,
                environment,
                _rounds(policy, name),
                REPETITIONS,
                seed=7,
                checkpoints=20,
                progress=False,
            )
        except fb.errors.InvalidInputError:
            yield name, "refused"
            continue
        events = [
            (e.repetition, e.round, e.factor, e.level, e.event == RE_ENTERED)
            for e in result.eliminations
        ]
        yield name, digest(result.regret, result.correct, *result.plays, events)


def _rounds(policy: Any, environment: str) -> int:
    if policy.name in SLOW:
        return SLOW_ROUNDS
    eliminates = policy.eliminates and environment != "moving"
    return ROUNDS_TO_ELIMINATE if eliminates else USUAL_ROUNDS


def with_late_rewards(label: str) -> Iterator[tuple[str, str]]:
    """The digests of an agent with late rewards: its decisions, what it knows, and its dump."""
    policy = made(label)
    count = 150 if policy.name in SLOW else 600
    try:
        agent, size = _agent(policy, count)
    except fb.errors.InvalidInputError:
        yield "agent", "refused"
        return

    rng = np.random.default_rng(11)
    waiting: list[Any] = []
    decided: list[Any] = []

    for number in range(count):
        decision = agent.ask()
        decided += [*decision.action, *(decision.propensity or {}).values()]
        waiting.append(decision)
        while len(waiting) > number % 9:
            late = waiting.pop(int(rng.integers(len(waiting))))
            if rng.random() < 0.03:
                agent.expire(late.id)
            else:
                agent.tell(late.id, _reward(policy, late.action, size, rng))

    yield "decisions", digest(decided)
    known = [row[2:] for row in agent.status().rows]
    yield "status", digest([float("nan") if x is None else float(x) for row in known for x in row])
    yield "certificate", _certified(agent)
    yield "dump", dumped(agent)
    again = fb.Agent.load(agent.dump())
    yield "resumed", digest([again.ask().action for _ in range(30)])


def _certified(agent: Any) -> str:
    try:
        return digest([claim.p_value for claim in fb.certificate(agent).claims])
    except fb.errors.InvalidInputError:
        return "none"


def _agent(policy: Any, horizon: int) -> tuple[Any, int]:
    if policy.info.kind == "duel":
        default = None if policy.info.ties else 0.0
        return fb.Agent(policy, arms=list("abcd"), seed=5, horizon=horizon, default=default), 4
    factors = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    return fb.Agent(policy, factors=factors, seed=5, horizon=horizon), 3


def _reward(policy: Any, action: tuple[int, ...], size: int, rng: np.random.Generator) -> Any:
    if policy.info.kind == "duel":
        return float(rng.random() < 0.5 + 0.4 * (action[0] - action[1]) / size)
    outcomes = [float(rng.random() < 0.2 + 0.7 * level / (size - 1)) for level in action]
    return outcomes if policy.info.feedback != "reward" else outcomes[0] * outcomes[1]


def dumped(agent: Any) -> str:
    """The numbers in a dump, in their order; names, and what compresses them, may change."""
    content = json.loads(agent.dump())["agent"]
    return digest(
        *_numbers([content[part] for part in ("generator", "past", "rounds", "plays", "state")])
    )


def _numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict) and "data" in value and "dtype" in value:
        yield np.frombuffer(zlib.decompress(base64.b64decode(value["data"])), dtype=value["dtype"])
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)
    elif isinstance(value, int | float):
        yield float(value)
