"""The defaults of a run, stopping by the posterior, and whole combinations that meet."""

from __future__ import annotations

import asyncio
import math
import random

import pytest
from simulated_judges import Simulated

import factored_bandits as fb
from factored_bandits.core.distributions.binomial import at_least
from factored_bandits.errors import InvalidInputError

FACTORS = {"prompt": ["plain", "kind", "rude"], "model": ["small", "large"], "top": [1, 2]}
WORTH = {"plain": 0.0, "kind": 1.2, "rude": -0.5, "small": 0.0, "large": 1.0, 1: 0.0, 2: 0.0}
RARE = 1e-4


class Taste:
    """A judge of combinations whose levels have a worth, with a preference for the first side."""

    def __init__(self, seed=1, first=0.5, ties=0.1):
        self.random = random.Random(seed)
        self.first = first
        self.ties = ties
        self.asked = []

    def __call__(self, a, b):
        self.asked.append((a, b))
        if self.random.random() < self.ties:
            return 0.5
        lead = sum(WORTH[a[name]] - WORTH[b[name]] for name in FACTORS) + self.first
        return int(self.random.random() < 1.0 / (1.0 + math.exp(-lead)))


def tuned(judge, **options):
    given = {"budget": 400, "concurrency": 1, "progress": False, **options}
    return fb.tune_sync(FACTORS, judge=judge, **given)


def played(judge, **options):
    return asyncio.run(fb.arena(list("abcd"), judge, progress=False, **options))


def test_which_policy_plays():
    def score(levels):
        return float(levels["model"] == "large")

    options = {"score": score, "concurrency": 1, "progress": False}
    assert played(Simulated(), budget=5).policy == "duel_top_two"
    assert tuned(Taste(), budget=5).policy == "duel_top_two"
    assert fb.tune_sync(FACTORS, budget=5, **options).policy == "tea(bound=betting)"

    # nobody waits for a certificate, and the number of calls is known
    found = fb.tune_sync(FACTORS, budget=60, stop_at=None, **options)
    assert (found.policy, found.confidence, found.calls) == ("logistic_halving", None, 60)
    assert found.best["model"] == "large"
    paid = fb.tune_sync(
        FACTORS,
        score=lambda levels: fb.Score(1.0, cost=0.1),
        budget=fb.Budget(cost=0.5),
        stop_at=None,
        concurrency=1,
        progress=False,
    )
    assert paid.policy == "tea(bound=betting)"


def test_likely_ends_a_run_and_is_never_confidence():
    result = played(Simulated(), budget=500, likely_at=0.9, concurrency=1)
    assert result.stopped == "likely"
    assert result.likely >= 0.9 > result.confidence
    assert result.best == "d"
    assert len(result.top) > 1
    text = str(result)
    assert "not told apart at confidence 0.95" in text
    assert f"in front: d ({result.likely:.0%} likely by the posterior: no confidence)" in text
    assert "stopped because one is likely to be the best, which is no proof" in text


def test_likely_needs_a_posterior():
    with pytest.raises(InvalidInputError, match="likely_at stops by a posterior, and dts has none"):
        played(Simulated(), budget=5, policy="dts", likely_at=0.9)
    with pytest.raises(InvalidInputError, match="likely_at must lie between 0 and 1, not 95"):
        played(Simulated(), budget=5, likely_at=95)
    assert fb.Agent("dts", arms=["a", "b"]).likely() is None


def test_looking_at_the_posterior_changes_nothing():
    agents = [fb.Agent("duel_top_two", arms=list("abc"), seed=1) for _ in range(2)]
    for t in range(30):
        for agent in agents:
            decision = agent.ask()
            agent.tell(decision.id, float(decision.levels["first"] > decision.levels["second"]))
        before = agents[0].dump()
        assert 0.0 <= agents[0].likely() <= 1.0
        assert agents[0].dump() == before, t
    assert agents[0].dump() == agents[1].dump()


def test_two_combinations_meet_and_every_factor_learns():
    judge = Taste()
    result = tuned(judge, budget=1200)
    assert result.best["prompt"] == "kind"
    assert result.best["model"] == "large"
    assert result.top["prompt"] == ("kind",)
    assert result.top["model"] == ("large",)
    assert result.top["top"] == (1, 2)  # which are equal: a set, not a name
    assert "top: 1, 2" in result.sentence()

    assert all(a != b for a, b in judge.asked)
    assert result.bias.share > 0.5
    means = result.means
    differ = sum(a["model"] != b["model"] for a, b in judge.asked)
    assert means["model"]["large"].n == means["model"]["small"].n == differ
    assert means["model"]["large"].mean > 0.6
    assert means["model"]["large"].mean + means["model"]["small"].mean == pytest.approx(1.0)


def test_columns_have_both_sides(tmp_path):
    result = tuned(Taste(), budget=12, swap="both")
    columns = result.columns()
    assert list(columns) == [
        *(f"{side} {name}" for side in ("first", "second") for name in FACTORS),
        "item",
        "score",
        "cost",
    ]
    assert {len(column) for column in columns.values()} == {12}
    # both orders of each pair
    assert columns["first prompt"][0::2] == columns["second prompt"][1::2]
    assert "prompt" in result._repr_html_()
    figure = result.plot(tmp_path / "levels.png")
    assert figure.axes[0].get_xlabel() == "share won of duels in which it differs"
    assert result.summary().columns[4] == "won"
    assert (tmp_path / "levels.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_of_combinations_in_pieces_is_the_run_in_one_piece(tmp_path):
    whole = tuned(Taste(), budget=60, journal=tmp_path / "whole.jsonl")
    judge = Taste()
    for calls in (17, 18, 60):
        last = tuned(judge, budget=calls, journal=tmp_path / "pieces.jsonl")
    assert last.entries == whole.entries
    assert len(judge.asked) == 60
    assert last.best == whole.best


@pytest.mark.full
def test_equal_levels_are_ruled_out_as_rarely_as_is_said():
    """One factor matters, two levels of another are equal: each goes in at most 5 % of the runs."""
    runs = 300
    gone = {1: 0, 2: 0}
    for seed in range(runs):
        result = fb.tune_sync(
            FACTORS,
            judge=Taste(seed=seed),
            budget=300,
            seed=seed,
            stop_at=0.95,
            concurrency=8,
            progress=False,
        )
        for level in gone:
            gone[level] += level not in result.top["top"]
    for count in gone.values():
        assert at_least(count, runs, 0.05) > RARE
