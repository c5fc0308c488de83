"""The C programs of `benchmarks/limit` do the same job as our loops: the same regret."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from factored_bandits.testing.problems import compiler

MAIN = Path(__file__).parents[2] / "benchmarks" / "limit" / "__main__.py"
spec = importlib.util.spec_from_file_location("limit_benchmark", MAIN)
assert spec is not None
assert spec.loader is not None
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
@pytest.mark.parametrize("label", benchmark.limits())
def test_c_plays_the_same_rounds(label, tmp_path, monkeypatch):
    """Ours interpreted, which plays the same rounds as compiled."""
    slow = "_inf" in label or "thompson" in label
    monkeypatch.setattr(benchmark, "ROUNDS", 500 if slow else 3_000)
    job = benchmark.limits()[label]
    with compiler(disabled=True):
        ours = benchmark.in_our_loop(job)()
    assert benchmark.in_c(job, str(tmp_path))() == ours


def test_without_a_compiler_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    benchmark.main()
    assert capsys.readouterr().out == (
        "Our loops against plain C: left out, there is no gcc here\n"
    )
