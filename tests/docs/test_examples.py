"""Examples run, and pages show their code and what they print.

The `>>>` examples are run by pytest itself, as doctests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import EXAMPLES, ROOT, instances

# seconds; an example takes two or three, some more if it must be compiled first or others are busy
TIMEOUT = 300


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What each example printed, filled in as they are run."""
    return {}


def output(example: Path, printed: dict[str, str]) -> str:
    if example.name not in printed:
        done = subprocess.run(
            [sys.executable, str(example)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed[example.name] = done.stdout
    return printed[example.name]


@pytest.mark.xdist_group("examples")  # with the next, which needs what they printed
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs(example, printed):
    assert re.search(r"\d", output(example, printed)), "an example ends in numbers"


@pytest.mark.xdist_group("examples")
@pytest.mark.parametrize("block", instances("console"))
def test_output_shown_is_output_printed(block, printed):
    command, shown = block.split("\n", maxsplit=1)
    example = re.fullmatch(r"\$ python examples/(\w+\.py)", command)
    assert example, f"only examples are shown with their output, not {command!r}"
    assert output(ROOT / "examples" / example[1], printed) == shown


@pytest.mark.parametrize("block", instances("python"))
def test_code_shown_is_an_example(block):
    assert block in [example.read_text(encoding="utf-8") for example in EXAMPLES]
