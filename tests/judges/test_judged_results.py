"""What a run says in the end: text, a page for notebooks, pairs for others, figures, progress."""

from __future__ import annotations

import asyncio
import io
import sys

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
from simulated_judges import STRENGTHS, Simulated

import factored_bandits as fb
from factored_bandits.core import progress
from factored_bandits.inference.certificate import Certificate, Claim
from factored_bandits.judges import ArenaResult, Entry

NAMES = list(STRENGTHS)


def played(judge, candidates=NAMES, **options):
    given = {"budget": 200, "concurrency": 1, "progress": False, **options}
    return asyncio.run(fb.arena(candidates, judge, **given))


@pytest.fixture(scope="module")
def result():
    judge = Simulated(ties=0.2)

    async def paid(a, b):
        return fb.Verdict(judge.verdict(a, b), cost=0.01)

    return played(paid)


def test_the_table_counts_every_verdict_twice(result):
    tallies = result.tallies
    assert sum(tally.n for tally in tallies.values()) == 2 * result.calls
    assert sum(tally.wins for tally in tallies.values()) == sum(t.losses for t in tallies.values())
    rows = {row[0]: row for row in result.summary().rows}
    best = tallies["d"]
    assert rows["d"][:6] == ("d", "best", *map(str, (best.n, best.wins, best.ties, best.losses)))
    assert result.summary().rows[0][0] == result.best


def test_what_was_saved_is_counted_against_a_round_robin(result):
    robin = len(NAMES) * result.tallies[result.best].n / 2
    assert result.round_robin_calls == np.ceil(robin)
    assert result.saved_calls == result.round_robin_calls - result.calls > 0
    assert result.saved_cost == pytest.approx(0.01 * result.saved_calls)
    assert f"{result.saved_calls} calls and {result.saved_cost:.4g} saved" in str(result)


def test_the_text_says_who_why_and_for_how_much(result):
    text = str(result)
    assert text.startswith("best: d, confidence 95.")
    assert "if one candidate does best against every opponent" in text
    assert "stopped because the certificate has reached 0.95" in text
    assert f"{result.calls} calls, cost {result.cost:.4g}" in text


def test_names_are_text_in_a_notebook():
    shown = played(lambda a, b: a > b, ["<script>alert(1)</script>", "b & c"], budget=5)
    page = shown._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "b &amp; c" in page
    assert page.count("<tr ") == 3


def test_a_candidate_for_every_verdict_where_none_is_best():
    """Rock, paper, scissors: every candidate is ruled out, and the text says what that means."""
    claims = tuple(Claim("arm", name, 0.01, 0.01) for name in NAMES)
    given = dict.fromkeys(("calls", "failed", "refused", "given_up"), 0)
    result = ArenaResult(
        policy="dueling_leader_tea",
        best="a",
        certificate=Certificate("dueling_leader_tea", "duel", 9, claims, 0.05),
        stop_at=0.95,
        stopped="calls",
        likely=None,
        cost=0.0,
        entries=(),
        candidates=tuple(NAMES),
        **given,
    )
    assert result.top == ()
    assert "every candidate is ruled out at confidence 0.95: bad luck, or none" in str(result)


# ------------------------------------------------------------ for others


def test_pairs_are_what_happened(result, tmp_path):
    pairs = result.to_pairs(tmp_path / "pairs.csv")
    assert list(pairs) == ["model_a", "model_b", "winner"]
    assert len(pd.DataFrame(pairs)) == result.calls

    duels = fb.load_duels(tmp_path / "pairs.csv", arms=NAMES)
    for name, wins in zip(duels.labels, duels.wins, strict=True):
        tally = result.tallies[name]
        assert wins.sum() == tally.wins + 0.5 * tally.ties

    # and a new agent begins with them
    agent = fb.Agent(arms=NAMES, history=tmp_path / "pairs.csv")
    assert agent.best() == "d"


def test_evalica_reads_the_pairs(result):
    evalica = pytest.importorskip("evalica")  # a dependency of the development install
    pairs = result.to_pairs()
    winners = [
        {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}[name]
        for name in pairs["winner"]
    ]
    scores = evalica.bradley_terry(pairs["model_a"], pairs["model_b"], winners).scores
    assert scores.index[0] == "d"
    assert set(scores.index) == set(NAMES)
    counted = evalica.counting(pairs["model_a"], pairs["model_b"], winners).scores
    for name in NAMES:
        assert counted[name] >= result.tallies[name].wins


def test_arena_rank_reads_the_pairs(result):
    """It brings JAX and wants one version of NumPy: `make test-neighbours` runs this."""
    reason = "arena-rank is not installed"
    data = pytest.importorskip("arena_rank.utils.data_utils", reason=reason)
    models = pytest.importorskip("arena_rank.models.bradley_terry", reason=reason)
    dataset = data.PairDataset.from_pandas(pd.DataFrame(result.to_pairs()))
    found = models.BradleyTerry(n_competitors=len(dataset.competitors)).compute_ratings_and_cis(
        dataset, significance_level=0.05
    )
    ratings = pd.DataFrame(found).set_index("competitors").ratings
    assert set(ratings.index) == set(NAMES)
    assert ratings.idxmax() == "d"


def test_figures(result, tmp_path):
    path = tmp_path / "arena.png"
    assert isinstance(result.plot(path), matplotlib.figure.Figure)
    assert path.read_bytes().startswith(b"\x89PNG")

    factors = {"model": ["small", "large"], "prompt": ["x", "y", "z"]}
    tuned = fb.tune_sync(
        factors, score=lambda levels: 3.0, reward_range=(1, 5), budget=40, concurrency=1
    )
    figure = tuned.plot()
    assert len(figure.axes) == 2
    assert figure.axes[0].get_xlim() == (1.0, 5.0)


# ------------------------------------------------------------ progress


def test_the_progress_says_calls_cost_and_who_is_in_front(monkeypatch):
    lines = io.StringIO()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    monkeypatch.setattr(sys, "stderr", lines)

    async def judge(a, b):
        return fb.Verdict(a > b, cost=0.25)

    played(judge, ["a", "b"], budget=4, progress=True, stop_at=None)
    last = lines.getvalue().splitlines()[-1]
    assert last.startswith("arena: 100% 0 s left; 4 calls, cost 1, in front: b (")


def test_silence_is_possible(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    played(lambda a, b: a > b, ["a", "b"], budget=4)
    assert capsys.readouterr() == ("", "")


def test_an_entry_leaves_out_what_says_nothing():
    entry = Entry("answer", 3, 0, 5, {"first": "a", "second": "b"}, 0.0)
    assert entry.document() == {
        "event": "answer",
        "ask": 3,
        "part": 0,
        "asks": 5,
        "call": {"first": "a", "second": "b"},
        "value": 0.0,
    }
