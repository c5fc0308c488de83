"""Interleaved Filter, Beat the Mean, SAVAGE, Winner Stays: every step against the paper's words.

The checks recompute everything from the record of all duels, by the formulas as they are written
down; where a random draw decides, what was chosen must be among what could be.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.kernel import kernel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.dueling.elimination import beat_the_mean
from factored_bandits.policies.dueling.reductions import winner_stays
from oracles import duel_literal

make = fb.policies.make
PROBLEMS = {
    "clear": fb.environments.identical_gap(5, 0.9),
    "order": fb.environments.arithmetic(4, 0.16),
    "cycle": fb.environments.cyclic(6, 0.8, 0.95),
    "ties": fb.environments.ties(5, 0.95, 0.4),
}


def check_interleaved_filter(policy, problem, rounds, seed):
    """Returns how many candidates there were."""
    arms = problem.sizes[0]
    log_term = math.log(rounds * arms**2)
    candidate = None
    left = None
    record = {}
    candidates = 0

    for _, _, state, actions, rewards in duel_literal.blocks(policy, problem, rounds, seed):
        first = actions[0][0]
        if candidate is None:
            candidate = first
            left = set(range(arms)) - {first}
            candidates = 1

        radius = {w: math.sqrt(4.0 * log_term / n) for w, (_, n) in record.items()}
        rate = {w: wins / n for w, (wins, n) in record.items()}
        left -= {w for w in record if rate[w] - radius[w] > 0.5}
        winners = {w for w in record if w in left and rate[w] + radius[w] < 0.5}
        if winners:
            assert first in winners
            left -= {w for w in record if rate[w] > 0.5}
            left -= {first}
            candidate = first
            record = {}
            candidates += 1

        assert set(np.flatnonzero(state.active)) == left | {candidate}
        assert sorted(actions) == sorted([candidate, w] for w in left or {candidate})
        if left:
            for (_, w), reward in zip(actions, rewards, strict=True):
                wins, n = record.get(w, (0.0, 0))
                record[w] = wins + reward, n + 1
            record = {w: record[w] for w in left}
    assert left == set(), "the filter did not come to its end"
    return candidates


@pytest.mark.parametrize("name", PROBLEMS)
def test_interleaved_filter(name):
    candidates = [
        check_interleaved_filter("interleaved_filter", PROBLEMS[name], 6_000, seed)
        for seed in range(5)
    ]
    assert max(candidates) > 1, "no candidate was ever beaten: too easy a test"


def check_beat_the_mean(policy, problem, rounds, seed):
    """Returns how many arms were removed."""
    arms = problem.sizes[0]
    constant = 1.2**2
    inside = set(range(arms))
    duels = []

    for _, _, state, (first, second), reward in duel_literal.walk(policy, problem, rounds, seed):
        active_sets = set(np.flatnonzero(state.active).tolist())
        wins, plays = tally(duels, inside)
        fewest = min(plays[b] for b in inside)
        if len(inside) > 1 and fewest > 0:
            share = {b: wins[b] / plays[b] for b in inside}
            radius = constant * math.sqrt(math.log(2 * rounds * arms) / fewest)
            worst = {b for b in inside if share[b] == min(share.values())}
            if min(share.values()) + radius <= max(share.values()) - radius:
                assert len(inside - active_sets) == 1
                assert inside - active_sets <= worst
                inside = active_sets
                wins, plays = tally(duels, inside)
        assert active_sets == inside
        if len(inside) == 1:
            assert {first, second} == inside
            continue
        assert plays[first] == min(plays[b] for b in inside)
        assert second in inside - {first}
        duels.append((first, second, reward))
    return arms - len(inside)


def tally(duels, inside):
    """Duels among active arms only: an eliminated arm takes all duels against it along."""
    wins = Counter()
    plays = Counter()
    for first, second, reward in duels:
        if first in inside and second in inside:
            wins[first] += reward
            plays[first] += 1
    return wins, plays


@pytest.mark.parametrize("name", ["clear", "ties"])
def test_beat_the_mean(name):
    problem = {
        "clear": fb.environments.identical_gap(4, 0.98),
        "ties": fb.environments.ties(4, 1.0, 0.2),
    }[name]
    assert (
        check_beat_the_mean(make("beat_the_mean", constant="komiyama"), problem, 1_500, seed=1) >= 1
    )


@kernel
def remove_and_keep_the_duels(state, row):
    """The trap: duels against the eliminated arm stay in the records of the others."""
    gone = state.active_list[row]
    state.left[0] -= 1
    state.active_list[row] = state.active_list[state.left[0]]
    state.active[gone] = False


def test_beat_the_mean_strikes_the_duels_of_an_eliminated_arm(monkeypatch):
    monkeypatch.setattr(beat_the_mean, "remove", remove_and_keep_the_duels)
    with pytest.raises(AssertionError):
        test_beat_the_mean("clear")


def test_beat_the_mean_learns_for_the_first_arm_only():
    params = make("beat_the_mean").encoded()
    state = beat_the_mean.init(params, np.array([3, 3]), 100)
    beat_the_mean.learn(params, state, 1, np.array([[2, 0]]), np.array([1.0]))
    assert state.won.tolist() == [0, 0, 1]
    assert state.played.tolist() == [0, 0, 1]


def check_savage(policy, problem, rounds, seed):
    """Returns how many arms were eliminated."""
    arms = problem.sizes[0]
    log_term = math.log(arms * (arms - 1) * rounds * rounds)  # delta = 1 / T
    wins = np.zeros((arms, arms))
    inside = set(range(arms))

    for _, _, state, (i, j), reward in duel_literal.walk(policy, problem, rounds, seed):
        assert set(np.flatnonzero(state.active).tolist()) == inside
        if len(inside) == 1:
            assert {i, j} == inside
            continue
        duels = wins + wins.T
        assert {i, j} <= inside
        assert i != j
        assert duels[i, j] == min(duels[a, b] for a, b in itertools.combinations(inside, 2))
        wins[i, j] += reward
        wins[j, i] += 1.0 - reward
        n = wins[i, j] + wins[j, i]
        for a, b in ((i, j), (j, i)):
            if wins[a, b] / n + math.sqrt(log_term / (2.0 * n)) < 0.5:
                inside.discard(a)
    return arms - len(inside)


@pytest.mark.parametrize("name", PROBLEMS)
def test_savage(name):
    gone = [check_savage("savage", PROBLEMS[name], 6_000, seed) for seed in range(3)]
    assert min(gone) == PROBLEMS[name].sizes[0] - 1


def test_savage_plays_pairs_in_random_order():
    """In the first pass every pair is equally likely to come first, whatever its index."""
    problem = fb.environments.identical_gap(4, 0.9)
    first = Counter()
    for seed in range(600):
        first[next(duel_literal.walk("savage", problem, 10, seed))[3]] += 1
    assert len(first) == 6
    assert max(abs(count - 100) for count in first.values()) < 4.5 * math.sqrt(100 * 5 / 6)


def check_winner_stays(policy, problem, rounds, seed):
    """Returns the lengths of the rests, and how many different pairs duelled before each."""
    arms = problem.sizes[0]
    score = [0] * arms
    last = None
    rests = []
    pairs = [[]]

    for _, _, _, (i, j), reward in duel_literal.walk(policy, problem, rounds, seed):
        if i == j:
            assert score[i] == max(score)
            assert sum(score) == 0
            assert sorted(score)[:-1] == [min(score)] * (arms - 1), (
                "a rest in the middle of a round"
            )
            if pairs[-1]:
                rests.append(0)
                pairs.append([])
            rests[-1] += 1
            last = None
            continue
        best = {a for a in range(arms) if score[a] == max(score)}
        assert i in preferred(best, last)
        rest = max(score[a] for a in range(arms) if a != i)
        assert j in preferred({a for a in range(arms) if a != i and score[a] == rest}, last)
        gain = round(2.0 * reward - 1.0)
        score[i] += gain
        score[j] -= gain
        last = i, j
        if {i, j} not in pairs[-1][-1:]:
            pairs[-1].append({i, j})
    return rests, [len(duelled) for duelled in pairs]


def preferred(candidates, last):
    """Ties go to the last first arm, then to the last second arm, then to anybody."""
    for arm in last or ():
        if arm in candidates:
            return {arm}
    return candidates


@pytest.mark.parametrize("name", PROBLEMS)
def test_winner_stays_for_strong_regret_rests_after_every_round(name):
    rests, pairs = check_winner_stays("winner_stays", PROBLEMS[name], 4_000, seed=2)
    assert len(rests) > 10
    assert rests[:-1] == [math.floor(1.1**r + 1e-9) for r in range(1, len(rests))]
    assert pairs[: len(rests)] == [PROBLEMS[name].sizes[0] - 1] * len(rests)


@pytest.mark.parametrize("name", PROBLEMS)
def test_winner_stays_for_weak_regret_never_rests(name):
    rests, _ = check_winner_stays(
        make("winner_stays", regret="weak"), PROBLEMS[name], 2_000, seed=2
    )
    assert rests == []


@kernel
def rest_after_every_pair(params, state, t, actions, rewards):
    """The trap: a rest whenever a pair is decided."""
    winner_stays.learn(params, state, t, actions, rewards)
    if state.clock[winner_stays.SECOND] == winner_stays.NOBODY and actions[0, 0] != actions[0, 1]:
        state.clock[winner_stays.AWAKE] = t + 1 + int(state.power[0])


def test_a_rest_after_every_pair_is_noticed():
    wrong = problems.variant("winner_stays")
    wrong.learn = rest_after_every_pair
    with pytest.raises(AssertionError, match="in the middle of a round"):
        check_winner_stays(wrong, PROBLEMS["clear"], 2_000, seed=2)


def test_beta_of_winner_stays():
    rests, _ = check_winner_stays(make("winner_stays", beta=2.0), PROBLEMS["clear"], 4_000, seed=2)
    assert rests[:7] == [2, 4, 8, 16, 32, 64, 128]
    for beta in (1.0, 0.5):
        with pytest.raises(InvalidInputError, match="beta must exceed 1"):
            make("winner_stays", beta=beta).check(np.array([5, 5]), 10)


@pytest.mark.parametrize("name", ["interleaved_filter", "beat_the_mean", "savage"])
def test_the_horizon_is_needed(name):
    with pytest.raises(InvalidInputError, match="horizon"):
        make(name).check(np.array([4, 4]), 0)
    with pytest.raises(InvalidInputError, match="horizon"):
        fb.Agent(name, arms=["a", "b"])


@pytest.mark.parametrize(
    ("name", "bytes_per_pair", "arms"), [("beat_the_mean", 16, 11_585), ("savage", 24, 9_459)]
)
def test_too_many_pairs_are_refused_with_the_reason(name, bytes_per_pair, arms):
    with pytest.raises(
        InvalidInputError,
        match=f"keeps {bytes_per_pair} bytes for each of .* that is {arms:,} arms",
    ):
        make(name).check(np.array([12_000, 12_000]), 10**6)


def test_gamma_is_at_least_one():
    with pytest.raises(InvalidInputError, match="gamma is at least 1"):
        make("beat_the_mean", gamma=0.9).check(np.array([5, 5]), 100)


@pytest.mark.parametrize(
    "policy",
    [
        make("interleaved_filter"),
        make("beat_the_mean", constant="komiyama"),
        make("savage"),
        make("winner_stays"),
    ],
    ids=lambda policy: policy.name,
)
def test_long_horizons_cost_what_is_not_settled(policy):
    """10^12 rounds; after the last elimination regret stands still."""
    result = fb.simulate(
        policy, fb.environments.identical_gap(8, 0.8), 1e12, repetitions=2, progress=False
    )
    assert result.correct[:, -1].all()
    assert (result.plays[0].sum(axis=1) == 10**12).all()
    if policy.name != "winner_stays":  # which explores again after every rest
        assert (result.regret[:, -1] == result.regret[:, -20]).all()
        assert len(result.eliminations) == 2 * 7


@pytest.mark.parametrize("name", ["interleaved_filter", "beat_the_mean", "savage", "winner_stays"])
def test_late_duels_of_a_decided_pair_do_no_harm(name):
    """Forty duels always open: the agent still finds the best arm and plays it most."""
    options = {"constant": "komiyama"} if name == "beat_the_mean" else {}
    agent = fb.Agent(name, arms=list(range(4)), horizon=4_000, seed=3, **options)
    rng = np.random.default_rng(1)
    waiting = []

    for _ in range(4_000):
        decision = agent.ask()
        waiting.append((decision.id, decision.action))
        if len(waiting) > 40:
            identifier, (i, j) = waiting.pop(0)
            agent.tell(identifier, float(rng.random() < 0.5 + 0.5 * ((i == 2) - (j == 2))))
    assert agent.best() == 2
    assert agent.status().rows[2].plays > 3_000  # of 8,000 positions, 2,000 without learning
