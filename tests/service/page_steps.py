"""The steps of a page of the docs, run in their order by a shell as a reader has it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAD = """set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
factored-bandits() { "$PYTHON" -m factored_bandits "$@"; }
python() { "$PYTHON" "$@"; }
"""


def said_by_steps(page: str, folder: Path) -> list[str]:
    """What each step of a page prints, run in a folder on ports that are free."""
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    steps = re.findall(r"^```bash\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)

    script = HEAD + "".join(f"echo '== step {i}'\n{step}\necho\n" for i, step in enumerate(steps))
    for port in ("8000", "8080"):
        script = re.sub(rf"\b{port}\b", str(free_port()), script)
    # the shell that starts a function in the background is the one that is told to end
    script = script.replace("factored-bandits serve", 'exec "$PYTHON" -m factored_bandits serve')
    script = script.replace("python examples", 'exec "$PYTHON" examples')
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout.split("== step ")[1:]
    assert len(said) == len(steps)
    return said


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
