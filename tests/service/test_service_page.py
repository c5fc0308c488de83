"""docs/how-to/service.md: every step is run, in order, by a shell as a reader has it."""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from page_steps import ROOT, said_by_steps

import factored_bandits as fb


def test_each_step_does_what_the_page_says(tmp_path):
    os.symlink(ROOT / "examples", tmp_path / "examples")
    said = said_by_steps("service.md", tmp_path)
    assert len(said) == 7
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
