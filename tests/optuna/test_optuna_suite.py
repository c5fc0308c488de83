"""Optuna's own tests of samplers.

Left out are `RelativeSamplerTestCase`, because levels are handed out one by one, as by Optuna's
`GridSampler`, and half of its distributions are continuous; and `MultiObjectiveSamplerTestCase`,
because an agent learns from one number: `SingleOnlySamplerTestCase` checks that it says so.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("optuna.samplers", reason="needs the extra optuna")

import optuna
from optuna.testing.pytest_samplers import BasicSamplerTestCase, SingleOnlySamplerTestCase

import factored_bandits as fb


# a range that changes from trial to trial is not learned from, with a warning
@pytest.mark.filterwarnings("ignore:trial .* was decided:UserWarning")
class TestSampler(BasicSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], fb.optuna.Sampler]:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        return lambda: fb.optuna.Sampler(reward_range=(-100, 100))
