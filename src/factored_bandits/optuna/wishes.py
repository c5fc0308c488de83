"""What the user asks of a sampler, and the settings of a study that follow from it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from factored_bandits.policies import Policy

from .chain import latest_settings
from .factors import Factor, from_distributions
from .settings import Range, Settings, made, read

SETTINGS = "factored_bandits:settings:"  # system attributes of a study, followed by a digest


@dataclass(frozen=True)
class Wishes:
    """The arguments of a sampler, checked; a policy or factors that are None are left open."""

    policy: Policy | None
    factors: tuple[Factor, ...] | None
    reward_range: Range | None
    default: float | None
    seed: int
    horizon: int | None
    max_levels: int

    def settings(self, study: Study, trials: Sequence[FrozenTrial], number: int) -> Settings | None:
        """The settings for trial `number`; None as long as nothing is known of the parameters.

        What the user left open is as it was when the study began: in another process, or with an
        earlier version of the library whose default was another policy.
        """
        written = stored(study)
        agreeing = [each for each in written.values() if self._agree(study, each)]
        if agreeing:
            return read(min(agreeing, key=lambda each: each["trial"]), self.policy)

        factors = self.factors or self._inferred(trials)
        if not factors:
            return None

        policy = self.policy or made(None, bounded=self.reward_range is not None)
        new = Settings(
            policy,
            factors,
            self.reward_range,
            self.default,
            self.seed,
            self.horizon,
            _maximize(study),
        )
        _warn_of_others(new, written, trials)
        document = {**new.document(), "trial": number}
        study._storage.set_study_system_attr(study._study_id, SETTINGS + new.digest, document)
        return new

    def _agree(self, study: Study, document: dict[str, Any]) -> bool:
        wanted: dict[str, Any] = {
            "reward_range": None if self.reward_range is None else list(self.reward_range),
            "default": self.default,
            "seed": self.seed,
            "horizon": self.horizon,
            "maximize": _maximize(study),
        }
        if self.policy is not None:
            wanted["policy"] = self.policy.label
        if self.factors is not None:
            wanted["factors"] = [[factor.name, list(factor.levels)] for factor in self.factors]
        return all(_text(document[key]) == _text(value) for key, value in wanted.items())

    def _inferred(self, trials: Sequence[FrozenTrial]) -> tuple[Factor, ...]:
        """The factors of the first trial that has some."""
        for trial in trials:
            if trial.state in (TrialState.COMPLETE, TrialState.PRUNED):
                factors = from_distributions(trial.distributions, self.max_levels)
                if factors:
                    return factors
        return ()


def stored(study: Study) -> dict[str, dict[str, Any]]:
    """The settings with which this study was run, by their digests."""
    attributes = study._storage.get_study_system_attrs(study._study_id)
    return {
        name.removeprefix(SETTINGS): value
        for name, value in attributes.items()
        if name.startswith(SETTINGS)
    }


def _warn_of_others(
    new: Settings, written: dict[str, dict[str, Any]], trials: Sequence[FrozenTrial]
) -> None:
    before = latest_settings(trials)
    if before is None or before not in written:
        return

    document = new.document()
    old = written[before]
    differing = [name for name in document if _text(document[name]) != _text(old[name])]
    said = " and ".join(f"{name} {old[name]} instead of {document[name]}" for name in differing)
    warnings.warn(
        f"this study has trials that were asked with {said}. They stay in the study, and this "
        "sampler does not learn from them",
        stacklevel=2,
    )


def _maximize(study: Study) -> bool:
    return study.direction == StudyDirection.MAXIMIZE


def _text(value: Any) -> str:
    return json.dumps(value, default=repr)
