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


def checked(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What mypy says of a module, with the settings of the project."""
    file = folder / "policy_types.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", os.environ.get("MYPY_CACHE_DIR", str(ROOT / ".mypy_cache"))]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    return subprocess.run(
        [*command, str(file)], capture_output=True, text=True, cwd=ROOT, env=environment
    )


def test_every_policy_has_the_types_of_the_protocols_it_follows(tmp_path):
    text = assignments()
    assert text.count("base.Certifies") >= 2
    assert text.count("base.Skips") >= 2
    found = checked(text, tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_policy_of_other_types_is_noticed(tmp_path):
    wrong = (
        "from factored_bandits.policies import base\n"
        "from factored_bandits.policies.factored import uniform\n"
        "uniform_0: base.Certifies = uniform\n"
    )
    found = checked(wrong, tmp_path)
    assert found.returncode == 1
    assert "Certifies" in found.stdout
