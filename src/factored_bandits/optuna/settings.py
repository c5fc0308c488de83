"""What determines an agent besides the outcomes of trials; trials with other settings are apart."""

from __future__ import annotations

import hashlib
import json
import math
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from factored_bandits import policies
from factored_bandits.agent import Agent
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.policies import Policy

from .factors import Factor, same

Range = tuple[float, float]

# A study is judged by what it picks in the end, and lb_inf explores longer than the default of an
# agent (docs/how-to/optuna.md). It needs values of a declared range.
DEFAULT = "lb_inf"


@dataclass(frozen=True)
class Settings:
    """The policy, the factors and what the values of the objective can be."""

    policy: Policy
    factors: tuple[Factor, ...]
    reward_range: Range | None  # of the objective's values
    default: float | None  # a value of the objective, too
    seed: int
    horizon: int | None
    maximize: bool

    def document(self) -> dict[str, Any]:
        """All of it, as a storage can hold it."""
        return {
            "policy": self.policy.label,
            "factors": [[factor.name, list(factor.levels)] for factor in self.factors],
            "reward_range": None if self.reward_range is None else list(self.reward_range),
            "default": self.default,
            "seed": self.seed,
            "horizon": self.horizon,
            "maximize": self.maximize,
        }

    @property
    def digest(self) -> str:
        """A short name: equal settings have the same one, in every process."""
        text = json.dumps(self.document(), sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def agent(self) -> Agent[Any]:
        """A new agent, which gets rewards: values, or with minimisation their negatives."""
        reward_range = self.reward_range
        default = self.default
        if not self.maximize:
            default = None if default is None else 0.0 - default
            if reward_range is not None:
                reward_range = (0.0 - reward_range[1], 0.0 - reward_range[0])

        return Agent(
            self.policy,
            factors={factor.name: factor.labels for factor in self.factors},
            reward_range=reward_range,
            default=default,
            seed=self.seed,
            horizon=self.horizon,
        )

    def reward(self, number: int, value: float) -> float:
        """The reward that the value of trial `number` is; an error if it cannot be."""
        low, high = self.reward_range or (-math.inf, math.inf)
        if not low <= value <= high or math.isinf(value):
            said = "is not finite"
            if self.reward_range is not None:
                said = f"lies outside reward_range=({low:g}, {high:g})"
            raise RewardOutOfRangeError(
                f"the value {value:.6g} of trial {number} {said}. The study keeps all its trials. "
                "Make the sampler with a reward_range that holds every value that the objective "
                "can return; it then begins anew, without what it learned under the other range"
            )
        return value if self.maximize else 0.0 - value

    def levels(self, action: tuple[int, ...]) -> dict[str, Any]:
        """The values of an action, by the names of the parameters."""
        return {
            factor.name: factor.levels[i] for factor, i in zip(self.factors, action, strict=True)
        }

    def best(self, agent: Agent[Any]) -> dict[str, Any]:
        """What the agent thinks best, as values."""
        labels = agent.best()
        return {
            factor.name: factor.levels[_index(factor.labels, labels[factor.name])]
            for factor in self.factors
        }


def made(policy: str | types.ModuleType | Policy | None, *, bounded: bool) -> Policy:
    """The policy, if it can learn from one value per trial."""
    if policy is None:
        policy = DEFAULT if bounded else policies.default("factored", bounded=False)
    chosen = policies.make(policy)
    if chosen.info.kind != "factored":
        raise InvalidInputError(
            f"{chosen.name} compares two arms at a time; a study needs a policy for factors: "
            f"{', '.join(policies.names('factored'))}"
        )
    if chosen.info.feedback == "semi-bandit":
        raise InvalidInputError(
            f"{chosen.name} learns from an outcome of each factor, and a trial has one value: "
            "choose another policy"
        )
    return chosen


def read(document: Mapping[str, Any], policy: Policy | None = None) -> Settings:
    """Settings from their document; `policy` if it is the one that is meant."""
    if policy is None or policy.label != document["policy"]:
        policy = policies.make(document["policy"])

    reward_range = document["reward_range"]
    return Settings(
        policy,
        tuple(Factor(name, tuple(levels)) for name, levels in document["factors"]),
        None if reward_range is None else (reward_range[0], reward_range[1]),
        document["default"],
        document["seed"],
        document["horizon"],
        document["maximize"],
    )


def _index(labels: tuple[Any, ...], wanted: Any) -> int:
    return next(
        i for i, label in enumerate(labels) if type(label) is type(wanted) and same(label, wanted)
    )
