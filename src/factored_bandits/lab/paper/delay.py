"""Not in the paper: what late and lost rewards cost, as a figure, played through the Agent.

`ask` never waits; rewards come late, in any order, or never.
"""

from __future__ import annotations

import heapq
from functools import partial
from typing import Any

import numpy as np

from factored_bandits.agent import Agent
from factored_bandits.core.arrays import Ints, offsets_of
from factored_bandits.core.rng import generators
from factored_bandits.core.stats import mean_of, verdict_of_runs
from factored_bandits.environments import Environment, spiked
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results
from factored_bandits.lab.spec import Preset, Spec
from factored_bandits.lab.tasks import Cell
from factored_bandits.report.charts import Chart, curves, finals
from factored_bandits.report.claims import Claim
from factored_bandits.simulation.record import RunRecord

DELAYS = {  # the mean delay in rounds, and the share of rewards that never come
    "at once": (0, 0.0),
    "10 late": (10, 0.0),
    "100 late": (100, 0.0),
    "1000 late": (1000, 0.0),
    "10 late, 10 % lost": (10, 0.1),
    "10 late, 30 % lost": (10, 0.3),
}
LATE = ("100 late", "1000 late")
POLICIES = ("tea(bound=betting)", "lb_inf", "marginal_thompson")
FIGURE = "delay-finals"
LOST = -1.0  # stands for a reward that never comes
_problem = partial(spiked, 4, 0.81, 0.6)

SPEC = Spec(
    name="delay",
    title="Late and lost rewards, through the Agent",
    text="4 x 4 levels, the best pair pays 81 times in 100, all others at most 27. A reward comes "
    "after a random number of rounds, up to twice the mean delay, so out of order; one that is "
    "lost expires then and counts as 0.",
    problems=tuple(
        Instance(name, _problem, 20_000, "docs/how-to/late-rewards.md") for name in DELAYS
    ),
    policies=POLICIES,
    unit="reward",
    quick=Preset(repetitions=3, horizon=4_000),
    full=Preset(repetitions=20),
)


def play(cell: Cell, points: Ints, repetition: int) -> RunRecord:
    """One repetition: ask in every round, settle what is due."""
    problem = cell.problem
    delay, lost = DELAYS[cell.instance.name]
    _, rng = generators(cell.spec.seed, repetition)
    orders = [rng.permutation(size) for size in problem.sizes]
    agent = Agent(
        cell.policy,
        factors={f"factor {l}": list(range(size)) for l, size in enumerate(problem.sizes)},
        seed=cell.spec.seed + repetition,
    )
    offsets = offsets_of(problem.sizes)
    plays = np.zeros(int(offsets[-1]), dtype=np.int64)
    regret = 0.0
    noted: list[float] = []
    shortfall: list[float] = []
    due: list[tuple[int, int, float]] = []  # round of arrival, decision, reward

    for t in range(1, int(points[-1]) + 1):
        decision = agent.ask()
        action = np.array(
            [order[level] for order, level in zip(orders, decision.action, strict=True)]
        )
        plays[offsets[:-1] + action] += 1
        regret += problem.module.regret(problem.data, t, action)
        reward = problem.module.sample(problem.data, t, action, rng)
        uniform, late = rng.random(2)
        arrival = t + int(late * (2 * delay + 1))
        answer = LOST if uniform < lost else float(reward)
        heapq.heappush(due, (arrival, decision.id, answer))

        while due and due[0][0] <= t:
            _, identifier, answer = heapq.heappop(due)
            if answer == LOST:
                agent.expire(identifier)
            else:
                agent.tell(identifier, answer)

        if t == points[len(noted)]:
            noted.append(regret)
            shortfall.append(_shortfall(agent, problem, orders))

    return RunRecord(
        repetition=repetition,
        regret=np.array(noted),
        correct=np.array(shortfall) <= 0.0,
        simple_regret=np.array(shortfall),
        plays=tuple(np.split(plays, offsets[1:-1])),
        events=np.zeros((0, 4), dtype=np.int64),
    )


def _shortfall(agent: Agent[dict[str, Any]], problem: Environment, orders: list[Ints]) -> float:
    """What a round with the recommendation would lose."""
    best = [order[level] for order, level in zip(orders, agent.best().values(), strict=True)]
    return float(problem.regret(best))


def claims(results: Results) -> list[Claim]:
    """What one would expect of a delay: that learning is the same, only later."""
    problem = _problem()
    every = [
        problem.regret((i, j)) for i in range(problem.sizes[0]) for j in range(problem.sizes[1])
    ]
    blind = float(np.mean(every))
    unit = results.unit()
    found = []

    for policy in POLICIES:
        at_once = results.final("at once", policy)
        extra = {name: results.final(name, policy) - at_once for name in LATE}

        for name in LATE:
            price = 2 * DELAYS[name][0] * blind  # no reward takes longer than twice the mean
            cost = mean_of(extra[name])
            verdict = verdict_of_runs(price - extra[name])
            says = (
                f"{policy}, {name}, pays at most for uniform play while the first rewards are "
                "awaited"
            )
            measured = (
                f"{policy}: {cost} more regret than with rewards at once; uniform play would cost "
                f"{price:,.0f}"
            )
            found.append(Claim("delay", says, measured, verdict, FIGURE, unit, ours=True))

        times = DELAYS[LATE[1]][0] / DELAYS[LATE[0]][0]
        verdict = verdict_of_runs(times * extra[LATE[0]] - extra[LATE[1]])
        says = f"{policy} pays for a delay at most in proportion to it"
        measured = (
            f"{policy}: {mean_of(extra[LATE[0]])} more regret for {LATE[0]}, "
            f"{mean_of(extra[LATE[1]])} for {LATE[1]}"
        )
        found.append(Claim("delay", says, measured, verdict, FIGURE, unit, ours=True))

    return found


def charts(results: Results) -> list[Chart]:
    """What each delay costs each policy, and regret over time."""
    return [
        finals(results.frame, FIGURE, "Final regret by delay, per policy", by="policy"),
        curves(results.frame, "delay-curves", "Regret over time by delay"),
    ]
