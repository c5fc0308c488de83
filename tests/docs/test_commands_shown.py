"""Commands that pages show do their work."""

from __future__ import annotations

import shlex

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
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip()
    if "--plot" in words:
        assert (tmp_path / words[words.index("--plot") + 1]).stat().st_size > 1000
