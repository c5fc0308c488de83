"""`check_policy`: what every policy must keep, whoever wrote it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import NamedTuple

from factored_bandits.errors import ContractError
from factored_bandits.policies import Policy, make

from .agents import goes_on_beyond_the_horizon, new_agent_answers, state_keeps_its_limits
from .blocks import (
    active_sets_change_with_their_version,
    idle_rounds_change_nothing,
    learning_ignores_scratch,
    plans_are_legal,
    propensities_are_probabilities,
    recommendation_is_legal_from_the_start,
)
from .descriptions import (
    is_described,
    kernels_are_marked,
    kind_is_the_folder,
    label_makes_the_policy_again,
    state_is_arrays_only,
    state_is_described,
)
from .runs import (
    finds_the_best,
    interpreted_equals_compiled,
    regret_is_at_most_that_of_uniform_play,
)


class PolicyCheck(NamedTuple):
    """One check, and to which policies it applies."""

    run: Callable[[Policy], None]
    quick: bool = True  # neither compiles nor simulates for long
    needs: str = ""  # the capability without which there is nothing to check

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.run.__name__

    def applies(self, policy: Policy) -> bool:
        """Whether the policy has what is checked."""
        return not self.needs or bool(getattr(policy, self.needs))


def check_policy(policy: str | types.ModuleType | Policy, quick: bool = False) -> None:
    """Run every check on a policy; the first one that fails raises an error.

    Parameters
    ----------
    policy
        A module of your own; also a name, a label or a policy made by `fb.policies.make`.
    quick
        Leave out what takes long: compiling, and simulations of 20,000 rounds.

    Raises
    ------
    AssertionError
        If the policy breaks the contract; the message says in what.
    InvalidInputError
        If the module is not a policy at all.

    Examples
    --------
    >>> from factored_bandits.policies.dueling import dueling_uniform
    >>> check_policy(dueling_uniform, quick=True)
    """
    made = make(policy)
    for check in POLICY_CHECKS:
        if check.applies(made) and (check.quick or not quick):
            try:
                check.run(made)
            except ContractError as error:
                raise AssertionError(str(error)) from error


POLICY_CHECKS = (
    PolicyCheck(is_described),
    PolicyCheck(kind_is_the_folder),
    PolicyCheck(label_makes_the_policy_again),
    PolicyCheck(kernels_are_marked),
    PolicyCheck(state_is_arrays_only),
    PolicyCheck(state_is_described),
    PolicyCheck(recommendation_is_legal_from_the_start),
    PolicyCheck(plans_are_legal),
    PolicyCheck(learning_ignores_scratch),
    PolicyCheck(state_keeps_its_limits),
    PolicyCheck(new_agent_answers),
    PolicyCheck(goes_on_beyond_the_horizon),
    PolicyCheck(propensities_are_probabilities, needs="randomises"),
    PolicyCheck(active_sets_change_with_their_version, needs="eliminates"),
    PolicyCheck(idle_rounds_change_nothing, needs="skips"),
    PolicyCheck(interpreted_equals_compiled, quick=False),
    PolicyCheck(finds_the_best, quick=False),
    PolicyCheck(regret_is_at_most_that_of_uniform_play, quick=False),
)
