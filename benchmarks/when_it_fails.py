"""What TEA does where a factor has no best level (docs/explanation/when-it-fails.md).

Regret per round and the combination recommended at the end, of 20 repetitions; with `--agents`, how
often and when `diagnose` raises the alarm in 10 agents, and when the first level is out.
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
HORIZON, ROUNDS, AGENTS = 10**5, 2000, 10


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
    first, out = [], []
    for seed in range(AGENTS):
        alarm, gone = watched(problem, bound, seed)
        first.append(alarm)
        out.append(gone)
    raised = sorted(t for t in first if t)
    gone = sorted(t for t in out if t)
    when = f"median round {statistics.median(raised):,.0f}" if raised else "-"
    then = f"median round {statistics.median(gone):,.0f}" if gone else "-"
    print(
        f"  {bound:<10} alarm in {len(raised)} of {AGENTS}, {when}; a level out in {len(gone)}, "
        f"{then}"
    )


def watched(problem, bound, seed):
    factors = {f"factor {l}": list(range(size)) for l, size in enumerate(problem.sizes)}
    agent = fb.Agent("tea", factors=factors, bound=bound, seed=seed, diagnostics=True)
    rng, alarm, gone = np.random.default_rng(seed), 0, 0
    for t in range(1, ROUNDS + 1):
        decision = agent.ask()
        agent.tell(
            decision.id, problem.module.sample(problem.data, t, np.array(decision.action), rng)
        )
        if t % 25 == 0:
            alarm = alarm or (t if agent.diagnose().alarms else 0)
            gone = gone or (0 if agent._state.active.all() else t)
        if alarm and gone:
            break
    return alarm, gone


if __name__ == "__main__":
    for name, means in TABLES.items():
        print(f"{name}: {means}")
        for bound in ("paper", "betting"):
            regret(means, fb.policies.make("tea", bound=bound))
        if "--agents" in sys.argv:
            for bound in ("paper", "betting"):
                alarms(means, bound)
