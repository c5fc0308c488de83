"""What is settled before anything is simulated: the problem, the policies, and for how long."""

from __future__ import annotations

from collections.abc import Callable

from factored_bandits.core.checks import integer
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make
from factored_bandits.simulation.checkpoints import LONGEST
from factored_bandits.simulation.runner import check_playable
from factored_bandits.theory import identifiability

from .assumptions import Assumptions
from .fixed import FixedTest, fixed_test
from .forecast import guaranteed_rounds
from .words import YEAR

# rounds to simulate if nobody says: that many, or a year, but not more
LONG_ENOUGH = 10**7
AT_MOST = 5 * 10**7
# a policy that never decides is watched for five fixed tests
QUIET_TIMES = 5
QUIET_LEAST = 10**4


def lengths(
    problem: Environment, daily: float | None, fixed: FixedTest | None, horizon: float | None
) -> Callable[[Policy], int]:
    """How many rounds of a policy to simulate."""
    if horizon is not None:
        asked = integer("horizon", horizon, 1, LONGEST)
        return lambda policy: asked

    longest = _longest(problem, daily)
    shorter = longest
    if fixed is not None:
        shorter = min(longest, max(QUIET_LEAST, QUIET_TIMES * fixed.total))
    return lambda policy: longest if policy.eliminates else shorter


def add_flat_peer(
    chosen: list[Policy], problem: Environment, length: Callable[[Policy], int], notes: list[str]
) -> None:
    """Add the policy over all combinations, where it can be played; otherwise note why not."""
    peer = make(chosen[0].info.flat_peer)
    if any(policy.name == peer.name for policy in chosen):
        return

    try:
        check_playable(peer, problem, length(peer))
        chosen.append(peer)
    except InvalidInputError as error:
        notes.append(f"no flat bandit: {error}")


def problem_of(given: Environment | Assumptions) -> Environment:
    """The problem to plan for, if it is one of those that can be."""
    if isinstance(given, Assumptions):
        return given.problem()
    if not isinstance(given, Environment):
        raise InvalidInputError(
            "plan needs a fb.Assumptions(factors, base_rate, lift) or an environment, not "
            f"{given!r}"
        )

    if given.kind == "duel":
        raise InvalidInputError(f"plan is for factored problems; {given} is one of duels")
    return given


def fixed_test_of(problem: Environment, notes: list[str]) -> FixedTest | None:
    """The fixed test; a note instead where there is none."""
    try:
        return fixed_test(problem)
    except InvalidInputError as error:
        notes.append(f"no fixed test: {error}")
        return None


def missing_guarantee(problem: Environment) -> list[str]:
    """Why the theory guarantees nothing, if so."""
    found = identifiability(problem)
    if found.holds:
        return []
    return [f"no guarantee of the theory: {' '.join(str(found).split())}"]


def _longest(problem: Environment, traffic: float | None) -> int:
    year = YEAR * traffic if traffic else 0.0
    return int(min(max(guaranteed_rounds(problem)), max(LONG_ENOUGH, min(year, AT_MOST))))
