"""Checks that hold for every reward model and every generator, whatever it computes."""

import inspect
import itertools
import math

import numpy as np
import pytest

import factored_bandits as fb

# One small problem per reward model; a model that has a generator needs none here.
EXAMPLES = {
    "additive": {"effects": [[0.0, 0.2, 0.1], [0.3, 0.0]], "base": 0.1},
    "stochastically_constrained": {
        "effects": [[0.0, 0.2, 0.1], [0.3, 0.0]],
        "base": 0.1,
        "swing": 0.3,
        "best_moves": True,
    },
    "duel_combinations": {"effects": [[0.0, 1.0, 0.5], [0.3, 0.0]], "tie": 0.2},
    "duel_matrix": {"preferences": [[0.5, 0.7, 0.6], [0.3, 0.5, 0.2], [0.4, 0.8, 0.5]]},
    "duel_utility": {"utilities": [0.1, 0.5, 0.3], "link": "logistic"},
    "interaction": {"sizes": (3, 2), "kappa": 2.0},
    "logistic": {"effects": [[0.0, -1.0], [0.5, 0.0, 2.0]], "base": -1.0},
    "rank1": {"factors": [[0.9, 0.5], [0.3, 0.8], [1.0, 0.0]]},
    "table": {"means": [[0.2, 0.9, 0.9], [0.3, 0.0, 1.0]]},
    "trap": {"levels": 3},
}
SMALL = {"levels": 3, "factors": 2, "arms": 5}


def small_problem(generator):
    wanted = inspect.signature(generator).parameters
    return generator(**{name: value for name, value in SMALL.items() if name in wanted})


PROBLEMS = {
    **{name: fb.environments.make(name, **params) for name, params in EXAMPLES.items()},
    **{
        f"{name}-gaussian": fb.environments.make(name, **params, noise="gaussian", sigma=0.5)
        for name, params in EXAMPLES.items()
        if not name.startswith("duel")
    },
    **{
        f"duel_utility-{unit}": fb.environments.make(
            "duel_utility", utilities=[0.1, 0.5, 0.3, 0.5], unit=unit
        )
        for unit in ("average", "paper", "weak", "strong", "copeland")
    },
    **{
        f"generator-{name}": small_problem(make)
        for name, make in fb.environments.generators().items()
    },
}


def combinations(problem):
    return itertools.product(*(range(size) for size in problem.sizes))


def check_rewards_stay_in_their_range(problem):
    rng = np.random.default_rng(1)
    low, high = problem.reward_range or (-math.inf, math.inf)
    for action in combinations(problem):
        for _ in range(5):
            reward = problem.module.sample(problem.data, 1, np.array(action), rng)
            assert math.isfinite(reward)
            assert low <= reward <= high


def check_reward_and_regret_at_once_are_those_of_each(problem):
    both = getattr(problem.module, "sample_with_regret", None)
    if both is None:
        return
    for t, action in enumerate(combinations(problem), start=1):
        numbers = np.array(action)
        one, other = np.random.default_rng(t), np.random.default_rng(t)
        reward = problem.module.sample(problem.data, t, numbers, other)
        price = problem.module.regret(problem.data, t, numbers)
        assert both(problem.data, t, numbers, one) == (reward, price)


def check_regret_is_never_negative_and_zero_at_the_best(problem):
    regrets = {action: problem.regret(action) for action in combinations(problem)}
    assert min(regrets.values()) == 0.0
    assert regrets[problem.best] == 0.0
    assert max(regrets.values()) > 0.0


def check_means_fit_the_noise(problem):
    low = 0.0 if problem.reward_range else -1.0
    for action in combinations(problem):
        assert low <= problem.mean(action) <= 1.0


def check_str_gives_name_and_size(problem):
    arms = problem.kind == "duel" and not problem.compares_combinations
    size = (
        f"{problem.sizes[0]} arms"
        if arms
        else " x ".join(map(str, problem.factor_sizes)) + " levels"
    )
    assert str(problem) == f"{problem.name} ({size})"
    assert problem.unit in ("reward", "average", "paper", "weak", "strong", "copeland")
    assert (problem.unit == "reward") == (problem.kind == "factored")


def check_params_make_the_same_problem_again(problem):
    again = fb.environments.make(problem.name, **problem.params)
    assert (again.sizes, again.best, again.unit, again.reward_range) == (
        problem.sizes,
        problem.best,
        problem.unit,
        problem.reward_range,
    )
    for ours, theirs in zip(problem.data, again.data, strict=True):
        assert np.array_equal(ours, theirs)
    assert again.params.keys() == problem.params.keys()


def check_all_data_have_the_types_of_their_kind(problem):
    """A loop is compiled once per kind of problem, so the types may not differ within a kind."""
    first = next(
        p
        for p in PROBLEMS.values()
        if (p.kind, p.compares_combinations) == (problem.kind, problem.compares_combinations)
    )
    for ours, theirs in zip(problem.data, first.data, strict=True):
        assert type(ours) is type(theirs)
        if isinstance(ours, np.ndarray):
            assert (ours.dtype, ours.ndim, ours.flags.c_contiguous, ours.flags.writeable) == (
                theirs.dtype,
                theirs.ndim,
                True,
                True,
            )


def check_a_simulation_charges_the_regret_of_what_it_played(problem):
    """One round at a time, uniform play: the regret noted is that of some combination."""
    policy = "dueling_uniform" if problem.kind == "duel" else "uniform"
    result = fb.simulate(policy, problem, horizon=1, repetitions=5, seed=3, progress=False)
    possible = [problem.regret(action) for action in combinations(problem)]
    for value, plays in zip(
        result.regret[:, 0],
        zip(*[p.argmax(axis=1) for p in result.plays], strict=True),
        strict=True,
    ):
        assert value == pytest.approx(problem.regret(plays), abs=1e-12)
        assert min(abs(value - other) for other in possible) < 1e-12


CHECKS = [value for name, value in sorted(globals().items()) if name.startswith("check_")]


def test_every_reward_model_is_checked():
    generated = {
        name
        for name in fb.environments.names()
        if hasattr(fb.environments.load(name), "GENERATORS")
    }
    assert set(fb.environments.names()) == set(EXAMPLES) | generated


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", PROBLEMS)
def test_environment(name, check):
    check(PROBLEMS[name])


@pytest.mark.parametrize("name", fb.environments.generators())
def test_generators_take_numpy_numbers(name):
    make = fb.environments.generators()[name]
    wanted = make.__annotations__
    given = {key: np.int64(value) for key, value in SMALL.items() if key in wanted}
    assert make(**given).sizes == small_problem(make).sizes


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "3", True, None])
@pytest.mark.parametrize(
    ("name", "parameter", "least"),
    [
        ("rank1", "levels", 1),
        ("rank1", "factors", 1),
        ("additive", "levels", 1),
        ("additive", "factors", 1),
        ("logistic", "levels", 1),
        ("logistic", "factors", 1),
        ("trap", "levels", 2),
        ("identical_gap", "arms", 2),
        ("arithmetic", "arms", 2),
        ("cyclic", "arms", 4),
        ("hard_condorcet", "arms", 2),
        ("random_utilities", "arms", 2),
        ("ties", "arms", 2),
    ],
)
def test_counts_must_be_whole_numbers(name, parameter, least, wrong):
    with pytest.raises(fb.errors.InvalidInputError) as caught:
        fb.environments.generators()[name](**{parameter: wrong})
    assert str(caught.value) == f"{parameter} must be a whole number from {least}, not {wrong!r}"
