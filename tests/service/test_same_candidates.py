"""Votes on candidates that are the same, by voters with habits: nobody is eliminated too often.

Voters who always choose the left one, or mostly the right one, or who skip and tie as they like:
sides are drawn at random, so that each candidate wins with probability one half. Each may be
eliminated with probability ALPHA, though many look at the certificate after every vote.
"""

from __future__ import annotations

import random

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
from hall import in_file
from test_same_arms import most_of

from factored_bandits.service.arena.booth import Ended

ALPHA = 0.2  # large, so that few runs tell something
NAMES = "AB"


def habits(rng):
    """What voters do without looking at the candidates."""

    def left(*shown):
        return "1"

    def mostly_right(*shown):
        return "2" if rng.random() < 0.9 else "1"

    def lazy(*shown):
        return rng.choice("1120")

    return left, mostly_right, lazy


def eliminated(folder, seed, votes, tastes):
    """Who is ruled out at some time in one study."""
    folder.mkdir()
    hall = in_file(folder, names=NAMES, seed=seed, alpha=ALPHA, liars=0, cap=votes, undo=0.0)
    try:
        voters = [(hall.voter(), taste) for taste in tastes]
        for number in range(votes):
            voter, taste = voters[number % len(voters)]
            if isinstance(hall.judge(voter, taste), Ended):
                break  # somebody is ruled out
        hall.settle()
        top = hall.run(hall.booth.view(hall.study)).top
        return set(NAMES) - set(top)
    finally:
        hall.close()


def count(folder, runs, votes):
    found = dict.fromkeys(NAMES, 0)
    for run in range(runs):
        rng = random.Random(run)
        for name in eliminated(folder / str(run), run, votes, habits(rng)):
            found[name] += 1
    return found


def test_habits_eliminate_nobody_too_often(tmp_path):
    runs = 12
    assert max(count(tmp_path, runs, votes=24).values()) <= most_of(runs, ALPHA, p_value=1e-3)


@pytest.mark.full
def test_habits_eliminate_nobody_too_often_in_many_runs(tmp_path):
    runs = 250
    found = count(tmp_path, runs, votes=80)
    assert max(found.values()) <= most_of(runs, ALPHA, p_value=1e-3)


def test_a_difference_is_found(tmp_path):
    """The same, where one is better: the test above could fail."""

    def honest(left, right):
        return "1" if left < right else "2"

    assert all(
        eliminated(tmp_path / str(seed), seed, 40, [honest] * 3) == {"B"} for seed in range(3)
    )
