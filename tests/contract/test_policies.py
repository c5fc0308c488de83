"""What every policy must keep, whoever wrote it: each check runs over everything discovered."""

from __future__ import annotations

import pytest

import factored_bandits as fb
import problems
from factored_bandits.core import loop
from factored_bandits.core.kernel import kernel
from factored_bandits.testing import POLICY_CHECKS, check_policy
from factored_bandits.testing.agents import (
    goes_on_beyond_the_horizon,
    new_agent_answers,
    state_keeps_its_limits,
)
from factored_bandits.testing.blocks import active_sets_change_with_their_version
from golden.cases import labels

NAMES = fb.policies.names()


@pytest.mark.parametrize("check", POLICY_CHECKS, ids=lambda check: f"check_{check.name}")
@pytest.mark.parametrize("name", NAMES)
def test_contract(name, check):
    policy = fb.policies.make(name)
    if not check.applies(policy):
        pytest.skip(f"{name}: {check.needs} is False")
    check.run(policy)


@pytest.mark.parametrize("label", [label for label in labels() if "(" in label])
def test_agents_of_every_choice(label):
    """What is checked of every policy inside an agent holds for each choice of its parameters."""
    policy = fb.policies.make(label)
    new_agent_answers(policy)
    goes_on_beyond_the_horizon(policy)
    state_keeps_its_limits(policy)


def test_checks_notice_a_policy_that_cheats(monkeypatch):
    """The checks can fail: an active set that changes in silence is caught."""
    policy = fb.policies.make("tea")
    silent = kernel(lambda params, state: (state.active, 0))
    monkeypatch.setattr(policy.module, "active_sets", silent)
    with pytest.raises(AssertionError, match="flags changed, their version did not"):
        active_sets_change_with_their_version(policy)
    assert loop.always_busy(None, None, 1) == 0


def broken(**functions):
    """A user's own policy that is uniform play but for these functions."""
    module = problems.variant("uniform")
    for name, function in functions.items():
        setattr(module, name, function)
    return module


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (
            broken(recommend=lambda params, state, action: None),
            "not marked with @kernel",
        ),
        (problems.variant("uniform", guarantee=""), "INFO.guarantee is empty"),
    ],
)
def test_the_message_says_what_is_wrong(module, said):
    with pytest.raises(AssertionError, match=said):
        check_policy(module, quick=True)


def test_a_module_of_ones_own_passes():
    check_policy(problems.variant("flat_ucb1"), quick=True)
