"""Policies by index: the fast forms play exactly what the plain ones would, and the indices are
those of the papers.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
import problems
from factored_bandits.core.kernel import kernel
from factored_bandits.core.numerics import exploration, kl_upper
from factored_bandits.core.rng import randint
from factored_bandits.core.select import unravel
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.blocks import kl_index, ucb

TOTAL = 0
PLAYS = 1
assert (TOTAL, PLAYS) == (ucb.TOTAL, ucb.PLAYS) == (kl_index.TOTAL, kl_index.PLAYS)


@kernel
def plain_index(by_kl, total, plays, t, parameter):
    """UCB1 and KL-UCB as printed: everything computed anew at every step."""
    if plays == 0.0:
        return math.inf
    mean = total / plays
    if by_kl:
        return kl_upper(min(1.0, max(0.0, mean)), exploration(float(t), parameter) / plays)
    return mean + math.sqrt(parameter * math.log(t) / plays)


@kernel
def plain_pick(table, start, size, by_kl, t, parameter, rng):
    best = -math.inf
    ties = 0
    for i in range(start, start + size):
        index = plain_index(by_kl, table[TOTAL, i], table[PLAYS, i], t, parameter)
        if index > best:
            best = index
            ties = 0
        if index == best:
            ties += 1
    left = randint(rng, ties) if ties > 1 else 0
    for i in range(start, start + size):
        if plain_index(by_kl, table[TOTAL, i], table[PLAYS, i], t, parameter) == best:
            if left == 0:
                return i - start
            left -= 1
    return -1


@kernel
def flat_ucb1_plan(params, state, t, rng, actions):
    arm = plain_pick(state.table, 0, state.table.shape[1], False, t, params.alpha, rng)
    unravel(state.sizes, arm, actions[0])
    return 1


@kernel
def flat_kl_ucb_plan(params, state, t, rng, actions):
    arm = plain_pick(state.table, 0, state.table.shape[1], True, t, params.c, rng)
    unravel(state.sizes, arm, actions[0])
    return 1


@kernel
def per_factor_ucb_plan(params, state, t, rng, actions):
    for l in range(len(state.offsets) - 1):
        size = state.offsets[l + 1] - state.offsets[l]
        actions[0, l] = plain_pick(state.table, state.offsets[l], size, False, t, params.alpha, rng)
    return 1


@kernel
def per_factor_kl_ucb_plan(params, state, t, rng, actions):
    for l in range(len(state.offsets) - 1):
        size = state.offsets[l + 1] - state.offsets[l]
        actions[0, l] = plain_pick(state.table, state.offsets[l], size, True, t, params.c, rng)
    return 1


PLAIN = {
    "flat_ucb1": flat_ucb1_plan,
    "flat_kl_ucb": flat_kl_ucb_plan,
    "per_factor_ucb": per_factor_ucb_plan,
    "per_factor_kl_ucb": per_factor_kl_ucb_plan,
}
PROBLEMS = {
    "one good combination": fb.environments.spiked(8, 0.5, 0.2),
    "no differences": fb.environments.make("rank1", factors=[[0.7] * 6] * 2),
    "no noise, many ties": fb.environments.make("table", means=[[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]),
    "unbounded rewards": fb.environments.make(
        "additive", effects=[[-0.5, 0.5], [0.0, 0.3, 0.4]], noise="gaussian", sigma=1.0
    ),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("name", PLAIN)
def test_every_play_is_that_of_the_plain_form(name, problem):
    """Same random numbers, same plays, ties included."""
    plain = problems.variant(name, called=f"plain_{name}")
    plain.plan = PLAIN[name]
    fast, slow = (
        fb.simulate(policy, problem, 20_000, repetitions=3, seed=4, progress=False)
        for policy in (name, plain)
    )
    for ours, theirs in zip(fast.plays, slow.plays, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(fast.regret, slow.regret)


@pytest.mark.parametrize("c", [0.0, 3.0])
def test_tangents_bound_the_index_at_all_later_times(c):
    """What the lazy search rests on: the index lies between its last exact value and its tangent
    there.
    """
    rng = np.random.default_rng(0)
    table = kl_index.kl_table(1)
    for _ in range(300):
        n = int(10 ** rng.uniform(0, 5))
        table[TOTAL, 0] = rng.binomial(n, rng.random())
        table[PLAYS, 0] = n
        t = n * 10 ** rng.uniform(0, 3) + 1
        kl_index.evaluate(table, 0, exploration(t, c))
        for later in t * np.array([1.0, 1.001, 2.0, 1e6]):
            threshold = exploration(later, c)
            index = kl_upper(table[TOTAL, 0] / n, threshold / n)
            tangent = table[kl_index.INTERCEPT, 0] + table[kl_index.SLOPE, 0] * threshold
            assert table[kl_index.INDEX, 0] <= index <= tangent


def test_few_exact_indices_are_computed(monkeypatch):
    """256 arms, the beginning, where indices change fastest: a twentieth of the roots that the
    plain form finds.
    """
    roots = []

    def counted(p, budget):
        roots.append(0.0 < p < 1.0)
        return kl_upper(p, budget)

    monkeypatch.setattr(kl_index, "kl_upper", counted)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    problems.job("flat_kl_ucb", fb.environments.spiked(16, 0.75, 0.2), 3000).repetition(
        0, problems.never
    )
    assert sum(roots) < 3000 * 256 / 20


@pytest.mark.parametrize("name", ["flat_ucb1", "flat_kl_ucb"])
def test_logarithmic_on_a_problem_without_structure(name):
    """In the last decade a logarithm grows by less than a root would: slope below 1/2 on log-log
    paper.
    """
    problem = fb.environments.make("table", means=[[0.2, 0.8], [0.4, 0.3]])
    result = fb.simulate(
        name, problem, 1e5, repetitions=10, seed=2, checkpoints=[10**4, 10**5], progress=False
    )
    early, late = result.regret.mean(axis=0)
    assert math.log10(late / early) < 0.5
    assert result.summary().correct == 1.0


def test_kl_ucb_is_asymptotically_near_the_lower_bound():
    """Two Bernoulli arms: below what log T + 3 log log T allows, above a tenth of log T."""
    problem = fb.environments.make("table", means=[0.5, 0.6])
    mean = (
        fb.simulate("flat_kl_ucb", problem, 1e5, repetitions=40, seed=1, progress=False)
        .summary()
        .mean
    )
    divergence = 0.5 * math.log(0.5 / 0.6) + 0.5 * math.log(0.5 / 0.4)
    assert 0.1 * math.log(1e5) < mean * divergence / 0.1 < 1.2 * exploration(1e5, 3.0)


@pytest.mark.full
@pytest.mark.parametrize("name", ["per_factor_ucb", "per_factor_kl_ucb", "marginal_thompson"])
def test_one_bandit_per_factor_locks_in_on_the_trap(name):
    """The known failure: many runs play the small factor wrong for good and cost 0.03 a round, the
    others little.
    """
    problem, rounds = fb.environments.make("trap"), 50_000
    policy = fb.policies.make(name, **({"alpha": 0.5} if name == "per_factor_ucb" else {}))
    regret = fb.simulate(policy, problem, rounds, repetitions=40, seed=1, progress=False).regret[
        :, -1
    ]
    locked = regret > 0.8 * 0.03 * rounds
    assert 0.1 < locked.mean() < 0.9
    assert regret[locked].min() > 2 * regret[~locked].max()
    sound = fb.simulate(
        "tsallis_inf", problem, rounds, repetitions=40, seed=1, progress=False
    ).regret[:, -1]
    assert sound.max() < 0.8 * 0.03 * rounds


def test_bad_parameters_are_refused():
    for name, given in (
        ("flat_ucb1", {"alpha": -1.0}),
        ("per_factor_ucb", {"alpha": -0.1}),
        ("flat_kl_ucb", {"c": -1.0}),
        ("per_factor_kl_ucb", {"c": -1.0}),
    ):
        with pytest.raises(InvalidInputError, match="must not be negative"):
            fb.policies.make(name, **given).check(np.array([2, 2]), 600)


@pytest.mark.parametrize("name", ["flat_ucb1", "flat_kl_ucb", "flat_thompson"])
def test_flat_policies_say_how_many_combinations_they_take(name):
    with pytest.raises(
        InvalidInputError,
        match=rf"{name} looks at every combination.*at most 1,000,000.*has 8,000,000",
    ):
        fb.policies.make(name).check(np.array([200, 200, 200]), 600)
