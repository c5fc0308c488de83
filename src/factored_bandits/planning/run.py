"""`plan`: the simulations and the forecasts that a plan is made of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

from factored_bandits.core.checks import integer
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make
from factored_bandits.simulation.checkpoints import LONGEST
from factored_bandits.simulation.compare import Written, chosen_policies
from factored_bandits.simulation.result import Result
from factored_bandits.simulation.runner import check_playable
from factored_bandits.simulation.simulate import simulate
from factored_bandits.theory import identifiability

from .assumptions import Assumptions, per_day
from .fixed import FixedTest, fixed_test
from .forecast import Forecast, forecast, guaranteed_rounds, rounds_decided, share_point
from .plan import Plan
from .words import YEAR

DEFAULT_POLICIES = ("tea(bound=betting)", "tea", "marginal_thompson")
# rounds to simulate if nobody says: that many, or a year, but not more
LONG_ENOUGH = 10**7
AT_MOST = 5 * 10**7
STAGES = (10**5, 10**6, 10**7)  # a simulation that has decided by then is not made longer
# a policy that never decides is watched for five fixed tests
QUIET_TIMES = 5
QUIET_LEAST = 10**4
CHECKPOINTS = 400


def plan(
    environment_or_assumptions: Environment | Assumptions,
    traffic: float | str | None = None,
    policies: Written | Iterable[Written] = DEFAULT_POLICIES,
    repetitions: int = 20,
    seed: int = 0,
    *,
    horizon: float | None = None,
    flat: bool = True,
    workers: int | None = None,
    progress: bool = True,
) -> Plan:
    """Forecast an experiment: when everything is decided, and the reward lost until then.

    Both by theory and by simulation. A fixed full-factorial test stands beside the policies. After
    Ctrl-C, what is finished is returned.

    Parameters
    ----------
    environment_or_assumptions
        What is known before the experiment; or an environment of your own.
    traffic
        Rounds per day, or such as "80/hour".
    policies
        Labels, made policies or modules, or one text such as "tea, flat_ucb1(alpha=0.5)".
    repetitions
        How many independent simulations to run of each policy.
    seed
        Same seed, same numbers.
    horizon
        Rounds to simulate. By default until all is decided, but at most 10^7 or a year of traffic;
        and no more than 5 fixed tests for policies that never say that they are done.
    flat
        Show `flat_ucb1` too, which takes every combination for an arm of its own, where it can.
    workers
        The number of threads; by default one per processor.
    progress
        Show a progress bar.

    Returns
    -------
    Plan
        The forecasts, the fixed test and the verdict; print it.

    Raises
    ------
    InvalidInputError
        If an argument is wrong, or a policy cannot take the problem.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> assumptions = fb.Assumptions((2, 2), base_rate=0.4, lift=0.5)
    >>> fb.plan(assumptions, policies="tea", repetitions=4, progress=False).fixed.per_level
    (67, 67)
    """
    given = environment_or_assumptions
    assumptions = given if isinstance(given, Assumptions) else None
    problem = _problem(given)
    daily = per_day(traffic)
    integer("repetitions", repetitions, 1, 10**9)
    integer("seed", seed, 0, 2**63)
    chosen = chosen_policies(policies)
    notes = _warnings(problem)

    fixed = None
    try:
        fixed = fixed_test(problem)
    except InvalidInputError as error:
        notes.append(f"no fixed test: {error}")

    length = _lengths(problem, daily, fixed, horizon)
    for policy in chosen:
        check_playable(policy, problem, length(policy))

    if flat:
        _add_flat_peer(chosen, problem, length, notes)

    done: list[Forecast] = []
    for policy in chosen:
        staged = horizon is None and policy.eliminates
        last = length(policy)
        stages = [rounds for rounds in STAGES if staged and rounds < last] + [last]
        try:
            result = _simulated(
                policy, problem, stages, repetitions, seed, CHECKPOINTS, workers, progress=progress
            )
        except KeyboardInterrupt:  # before the first repetition was finished
            break

        done.append(forecast(policy, problem, result))
        if result.interrupted:
            break

    if not done:
        raise KeyboardInterrupt
    not_run = [policy.label for policy in chosen[len(done) :]]
    return Plan(
        problem, assumptions, daily, int(repetitions), int(seed), done, fixed, notes, not_run
    )


def _lengths(
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


def _add_flat_peer(
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


def _problem(given: Environment | Assumptions) -> Environment:
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


def _warnings(problem: Environment) -> list[str]:
    found = identifiability(problem)
    if found.holds:
        return []
    return [f"no guarantee of the theory: {' '.join(str(found).split())}"]


def _longest(problem: Environment, traffic: float | None) -> int:
    year = YEAR * traffic if traffic else 0.0
    return int(min(max(guaranteed_rounds(problem)), max(LONG_ENOUGH, min(year, AT_MOST))))


def _simulated(
    policy: Policy, problem: Environment, stages: list[int], *run: Any, progress: bool
) -> Result:
    """The shortest simulation in which everything is decided 9 times in 10; otherwise the last."""
    result = simulate(policy, problem, stages[0], *run, progress=progress)
    for rounds in stages[1:]:
        decided = share_point(rounds_decided(result, True).max(axis=1), 0.9)
        if result.interrupted or math.isfinite(decided):
            break
        try:
            result = simulate(policy, problem, rounds, *run, progress=progress)
        except KeyboardInterrupt:  # what was simulated before is finished
            result = dataclasses.replace(result, interrupted=True)

    return result
