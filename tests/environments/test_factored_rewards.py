"""Factored reward models: means by hand, best combination by brute force, sampling by the law of
large numbers.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

make = fb.environments.make
SAMPLES = 4000


def draw(problem, action, seed):
    rng = np.random.default_rng(seed)
    return np.array(
        [problem.module.sample(problem.data, 1, np.array(action), rng) for _ in range(SAMPLES)]
    )


# Means, by hand


def test_rank1_multiplies():
    problem = make("rank1", factors=[[0.9, 0.5], [0.8, 0.2, 0.1], [0.5, 1.0]])
    assert problem.mean([1, 2, 0]) == pytest.approx(0.5 * 0.1 * 0.5)
    assert problem.best == (0, 0, 1)
    assert problem.regret([1, 2, 0]) == pytest.approx(0.72 - 0.025)


def test_additive_adds_to_the_base():
    problem = make("additive", effects=[[0.0, 0.2], [0.1, 0.0, 0.3]], base=0.1)
    assert problem.mean([0, 1]) == pytest.approx(0.1)
    assert problem.mean([1, 0]) == pytest.approx(0.4)
    assert problem.best == (1, 2)
    assert problem.regret([0, 1]) == pytest.approx(0.5)


def test_logistic_adds_log_odds():
    problem = make("logistic", effects=[[0.0, 1.0], [0.0, -2.0]], base=-1.0)
    assert problem.mean([1, 0]) == pytest.approx(0.5)
    assert problem.mean([0, 1]) == pytest.approx(1 / (1 + math.exp(3.0)))
    assert problem.best == (1, 0)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 1, 2), (2, 3, 2, 3), (1,)])
def test_table_of_any_shape_is_read_as_numpy_reads_it(shape):
    means = np.random.default_rng(7).random(shape)
    problem = make("table", means=means)
    assert problem.sizes == shape
    for action in np.ndindex(shape):
        assert problem.mean(action) == means[action]
        assert problem.regret(action) == means.max() - means[action]


def test_trap_is_the_problem_of_the_literature():
    problem = make("trap")
    assert problem.sizes == (2, 16)
    assert problem.best == (1, 0)
    assert problem.mean([0, 0]) == pytest.approx(0.85)
    assert problem.mean([1, 0]) == pytest.approx(0.88)
    assert problem.mean([0, 5]) == pytest.approx(0.05)
    assert problem.mean([1, 5]) == pytest.approx(0.08)


def test_a_problem_keeps_a_copy_of_what_it_was_given():
    means, effects = np.array([[0.1, 0.2]]), [np.array([0.1, 0.3])]
    table, additive = make("table", means=means), make("additive", effects=effects)
    means[0, 0] = effects[0][0] = 0.9
    assert table.mean([0, 0]) == additive.mean([0]) == 0.1
    assert table.params["means"][0, 0] == additive.params["effects"][0][0] == 0.1
    table.params["means"][0, 0] = 0.7
    assert table.mean([0, 0]) == 0.1


# The best combination is found by structure; brute force must agree

qualities = st.lists(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4), min_size=1, max_size=4)
effects = st.lists(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=4), min_size=1, max_size=4)


def brute_force(formula, parts):
    """The mean of every combination, by a formula of the chosen parts that knows nothing of the
    library.
    """
    return {
        levels: formula([values[i] for values, i in zip(parts, levels, strict=True)])
        for levels in itertools.product(*(range(len(values)) for values in parts))
    }


def agree(problem, expected):
    highest = max(expected.values())
    assert expected[problem.best] == pytest.approx(highest, abs=1e-12)
    assert problem.regret(problem.best) == 0.0
    for action, mean in expected.items():
        assert problem.mean(action) == pytest.approx(mean, abs=1e-12)
        assert problem.regret(action) == pytest.approx(highest - mean, abs=1e-12)
        assert problem.regret(action) >= 0.0


@given(qualities)
def test_rank1_by_brute_force(parts):
    agree(make("rank1", factors=parts), brute_force(math.prod, parts))


@given(effects, st.floats(0.0, 1.0))
def test_additive_by_brute_force(parts, share):
    low, high = sum(map(min, parts)), sum(map(max, parts))
    scale = 1.0 / max(1.0, high - low)
    scaled = [[scale * value for value in values] for values in parts]
    base = share * (1.0 - scale * (high - low)) - scale * low  # means fill a part of [0, 1]
    agree(
        make("additive", effects=scaled, base=base),
        brute_force(lambda chosen: base + sum(chosen), scaled),
    )


@given(effects, st.floats(-3.0, 3.0))
def test_logistic_by_brute_force(parts, base):
    expected = brute_force(lambda chosen: 1.0 / (1.0 + math.exp(-base - sum(chosen))), parts)
    agree(make("logistic", effects=parts, base=base), expected)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.booleans()
)
def test_table_by_brute_force(shape, seed, rounded):
    means = np.random.default_rng(seed).random(shape)
    if rounded:  # many ties for the best
        means = means.round(1)
    agree(make("table", means=means), {index: float(means[index]) for index in np.ndindex(*shape)})


@given(st.integers(2, 6), st.floats(0.0, 0.1), st.floats(0.0, 0.9), st.floats(0.0, 0.9))
def test_trap_by_brute_force(levels, small, low, high):
    expected = {
        (a, b): small * a + (high if b == 0 else low) for a in range(2) for b in range(levels)
    }
    agree(make("trap", levels=levels, small=small, low=low, high=high), expected)


@given(effects)
def test_gaussian_noise_allows_means_from_minus_one(parts):
    scale = 1.0 / max(1.0, sum(max(map(abs, values)) for values in parts))
    scaled = [[scale * value for value in values] for values in parts]
    agree(make("additive", effects=scaled, noise="gaussian"), brute_force(sum, scaled))


# Sampling


@pytest.mark.parametrize(
    ("name", "params", "action"),
    [
        ("rank1", {"factors": [[0.9, 0.5], [0.8, 0.2]]}, [0, 1]),
        ("additive", {"effects": [[0.0, 0.2], [0.1, 0.3]], "base": 0.3}, [1, 1]),
        ("logistic", {"effects": [[0.0, 1.0], [0.0, 1.0]], "base": -3.0}, [1, 0]),
        ("table", {"means": [[0.2, 0.8], [0.3, 0.4]]}, [1, 0]),
        ("trap", {}, [1, 0]),
    ],
)
def test_bernoulli_rewards_average_to_the_mean(name, params, action):
    problem = make(name, **params)
    rewards, mean = draw(problem, action, seed=11), problem.mean(action)
    assert set(rewards) == {0.0, 1.0}
    assert abs(rewards.mean() - mean) < 4.0 * math.sqrt(mean * (1.0 - mean) / SAMPLES)


@pytest.mark.parametrize("sigma", [1.0, 0.25])
@pytest.mark.parametrize("name", ["additive", "logistic"])
def test_gaussian_rewards_have_the_mean_and_the_spread(name, sigma):
    problem = make(name, effects=[[0.0, -0.5], [0.3, 0.1]], noise="gaussian", sigma=sigma)
    assert problem.reward_range is None
    rewards, mean = draw(problem, [1, 0], seed=12), problem.mean([1, 0])
    assert abs(rewards.mean() - mean) < 4.0 * sigma / math.sqrt(SAMPLES)
    assert abs(rewards.std() - sigma) < 4.0 * sigma / math.sqrt(2 * SAMPLES)


def test_certain_rewards_are_certain():
    problem = make("table", means=[0.0, 1.0])
    assert draw(problem, [0], seed=1).max() == 0.0
    assert draw(problem, [1], seed=1).min() == 1.0


# Generators


def test_spiked_is_the_rank1_problem_of_the_paper():
    problem = fb.environments.spiked(levels=16, best=0.75, gap=0.2)
    quality = math.sqrt(0.75)
    assert problem.sizes == (16, 16)
    assert problem.mean([0, 0]) == pytest.approx(0.75)
    assert problem.mean([3, 0]) == pytest.approx(quality * (quality - 0.2))
    assert problem.mean([15, 1]) == pytest.approx((quality - 0.2) ** 2)


def test_spiked_with_more_factors_keeps_the_best_mean():
    assert fb.environments.spiked(levels=2, best=0.3, gap=0.1, factors=4).mean(
        [0] * 4
    ) == pytest.approx(0.3)


def test_additive_generator_has_one_good_level_per_factor():
    problem = fb.environments.generators()["additive"](levels=3, factors=4, base=0.2, gap=0.1)
    assert problem.best == (0, 0, 0, 0)
    assert problem.mean([0, 1, 2, 0]) == pytest.approx(0.4)


def test_logistic_generator_climbs_in_steps():
    problem = fb.environments.generators()["logistic"](levels=3, factors=2, base=-1.0, step=0.5)
    assert problem.best == (2, 2)
    assert problem.mean([1, 0]) == pytest.approx(1 / (1 + math.exp(0.5)))


def test_sums_that_miss_one_by_rounding_are_accepted():
    assert make("additive", effects=[[0.1]] * 8, base=0.2).mean([0] * 8) == pytest.approx(1.0)
    assert make("additive", effects=[[0.1, -0.1]] * 3, base=0.3).mean([1] * 3) == pytest.approx(
        0.0, abs=1e-12
    )


# Complaints


@pytest.mark.parametrize(
    ("name", "params", "complaint"),
    [
        (
            "rank1",
            {"factors": 3},
            "factors must be a list with one list of numbers per factor, not 3",
        ),
        (
            "rank1",
            {"factors": []},
            "factors must be a list with one list of numbers per factor, not []",
        ),
        (
            "rank1",
            {"factors": "0.5"},
            "factors must be a list with one list of numbers per factor, not '0.5'",
        ),
        (
            "rank1",
            {"factors": [[0.5], []]},
            "factors[1] must be a list of at least one number, not []",
        ),
        ("rank1", {"factors": [[0.5], ["a"]]}, "factors[1] must be a list of numbers, not ['a']"),
        (
            "rank1",
            {"factors": [[0.5], 1.0]},
            "factors[1] must be a list of at least one number, not 1.0",
        ),
        (
            "rank1",
            {"factors": [[0.5], [0.2, math.nan]]},
            "factors[1][1] must be a finite number, not nan",
        ),
        (
            "rank1",
            {"factors": [[0.5, 1.5]]},
            "factors[0][1] is 1.5; qualities of rank1 lie in [0, 1]",
        ),
        (
            "rank1",
            {"factors": [[0.5, -0.1]]},
            "factors[0][1] is -0.1; qualities of rank1 lie in [0, 1]",
        ),
        ("additive", {"effects": [[0.5]], "base": "a"}, "base must be a finite number, not 'a'"),
        (
            "additive",
            {"effects": [[0.5]], "base": math.inf},
            "base must be a finite number, not inf",
        ),
        (
            "additive",
            {"effects": [[0.5, 0.9], [0.0, 0.2]]},
            "additive: the mean of combination (1, 1) is 1.1; Bernoulli rewards need means in [0, "
            "1]. "
            "Rescale the values",
        ),
        (
            "additive",
            {"effects": [[0.5, 0.9], [0.0, -0.6]]},
            "additive: the mean of combination (0, 1) is -0.1; Bernoulli rewards need means in [0, "
            "1]. "
            "Rescale the values",
        ),
        (
            "additive",
            {"effects": [[0.0, -1.5]], "noise": "gaussian"},
            "additive: the mean of combination (1,) is -1.5; the paper's raw setting needs means "
            "in [-1, 1]. "
            "Rescale the values",
        ),
        (
            "table",
            {"means": [[0.5, 0.6], [0.7, 1.25]]},
            "table: the mean of combination (1, 1) is 1.25; Bernoulli rewards need means in [0, "
            "1]. Rescale the values",
        ),
        (
            "table",
            {"means": [[0.5], [0.7, 0.1]]},
            "means must be an array of numbers, every row of the same length",
        ),
        (
            "table",
            {"means": 0.5},
            "means must have at least one axis and one entry, not the shape ()",
        ),
        (
            "table",
            {"means": []},
            "means must have at least one axis and one entry, not the shape (0,)",
        ),
        ("table", {"means": [[0.5, math.inf]]}, "means[0, 1] must be a finite number, not inf"),
        (
            "table",
            {"means": [0.5], "noise": "poisson"},
            "noise must be 'bernoulli' or 'gaussian', not 'poisson'",
        ),
        (
            "table",
            {"means": [0.5], "noise": "gaussian", "sigma": 2.0},
            "sigma must lie in (0, 1], not 2.0: the policies assume 1-sub-Gaussian noise; divide "
            "your rewards",
        ),
        (
            "table",
            {"means": [0.5], "noise": "gaussian", "sigma": 0.0},
            "sigma must lie in (0, 1], not 0.0: the policies assume 1-sub-Gaussian noise; divide "
            "your rewards",
        ),
        ("table", {"means": [0.5], "sigma": "wide"}, "sigma must be a finite number, not 'wide'"),
        (
            "logistic",
            {"effects": [[0.0, -800.0]]},
            "log-odds reach -800; beyond 700 either way a chance is 0 or 1 to the last bit",
        ),
        ("trap", {"high": "a"}, "high must be a finite number, not 'a'"),
        (
            "trap",
            {"high": 0.99},
            "trap: the mean of combination (1, 0) is 1.02; Bernoulli rewards need means in [0, 1]. "
            "Rescale the values",
        ),
    ],
)
def test_complaints_name_the_entry(name, params, complaint):
    with pytest.raises(InvalidInputError) as caught:
        make(name, **params)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"best": 0.0}, r"best, the mean of the best combination, must lie in \(0, 1\], not 0.0"),
        ({"best": 1.2}, r"best, the mean of the best combination, must lie in \(0, 1\], not 1.2"),
        ({"best": "a"}, "best must be a finite number, not 'a'"),
        ({"best": 0.25, "gap": 0.6}, "gap must lie between 0 and the best quality 0.5, not 0.6"),
        ({"gap": -0.1}, "gap must lie between 0 and the best quality 0.866, not -0.1"),
    ],
)
def test_spiked_complains_of_its_numbers(params, complaint):
    with pytest.raises(InvalidInputError, match=complaint):
        fb.environments.spiked(**params)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(1, 3))
def test_extreme_log_odds_are_computed(levels, factors):
    """At the largest log-odds allowed, interpreted code neither overflows nor leaves [0, 1]."""
    effects = [[0.0] * (levels - 1) + [700.0 / factors]] * factors
    for sign in (1.0, -1.0):
        problem = make("logistic", effects=[[sign * value for value in part] for part in effects])
        for action in itertools.product(range(levels), repeat=factors):
            assert 0.0 <= problem.mean(action) <= 1.0
