"""docs/how-to/voting.md: every step is run, in order, by a shell as a reader has it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("nh3", reason="the extra [vote] is not installed")
from test_service_page import HEAD, ROOT, free_port

PAGE = ROOT / "docs" / "how-to" / "voting.md"
STEPS = re.findall(
    r"^```bash\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)


def test_each_step_does_what_the_page_says(tmp_path):
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")
    script = HEAD + "".join(f"echo '== step {i}'\n{step}\necho\n" for i, step in enumerate(STEPS))
    script = re.sub(r"\b8000\b", str(free_port()), script)
    script = script.replace("factored-bandits serve", 'exec "$PYTHON" -m factored_bandits serve')
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
    assert len(said) == len(STEPS) == 6
    assert "answers: 3 candidates, 2 items" in said[0]
    assert "/arena/answers?invite=" in said[0]
    assert json.loads(said[2].split("\n", 1)[1])["candidates"] == ["plain", "question"]
    assert '"most":1' in said[3]
    assert "which one is better" in said[3]
    assert "not told apart at confidence 0.95: large model, small model, template" in said[4]
    assert '"votes":0' in said[4]
    assert "model_a,model_b,winner" in said[5]
