"""What every problem has: a checked action, a readable name, parameters that make it again."""

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, UnknownNameError

FACTORED = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2, 0.1]])
DUEL = fb.environments.identical_gap(4, 0.7)


@pytest.mark.parametrize(
    ("problem", "action", "complaint"),
    [
        (
            FACTORED,
            [0],
            "an action of rank1 (2 x 3 levels) has 2 entries, one per factor; [0] has 1",
        ),
        (
            FACTORED,
            [0, 0, 0],
            "an action of rank1 (2 x 3 levels) has 2 entries, one per factor; [0, 0, 0] has 3",
        ),
        (
            FACTORED,
            [0, 3],
            "factor 1 of rank1 (2 x 3 levels) has the levels 0 to 2; [0, 3] asks for 3",
        ),
        (
            FACTORED,
            (-1, 0),
            "factor 0 of rank1 (2 x 3 levels) has the levels 0 to 1; (-1, 0) asks for -1",
        ),
        (
            FACTORED,
            [0.0, 1.0],
            "an action is a list of whole numbers, one per factor, not [0.0, 1.0]",
        ),
        (FACTORED, 1, "an action is a list of whole numbers, one per factor, not 1"),
        (FACTORED, "00", "an action is a list of whole numbers, one per factor, not '00'"),
        (
            DUEL,
            [0],
            "an action of duel_utility (4 arms) has 2 entries, one per position; [0] has 1",
        ),
        (
            DUEL,
            [0, 4],
            "position 1 of duel_utility (4 arms) has the arms 0 to 3; [0, 4] asks for 4",
        ),
    ],
)
@pytest.mark.parametrize("ask", ["mean", "regret"])
def test_a_wrong_action_is_refused_and_named(problem, action, complaint, ask):
    with pytest.raises(InvalidInputError) as caught:
        getattr(problem, ask)(action)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    "action", [(0, 1), [0, 1], np.array([0, 1]), np.array([0, 1], dtype=np.uint8)]
)
def test_any_sequence_of_integers_is_an_action(action):
    assert FACTORED.mean(action) == 0.9 * 0.2
    assert FACTORED.regret(action) == 0.9 * 0.8 - 0.9 * 0.2


def test_unknown_environment_gets_a_suggestion():
    with pytest.raises(
        UnknownNameError,
        match=r"no environment named 'rank_1'; did you mean 'rank1'\? \(known: additive,",
    ):
        fb.environments.make("rank_1", factors=[[1.0]])


def test_unknown_parameter_gets_a_suggestion():
    with pytest.raises(UnknownNameError) as caught:
        fb.environments.make("rank1", factor=[[1.0]])
    assert str(caught.value) == (
        "no parameter of rank1 named 'factor'; did you mean 'factors'? (known: factors, noise, "
        "sigma)"
    )


def test_missing_parameter_is_named_with_all_the_others():
    with pytest.raises(InvalidInputError) as caught:
        fb.environments.make("additive", base=0.5)
    assert str(caught.value) == (
        "additive needs effects; its parameters are effects, base=0.0, noise='bernoulli', sigma=1.0"
    )


def test_names_and_generators_are_discovered():
    models = {"additive", "duel_matrix", "duel_utility", "logistic", "rank1", "table", "trap"}
    assert models <= set(fb.environments.names())
    assert fb.environments.names() == sorted(fb.environments.names())
    assert not any(name.startswith("_") for name in fb.environments.names())
    generators = {"additive", "arithmetic", "cyclic", "identical_gap", "logistic", "rank1", "trap"}
    assert generators <= set(fb.environments.generators())


def test_no_two_modules_offer_a_generator_of_the_same_name():
    offered = [
        name
        for environment in fb.environments.names()
        for name in getattr(fb.environments.load(environment), "GENERATORS", {})
    ]
    assert len(offered) == len(set(offered))


def test_factors_have_names_and_a_duel_has_one_factor():
    assert (FACTORED.factor_names, FACTORED.factor_sizes) == (("0", "1"), (2, 3))
    assert (DUEL.factor_names, DUEL.factor_sizes) == (("arm",), (4,))
