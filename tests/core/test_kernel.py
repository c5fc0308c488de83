"""Compiling: the cache notices an edited policy, a second process loads instead of compiling, numba
can be absent.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.core import kernel

PACKAGE = Path(fb.__file__).parent

RUN = """
import json, sys
import factored_bandits as fb
from factored_bandits.core import kernel
problem = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3]])
result = fb.simulate(
    "uniform", problem, 300, repetitions=2, permute=False, progress=False, compiled=True
)
loops = list(kernel._BOUND.values())
hits = sum(sum(loop.stats.cache_hits.values()) for loop in loops)
print(json.dumps({"regret": result.regret[:, -1].tolist(), "hits": hits, "file": fb.__file__,
                  "numba": "numba" in sys.modules and sys.modules["numba"] is not None}))
"""


def run(folder: Path, code: str = RUN, **environment: str) -> dict:
    """Run `code` in a fresh process against the copy of the package in `folder`."""
    variables = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The package, and what was compiled of it: whoever uses it belongs to the group `copy`."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(
        PACKAGE, folder / "factored_bandits", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


@pytest.mark.xdist_group("copy")
def test_cache_is_used_and_an_edited_policy_is_compiled_anew(copy):
    first, second = run(copy), run(copy)
    assert first["file"].startswith(str(copy))
    assert (first["hits"], second["hits"]) == (0, 1)
    assert first["regret"] == second["regret"]
    policy = copy / "factored_bandits/policies/factored/uniform.py"
    original = policy.read_text()
    edited = re.sub(r"(actions\[0, l\] = )randint\(rng, (.*)\)", r"\1\2 - 1", original)
    assert edited != original
    policy.write_text(edited)
    third = run(copy)
    assert third["hits"] == 0
    assert third["regret"] == [0.0, 0.0], "the stale compiled policy was used"
    policy.write_text(original)
    assert run(copy)["regret"] == first["regret"]


@pytest.mark.full
@pytest.mark.xdist_group("copy")
def test_an_edit_of_a_shared_building_block_is_noticed_too(copy):
    """`below` lives in another file than the policy that calls it."""
    before = run(copy)
    block = copy / "factored_bandits/core/rng.py"
    original = block.read_text()
    block.write_text(original.replace("return int(rng.random() * n)", "return n - 1"))
    try:
        after = run(copy)
    finally:
        block.write_text(original)
    assert after["regret"] == [0.0, 0.0] != before["regret"]


@pytest.mark.xdist_group("copy")
def test_without_numba_everything_still_works(copy):
    with_numba = run(copy)
    without = run(copy, code="import sys; sys.modules['numba'] = None\n" + RUN)
    assert with_numba["numba"]
    assert not without["numba"]
    assert with_numba["regret"] == without["regret"]


def test_digest_sees_code_constants_and_replacements():
    space: dict = {"kernel": kernel.kernel}
    inner = "RATE = {rate}\n@kernel\ndef inner(x):\n    return x * RATE\n"
    source = inner + "@kernel\ndef outer(x):\n    return inner(x) + {add}\n"

    def digest(rate=2, add=1, **replaced):
        exec(source.format(rate=rate, add=add), space)
        return kernel.digest(space["outer"], replaced)

    base = digest()
    assert digest() == base
    assert digest(rate=3) != base
    assert digest(add=2) != base

    @kernel.kernel
    def other(x):
        return x

    assert digest(inner=other) != base


@kernel.kernel
def answer():
    return 1


@kernel.kernel
def middle():
    return answer() + 1


@kernel.kernel
def outer():
    return middle() + answer()


@kernel.kernel
def forty():
    return 40


@pytest.mark.parametrize("disabled", ["0", "1"])
def test_names_are_replaced_in_kernels_of_the_loop_s_own_module_too(disabled, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
    assert kernel.bind(outer, "plain")() == 3
    assert kernel.bind(outer, "replaced", answer=forty)() == 81
    assert kernel.digest(outer, {}) != kernel.digest(outer, {"answer": forty})
    assert outer() == 3


LOOPS = """
@kernel
def base():
    return 1

@kernel
def twice():
    return 2 * base()

@kernel
def one():
    return twice() + base()

@kernel
def ten():
    return 10 * twice()
"""


def test_what_two_loops_call_is_compiled_once(monkeypatch):
    """Unless it calls something else there; loops without a file are never read from one."""
    from factored_bandits.core import compiling

    monkeypatch.setattr(compiling, "_INNER", inner := {})
    space: dict = {"kernel": kernel.kernel, "__name__": "loops"}
    exec(LOOPS, space)
    assert kernel.bind(space["one"], "one")() == 3
    both = list(inner.values())
    assert [part.py_func.__name__ for part in both] == ["base", "twice"]

    assert kernel.bind(space["ten"], "ten")() == 20
    assert list(inner.values()) == both
    assert [len(part.overloads) for part in both] == [1, 1]

    assert kernel.bind(space["ten"], "ten", base=forty)() == 800
    assert [part.py_func.__name__ for part in inner.values()] == ["base", "twice", "forty", "twice"]


def test_a_changed_constant_is_compiled_anew():
    space: dict = {"kernel": kernel.kernel, "RATE": 2}
    exec("@kernel\ndef rate():\n    return RATE\n@kernel\ndef run():\n    return rate()\n", space)
    assert kernel.bind(space["run"], "rates")() == 2
    space["RATE"] = 3
    assert kernel.bind(space["run"], "rates")() == 3


def test_an_attribute_is_no_kernel_of_the_same_name():
    space: dict = {"kernel": kernel.kernel}
    exec("@kernel\ndef real(x):\n    return x.real + 1\n", space)
    assert kernel.bind(space["real"], "attribute", compiled=False)(1.0) == 2.0


def test_constants_that_are_arrays_are_part_of_the_digest():
    """numba makes constants of them; an edited one would be read from the cache otherwise."""
    space: dict = {"kernel": kernel.kernel, "np": np}
    source = "RATES = np.array([{}])\n@kernel\ndef rate():\n    return RATES[0]\n"
    digests = []
    for rate in (1.0, 2.0):
        exec(source.format(rate), space)
        digests.append(kernel.digest(space["rate"], {}))
    assert digests[0] != digests[1]


def test_a_kernel_that_calls_itself_is_refused():
    space: dict = {"kernel": kernel.kernel}
    exec("@kernel\ndef down(x):\n    return down(x - 1)\n", space)
    with pytest.raises(fb.errors.KernelError, match="down calls itself"):
        kernel.bind(space["down"], "down")


LIGHT = """
import json, sys
import factored_bandits
libraries = ("numpy", "numba", "scipy", "pandas", "matplotlib", "click", "rich", "tqdm")
heavy = [library for library in libraries if library in sys.modules]
print(json.dumps({"heavy": heavy}))
"""


@pytest.mark.xdist_group("copy")
def test_importing_the_library_imports_nothing_heavy(copy):
    assert run(copy, LIGHT)["heavy"] == []


AGENT = """
import json, sys
import factored_bandits as fb
agent = fb.Agent("tea", factors={"a": ["x", "y"]})
agent.tell(agent.ask().id, 1.0)
print(json.dumps({"numba": "numba" in sys.modules}))
"""


@pytest.mark.xdist_group("copy")
def test_an_agent_never_compiles(copy):
    assert run(copy, AGENT) == {"numba": False}


def test_a_submodule_does_not_hide_a_public_function():
    import importlib
    import pkgutil

    for module in pkgutil.iter_modules([str(PACKAGE)]):
        importlib.import_module(f"factored_bandits.{module.name}")
    assert callable(fb.simulate)
    assert callable(fb.compare)
    assert callable(fb.Agent)


def test_what_cannot_be_compiled_is_said_in_a_sentence(tmp_path, monkeypatch):
    source = (Path(__file__).parents[2] / "examples" / "hundred_tries.py").read_text(
        encoding="utf-8"
    )
    assert source.count("    return 1\n") == 1
    (tmp_path / "broken_policy.py").write_text(
        source.replace("    return 1\n", "    return len(bin(1)) - 2\n")
    )
    monkeypatch.syspath_prepend(tmp_path)
    line = source[: source.index("    return 1\n")].count("\n") + 1
    problem = fb.environments.make("additive", effects=[[0.0, 0.5], [0.0, 0.3]])
    where = rf"'broken_policy' cannot be compiled, see broken_policy\.py, line {line}\."
    with pytest.raises(fb.errors.KernelError, match=where):
        fb.simulate(
            importlib.import_module("broken_policy"), problem, 100, repetitions=1, progress=False
        )


@kernel.kernel
def increased(x):
    return x + 1


@kernel.kernel
def twice_increased(x):
    return 2 * increased(x)


def test_kernels_inside_a_loop_are_optimised_only_there(monkeypatch):
    """numba's own way would be right, too, but takes a third longer."""
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    pytest.importorskip("numba")
    from factored_bandits.core import compiling

    monkeypatch.setattr(compiling, "can_be_kept", lambda loop, kernels: False)
    left_alone = []
    monkeypatch.setattr(
        compiling.Inner, "_optimize_final_module", lambda self: left_alone.append(self.name)
    )
    assert kernel.bind(twice_increased, "left_alone")(20) == 42
    assert left_alone == ["increased"]
