"""`testing.check_environment`: every generated problem passes, and what is wrong is said."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

import factored_bandits as fb
from factored_bandits.testing import check_environment

SMALL = {"levels": 3, "factors": 2, "arms": 5}
GENERATORS = fb.environments.generators()


def small(name):
    wanted = inspect.signature(GENERATORS[name]).parameters
    return GENERATORS[name](**{key: value for key, value in SMALL.items() if key in wanted})


@pytest.mark.parametrize("name", GENERATORS)
def test_generated_problems_pass(name):
    check_environment(small(name))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"best": (1, 1)}, r"the best action \(1, 1\) has regret"),
        ({"reward_range": (0.0, 0.5)}, "lies outside"),
        ({"unit": "euros"}, "the unit of the regret is 'euros'"),
        ({"params": {"factors": [[0.5, 0.4], [0.5, 0.4]]}}, "made again from its params"),
    ],
)
def test_the_message_says_what_is_wrong(changes, said):
    problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2]])
    check_environment(problem)
    with pytest.raises(AssertionError, match=said):
        check_environment(dataclasses.replace(problem, **changes))


def test_an_environment_without_regret_is_noticed():
    problem = fb.environments.make("table", means=[[0.5, 0.5], [0.5, 0.4]])
    flat = dataclasses.replace(problem, data=problem.data._replace(table=problem.data.table * 0))
    with pytest.raises(AssertionError):
        check_environment(flat)
