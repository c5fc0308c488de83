"""docs/how-to/operating.md: the drill works, and the metrics of the alerts are there."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
from click.testing import CliRunner
from page_steps import ROOT

import factored_bandits as fb
from factored_bandits.cli.app import app

PAGE = (ROOT / "docs" / "how-to" / "operating.md").read_text(encoding="utf-8")


def fences(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_drill(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (drill,) = fences("bash")
    with fb.open("shop.db", key="home", factors={"a": ["x", "y"]}, ttl="1h", default=0.0) as agent:
        decision = agent.ask("Ada")
        agent.tell(decision.id, 1.0)
        for line in drill.splitlines():
            words = shlex.split(line)
            if words[0] != "factored-bandits":
                subprocess.run(words, check=True)
                continue
            done = CliRunner().invoke(app, words[1:])
            assert done.exit_code == 0, done.output
            assert done.output.strip()
        agent.ask("Bob")  # after the backup

    # in earnest: the copy takes the place of the database
    for name in tmp_path.glob("shop.db*"):
        name.unlink()
    (tmp_path / "drill" / "shop.db").rename("shop.db")
    with fb.open("shop.db", key="home") as agent:
        assert agent.ask("Ada") == decision
        assert agent.tell(decision.id, 1.0) == "duplicate"
        with pytest.raises(fb.errors.DecisionError, match="never given out"):
            agent.tell(2, 1.0)


def test_the_metrics_of_the_page_are_those_of_the_service():
    prometheus = pytest.importorskip("prometheus_client.parser", reason="[serve] is missing")
    from factored_bandits.service.api.metrics import Metrics
    from factored_bandits.service.engine import Meter

    text = Metrics(Meter()).text().decode()
    there = {family.name for family in prometheus.text_string_to_metric_families(text)}
    named = set(re.findall(r"\bfb_[a-z_]+", PAGE))
    plain = {re.sub(r"_(total|bucket)$", "", name) for name in named}
    assert plain == {name for name in there if not name.endswith("_created")}
