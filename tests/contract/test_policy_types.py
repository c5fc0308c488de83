"""The type checker holds every policy module against the protocols of `policies/base.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import factored_bandits as fb
from factored_bandits.policies import base
from factored_bandits.policies.policy import CAPABILITIES

pytest.importorskip("mypy")
pytestmark = pytest.mark.xdist_group("mypy")  # one process asks it, once

ROOT = Path(__file__).parents[2]
PROTOCOLS = [*CAPABILITIES.values(), base.Checks, base.PlansBlocks]


def assignments() -> str:
    """A module that assigns every policy to the protocols that it says it follows."""
    lines = ["from factored_bandits.policies import base"]
    for name in fb.policies.names():
        module = fb.policies.load(name)
        path, _, stem = module.__name__.rpartition(".")
        lines.append(f"from {path} import {stem}")
        lines.append(f"{stem}_0: base.PolicyModule = {stem}")
        for protocol in PROTOCOLS:
            if isinstance(module, protocol):
                title = protocol.__name__
                lines.append(f"{stem}_{title}: base.{title} = {stem}")
    return "\n".join(lines) + "\n"


WRONG = """
from factored_bandits.policies import base
from factored_bandits.policies.factored import uniform
uniform_0: base.Certifies = uniform
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> str:
    """What mypy says of all policies and of a wrong one, with the settings of the project."""
    folder = tmp_path_factory.mktemp("types")
    files = [folder / "policy_types.py", folder / "wrong_types.py"]
    for file, text in zip(files, (assignments(), WRONG), strict=True):
        file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", os.environ.get("MYPY_CACHE_DIR", str(ROOT / ".mypy_cache"))]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(
        [*command, *map(str, files)], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "2 source files" in done.stdout, done.stdout + done.stderr
    return done.stdout


def test_every_policy_has_the_types_of_the_protocols_it_follows(said):
    text = assignments()
    assert text.count("base.Certifies") >= 2
    assert text.count("base.Skips") >= 2
    found = [line for line in said.splitlines() if "error:" in line]
    assert [line for line in found if "wrong_types.py:" not in line] == []


def test_a_policy_of_other_types_is_noticed(said):
    wrong = [line for line in said.splitlines() if "wrong_types.py:" in line]
    assert any("error:" in line and "Certifies" in line for line in wrong), said
