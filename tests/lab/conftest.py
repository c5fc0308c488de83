"""A folder of results, computed once per process; who changes it makes a copy."""

from __future__ import annotations

import pytest
from small_experiment import TOML

from factored_bandits import lab


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """What an undisturbed run of the small experiment with horizon 100 leaves."""
    out = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")  # nothing to compile
        spec = lab.parse(TOML.format(horizon=100))
        lab.run([spec], "quick", out, lab.Engine(workers=1), progress=False)
    return out
