"""docs/how-to/service.md: every step is run, in order, by a shell as a reader has it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

import factored_bandits as fb

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "service.md"
STEPS = re.findall(
    r"^```bash\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
HEAD = """set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
factored-bandits() { "$PYTHON" -m factored_bandits "$@"; }
python() { "$PYTHON" "$@"; }
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_each_step_does_what_the_page_says(tmp_path):
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")
    os.symlink(ROOT / "examples", tmp_path / "examples")
    script = HEAD + "".join(f"echo '== step {i}'\n{step}\necho\n" for i, step in enumerate(STEPS))
    for port in ("8000", "8080"):
        script = re.sub(rf"\b{port}\b", str(free_port()), script)
    # the shell that starts a function in the background is the one that is told to end
    script = script.replace("factored-bandits serve", 'exec "$PYTHON" -m factored_bandits serve')
    script = script.replace("python examples", 'exec "$PYTHON" examples')
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    said = done.stdout.split("== step ")[1:]
    assert len(said) == len(STEPS) == 7
    assert "listening on http://127.0.0.1:" in said[0]
    assert json.loads(said[1].split("\n", 1)[1])["key"] == "home"
    assert '{"outcomes":[{"outcome":"accepted"}]}' in said[2]
    assert "Tired of tea bags?" in (tmp_path / "page.html").read_text(encoding="utf-8")
    # visitor 7 has a decision from step 3, and its reward stands
    assert '"asked":20' in said[5]
    assert 'fb_rewards_total{outcome="accepted"} 20.0' in said[5]
    assert "home: 40 events as computed anew" in said[5]
    assert '"role":"write"' in said[6]

    with fb.open(tmp_path / "saved.db", key="home") as agent:
        assert (agent.status().asked, agent.waiting) == (20, ())
    lines = (tmp_path / "server.log").read_text(encoding="utf-8").splitlines()
    assert {"/v1/rewards", "/v1/keys"} <= {json.loads(line)["route"] for line in lines}
