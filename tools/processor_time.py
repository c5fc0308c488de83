"""Where the tests spend processor time, by file and by test; on a busy machine, too.

    PYTHONPATH=. PYTEST_ADDOPTS="-p tools.processor_time" make pytest

Processes that a test starts are counted once they have ended, in the test that was running then.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest

KEY = "processor_time"
FILES = 40  # as many lines
TESTS = 40

_before = 0.0


def used() -> float:
    """Processor time of this process and of those that it has waited for, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart() -> None:
    global _before
    _before = used()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note what setting up, running or ending the test took; a worker sends that along."""
    global _before
    report = yield
    now = used()
    report.user_properties.append((KEY, now - _before))
    _before = now
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    by_file: dict[str, list[float]] = defaultdict(list)
    by_test: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            seconds = sum(v for k, v in getattr(report, "user_properties", []) if k == KEY)
            if seconds:
                by_file[report.nodeid.partition("::")[0]].append(seconds)
                by_test[report.nodeid] += seconds

    totals = {name: sum(seconds) for name, seconds in by_file.items()}
    terminalreporter.section(f"processor time: {sum(totals.values()):.0f} s in tests")
    for found, most in ((totals, FILES), (by_test, TESTS)):
        for name, seconds in sorted(found.items(), key=lambda pair: -pair[1])[:most]:
            terminalreporter.write_line(f"{seconds:8.2f} s  {name}")
        terminalreporter.write_line("")
