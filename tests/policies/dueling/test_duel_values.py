"""Regret against what others have measured.

16 arms, the best wins with 0.7, 100,000 rounds, unit `average`. First the values of Komiyama's C++
(5 repetitions), then of an independent implementation, of which the number of repetitions is not
known and taken to be 5 as well. Where only a mean is known (Tsallis-INF sparring, Self-Sparring),
our own spread stands in for theirs. That makes these checks wide: they catch a wrong algorithm, not
one that is off by a tenth. The comparison with the words of each algorithm, duel by duel, is what
is exact.
"""

from __future__ import annotations

import math

import pytest

import factored_bandits as fb

make = fb.policies.make
VALUES = {  # policy, measured elsewhere, their standard deviation
    "doubler": (make("doubler"), [7118], 224),
    "multi_sbm": (make("multi_sbm"), [7493, 7491], 157),
    "sparring": (make("sparring"), [2434, 2420], 117),
    "sparring, tsallis_inf": (make("sparring", base_bandit="tsallis_inf"), [435], None),
    "interleaved_filter": (make("interleaved_filter"), [5562, 5263], 1622),
    "beat_the_mean": (make("beat_the_mean", constant="komiyama"), [11657, 11651], 504),
    "savage": (make("savage"), [6596, 6838], 496),
    "winner_stays": (make("winner_stays"), [373], 39),
    "self_sparring": (make("self_sparring"), [51], None),
    "vdb": (make("vdb"), [284], 26),
}
PROBLEM = fb.environments.identical_gap(16, 0.7)


def measured(policy, repetitions=20):
    return fb.simulate(
        policy, PROBLEM, 100_000, repetitions=repetitions, seed=1, progress=False
    ).summary()


@pytest.mark.full
@pytest.mark.parametrize("name", VALUES)
def test_regret_is_what_others_have_measured(name):
    policy, values, spread = VALUES[name]
    ours = measured(policy)
    theirs = spread / math.sqrt(5) if spread else ours.standard_error * math.sqrt(20 / 5)
    slack = 3 * math.hypot(ours.standard_error, theirs)
    assert min(values) - slack < ours.mean < max(values) + slack
    assert ours.correct == 1.0


def test_interleaved_filter_costs_what_can_be_computed():
    """So the wide spread of the five runs elsewhere is one lucky candidate among them.

    A candidate that is not the best (15 of 16) needs n passes to be beaten, n 0.2^2 = 4 ln(T K^2),
    at a regret of 2.9 each; about 7 of 14 rivals survive the pruning, and the best needs n more
    passes, at 0.1 for each of them. A candidate that is the best needs n passes with 15 rivals. The
    walks overshoot their bounds a little: 3 %.
    """
    passes = 4 * math.log(1e5 * 16**2) / 0.2**2
    expected = (15 * passes * (2.9 + 0.7) + passes * 1.5) / 16
    ours = measured("interleaved_filter", repetitions=200)
    assert abs(ours.mean - expected) < 4 * ours.standard_error + 0.03 * expected


@pytest.mark.parametrize("base_bandit", ["thompson", "exp3"])
def test_other_base_bandits_spar_as_well(base_bandit):
    """Not measured elsewhere: far below UCB's 2400, and the best arm found."""
    ours = measured(make("sparring", base_bandit=base_bandit), repetitions=10)
    assert ours.worst < 2_000
    assert ours.correct == 1.0


@pytest.mark.full
def test_one_learner_is_better_than_two():
    """VDB learns from both arms of a duel: less regret than two Tsallis-INF learners."""
    one = measured(make("vdb"))
    two = measured(make("sparring", base_bandit="tsallis_inf"))
    assert one.mean + 3 * math.hypot(one.standard_error, two.standard_error) < two.mean
    assert measured(make("vdb", learner="lb_inf")).median < one.median


@pytest.mark.full
def test_self_sparring_has_a_heavy_tail():
    """With close neighbours, a run that skips self-duels can stay with the second best.

    Worst over median of 200 runs with seeds 1, 2, 3: skipped 63, 25, 70; counted 2, 2, 5. With 16
    arms and p = 0.7 there is no such difference (400 runs: 3.4, 3.6), so the problem of the values
    above does not show it.
    """
    skipped, counted = (
        fb.simulate(
            make("self_sparring", same_arm=mode),
            fb.environments.arithmetic(8),
            50_000,
            200,
            seed=2,
            progress=False,
        ).summary()
        for mode in ("skipped", "counted")
    )
    assert skipped.worst > 10 * skipped.median
    assert counted.worst < 10 * counted.median
    assert skipped.median < counted.median


@pytest.mark.full
def test_vdb_of_4096_arms():
    """A million rounds in a few numbers per arm; ten million took 5 minutes and 0.16 GiB."""
    problem = fb.environments.identical_gap(4096, 0.95)
    result = fb.simulate("vdb", problem, 1e6, repetitions=1, progress=False)
    assert result.correct[:, -1].all()
