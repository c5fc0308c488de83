"""docs/how-to/voting.md: every step is run, in order, by a shell as a reader has it."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")
pytest.importorskip("nh3", reason="the extra [vote] is not installed")
from page_steps import said_by_steps


def test_each_step_does_what_the_page_says(tmp_path):
    said = said_by_steps("voting.md", tmp_path)
    assert len(said) == 6
    assert "answers: 3 candidates, 2 items" in said[0]
    assert "/arena/answers?invite=" in said[0]
    assert json.loads(said[2].split("\n", 1)[1])["candidates"] == ["plain", "question"]
    assert '"most":1' in said[3]
    assert "which one is better" in said[3]
    assert "not told apart at confidence 0.95: large model, small model, template" in said[4]
    assert '"votes":0' in said[4]
    assert "model_a,model_b,winner" in said[5]
