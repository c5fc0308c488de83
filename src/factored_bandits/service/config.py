"""What an experiment is: given once, kept with it, and compared when it is opened again."""

from __future__ import annotations

import hashlib
import json
import types
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.agent import Agent, Decision
from factored_bandits.agent.labels import POSITIONS
from factored_bandits.core.checks import Form, integer, probability, shown
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import make

from .durations import seconds
from .store import Event

MAX_OPEN = 100_000
LONGEST_KEY = 200

# arguments of `fb.open` that say what the experiment is, with their defaults
DEFAULTS: dict[str, Any] = {
    "policy": None,
    "factors": None,
    "arms": None,
    "reward_range": [0.0, 1.0],
    "default": None,
    "ttl": None,
    "seed": 0,
    "horizon": None,
    "history": None,
    "diagnostics": False,
    "self_duels": "ask",
    "max_open": MAX_OPEN,
    "holdout": None,
    "baseline": None,
}


class Config(NamedTuple):
    """An experiment: what was given, as JSON can hold it, and the dump of its agent at the start.

    The dump holds what the defaults were on that day: the policy, its parameters, the random
    generator, and the duels of the past.
    """

    given: dict[str, Any]
    start: str

    @property
    def ttl(self) -> timedelta | None:
        """How long a decision waits for its reward."""
        ttl = self.given["ttl"]
        return None if ttl is None else timedelta(seconds=ttl)

    @property
    def max_open(self) -> int:
        """How many rounds may be asked and not learned."""
        return int(self.given["max_open"])

    @property
    def holdout(self) -> float:
        """The share of units that the agent does not decide for."""
        return float(self.given.get("holdout") or 0.0)

    @property
    def baseline(self) -> tuple[int, ...] | None:
        """What the holdout is shown, as indices; None for each combination alike."""
        baseline = self.given.get("baseline")
        if baseline is None:
            return None
        return tuple(levels.index(baseline[name]) for name, levels in self.factors.items())

    @property
    def factors(self) -> dict[str, list[Any]]:
        """The levels of each factor; in duels of both positions."""
        return factors_of(self.given)

    def text(self) -> str:
        """As the database keeps it."""
        return json.dumps({"given": self.given, "agent": self.start})

    @classmethod
    def of(cls, text: str) -> Config:
        """From what the database keeps."""
        content = json.loads(text)
        return cls(content["given"], content["agent"])

    def decision(self, event: Event) -> Decision:
        """The decision that an ask event is."""
        assert event.action is not None
        assert event.decision is not None
        factors = self.factors
        named = {
            name: labels[i] for (name, labels), i in zip(factors.items(), event.action, strict=True)
        }
        known = event.propensity
        propensity = None if known is None else dict(zip(factors, known, strict=True))
        return Decision(event.decision, event.action, named, propensity)

    def reward(self, given: Any) -> Any:
        """A reward as JSON holds it: a number, or with semi-bandit feedback a list of them."""
        if type(given) is float:
            return given
        if isinstance(given, dict) and self.given["factors"] is not None:
            if set(given) != set(self.given["factors"]):
                return given
            return [_number(given[name]) for name in self.given["factors"]]
        if isinstance(given, (list, tuple, np.ndarray)) and np.ndim(given) > 0:
            return [_number(outcome) for outcome in given]
        return _number(given)


def made(
    given: dict[str, Any], params: dict[str, Any], compiled: Form = "auto"
) -> tuple[Config, types.ModuleType | None]:
    """The configuration that the arguments of `fb.open` describe; checked by making its agent.

    Parameters
    ----------
    given
        The arguments by name; those that are missing have their defaults.
    params
        The parameters of the policy.
    compiled
        See `Agent`.

    Returns
    -------
    tuple
        The configuration, and the module of the policy if it is one's own.
    """
    arguments = {**DEFAULTS, "reward_range": (0.0, 1.0), **given}
    ttl = arguments.pop("ttl")
    ttl = None if ttl is None else seconds("ttl", ttl)
    max_open = integer("max_open", arguments.pop("max_open"), 1)
    holdout, baseline = arguments.pop("holdout"), arguments.pop("baseline")
    if ttl is not None and arguments["default"] is None:
        raise InvalidInputError(
            "what is no reward within ttl worth? Give default=..., such as default=0.0: a decision "
            "that is dropped instead would let the outcome choose the data"
        )

    policy = arguments.pop("policy")
    label = None
    if policy is not None:
        policy = make(policy, **params)
        label = policy.label
        params = {}

    expire_after = None if ttl is None else timedelta(seconds=ttl)
    agent: Agent[Any] = Agent(
        policy, expire_after=expire_after, clock=_start, compiled=False, **arguments, **params
    )
    document = {
        **arguments,
        "policy": label,
        "ttl": ttl,
        "max_open": max_open,
        "factors": _labels_of(agent, "factors"),
        "arms": _labels_of(agent, "arms"),
        "history": _digest(arguments["history"]),
        **_holdout(holdout, baseline, _labels_of(agent, "factors")),
    }
    plain = json.loads(json.dumps({name: _plain(document[name]) for name in DEFAULTS}))
    return Config(plain, agent.dump()), agent._own_module()


def factors_of(given: dict[str, Any]) -> dict[str, list[Any]]:
    """The levels of each factor of a configuration; in duels of both positions.

    >>> factors_of({"arms": ["A", "B"]})
    {'first': ['A', 'B'], 'second': ['A', 'B']}
    """
    arms = given.get("arms")
    factors: dict[str, list[Any]] = given["factors"] if arms is None else {}
    return factors if arms is None else dict.fromkeys(POSITIONS, arms)


def differences(stored: Config, given: dict[str, Any]) -> list[str]:
    """Sentences about what is given otherwise than it is stored.

    >>> stored = made({"arms": ["A", "B"]}, {})[0]
    >>> differences(stored, {**stored.given, "seed": 3})
    ['seed is 0 there and 3 here']
    """
    return [
        f"{name} is {shown(stored.given.get(name))} there and {shown(value)} here"
        for name, value in given.items()
        if stored.given.get(name) != value
    ]


def checked_key(key: Any) -> str:
    """The name of an experiment."""
    printable = isinstance(key, str) and key.isprintable()
    if not printable or not key.strip() or len(key) > LONGEST_KEY:
        raise InvalidInputError(
            f"key names the experiment: 1 to {LONGEST_KEY} printable characters, not {shown(key)}"
        )
    return key


def _holdout(share: Any, baseline: Any, factors: dict[str, list[Any]] | None) -> dict[str, Any]:
    """The share that is held out, and what it is shown; checked."""
    if share is None:
        if baseline is not None:
            raise InvalidInputError("baseline is what a holdout is shown: give holdout=..., too")
        return {"holdout": None, "baseline": None}
    if factors is None:
        raise InvalidInputError("a holdout needs factors: what would a duel be compared with?")

    checked = probability("holdout", share)
    if baseline is None:
        return {"holdout": checked, "baseline": None}
    if not isinstance(baseline, Mapping) or set(baseline) != set(factors):
        raise InvalidInputError(
            f"baseline must name a level of each factor ({', '.join(factors)}), not "
            f"{shown(baseline)}"
        )
    for name, levels in factors.items():
        if baseline[name] not in levels:
            raise InvalidInputError(
                f"baseline: {shown(baseline[name])} is no level of {name!r} "
                f"({', '.join(map(str, levels))})"
            )
    return {"holdout": checked, "baseline": {name: _plain(baseline[name]) for name in factors}}


def _start() -> float:
    """The time before the first event."""
    return 0.0


def _labels_of(agent: Agent[Any], name: str) -> Any:
    return agent._labels.document()[name]


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


def _number(given: Any) -> Any:
    """A float if it is a number at all; the agent says what is wrong with anything else."""
    if isinstance(given, (str, bytes)) or given is None:
        return given
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return given


def _digest(history: Any) -> str | None:
    """Which duels of the past were given; the duels themselves are in the agent."""
    if history is None:
        return None
    if isinstance(history, (str, Path)):
        content = Path(history).read_bytes()
    elif isinstance(history, np.ndarray):
        content = history.astype(np.float64).tobytes()
    else:
        content = repr(getattr(history, "wins", history)).encode()
    return hashlib.sha256(content).hexdigest()[:16]
