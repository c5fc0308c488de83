"""`plan`: the first estimate, and the simulations that replace it one by one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

from factored_bandits.core.checks import integer
from factored_bandits.environments import Environment
from factored_bandits.policies import Policy
from factored_bandits.simulation.choosing import Written, chosen_policies
from factored_bandits.simulation.result import Result
from factored_bandits.simulation.runner import check_playable
from factored_bandits.simulation.simulate import simulate

from .assumptions import Assumptions, per_day
from .estimate import estimate
from .forecast import Forecast, forecast, rounds_decided, share_point
from .plan import Plan
from .prepare import add_flat_peer, fixed_test_of, lengths, missing_guarantee, problem_of
from .words import Clock

# the one that decides soonest, one that loses less until then, the paper's, and one that never
# decides, as the default of an agent does not
DEFAULT_POLICIES = ("tea(bound=betting)", "leader_tea", "tea", "marginal_thompson")
STAGES = (10**5, 10**6, 10**7)  # a simulation that has decided by then is not made longer
CHECKPOINTS = 400

Tell = Callable[[Plan], None]


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
    progress: bool | Tell = True,
    quick: bool = False,
) -> Plan:
    """Forecast an experiment: when everything is decided, and the reward lost until then.

    By theory, by a first estimate that takes a second, and by simulation, which takes minutes. A
    full factorial test of fixed size stands beside the policies. After Ctrl-C, what is known by
    then is returned.

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
        Show a progress bar; or a function that is called with every plan on the way, from the
        first estimate (before anything is compiled) to the last repetition.
    quick
        Only the first estimate, without simulating.

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

    The answer of the first second, and one on the way:

    >>> print(fb.plan(assumptions, "50/day", quick=True).summary("visitors"))
    At 50 visitors a day: decided in about 7.9 days; a full factorial test: 2.7 days, deciding
    everything 66 % of the time.
    >>> seen = []
    >>> options = {"policies": "tea", "repetitions": 2, "flat": False}
    >>> last = fb.plan(assumptions, "50/day", progress=seen.append, **options)
    >>> [(len(plan.forecasts), plan.pending) for plan in (seen[0], seen[-1], last)]
    [(0, ['tea']), (1, ['tea']), (1, [])]
    """
    given = environment_or_assumptions
    assumptions = given if isinstance(given, Assumptions) else None
    problem = problem_of(given)
    daily = per_day(traffic)
    integer("repetitions", repetitions, 1, 10**9)
    integer("seed", seed, 0, 2**63)
    chosen = chosen_policies(policies)
    notes = missing_guarantee(problem)
    fixed = fixed_test_of(problem, notes)

    length = lengths(problem, daily, fixed, horizon)
    for policy in chosen:
        check_playable(policy, problem, length(policy))
    if flat:
        add_flat_peer(chosen, problem, length, notes)

    least = fixed.total if fixed else 0
    estimates = [estimate(policy, problem, int(seed), least) for policy in chosen]
    first = Plan(
        problem,
        assumptions,
        daily,
        int(repetitions),
        int(seed),
        [],
        fixed,
        notes,
        estimates=[each for each in estimates if each is not None],
        pending=[policy.label for policy in chosen],
    )
    tell = progress if callable(progress) else _nobody
    tell(first)
    if quick:
        return first

    def stages(policy: Policy) -> list[int]:
        last = length(policy)
        staged = horizon is None and policy.eliminates
        return [rounds for rounds in STAGES if staged and rounds < last] + [last]

    return _refined(first, chosen, stages, workers, tell, progress=progress is True)


def _nobody(plan: Plan) -> None:
    """Nobody wants to see the plans on the way."""


def _refined(
    first: Plan,
    chosen: list[Policy],
    stages: Callable[[Policy], list[int]],
    workers: int | None,
    tell: Tell,
    *,
    progress: bool,
) -> Plan:
    """The plan after all simulations, or those before Ctrl-C."""
    done: list[Forecast] = []
    labels = first.pending
    run = (first.repetitions, first.seed, CHECKPOINTS, workers)

    for policy in chosen:
        try:
            watch = _watch(first, policy, list(done), tell)
            result = _simulated(
                policy, first.problem, stages(policy), *run, progress=progress, watch=watch
            )
        except KeyboardInterrupt:  # before the first repetition was finished
            break

        done.append(forecast(policy, first.problem, result))
        if result.interrupted:
            break

    if not done and not first.estimates:
        raise KeyboardInterrupt
    return dataclasses.replace(first, forecasts=done, not_run=labels[len(done) :], pending=[])


def _watch(
    first: Plan, policy: Policy, done: list[Forecast], tell: Tell
) -> Callable[[Result], str]:
    """What to do when a repetition of a policy is finished: tell the plan as it is now."""
    pending = first.pending[len(done) :]

    def watch(result: Result) -> str:
        now = forecast(policy, first.problem, result)
        half = share_point(now.all_decided, 0.5)
        known = math.isfinite(half)
        # a simulation too short to decide anything says less than the estimate
        forecasts = [*done, now] if known or not policy.eliminates else done
        tell(dataclasses.replace(first, forecasts=forecasts, pending=pending))
        return f"so far {Clock(first.traffic).show(half, unit=' rounds')}" if known else ""

    return watch


def _simulated(
    policy: Policy, problem: Environment, stages: list[int], *run: Any, **shown: Any
) -> Result:
    """The shortest simulation in which everything is decided 9 times in 10; otherwise the last."""
    result = simulate(policy, problem, stages[0], *run, **shown)
    for rounds in stages[1:]:
        decided = share_point(rounds_decided(result, True).max(axis=1), 0.9)
        if result.interrupted or math.isfinite(decided):
            break
        try:
            result = simulate(policy, problem, rounds, *run, **shown)
        except KeyboardInterrupt:  # what was simulated before is finished
            result = dataclasses.replace(result, interrupted=True)

    return result
