"""What an agent consists of, made and checked."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import Form, flag, form, integer
from factored_bandits.core.limits import MOST_ROUNDS
from factored_bandits.core.rng import generators
from factored_bandits.environments import PastDuels
from factored_bandits.logs import Log
from factored_bandits.policies import Policy
from factored_bandits.policies.footprint import check_memory

from . import fit
from .backlog import Watch
from .calls import Calls
from .expiry import Age, Clock, Times, checked_age
from .history import warm_start
from .journal import LevelLog
from .labels import Label, labels
from .learner import Learner
from .ledger import Ledger
from .rewards import UNIT, rewards
from .self_duels import self_duels as checked_self_duels

Given = str | types.ModuleType | Policy | None
History = str | Path | Sequence[Any] | Mapping[str, Any] | Floats | PastDuels | Log


class Parts:
    """The parts of an agent; `Agent` describes the arguments."""

    def __init__(
        self,
        policy: Given = None,
        *,
        factors: Mapping[str, Sequence[Label]] | None = None,
        arms: Sequence[Label] | None = None,
        duels: bool = False,
        reward_range: tuple[float, float] | None = UNIT,
        default: float | None = None,
        seed: int = 0,
        horizon: int | None = None,
        history: History | None = None,
        diagnostics: bool = False,
        self_duels: Literal["ask", "skip"] = "ask",
        expire_after: Age | None = None,
        clock: Clock | None = None,
        compiled: Form = "auto",
        **params: Any,
    ) -> None:
        if factors is None and arms is None and isinstance(history, Log):
            factors = history.factors
        self._labels = labels(factors, arms, flag("duels", duels))
        diagnostics = flag("diagnostics", diagnostics)
        self._policy = fit.chosen(
            policy,
            self._labels,
            params,
            bounded=reward_range is not None,
            diagnostics=diagnostics,
        )
        fit.check_fit(self._policy, self._labels, horizon)
        self._self_duels = checked_self_duels(self_duels, self._policy, self._labels)
        self._rewards = rewards(self._policy, reward_range, default, self._labels.names)
        self._horizon = 0 if horizon is None else integer("horizon", horizon, 1, MOST_ROUNDS)
        self._generator = generators(integer("seed", seed, 0))[0]

        self._expire_after: Age | None = None
        if expire_after is not None:
            self._rewards.missing()  # an error, if there is no default reward
            self._expire_after = checked_age("expire_after", expire_after, 1)

        sizes = self._labels.sizes
        self._policy.check(sizes, self._horizon)
        check_memory(self._policy, sizes)
        self._params = self._policy.encoded()
        state = self._policy.module.init(self._params, sizes, self._horizon)

        self._interaction_test = None
        if diagnostics:
            self._interaction_test = fit.interaction_test(
                self._policy, self._labels, self._rewards.range
            )

        past = 0
        if history is not None:
            past = warm_start(
                self._policy, self._params, state, self._labels, self._rewards, history
            )

        self._plays = [np.zeros(size, dtype=np.int64) for size in sizes]
        self._ledger = Ledger(sizes, self._rewards.outcomes)
        self._learner = Learner(
            self._policy,
            self._params,
            state,
            sizes,
            self._rewards,
            self._generator,
            self._interaction_test,
            past,
            form("compiled", compiled),
        )
        self._state = self._learner.state
        self._times = Times(clock, self._expire_after)
        self._watch = Watch()
        self._level_log = LevelLog(self._policy, self._labels)
        self._calls = Calls(self._learner, self._ledger, self._plays)

    @property
    def _outcomes(self) -> int:
        return self._rewards.outcomes

    @property
    def _past(self) -> int:
        """Duels or plays of the past, which count as rounds."""
        return self._learner.past

    @property
    def _round(self) -> int:
        """The next round, as the policy counts them."""
        return self._past + self._ledger.asked + 1
