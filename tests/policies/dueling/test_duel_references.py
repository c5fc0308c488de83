"""Regret on the common yardstick of dueling algorithms, against two independent implementations.

K = 16, the best arm wins with 0.7, all other duels are even, T = 100,000, unit `average`, arms
shuffled. Means and standard deviations (over 5 repetitions) of Komiyama's C++ and of an independent
implementation, from the literature notes of the project; where a reference states no deviation,
ours stands in for it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies import make

REFERENCES = {
    "rmed1": [(296, 72), (262, None)],
    "rmed2": [(470, 20), (436, None)],
    "rmed2fh": [(568, 130), (683, None)],
    "rucb": [(1138, 122), (1113, None)],
    "dts": [(161, 23)],
    "dts_plus": [(152, None)],
    "rcs": [(465, 107)],
    "merge_dts": [(1758, None)],
    "dueling_tea(positions=both)": [(3703, None), (3606, None)],
}
REPETITIONS = 30


def measured(label, repetitions=REPETITIONS, seed=1):
    result = fb.simulate(
        make(label),
        fb.environments.identical_gap(16, 0.7),
        1e5,
        repetitions,
        seed,
        checkpoints=[50_000],
        progress=False,
    )
    return result.regret[:, -1], result


@pytest.mark.parametrize("label", REFERENCES)
def test_reference_values(label):
    """Inside the references' range, give or take three standard errors of the difference."""
    regret, result = measured(label)
    lowest, highest = math.inf, -math.inf
    for mean, deviation in REFERENCES[label]:
        theirs = (deviation or regret.std(ddof=1)) / math.sqrt(5)
        slack = 3 * math.hypot(theirs, regret.std(ddof=1) / math.sqrt(len(regret)))
        lowest, highest = min(lowest, mean - slack), max(highest, mean + slack)
    assert lowest < regret.mean() < highest
    assert result.correct[:, -1].mean() > 0.9


def test_both_positions_halve_the_regret():
    """To within 5 standard errors of the ratio, a priori: twice the comparisons per phase."""
    one, both = measured("dueling_tea")[0], measured("dueling_tea(positions=both)")[0]
    ratio = both.mean() / one.mean()
    error = ratio * math.hypot(*(x.std() / x.mean() / math.sqrt(REPETITIONS) for x in (one, both)))
    assert abs(ratio - 0.5) < 5 * error
    assert ratio < 0.6


def test_merge_rucb_is_linear_where_arms_are_alike_and_not_where_they_differ():
    """Equal arms never part, so three of four batches stay; an arithmetic sequence is sorted out."""
    regret, result = measured("merge_rucb", repetitions=10)
    assert regret.mean() / result.regret[:, 0].mean() == pytest.approx(2.0, abs=0.1)
    different = fb.environments.arithmetic(16, 0.032)
    result = fb.simulate("merge_rucb", different, 4e6, 10, checkpoints=[2_000_000], progress=False)
    assert result.regret[:, -1].mean() < 1.1 * result.regret[:, 0].mean()
    assert result.correct[:, -1].all()


@pytest.mark.full
@pytest.mark.parametrize("label", REFERENCES)
def test_another_seed_tells_the_same(label):
    """Two halves of 200 repetitions under other seeds: 4 standard errors."""
    one, other = (measured(label, 100, seed)[0] for seed in (2, 3))
    assert abs(one.mean() - other.mean()) < 4 * np.hypot(one.std(), other.std()) / math.sqrt(100)
