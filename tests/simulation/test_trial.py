"""A slip in a policy or an environment of one's own: a sentence with file and line, no crash."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
import slips
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import ContractError, KernelError, RewardOutOfRangeError
from factored_bandits.simulation import trial
from factored_bandits.testing import check_policy

PROBLEM = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3, 0.1]])
LATE = trial.ROUNDS + 100  # beyond the trial: the loop has to notice


def refused(policy, problem=PROBLEM, error=ContractError, horizon=1_000, **params) -> str:
    """What is said of a policy in plain Python; nothing is compiled."""
    made = fb.policies.make(policy, **params)
    with pytest.raises(error) as caught:
        fb.simulate(made, problem, horizon, repetitions=1, progress=False)
    return str(caught.value)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.mark.parametrize("t", [1, 17, LATE], ids=["first", "trial", "late"])
def test_what_is_planned_or_recommended_must_exist(tmp_path, t):
    file = slips.written(tmp_path)
    plan = f"({file}, line {slips.line_of(file, 'def plan') - 1})"
    rows = "it returns how many rows of actions it filled, 1 to 3 here"

    said = refused(str(file), empty=t)
    assert said.startswith(f"slips(empty={t}): plan returned 0 in round {t}; {rows}")
    assert said.endswith(plan)
    assert f"plan returned 100 in round {t}; {rows}" in refused(str(file), long=t)
    assert refused(str(file), level=t) == (
        f"slips(level={t}): plan chose level 1000000000 of factor 0 in round {t}; its levels are "
        f"numbered 0 to 1 {plan}"
    )
    # recommendations are asked for at checkpoints
    assert "recommend chose level -1000000000 of factor 0" in refused(str(file), recommended=t)


@kernel
def plan_of_a_level_too_many(params, state, t, rng, actions):
    actions[0, 0] = 0
    actions[0, 1] = 3
    return 1


def test_in_plain_python_the_levels_of_the_librarys_own_policies_are_looked_at(monkeypatch):
    policy = fb.policies.make("uniform")
    monkeypatch.setattr(policy.module, "plan", plan_of_a_level_too_many)

    with pytest.raises(ContractError, match="plan chose level 3 of factor 1 in round 1"):
        fb.simulate(policy, PROBLEM, 10, repetitions=1, progress=False)


@pytest.mark.parametrize("t", [1, LATE])
def test_an_error_names_the_file_and_the_line(tmp_path, t):
    file = slips.written(tmp_path)
    line = slips.line_of(file, "state.plays[level] += 1")
    said = refused(str(file), index=t)
    assert said.startswith(f"slips(index={t}) on additive: IndexError: index 100000000")
    assert said.endswith(f"; {file}, line {line}, in learn: state.plays[level] += 1")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    return 1\n", "    pass\n", "plan returned None in round 1"),
        ("    return 1\n", "    return 1.0\n", "plan returned 1.0 in round 1"),
        ("np.zeros(max(sizes), dtype=np.int64), ", "[0, 0, 0], ", "State.plays is no array but"),
        ("    return State(\n", "    return tuple(\n", "in init: return tuple("),
        ("params.empty:", "params.epmty:", "in plan: if t >= params.epmty:"),
    ],
)
def test_other_slips_are_said_before_anything_is_compiled(tmp_path, old, new, said):
    assert said in refused(str(slips.written(tmp_path, (old, new))))


def test_a_function_that_is_not_marked_is_named(tmp_path):
    """It was passed over, and the loop's placeholder, which plans nothing, ran for ever."""
    file = slips.written(tmp_path, ("@kernel\ndef plan", "def plan"))
    said = refused(str(file), error=KernelError)
    assert said.startswith("plan of 'slips' cannot be compiled: write @kernel above")


def test_check_policy_says_the_same(tmp_path):
    file = slips.written(tmp_path)
    with pytest.raises(AssertionError, match="plan returned 0 in round 20"):
        check_policy(fb.policies.make(str(file), empty=20), quick=True)
    check_policy(str(file), quick=True)


def test_the_trial_leaves_the_results_alone(tmp_path):
    """An own copy of a policy gives the numbers of the original."""
    copy = tmp_path / "mine.py"
    copy.write_text(Path(fb.policies.load("uniform").__file__).read_text())
    own, original = (
        fb.simulate(policy, PROBLEM, 500, repetitions=2, seed=3, progress=False)
        for policy in (str(copy), "uniform")
    )
    assert np.array_equal(own.regret, original.regret)


def environment(**kernels):
    """PROBLEM with other kernels, as a module of one's own."""
    module = types.ModuleType("weather")
    for name in ("sample", "mean", "regret"):
        setattr(module, name, kernels.get(name, getattr(PROBLEM.module, name)))
    return dataclasses.replace(PROBLEM, name="weather", module=module)


@kernel
def nan(env, t, action, *rng):
    return math.nan


@kernel
def two(env, t, action, rng):
    return 2.0


@kernel
def broken(env, t, action, rng):
    return [0.0, 1.0][action[0] + 5]


def test_slips_of_an_environment():
    assert "the reward nan of action" in refused(
        "uniform", environment(sample=nan), RewardOutOfRangeError
    )
    assert "the reward 2 of action" in refused(
        "uniform", environment(sample=two), RewardOutOfRangeError
    )
    said = refused("uniform", environment(regret=nan))
    assert said.startswith("weather: the regret of action (")
    assert said.endswith(") is nan")
    said = refused("uniform", environment(sample=broken))
    assert said.startswith("uniform on weather: IndexError: list index out of range;")
    assert f"{__file__}, line {broken.__code__.co_firstlineno + 2}, in broken" in said


COMPILED = """
import json, sys
import factored_bandits as fb
problem = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3, 0.1]])
said = {}
for slip in ("empty", "long", "level", "index", "recommended"):
    policy = fb.policies.make(sys.argv[1], **{slip: 300})
    try:
        fb.simulate(policy, problem, 2_000, repetitions=1, progress=False)
    except fb.errors.ContractError as error:
        said[slip] = str(error)
print(json.dumps(said))
"""


def test_compiled_code_notices_it_too(tmp_path):
    """In a process of its own, which each of these slips used to end or to keep for ever."""
    file = slips.written(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, str(file)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "plan returned 0 in round 300; " in said["empty"]
    assert "plan returned 100 in round 300; " in said["long"]
    assert "plan chose level 1000000000 of factor 0 in round 300; " in said["level"]
    assert "recommend chose level -1000000000 of factor 0 in round 3" in said["recommended"]
    assert "index is out of bounds" in said["index"]
