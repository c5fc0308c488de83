"""When an agent goes over to compiled steps: never before it pays, and compiled only when asked."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.agent import learner as _learner
from factored_bandits.agent import steps as _steps
from factored_bandits.agent import warm
from factored_bandits.core.kernel import compiles
from factored_bandits.errors import InvalidInputError, KernelError

FACTORS = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
SOURCE = Path(fb.__file__).parents[1]

# Plays some rounds with "auto", that looks at once, and says what happened.
PLAY = """
import json, sys
import factored_bandits as fb
from factored_bandits.agent import steps
steps.LOADING = 0.0
agent = fb.Agent("dueling_uniform", arms=["A", "B", "C"], compiled=CHOICE)
for _ in range(3):
    agent.tell(agent.ask().id, 1.0)
print(json.dumps([agent.compiled, "numba" in sys.modules, agent.dump()]))
"""


def process(folder: Path, choice: str) -> list:
    """What PLAY prints in a process of its own, with its cache in `folder`."""
    known = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    done = subprocess.run(
        [sys.executable, "-c", f"CHOICE = {choice}{PLAY}"],
        env={**known, "PYTHONPATH": str(SOURCE), "NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(not compiles(), reason="nothing is compiled here")
def test_auto_loads_what_another_process_compiled_and_never_compiles(tmp_path):
    compiled, numba, first = process(tmp_path, "'auto'")
    assert (compiled, numba) == (False, False)
    assert list(tmp_path.iterdir()) == []

    compiled, _, second = process(tmp_path, "True")
    assert compiled

    compiled, _, third = process(tmp_path, "'auto'")
    assert compiled
    assert first == second == third


def test_without_a_compiler_true_is_plain_python(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    agent = fb.Agent("uniform", factors=FACTORS, compiled=True)
    agent.tell(agent.ask().id, 1.0)

    assert not agent.compiled
    assert not warm("uniform")


def test_it_looks_when_the_steps_have_taken_as_long_as_loading_and_then_less_and_less(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    looked = []
    monkeypatch.setattr(_steps, "LOADING", 1.0)
    monkeypatch.setattr(_steps, "may_be_kept", lambda step, name: looked.append(name))
    steps = fb.Agent("uniform", factors=FACTORS)._learner.steps

    after = []
    for number in range(1, 101):
        steps._count(0.25)
        if len(looked) > len(after):
            after.append(number)
    assert after == [4, 8, 16, 32, 64]
    assert all(name.startswith("step_uniform_") for name in looked)


def test_false_never_looks(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(_steps, "LOADING", 0.0)
    monkeypatch.setattr(_steps, "may_be_kept", lambda step, name: pytest.fail("it looked"))
    agent = fb.Agent("uniform", factors=FACTORS, compiled=False)
    agent.tell(agent.ask().id, 1.0)


def test_a_compiler_that_cannot_be_imported_is_done_without(monkeypatch):
    """numba refuses a NumPy that is too new for it; the agent goes on as it began."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(_steps, "LOADING", 0.0)
    monkeypatch.setattr(_steps, "may_be_kept", lambda step, name: True)
    monkeypatch.setitem(sys.modules, "factored_bandits.core.compiling", None)
    monkeypatch.delattr("factored_bandits.core.compiling", raising=False)
    agent = fb.Agent("uniform", factors=FACTORS)
    agent.tell(agent.ask().id, 1.0)

    assert not agent.compiled
    assert math.isinf(agent._learner.steps._look_after)


# ---------------------------------------------------------------- the choice


@pytest.mark.parametrize("choice", ["auto", True, False])
def test_copies_keep_the_choice_and_dumps_do_not_hold_it(choice, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    agent = fb.Agent("uniform", factors=FACTORS, compiled=choice)
    agent.tell(agent.ask().id, 1.0)

    copies = [copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    assert [each._learner.steps.choice for each in copies] == [choice] * 3
    assert "compiled" not in agent.dump()
    assert fb.Agent.load(agent.dump())._learner.steps.choice == "auto"


@pytest.mark.parametrize("wrong", ["yes", 2, None, [True], np.zeros(2)])
def test_another_choice_is_refused_with_a_sentence(wrong):
    with pytest.raises(InvalidInputError, match="compiled must be 'auto', True or False, not"):
        fb.Agent("uniform", factors=FACTORS, compiled=wrong)
    text = fb.Agent("uniform", factors=FACTORS).dump()
    with pytest.raises(InvalidInputError, match="compiled must be 'auto', True or False, not"):
        fb.Agent.load(text, compiled=wrong)


def test_compiling_is_announced_after_two_seconds_and_an_error_is_passed_on(clock):
    seen = threading.Event()

    class Announced:
        """Standard error, that tells when something was written."""

        def isatty(self):
            return False

        def write(self, text):
            lines.append(text)
            seen.set()

        def flush(self):
            pass

    lines: list[str] = []

    def work() -> None:
        while not seen.wait(0.01):
            clock[0] += 0.1
            assert clock[0] < 1100.0
        raise KernelError("a slip")

    original, sys.stderr = sys.stderr, Announced()
    try:
        with pytest.raises(KernelError, match="a slip"):
            _steps.shown_while("lb_inf", work)
    finally:
        sys.stderr = original
    assert lines == ["lb_inf: 0% compiling (once; kept for next time)\n"]
    assert clock[0] > 1002.0


def test_every_policy_can_be_warmed(monkeypatch):
    """On the small problem of `warm`; here nothing is compiled."""
    made = []

    class Looked(_steps.Steps):
        def _compile(self):
            made.append(self._policy.name)
            self._entry = lambda *arguments: 0

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(_learner, "Steps", Looked)
    assert all(warm(name) for name in fb.policies.names())
    assert made == list(fb.policies.names())
