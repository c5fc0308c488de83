"""What TEA does where a factor has no best level (docs/explanation/when-it-fails.md).

Regret per round and the combination recommended at the end, of 20 repetitions. With `--agents`, how
often and when `diagnose` raises an alarm in 10 agents, and when the first level is eliminated.
"""

from __future__ import annotations

import statistics
import sys

import numpy as np

import factored_bandits as fb

TABLES = {
    "crossed": [[0.8, 0.2], [0.2, 0.8]],
    "lopsided": [[0.9, 0.2], [0.1, 0.4]],
    "hidden": [[0.9, 0.1, 0.1], [0.1, 0.7, 0.6], [0.1, 0.6, 0.5]],
    "3 x 3": [[0.8, 0.3, 0.2], [0.2, 0.7, 0.3], [0.3, 0.2, 0.6]],
}
HORIZON = 10**5
ROUNDS = 2000
AGENTS = 10


def regret(means, policy):
    problem = fb.environments.make("table", means=means)
    result = fb.simulate(policy, problem, HORIZON, repetitions=20, progress=False)
    rate = result.regret[:, -1] / HORIZON
    uniform = problem.mean(problem.best) - np.mean(means)
    played = f"{rate.min():.3f} to {rate.max():.3f}"
    print(
        f"  {policy.label:<20} {played:<16} (uniform play {uniform:.3f})  best found "
        f"{result.correct[:, -1].mean():.0%}"
    )


def alarms(means, bound):
    problem = fb.environments.make("table", means=means)
    runs = [watched(problem, bound, seed) for seed in range(AGENTS)]
    raised = [alarm for alarm, _ in runs if alarm]
    eliminated = [elimination for _, elimination in runs if elimination]
    print(
        f"  {bound:<10} alarm in {len(raised)} of {AGENTS}, {middle(raised)}; "
        f"a level eliminated in {len(eliminated)}, {middle(eliminated)}"
    )


def middle(rounds):
    return f"median round {statistics.median(rounds):,.0f}" if rounds else "-"


def watched(problem, bound, seed):
    """The rounds of the first alarm and of the first elimination, 0 for never."""
    factors = {f"factor {l}": list(range(size)) for l, size in enumerate(problem.sizes)}
    agent = fb.Agent("tea", factors=factors, bound=bound, seed=seed, diagnostics=True)
    rng = np.random.default_rng(seed)
    alarm = 0
    elimination = 0
    for t in range(1, ROUNDS + 1):
        decision = agent.ask()
        reward = problem.module.sample(problem.data, t, np.array(decision.action), rng)
        agent.tell(decision.id, reward)
        if t % 25 == 0:
            alarm = alarm or (t if agent.diagnose().alarms else 0)
            out = any(not row.active for row in agent.status().rows)
            elimination = elimination or (t if out else 0)
        if alarm and elimination:
            break
    return alarm, elimination


if __name__ == "__main__":
    for name, means in TABLES.items():
        print(f"{name}: {means}")
        for bound in ("paper", "betting"):
            regret(means, fb.policies.make("tea", bound=bound))
        if "--agents" in sys.argv:
            for bound in ("paper", "betting"):
                alarms(means, bound)
