"""Commands that pages show do their work."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner
from pages import PAGES, fences

from factored_bandits.cli.app import app


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(line, id=line.removeprefix("factored-bandits ")[:40])
        for page in PAGES
        for block in fences(page, "sh")
        for line in block.splitlines()
        if line.startswith("factored-bandits ")
    ],
)
def test_command_shown_works(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)[1:]
    if words[0] == "serve":
        served_until_told_to_end(words)
        return

    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip()
    if "--plot" in words:
        assert (tmp_path / words[words.index("--plot") + 1]).stat().st_size > 1000


def served_until_told_to_end(words):
    """A server says where it is, and ends cleanly when it is told to."""
    command = [sys.executable, "-m", "factored_bandits", *words, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert "http://127.0.0.1:" in server.stdout.readline()
        finally:
            server.send_signal(signal.SIGTERM)
        # uvicorn lets requests end, and then passes the signal on
        assert server.wait(timeout=60) == -signal.SIGTERM
