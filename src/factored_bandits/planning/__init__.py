"""`plan`: how long will an experiment take, what will it cost, and which policy should run it?

>>> import factored_bandits as fb
>>> assumptions = fb.Assumptions(factors=(3, 2), base_rate=0.3, lift=0.8)
>>> plan = fb.plan(assumptions, traffic="2000/day", policies="tea", repetitions=4, flat=False, progress=False)
>>> plan.verdict.within_a_year, plan.forecasts[0].best_found
(True, 1.0)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
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
from .fixed import FixedTest, fixed_test, sample_size
from .forecast import Forecast, forecast, guaranteed_rounds, rounds_decided, share_point
from .plan import Plan
from .verdict import Verdict
from .words import YEAR

__all__ = ["Assumptions", "FixedTest", "Forecast", "Plan", "Verdict", "plan", "sample_size"]

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
    """Forecast an experiment: when everything is decided, by theory and by simulation, and the
    reward lost until then.

    `traffic`: rounds per day, or such as "80/hour". `horizon`: rounds to simulate; by default until
    all is decided, but at most 10^7 or a year of traffic (and no more than 5 fixed tests for
    policies that never say that they are done). `flat`: show `flat_ucb1` too, which takes every
    combination for an arm of its own, where it can. A fixed full-factorial test stands beside them.
    After Ctrl-C, what is finished comes back.

    >>> import factored_bandits as fb
    >>> print(fb.plan(fb.Assumptions((2, 2), 0.4, 0.5), policies="tea", repetitions=4, progress=False).fixed.per_level)
    (67, 67)
    """
    assumptions = (
        environment_or_assumptions if isinstance(environment_or_assumptions, Assumptions) else None
    )
    problem = _problem(environment_or_assumptions)
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

    longest = (
        _longest(problem, daily) if horizon is None else integer("horizon", horizon, 1, LONGEST)
    )
    shorter = (
        longest
        if horizon is not None or fixed is None
        else max(QUIET_LEAST, QUIET_TIMES * fixed.total)
    )

    def length(policy: Policy) -> int:
        return longest if policy.eliminates else min(longest, shorter)

    for policy in chosen:
        check_playable(policy, problem, length(policy))
    peer = make(chosen[0].info.flat_peer)
    if flat and not any(policy.name == peer.name for policy in chosen):
        try:
            check_playable(peer, problem, length(peer))
            chosen.append(peer)
        except InvalidInputError as error:
            notes.append(f"no flat bandit: {error}")

    done: list[Forecast] = []
    for policy in chosen:
        staged = horizon is None and policy.eliminates
        stages = [rounds for rounds in STAGES if staged and rounds < longest] + [length(policy)]
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
    return [] if found.holds else [f"no promise of the theory: {' '.join(str(found).split())}"]


def _longest(problem: Environment, traffic: float | None) -> int:
    year = YEAR * traffic if traffic else 0.0
    return int(min(max(guaranteed_rounds(problem)), max(LONG_ENOUGH, min(year, AT_MOST))))


def _simulated(
    policy: Policy, problem: Environment, stages: list[int], *run: Any, progress: bool
) -> Result:
    """The shortest of the simulations in which everything is decided 9 times in 10; otherwise the
    last.
    """
    result = simulate(policy, problem, stages[0], *run, progress=progress)
    for rounds in stages[1:]:
        if result.interrupted or math.isfinite(
            share_point(rounds_decided(result, True).max(axis=1), 0.9)
        ):
            break
        try:
            result = simulate(policy, problem, rounds, *run, progress=progress)
        except KeyboardInterrupt:  # what was simulated before is finished
            result = dataclasses.replace(result, interrupted=True)

    return result
