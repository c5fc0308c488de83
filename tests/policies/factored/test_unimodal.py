"""The unimodal family against definitions written out, and on problems that its theory covers."""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np
import pytest
from scipy import optimize, special, stats

import factored_bandits as fb
from factored_bandits.core.numerics import kl
from factored_bandits.core.rng import generators
from factored_bandits.core.select import ravel
from factored_bandits.policies.blocks.combinations import enter
from factored_bandits.policies.factored.unimodal import imed_ub, ossb, unimodal_thompson
from factored_bandits.policies.factored.unimodal._leader import begin
from factored_bandits.policies.factored.unimodal._neighbourhood import (
    evidence,
    evidence_at_least,
    move_centre,
)

FAMILY = ["unimodal_thompson", "imed_ub", "osub", "ossb"]
SIZES = np.array([4, 3, 3])


def divergence(p, q):
    return float(special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q))


class Diary:
    """Plays a policy by hand and keeps its own statistics of every combination."""

    def __init__(self, policy, sizes=SIZES, seed=0, horizon=0):
        self.made = fb.policies.make(policy)
        self.params, self.module, self.sizes = self.made.encoded(), self.made.module, sizes
        self.state = self.module.init(self.params, sizes, horizon)
        self.rng, self.noise = generators(seed)
        self.actions, self.t = np.zeros((max(sizes), len(sizes)), dtype=np.int64), 0
        self.plays, self.total = np.zeros(tuple(sizes), dtype=int), np.zeros(tuple(sizes))

    def leader(self):
        """The leader as the policy sees it, which must have the best mean."""
        row = self.state.heap[0]
        leader = tuple(int(i) for i in np.unravel_index(self.state.keys[row], tuple(self.sizes)))
        seen = self.plays > 0
        means = np.where(seen, self.total / np.maximum(self.plays, 1), -1.0)
        assert means[leader] == means.max()
        return leader

    def around(self, leader):
        for l, size in enumerate(self.sizes):
            for level in range(size):
                if level != leader[l]:
                    yield (*leader[:l], level, *leader[l + 1 :])

    def plan(self):
        self.t += 1
        assert self.module.plan(self.params, self.state, self.t, self.rng, self.actions) == 1
        return tuple(self.actions[0].tolist())

    def learn(self, action, reward):
        self.plays[action] += 1
        self.total[action] += reward
        self.module.learn(self.params, self.state, self.t, self.actions[:1], np.array([reward]))

    def reward(self, action):
        return float(self.noise.random() < 0.2 + 0.25 * sum(level == 0 for level in action))


@pytest.mark.parametrize(
    "name", ["unimodal_thompson", "imed_ub", "osub", fb.policies.make("ossb", explore="neighbours")]
)
def test_never_leaves_the_neighbourhood_of_the_leader(name):
    diary = Diary(name)
    for _ in range(1500):
        leader = diary.leader() if diary.t else None
        action = diary.plan()
        if leader is not None:
            assert sum(a != b for a, b in zip(action, leader, strict=True)) <= 1
        diary.learn(action, diary.reward(action))
    assert diary.leader() == (0, 0, 0)


@pytest.mark.parametrize("gamma", [2, 5])
def test_uts_plays_the_leader_every_gamma_th_time(gamma):
    diary, led, drawn = Diary(fb.policies.make("unimodal_thompson", gamma=gamma)), Counter(), 0
    for _ in range(1500):
        leader = diary.leader() if diary.t else None
        action = diary.plan()
        if leader is not None:
            led[leader] += 1
            if led[leader] % gamma == 0:
                assert action == leader
            else:
                drawn += action != leader
        diary.learn(action, diary.reward(action))
    assert drawn > 50
    for row in range(diary.state.known[0]):
        action = np.unravel_index(diary.state.keys[row], tuple(SIZES))
        assert diary.state.leads[row] == led[action]


def test_uts_draws_from_the_posterior():
    """3 successes in 8 plays: Beta(4, 6); no plays: uniform (Kolmogorov-Smirnov at 10^-4)."""
    state, rng = begin(SIZES, 0), np.random.default_rng(1)
    row = enter(state, 5)
    state.plays[row] = 8
    state.totals[row] = 3.0
    draws = [unimodal_thompson.draw(state, row, rng) for _ in range(4000)]
    assert stats.kstest(draws, stats.beta(4, 6).cdf).pvalue > 1e-4
    draws = [unimodal_thompson.draw(state, -1, rng) for _ in range(4000)]
    assert stats.kstest(draws, "uniform").pvalue > 1e-4


def two_levels():
    """Leader 3 of 4, neighbour 1 of 3."""
    state = begin(np.array([2]), 0)
    for level, (plays, total) in enumerate([(4, 3.0), (3, 1.0)]):
        state.plays[enter(state, level)] = plays
        state.totals[level] = total
    move_centre(state, 0)
    return state


def test_tangents_are_lower_bounds_until_the_neighbour_is_played():
    state, grid = two_levels(), np.linspace(0.01, 0.99, 99)
    assert evidence_at_least(state, 1, 0.75) == -math.inf
    for at in grid:
        value = evidence(state, 1, at, 2.0)
        assert value == 3 * kl(1 / 3, at) + 2.0
        assert value - 1e-8 * value < evidence_at_least(state, 1, at) < value
        bounds = [(evidence_at_least(state, 1, q), 3 * kl(1 / 3, q) + 2.0) for q in (*grid, 1.0)]
        assert all(bound < exact for bound, exact in bounds)
    evidence(state, 1, 0.6, 0.0)
    near = evidence_at_least(state, 1, 0.61)
    assert 0.99 * 3 * kl(1 / 3, 0.61) < near
    evidence(state, 1, 1.0, 0.0)  # infinite: no tangent there, the old one stays
    assert evidence_at_least(state, 1, 0.61) == near
    state.plays[1] += 1
    assert evidence_at_least(state, 1, 0.61) == -math.inf


def test_imed_index_by_hand():
    """Leader 3 of 4 against 1 of 3: 3 kl(1/3, 3/4) + log 3."""
    state = two_levels()
    expected = 3 * (math.log(4 / 9) / 3 + 2 / 3 * math.log(8 / 3)) + math.log(3)
    assert imed_ub.divergence(state, 1, 0.75, 0.1) == pytest.approx(expected, rel=1e-12)
    assert imed_ub.divergence(state, 1, 0.75, 0.1) == math.inf  # its tangent is known now
    state.neighbours[1] = -1
    assert imed_ub.divergence(state, 1, 0.75, 0.1) == -math.inf


@pytest.mark.parametrize(
    "name", ["imed_ub", "osub", fb.policies.make("ossb", explore="neighbours")]
)
def test_neighbours_never_played_are_tried_in_random_order(name):
    """The second play after one of level 2 of 5: 600 draws of four, chi-square at 10^-4."""
    counts = Counter()
    for seed in range(600):
        diary = Diary(name, np.array([5]), seed)
        diary.actions[0, 0] = 2
        enter(diary.state, 2)
        diary.learn((2,), 1.0)
        action = diary.plan()
        if action == (2,):  # OSUB's leader has its turn first
            diary.learn(action, 1.0)
            action = diary.plan()
        counts[action] += 1
    assert set(counts) == {(level,) for level in (0, 1, 3, 4)}
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_imed_plays_the_smallest_index():
    diary = Diary("imed_ub")
    for _ in range(1500):
        leader = diary.leader() if diary.t else None
        action = diary.plan()
        if leader is not None:
            top = diary.total[leader] / diary.plays[leader]

            def index(a, top=top):
                n = diary.plays[a]
                return n * divergence(diary.total[a] / n, top) + math.log(n) if n else -math.inf

            least = min(index(a) for a in [leader, *diary.around(leader)])
            assert index(action) <= least + 1e-9
        diary.learn(action, diary.reward(action))


def test_osub_plays_the_largest_index_and_the_leader_in_its_turn():
    diary, led, forced = Diary(fb.policies.make("osub", c=3.0)), Counter(), 0
    for _ in range(1500):
        leader = diary.leader() if diary.t else None
        action = diary.plan()
        if leader is not None:
            led[leader] += 1
            n = led[leader]
            if (n - 1) % 8 == 0:  # 7 neighbours
                forced += 1
                assert action == leader
            else:
                budget = math.log(n) + 3.0 * math.log(max(1.0, math.log(n)))
                bounds = {
                    a: bound(diary.plays[a], diary.total[a], budget)
                    for a in [leader, *diary.around(leader)]
                }
                assert bounds[action] >= max(bounds.values()) - 1e-9
        diary.learn(action, diary.reward(action))
    assert forced > 150


def bound(n, total, budget):
    """The KL-UCB index by bisection."""
    if n == 0:
        return math.inf
    p = total / n
    if p == 1.0 or n * divergence(p, 1 - 1e-12) < budget:
        return 1.0
    return (
        optimize.bisect(lambda q: n * divergence(p, q) - budget, p, 1 - 1e-12, xtol=1e-12)
        if budget > 0
        else p
    )


def test_ossb_first_plays_everything_once_and_then_forces_the_least_played():
    """In the s-th exploring round everything must have more than epsilon s / combinations - 1
    plays.
    """
    epsilon, combinations = 0.4, 36
    diary, explored, forced = Diary(fb.policies.make("ossb", epsilon=epsilon, gamma=0.2)), 0, 0
    for _ in range(combinations):
        diary.learn(diary.plan(), 1.0 * (diary.t % 2))
    assert (diary.plays == 1).all()
    for _ in range(3000):
        leader, least = diary.leader(), diary.plays.min()
        top = diary.total[leader] / diary.plays[leader]
        evidence = {
            a: diary.plays[a] * divergence(diary.total[a] / diary.plays[a], top)
            for a in diary.around(leader)
        }
        action = diary.plan()
        if min(evidence.values()) >= 1.2 * math.log(diary.t):
            assert action == leader
        else:
            explored += 1
            if least * combinations <= epsilon * explored:
                forced += 1
                assert diary.plays[action] == least
            else:
                assert evidence[action] <= min(evidence.values()) + 1e-9
        assert diary.state.counters[ossb.EXPLORED] == explored
        diary.learn(action, diary.reward(action))
    assert explored > 500
    assert diary.plays.min() > epsilon * explored / combinations - 1
    assert forced <= epsilon * explored + combinations


@pytest.mark.parametrize("sizes", [[1], [7], [4, 3], [2, 3, 5]])
def test_ossb_finds_the_least_played(sizes):
    rng, sizes = np.random.default_rng(3), np.array(sizes)
    state, plays = begin(sizes, 0), np.zeros(math.prod(sizes), dtype=int)
    for _ in range(300):
        least = ossb.least_played(state, rng)
        assert plays[least] == plays.min() == state.counters[ossb.TRIPS]
        chosen = least if rng.random() < 0.5 else int(rng.integers(len(plays)))
        plays[chosen] += 1
        state.plays[enter(state, chosen)] += 1
    action = np.array([size - 1 for size in sizes])
    assert ravel(state.sizes, action) == len(plays) - 1


def test_ossb_goes_through_the_combinations_in_random_order():
    """Which one comes first: uniform over 6 (5 standard errors of 3000 draws)."""
    rng, counts = np.random.default_rng(4), np.zeros(6)
    for _ in range(3000):
        counts[ossb.least_played(begin(np.array([2, 3]), 0), rng)] += 1
    assert np.abs(counts - 500).max() < 5 * math.sqrt(3000 * (1 / 6) * (5 / 6))


def test_refusals():
    large = np.array([20] * 5)
    with pytest.raises(
        fb.errors.InvalidInputError, match=r"at most 524,288.*3,200,000.*explore='neighbours'"
    ):
        fb.policies.make("ossb").check(large, 1000)
    with pytest.raises(
        fb.errors.InvalidInputError, match=r"at most 65,536 of them if the horizon is unknown"
    ):
        fb.policies.make("ossb").check(large[:4], 0)
    for name, wrong in (
        ("unimodal_thompson", {"gamma": 1}),
        ("osub", {"c": -1}),
        ("ossb", {"epsilon": -0.1}),
    ):
        with pytest.raises(fb.errors.InvalidInputError, match=f"{name}: .*must be at least"):
            fb.policies.make(name, **wrong).check(large, 10)


@pytest.mark.parametrize("name", FAMILY)
def test_regret_grows_like_a_logarithm(name):
    """In the last decade regret grows by less than half of what a square root would give, on a
    small problem.
    """
    problem = fb.environments.make("rank1", factors=[[0.9, 0.5, 0.5], [0.9, 0.5, 0.5]])
    result = fb.simulate(
        name, problem, 1e5, repetitions=10, seed=1, checkpoints=[10**4], progress=False
    )
    early, late = result.regret.mean(axis=0)
    assert late - early < 0.5 * (math.sqrt(10) - 1) * early
    assert result.correct[:, -1].mean() >= 0.9


ADDITIVE = fb.environments.generators()["additive"](levels=6, factors=5, base=0.3, gap=0.08)
MAP = {  # regret at T = 100,000 in the specifications, from few repetitions
    "16 x 16, 0.25": (
        fb.environments.spiked(16, 0.25, 0.2),
        {"unimodal_thompson": 897, "logistic_thompson": 725},
    ),
    "16 x 16, 0.75": (
        fb.environments.spiked(16, 0.75, 0.2),
        {"unimodal_thompson": 663, "logistic_thompson": 544},
    ),
    "additive 6^5": (ADDITIVE, {"unimodal_thompson": 2461, "logistic_thompson": 803}),
    "trap": (fb.environments.make("trap"), {"unimodal_thompson": 145, "logistic_thompson": 85}),
}


@pytest.mark.full
@pytest.mark.parametrize("problem", MAP)
@pytest.mark.parametrize("name", ["unimodal_thompson", "logistic_thompson"])
def test_sanity_map(name, problem):
    """Within 3 standard errors of the difference, the reference taken as a mean of 5 repetitions
    like ours.
    """
    environment, expected = MAP[problem]
    last = fb.simulate(name, environment, 1e5, repetitions=10, seed=5, progress=False).regret[:, -1]
    error = last.std(ddof=1) * math.sqrt(1 / 10 + 1 / 5)
    assert abs(last.mean() - expected[name]) < 3 * error


@pytest.mark.full
@pytest.mark.parametrize("name", ["unimodal_thompson", "imed_ub", "osub"])
def test_a_step_costs_what_the_degree_says(name):
    """20^3 (degree 57) and 20^5 (degree 95) against 16 x 16 (degree 30): at most twice the ratio of
    the degrees.
    """
    times = {}
    for sizes in ((16, 16), (20, 20, 20), (20,) * 5):
        problem = fb.environments.make(
            "rank1", factors=[[0.95] + [0.3] * (size - 1) for size in sizes]
        )
        fb.simulate(name, problem, 1000, repetitions=1, progress=False)
        tries = []
        for seed in range(5):
            began = time.perf_counter()
            fb.simulate(name, problem, 200_000, repetitions=1, seed=seed, workers=1, progress=False)
            tries.append(time.perf_counter() - began)
        times[sum(sizes) - len(sizes)] = min(tries)
    for degree in (57, 95):
        assert times[degree] / times[30] < 2 * degree / 30
