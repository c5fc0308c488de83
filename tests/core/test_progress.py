"""Progress: silent at first, a bar on a terminal, lines elsewhere, nothing if not wanted."""

from __future__ import annotations

import io
import re
import subprocess
import sys

from factored_bandits.core import progress
from factored_bandits.core.progress import Progress
from terminal import Terminal


def test_quick_work_shows_nothing(monkeypatch, clock):
    for out in (io.StringIO(), Terminal()):
        monkeypatch.setattr(sys, "stderr", out)
        with Progress("quick", 10.0) as bar:
            clock[0] += progress.PATIENCE - 0.1
            bar.update(9.0)
        assert out.getvalue() == ""


def test_lines_now_and_then_where_there_is_no_terminal(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    with Progress("tea on trap", 40.0) as bar:
        clock[0] += 10.0
        bar.update(10.0)
        clock[0] += 1.0
        bar.update(20.0)  # too soon for another line
        clock[0] += progress.LINE_EVERY
        bar.update(20.0, "compiling")
        clock[0] += progress.LINE_EVERY
        bar.update(30.0, seen="so far 9 days")
    assert out.getvalue().splitlines() == [
        "tea on trap: 25% 30 s left",
        "tea on trap: 50% compiling",
        "tea on trap: 75% 14 s left; so far 9 days",
    ]


def test_a_bar_on_a_terminal_that_is_erased_at_the_end(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := Terminal())
    with Progress("tea on trap", 40.0) as bar:
        clock[0] += 10.0
        bar.update(0.0, "compiling (once; kept for next time)")
        clock[0] += 10.0
        bar.update(20.0)
    drawn = out.getvalue().split("\r")
    assert any(re.search("tea on trap ╌{28} +0%, compiling", line) for line in drawn)
    assert any(re.search("tea on trap ━{14}╌{14} +50%, 20 s left", line) for line in drawn)
    assert drawn[-1].strip() == ""


def test_silence_if_asked_for(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := Terminal())
    with Progress("tea", 1.0, enabled=False) as bar:
        clock[0] += 100.0
        bar.update(0.5)
    assert out.getvalue() == ""


def test_tqdm_is_not_imported_before_a_bar_is_drawn():
    code = "import sys, factored_bandits.simulation.simulate; print('tqdm' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
