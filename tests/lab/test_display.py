"""Progress: bars on a terminal, lines elsewhere, time left from the work that is left."""

from __future__ import annotations

import io
import re
import sys

from factored_bandits.lab.display import ProgressDisplay
from terminal import Terminal

BARS = ("all", "rank1", "delay")


def test_lines_where_there_is_no_terminal(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    display = ProgressDisplay({"rank1": 30.0, "delay": 10.0})
    display.found("rank1", 10.0)
    clock[0] += 20.0
    display.done("rank1", 10.0)  # 10 of the 30 seconds that were left took 20
    clock[0] += 1.0
    display.done("rank1", 2.0)  # too soon for another line
    display.done("rank1", 8.0)
    assert out.getvalue().splitlines() == [
        " 50% of the work done, 40 s left",
        " 75% of the work done, 10 s left; rank1 is complete",
    ]


def test_what_goes_before_the_tasks_does_not_count(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    display = ProgressDisplay({"rank1": 40.0})
    clock[0] += 500.0  # compiling
    display.start()
    clock[0] += 20.0
    display.done("rank1", 10.0)
    assert out.getvalue() == " 25% of the work done, 1 min 0 s left\n"


def test_nothing_is_known_before_something_is_done(monkeypatch, clock):
    """Also if what was found adds up with rounding."""
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    display = ProgressDisplay({"rank1": 1e9, "delay": 10.0})
    for _ in range(3):
        display.found("rank1", 0.1)
        display.found("delay", 0.1)
    clock[0] += 3.0
    display.show("it goes on")
    assert out.getvalue() == "  0% of the work done, time left unknown; it goes on\n"


def test_a_bar_for_all_and_one_each_on_a_terminal(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := Terminal())
    display = ProgressDisplay({"rank1": 30.0, "delay": 10.0})
    for _ in range(2):
        clock[0] += 10.0
        display.done("rank1", 10.0)
    text = out.getvalue()
    assert text.count("\n") == text.count("\x1b[A") > 0, "drawn over itself"
    lines = re.split("[\r\n]", text.replace("\x1b[A", ""))
    last = {name: [line for line in lines if line.startswith(name)][-1] for name in BARS}
    assert re.fullmatch(r"all +━{14}╌{14}  50%, 20 s left", last["all"])
    assert re.fullmatch(r"rank1 +━{18}╌{10}  67%", last["rank1"])
    assert re.fullmatch(r"delay +╌{28}   0%", last["delay"])
    display.close()
    assert out.getvalue().endswith("\n"), "what follows stands below the bars"


def test_silence_if_asked_for(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    ProgressDisplay({"rank1": 1.0}, enabled=False).done("rank1", 1.0)
    assert out.getvalue() == ""
