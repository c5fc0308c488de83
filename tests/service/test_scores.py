"""Bradley-Terry scores beside the certificate: those of evalica, and intervals that cover."""

from __future__ import annotations

import math
import random

import pytest

pytest.importorskip("evalica", reason="the extra [vote] is not installed")
import evalica

from factored_bandits.service.arena.scores import PRIOR, bradley_terry

STRENGTHS = {"A": 4.0, "B": 2.0, "C": 1.0}


def votes(number, seed):
    """Of pairs drawn at random, by a Bradley-Terry model."""
    rng = random.Random(seed)
    pairs = {"model_a": [], "model_b": [], "winner": []}
    for _ in range(number):
        first, second = rng.sample(list(STRENGTHS), 2)
        wins = rng.random() < STRENGTHS[first] / (STRENGTHS[first] + STRENGTHS[second])
        for name, value in zip(pairs, (first, second, "model_a" if wins else "model_b")):
            pairs[name].append(value)
    return pairs


def test_they_are_those_of_evalica_but_for_a_little_prior():
    pairs = votes(2000, seed=1)
    found = {each.name: each.score for each in bradley_terry(list(STRENGTHS), pairs)}
    assert list(found) == ["A", "B", "C"]
    names = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    winners = [names[each] for each in pairs["winner"]]
    plain = evalica.bradley_terry(pairs["model_a"], pairs["model_b"], winners).scores
    for one, other in (("A", "B"), ("B", "C")):
        expected = 400 * math.log10(plain[one] / plain[other])
        assert found[one] - found[other] == pytest.approx(expected, abs=1.0)
    assert sum(found.values()) == pytest.approx(3000.0)


def test_intervals_cover_the_truth_most_of_the_time():
    covered = 0
    for seed in range(40):
        scores = {each.name: each for each in bradley_terry(list(STRENGTHS), votes(150, seed))}
        logs = {name: 400 * math.log10(x) for name, x in STRENGTHS.items()}
        truth = 1000 + logs["A"] - sum(logs.values()) / 3
        covered += scores["A"].low <= truth <= scores["A"].high
    # of 40 with probability 0.95 each, fewer than 31 have a probability of 2e-5
    assert covered >= 31


def test_whoever_never_won_has_a_score():
    pairs = {"model_a": ["A"] * 5, "model_b": ["B"] * 5, "winner": ["model_a"] * 5}
    best, worst = bradley_terry(["A", "B"], pairs)
    assert (best.name, worst.name) == ("A", "B")
    # five wins, and a tie worth PRIOR: odds (5 + PRIOR / 2) / (PRIOR / 2)
    odds = (5 + PRIOR / 2) / (PRIOR / 2)
    assert best.score - worst.score == pytest.approx(400 * math.log10(odds), rel=1e-3)


def test_without_votes_there_are_none():
    assert bradley_terry(["A", "B"], {"model_a": [], "model_b": [], "winner": []}) == []
