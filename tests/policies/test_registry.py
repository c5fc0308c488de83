"""`policies.make`: one path from a name, a label or a module to a policy."""

from __future__ import annotations

import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.policies import registry

LABELS = [
    "tea",
    "tea(bound=betting)",
    "tea(bound=betting, reward_range=(0.0, 2.0))",
    "tea(reward_range=None)",
    "flat_ucb1(alpha=0.5)",
    "dueling_tea(positions=both)",
]


@pytest.mark.parametrize("label", LABELS)
def test_the_label_that_results_print_makes_the_policy_again(label):
    policy = fb.policies.make(label)
    assert policy.label == str(policy) == label
    assert fb.policies.make(label.replace("_", "-", 1) if "_ucb" in label else label) == policy
    assert fb.policies.make(policy) is policy


def test_agent_and_simulate_take_labels():
    agent = fb.Agent("tea(bound=betting)", factors={"colour": ["red", "blue"]})
    assert agent.policy == fb.policies.make("tea", bound="betting")
    problem = fb.environments.spiked(3)
    result = fb.simulate("flat-ucb1(alpha=0.5)", problem, 50, repetitions=1, progress=False)
    assert result.label == "flat_ucb1(alpha=0.5)"


def test_what_is_written_may_be_completed_but_not_repeated():
    both = fb.policies.make("tea(bound=betting)", reward_range=(0, 2))
    assert both == fb.policies.make("tea", bound="betting", reward_range=(0, 2))
    with pytest.raises(InvalidInputError, match="bound is given twice"):
        fb.policies.make("tea(bound=betting)", bound="paper")
    with pytest.raises(InvalidInputError, match="reward_range is given twice"):
        fb.policies.make("tea(reward_range=(0, 1))", reward_range=(0, 2))


@pytest.mark.parametrize(
    "wrong", ["", "tea(", "tea)", "tea(1)", "tea(**x)", "tea(bound=a, bound=b)"]
)
def test_what_is_no_label(wrong):
    with pytest.raises(InvalidInputError, match=r"name\(parameter=value, \.\.\.\)"):
        fb.policies.make(wrong)


@pytest.mark.parametrize("wrong", ["taa", "taa(x=1)", 3, None])
def test_unknown_policies(wrong):
    with pytest.raises(UnknownNameError, match="no policy named"):
        fb.policies.make(wrong)


def test_nothing_written_is_evaluated():
    with pytest.raises(InvalidInputError, match="must be a number or a word"):
        fb.policies.make("flat_ucb1(alpha=print(1))")


def test_the_description_names_the_family():
    assert "family      flat" in str(fb.policies.describe("flat_ucb1"))
    assert fb.policies.describe("tea").family == ""


def test_p_values_say_why_there_are_none():
    def p_values(label, reward_range=(0.0, 1.0)):
        policy = fb.policies.make(label)
        sizes = [3, 3] if policy.info.kind == "duel" else [3, 2]
        params = policy.encoded()
        return policy.p_values(params, policy.module.init(params, sizes, 0), reward_range)

    assert [values.tolist() for values in p_values("tea")] == [[1.0] * 3, [1.0] * 2]
    with pytest.raises(InvalidInputError, match=r"these do: .*dueling_tea, .*tea, .*vdb$"):
        p_values("uniform")
    with pytest.raises(InvalidInputError, match="needs rewards of a declared range"):
        p_values("tea(bound=betting)", reward_range=None)
    with pytest.raises(InvalidInputError, match=r"nothing is proved .*; use positions='first'$"):
        p_values("dueling_tea(positions=both)")


def test_names_are_found_once_and_each_caller_has_a_list_of_its_own(monkeypatch):
    for kind in ("duel", "factored"):
        fb.policies.names(kind)
    names = fb.policies.names()
    names.append("mine")  # a caller may do that
    monkeypatch.setattr(registry, "_modules", None)  # would be an error, if it looked again
    assert fb.policies.names() == names[:-1]
    assert sorted(fb.policies.names("duel") + fb.policies.names("factored")) == names[:-1]
