"""`tune`: the best level of each factor by scores, or by a judge who compares with a baseline."""

from __future__ import annotations

import asyncio
import random
import threading

import pytest

import factored_bandits as fb
from factored_bandits.errors import DumpError, InvalidInputError, JudgeError

FACTORS = {"prompt": ["plain", "kind", "rude"], "temperature": [0.0, 0.5, 1.0]}
BASELINE = {"prompt": "plain", "temperature": 0.0}
EFFECTS = {"kind": 0.3, 0.5: 0.3}


def quality(levels):
    return 0.2 + sum(EFFECTS.get(level, 0.0) for level in levels.values())


def played(factors=FACTORS, **options):
    given = {"budget": 300, "concurrency": 1, "progress": False, **options}
    return asyncio.run(fb.tune(factors, **given))


class Score:
    """0 or 1, with the probability that a combination deserves."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.asked = []

    async def __call__(self, levels, *item):
        self.asked.append((levels, *item))
        return float(self.random.random() < quality(levels))


def test_scores_find_the_best_combination():
    result = played(score=Score(), budget=800, concurrency=4)
    assert result.best == {"prompt": "kind", "temperature": 0.5}
    assert result.top == {"prompt": ("kind",), "temperature": (0.5,)}
    assert result.stopped == "certificate"
    assert result.confidence >= 0.95
    assert str(result).startswith("best: prompt kind, temperature 0.5, confidence 9")
    assert result.grid_calls > result.calls
    assert result.bias is None


def test_a_judge_compares_with_the_baseline_on_random_sides():
    rng = random.Random(1)
    sides = []

    async def judge(a, b, item):
        assert BASELINE in (a, b) or "prompt" in a
        assert item in ("x", "y")
        lead = quality(a) - quality(b)
        sides.append(a is baseline)
        return int(rng.random() < 0.5 + 0.75 * lead)

    baseline = dict(BASELINE)
    result = played(judge=judge, against=baseline, items=["x", "y"], budget=400)
    assert result.best == {"prompt": "kind", "temperature": 0.5}
    assert result.means["prompt"]["kind"].mean > result.means["prompt"]["rude"].mean
    assert 0.4 < sum(sides) / len(sides) < 0.6
    assert result.bias.low < 0.5 < result.bias.high


def test_both_orders_take_a_preference_for_a_side_away():
    result = played(judge=lambda a, b: 1, against=BASELINE, swap="both", budget=40)
    assert {mean.mean for means in result.means.values() for mean in means.values()} == {0.5}
    assert result.bias.share == 1.0


def test_a_plain_score_is_called_in_a_thread_with_costs_and_items():
    names = set()

    def score(levels, item):
        names.add(threading.current_thread().name)
        return fb.Score(item, cost=0.5)

    result = played(score=score, items=[0.0, 10.0], reward_range=(0, 10), budget=20)
    assert names == {"judge"}
    assert result.cost == 10.0
    columns = result.columns()
    assert set(columns) == {"prompt", "temperature", "item", "score", "cost"}
    assert [10.0 * item for item in columns["item"]] == columns["score"]


def test_a_run_in_pieces_is_the_run_in_one_piece(tmp_path):
    whole = played(score=Score(), journal=tmp_path / "whole.jsonl", budget=60)
    score = Score()
    for budget in (20, 60):
        parts = played(score=score, journal=tmp_path / "parts.jsonl", budget=budget)
    assert parts.entries == whole.entries
    assert (tmp_path / "parts.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    with pytest.raises(DumpError, match="is of another run: there, asks is 'score', here 'judge'"):
        played(judge=Score(), against={}, journal=tmp_path / "parts.jsonl")


def test_what_is_given_up_is_the_middle_of_the_range():
    score = Score()

    async def broken(levels):
        if len(score.asked) >= 10:
            raise ValueError("no score")
        return await score(levels)

    with pytest.raises(JudgeError) as caught:
        played(score=broken, tries=1, backoff=0.0)
    assert caught.value.result.calls == 30
    assert caught.value.result.given_up == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {},
            "give either score=..., a function of a combination, or judge=..., which compares two",
        ),
        ({"score": len, "judge": max, "against": 1}, "with the baseline against=...; not both"),
        ({"judge": max, "reward_range": (0, 5)}, "verdicts of a judge lie from 0 to 1"),
        ({"judge": max, "policy": "dts"}, "dts does not compare combinations"),
        (
            {"score": len, "likely_at": 0.9},
            "likely_at stops by a posterior, and tea(bound=betting) has",
        ),
        ({"score": len, "against": 1}, "against is what a judge compares with; a score takes no"),
        ({"score": 7}, "score must be a function, not 7"),
        (
            {"score": lambda: 7},
            "score is called as score(levels); yours takes ()",
        ),
        ({"score": len, "factors": {}}, "factors must be a dict with a list of levels"),
        ({"score": len, "policy": "rmed1"}, "rmed1 needs arms="),
        ({"score": len, "policy": "cucb"}, "cucb learns from an outcome of each factor"),
        ({"score": len, "reward_range": None}, "reward_range must be (low, high)"),
        (
            {"judge": max, "against": 1, "reward_range": (0, 5)},
            "verdicts of a judge lie from 0 to 1: reward_range=(0, 5) is for scores",
        ),
    ],
)
def test_a_wrong_argument_is_named(arguments, message):
    given = {"factors": FACTORS, "budget": 10, **arguments}
    with pytest.raises(InvalidInputError) as caught:
        fb.tune_sync(**given)
    assert message in str(caught.value)


def test_a_score_outside_the_range_surfaces_at_once():
    with pytest.raises(InvalidInputError, match="the score must be a number from 0 to 1"):
        played(score=lambda levels: 7)


def test_inside_a_running_loop_the_plain_form_works_too():
    async def notebook():
        return fb.tune_sync({"x": [1, 2]}, score=lambda levels: levels["x"] - 1, budget=60)

    assert asyncio.run(notebook()).best == {"x": 2}
