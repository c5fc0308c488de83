"""Kernels of others may draw by any method of a generator that numba knows."""

from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core import loop
from factored_bandits.core.kernel import bind, compiles
from factored_bandits.simulation.runner import Runner

PROBLEM = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3, 0.1]])
DRAWN = "actions[0, l] = randint(rng, state.sizes[l])"


@pytest.mark.skipif(not compiles(), reason="nothing is compiled here")
def test_a_policy_of_ones_own_draws_by_another_method(tmp_path):
    source = Path(fb.policies.load("uniform").__file__).read_text()
    assert DRAWN in source
    own = tmp_path / "mine.py"
    own.write_text(source.replace(DRAWN, "actions[0, l] = 1 if rng.normal(0.0, 1.0) > 0.0 else 0"))

    runner = Runner(fb.policies.make(str(own)), PROBLEM, np.array([2_000]), seed=3)
    plain = bind(loop.play, "mine", compiled=False, **runner.kernels())
    compiled, interpreted = (
        runner.repetition(0, lambda index, t: False, play) for play in (None, plain)
    )

    assert compiled.regret.tobytes() == interpreted.regret.tobytes()
    assert compiled.regret[-1] > 0.0
