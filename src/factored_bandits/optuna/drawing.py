"""Parameters that are no factors, drawn so that a study that is resumed draws the same."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial

from .chain import link_of


def drawn(
    seed: int, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution
) -> Any:
    """A value that depends on the seed, the name and the decision (or else the trial) alone.

    A sampler with a generator of its own would draw other values when a study is resumed, and when
    trials take turns otherwise.
    """
    link = link_of(trial)
    place = (0, trial.number) if link is None else (1, link.decision)
    entropy = (seed, *place, zlib.crc32(name.encode()))
    word = int(np.random.SeedSequence(entropy).generate_state(1)[0])
    return RandomSampler(word).sample_independent(study, trial, name, distribution)
