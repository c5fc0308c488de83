"""Duels: link functions, regret units against formulas, generators, Condorcet winners."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, UnknownNameError

make = fb.environments.make
SAMPLES = 4000
UNITS = ("average", "paper", "weak", "strong", "copeland")
utilities = st.lists(st.floats(0.0, 1.0).map(lambda u: round(u, 3)), min_size=2, max_size=6)


def linear(x):
    return (1.0 + x) / 2.0


def logistic(x):
    return 1.0 / (1.0 + math.exp(-x))


LINKS = {"linear": linear, "logistic": logistic}


def preferences_of(values, link):
    return np.array([[LINKS[link](a - b) for b in values] for a in values])


def regret_by_formula(unit, probabilities, i, j, values=None):
    """Each unit as its definition has it; a beats b with `probabilities[a][b]`."""
    arms = range(len(probabilities))
    if unit == "paper":
        return (max(values) - values[i]) / 2 + (max(values) - values[j]) / 2
    if unit == "copeland":
        wins = [
            sum(probabilities[a][b] > 0.5 for b in arms if b != a) / (len(probabilities) - 1)
            for a in arms
        ]
        return max(wins) - (wins[i] + wins[j]) / 2
    winner = next(a for a in arms if all(probabilities[a][b] >= 0.5 for b in arms))
    if unit == "average":
        return (probabilities[winner][i] + probabilities[winner][j] - 1.0) / 2.0
    return {"weak": min, "strong": max}[unit](
        probabilities[winner][i] - 0.5, probabilities[winner][j] - 0.5
    )


# Links


@given(utilities, st.sampled_from(sorted(LINKS)))
def test_the_probability_to_win_is_the_link_of_the_difference(values, link):
    problem, expected = (
        make("duel_utility", utilities=values, link=link),
        preferences_of(values, link),
    )
    for i, j in np.ndindex(expected.shape):
        assert problem.mean([i, j]) == pytest.approx(expected[i, j], abs=1e-12)
        assert problem.mean([i, j]) + problem.mean([j, i]) == pytest.approx(1.0)
    assert values[problem.best[0]] == max(values)
    assert problem.best[0] == problem.best[1]


@pytest.mark.parametrize(("name", "action"), [("linear", [0, 1]), ("logistic", [1, 0])])
def test_duels_are_won_as_often_as_the_probability_says(name, action):
    problem = make("duel_utility", utilities=[0.8, 0.3], link=name)
    rng, mean = np.random.default_rng(5), problem.mean(action)
    outcomes = [
        problem.module.sample(problem.data, 1, np.array(action), rng) for _ in range(SAMPLES)
    ]
    assert set(outcomes) == {0.0, 1.0}
    assert abs(np.mean(outcomes) - mean) < 4.0 * math.sqrt(mean * (1.0 - mean) / SAMPLES)


# Units


@given(utilities, st.sampled_from(sorted(LINKS)), st.sampled_from(UNITS))
def test_units_of_utility_duels(values, link, unit):
    problem = make("duel_utility", utilities=values, link=link, unit=unit)
    probabilities = preferences_of(values, link)
    assert problem.unit == unit
    for i, j in np.ndindex(probabilities.shape):
        assert problem.regret([i, j]) == pytest.approx(
            regret_by_formula(unit, probabilities, i, j, values), abs=1e-12
        )


@given(utilities)
def test_paper_is_exactly_twice_average_with_the_linear_link(values):
    paper = make("duel_utility", utilities=values, unit="paper")
    average = make("duel_utility", utilities=values, unit="average")
    for i, j in np.ndindex(len(values), len(values)):
        assert paper.regret([i, j]) == pytest.approx(2.0 * average.regret([i, j]), abs=1e-15)


def test_paper_is_not_twice_average_with_another_link():
    paper = make("duel_utility", utilities=[1.0, 0.0], link="logistic", unit="paper")
    average = make("duel_utility", utilities=[1.0, 0.0], link="logistic", unit="average")
    assert paper.regret([0, 1]) == 0.5
    assert average.regret([0, 1]) == pytest.approx((logistic(1.0) - 0.5) / 2.0)


@st.composite
def condorcet_matrices(draw):
    """Arm `winner` beats all others; how those fare among themselves is random."""
    arms = draw(st.integers(2, 6))
    probabilities = st.integers(0, 20).map(lambda n: n / 20)
    matrix = np.full((arms, arms), 0.5)
    winner = draw(st.integers(0, arms - 1))
    for i in range(arms):
        for j in range(i):
            matrix[i, j] = draw(probabilities)
            if winner in (i, j):
                lead = abs(matrix[i, j] - 0.5) or 0.25
                matrix[i, j] = 0.5 + lead if winner == i else 0.5 - lead
            matrix[j, i] = 1.0 - matrix[i, j]
    return matrix, winner


@given(condorcet_matrices(), st.sampled_from(["average", "weak", "strong", "copeland"]))
def test_units_of_matrix_duels(drawn, unit):
    matrix, winner = drawn
    problem = make("duel_matrix", preferences=matrix, unit=unit)
    assert problem.best == (winner, winner)
    for i, j in np.ndindex(matrix.shape):
        assert problem.mean([i, j]) == matrix[i, j]
        assert problem.regret([i, j]) == pytest.approx(
            regret_by_formula(unit, matrix, i, j), abs=1e-12
        )


@given(
    condorcet_matrices(),
    st.sampled_from(["average", "weak", "strong", "copeland"]),
    st.integers(0, 2**32 - 1),
)
def test_renaming_the_arms_renames_the_regret(drawn, unit, seed):
    matrix, _ = drawn
    order = np.random.default_rng(seed).permutation(len(matrix))
    original = make("duel_matrix", preferences=matrix, unit=unit)
    renamed = make("duel_matrix", preferences=matrix[np.ix_(order, order)], unit=unit)
    for i, j in np.ndindex(matrix.shape):
        assert renamed.regret([i, j]) == original.regret([order[i], order[j]])


def test_units_by_hand():
    preferences = [[0.5, 0.6, 0.8], [0.4, 0.5, 0.9], [0.2, 0.1, 0.5]]
    regrets = {
        unit: make("duel_matrix", preferences=preferences, unit=unit).regret([1, 2])
        for unit in ("average", "weak", "strong", "copeland")
    }
    assert regrets == pytest.approx({"average": 0.2, "weak": 0.1, "strong": 0.3, "copeland": 0.75})


def test_the_unit_is_average_unless_chosen():
    assert make("duel_matrix", preferences=[[0.5, 0.6], [0.4, 0.5]]).unit == "average"
    assert make("duel_utility", utilities=[0.1, 0.0]).unit == "average"


def test_unknown_unit_gets_a_suggestion():
    with pytest.raises(UnknownNameError) as caught:
        make("duel_utility", utilities=[0.1, 0.0], unit="strongly")
    assert str(caught.value) == (
        "no regret unit named 'strongly'; did you mean 'strong'? (known: average, copeland, paper, "
        "strong, weak)"
    )


def test_a_matrix_has_no_paper_unit():
    with pytest.raises(
        InvalidInputError,
        match="the unit 'paper' is defined by utilities, which a preference matrix",
    ):
        make("duel_matrix", preferences=[[0.5, 0.6], [0.4, 0.5]], unit="paper")


# Several best arms, none at all, and rounding

TIED = [[0.5, 0.5, 0.5], [0.5, 0.5, 0.9], [0.5, 0.1, 0.5]]
ROCK_PAPER_SCISSORS = [[0.5, 0.8, 0.2], [0.2, 0.5, 0.7], [0.8, 0.3, 0.5]]


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]])
def test_several_unbeaten_arms_cost_the_most_that_any_of_them_says(order):
    problem = make("duel_matrix", preferences=np.array(TIED)[np.ix_(order, order)])
    losses = [problem.regret([arm, arm]) for arm in range(3)]
    assert [losses[order.index(arm)] for arm in range(3)] == pytest.approx([0.0, 0.0, 0.4])


def test_no_condorcet_winner_is_an_error_that_names_the_entry():
    with pytest.raises(InvalidInputError) as caught:
        make("duel_matrix", preferences=ROCK_PAPER_SCISSORS)
    assert str(caught.value) == (
        "duel_matrix: no Condorcet winner, every arm loses to some other (arm 0 wins most often "
        "but "
        "preferences[0][2] = 0.2 < 0.5); use unit='copeland'"
    )


def test_copeland_needs_no_condorcet_winner():
    problem = make("duel_matrix", preferences=ROCK_PAPER_SCISSORS, unit="copeland")
    assert max(problem.regret([i, j]) for i in range(3) for j in range(3)) == 0.0


@pytest.mark.parametrize("miss", [1e-10, -1e-10])
def test_rounding_in_the_matrix_costs_nothing(miss):
    problem = make(
        "duel_matrix", preferences=[[0.5 + miss, 0.5 - miss, 0.7], [0.5, 0.5, 0.7], [0.3, 0.3, 0.5]]
    )
    assert problem.regret([0, 0]) == problem.regret([1, 1]) == problem.regret([0, 1]) == 0.0
    assert problem.regret([2, 2]) == pytest.approx(0.2)


def test_a_problem_keeps_a_copy_of_what_it_was_given():
    values, matrix = np.array([0.4, 0.0]), np.array([[0.5, 0.7], [0.3, 0.5]])
    by_utility, by_matrix = (
        make("duel_utility", utilities=values),
        make("duel_matrix", preferences=matrix),
    )
    values[:], matrix[:] = 0.0, 0.5
    assert by_utility.mean([0, 1]) == by_matrix.mean([0, 1]) == 0.7
    by_utility.params["utilities"][:] = 0.0
    by_matrix.params["preferences"][:] = 0.5
    assert by_utility.mean([0, 1]) == by_matrix.mean([0, 1]) == 0.7


# Generators


@pytest.mark.parametrize("p", [0.5, 0.7, 0.95, 1.0])
def test_identical_gap(p):
    problem = fb.environments.identical_gap(5, p)
    for i, j in np.ndindex(5, 5):
        expected = 0.5 if i == j or 0 not in (i, j) else (p if i == 0 else 1.0 - p)
        assert problem.mean([i, j]) == pytest.approx(expected)
    assert problem.regret([3, 4]) == pytest.approx(p - 0.5)
    assert problem.regret([0, 4]) == pytest.approx((p - 0.5) / 2)


def test_arithmetic():
    problem = fb.environments.arithmetic(8)
    for i, j in np.ndindex(8, 8):
        assert problem.mean([i, j]) == pytest.approx(0.5 + 0.05 * (j - i))
    assert problem.best == (0, 0)


@pytest.mark.parametrize("arms", range(2, 60))
def test_arithmetic_reaches_certainty_without_tripping_over_rounding(arms):
    problem = fb.environments.arithmetic(arms, step=0.5 / (arms - 1))
    assert problem.mean([0, arms - 1]) == pytest.approx(1.0)


def test_cyclic_of_four_is_the_problem_of_the_literature():
    problem = fb.environments.cyclic()
    matrix = np.array([[problem.mean([i, j]) for j in range(4)] for i in range(4)])
    assert matrix == pytest.approx(
        np.array(
            [[0.5, 0.6, 0.6, 0.6], [0.4, 0.5, 0.9, 0.1], [0.4, 0.1, 0.5, 0.9], [0.4, 0.9, 0.1, 0.5]]
        )
    )
    assert problem.best == (0, 0)


@pytest.mark.parametrize("arms", [4, 5, 6, 9])
def test_cyclic_arms_beat_as_many_as_beat_them(arms):
    problem = fb.environments.cyclic(arms, unit="copeland")
    matrix = np.array([[problem.mean([i, j]) for j in range(arms)] for i in range(arms)])
    assert np.allclose(matrix + matrix.T, 1.0)
    ring = matrix[1:, 1:]
    assert ((ring > 0.5).sum(axis=1) == (ring < 0.5).sum(axis=1)).all()
    assert (ring > 0.5).sum() > 0


@pytest.mark.parametrize("unit", UNITS)
def test_generators_take_the_unit(unit):
    assert fb.environments.identical_gap(4, 0.7, unit=unit).unit == unit
    assert fb.environments.arithmetic(4, unit=unit).unit == unit
    if unit != "paper":
        assert fb.environments.cyclic(4, unit=unit).unit == unit


def test_many_arms_are_made_quickly_in_every_unit():
    for unit in UNITS:
        assert fb.environments.identical_gap(2000, 0.7, unit=unit).regret([1, 1]) > 0.0


# Complaints


@pytest.mark.parametrize(
    ("make_it", "complaint"),
    [
        (lambda: make("duel_utility", utilities=[0.5]), "utilities needs at least two arms"),
        (
            lambda: make("duel_utility", utilities=[]),
            "utilities must be a list of at least one number, not []",
        ),
        (
            lambda: make("duel_utility", utilities=["a"]),
            "utilities must be a list of numbers, not ['a']",
        ),
        (
            lambda: make("duel_utility", utilities=[0.1, math.nan]),
            "utilities[1] must be a finite number, not nan",
        ),
        (
            lambda: make("duel_utility", utilities=[0.0, 0.2, -0.9]),
            "utilities[1] - utilities[2] = 1.1; with the linear link they may differ by at most 1, "
            "or the probability of "
            "winning would exceed 1",
        ),
        (
            lambda: make("duel_utility", utilities=[0.0, 1000.0], link="logistic"),
            "log-odds reach -1000; beyond 700 either way a probability is 0 or 1 to the last bit",
        ),
        (
            lambda: make("duel_utility", utilities=[0.0, 0.1], link="probit"),
            "link must be 'linear' or 'logistic', not 'probit'",
        ),
        (
            lambda: fb.environments.identical_gap(4, 0.4),
            "p, the best arm's probability to win, must lie in [0.5, 1], not 0.4",
        ),
        (
            lambda: fb.environments.identical_gap(4, "often"),
            "p must be a finite number, not 'often'",
        ),
        (
            lambda: fb.environments.arithmetic(21, 0.05),
            "step = 0.05 makes the first of 21 arms beat the last with probability 1.5; use a step "
            "of at most 0.025",
        ),
        (lambda: fb.environments.cyclic(4, p_best=0.5), "p_best must lie in (0.5, 1], not 0.5"),
        (lambda: fb.environments.cyclic(4, p_cycle=1.1), "p_cycle must lie in (0.5, 1], not 1.1"),
        (
            lambda: make("duel_matrix", preferences=[[0.5, 0.6], [0.4]]),
            "preferences must be a square matrix of numbers, every row of the same length",
        ),
        (lambda: make("duel_matrix", preferences=[[0.5]]), "preferences needs at least two arms"),
        (
            lambda: make("duel_matrix", preferences=[[0.5, 0.6, 0.5], [0.4, 0.5, 0.5]]),
            "preferences must be a square matrix, not of shape (2, 3)",
        ),
        (
            lambda: make("duel_matrix", preferences=[[0.5, 1.2], [-0.2, 0.5]]),
            "preferences[0][1] = 1.2 is not a probability between 0 and 1",
        ),
        (
            lambda: make("duel_matrix", preferences=[[0.5, math.nan], [0.4, 0.5]]),
            "preferences[0][1] = nan is not a probability between 0 and 1",
        ),
        (
            lambda: make("duel_matrix", preferences=[[0.5, 0.6], [0.4, 0.0]]),
            "preferences[1][1] = 0; an arm against itself must be 0.5",
        ),
        (
            lambda: make(
                "duel_matrix", preferences=[[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.3, 0.5]]
            ),
            "preferences[1][2] + preferences[2][1] = 0.8 + 0.3 = 1.1; the two must add up to 1",
        ),
    ],
)
def test_complaints_name_the_entry(make_it, complaint):
    with pytest.raises(InvalidInputError) as caught:
        make_it()
    assert str(caught.value) == complaint
