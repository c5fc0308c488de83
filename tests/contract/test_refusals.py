"""What `Policy.check` refuses, `simulate` and `Agent` refuse in the same words, before any work."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

REFUSED = [
    ("flat_ucb1", {"alpha": -1.0}, (2, 2)),
    ("flat_kl_ucb", {"c": -1.0}, (2, 2)),
    ("flat_thompson", {}, (200, 200, 200)),
    ("per_factor_ucb", {"alpha": -0.1}, (2, 2)),
    ("per_factor_kl_ucb", {"c": -1.0}, (2, 2)),
    ("cucb", {"alpha": -1}, (3, 3)),
    ("rank1_elim", {}, (2, 2, 2)),
    ("ossb", {}, (40, 40, 40, 40)),
    ("logistic_thompson", {"interactions": "pairwise"}, (400, 400, 400)),
    ("logistic_halving", {"candidates": 1}, (3, 3)),
    ("multi_sbm", {}, (9000, 9000)),
    ("multi_sbm", {"alpha": 0.0}, (4, 4)),
    ("doubler", {"alpha": 0.0}, (4, 4)),
    ("winner_stays", {"beta": 0.5}, (5, 5)),
    ("beat_the_mean", {"gamma": 0.9}, (5, 5)),
    ("rucb", {"alpha": 0.0}, (4, 4)),
]


def problem_of(policy, sizes):
    if policy.info.kind == "duel":
        return fb.environments.identical_gap(sizes[0], 0.8)
    return fb.environments.make("rank1", factors=[[0.5] * size for size in sizes])


def agent_of(policy, sizes):
    if policy.info.kind == "duel":
        return fb.Agent(policy, arms=range(sizes[0]), horizon=600)
    return fb.Agent(policy, factors={str(l): range(k) for l, k in enumerate(sizes)}, horizon=600)


@pytest.mark.parametrize(("name", "params", "sizes"), REFUSED)
def test_one_refusal_at_every_door(name, params, sizes):
    policy = fb.policies.make(name, **params)
    said = []
    for door in (
        lambda: policy.check(np.array(sizes), 600),
        lambda: fb.simulate(policy, problem_of(policy, sizes), 600, progress=False),
        lambda: agent_of(policy, sizes),
    ):
        with pytest.raises(InvalidInputError) as refusal:
            door()
        said.append(str(refusal.value))

    assert name in said[0]
    assert said[0] == said[1] == said[2]
