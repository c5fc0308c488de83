"""`make bench`: every part is there, and ends."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "run.py"
spec = importlib.util.spec_from_file_location("bench", FILE)
assert spec is not None
assert spec.loader is not None
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


def test_every_part_is_a_script_of_the_folder():
    for part in bench.PARTS.values():
        assert (bench.HERE / part.command[0]).exists()
        assert part.minutes > 0


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("import time; time.sleep(60)", "cut off after 0.01 minutes"),
        ("import sys; sys.exit(3)", "left out or failed (exit code 3)"),
    ],
)
def test_a_part_that_does_not_end_or_fails_is_told(code, end, tmp_path, monkeypatch):
    (tmp_path / "part.py").write_text(code)
    monkeypatch.setattr(bench, "HERE", tmp_path)
    assert bench.run(bench.Part(("part.py",), 0.01, "")) == end


def test_parts_are_run_by_name_and_the_end_of_each_is_printed(tmp_path, monkeypatch, capsys):
    (tmp_path / "part.py").write_text("pass")
    monkeypatch.setattr(bench, "HERE", tmp_path)
    monkeypatch.setattr(bench, "PARTS", {"one": bench.Part(("part.py",), 1, "nothing")})
    monkeypatch.setattr(sys, "argv", ["run.py", "one"])
    bench.main()
    told = capsys.readouterr().out
    assert told.startswith("At most 1 minutes\n\n== one: nothing\n")
    assert told.rstrip().endswith(" s")
