"""How much wealth rule "wealth" of `leader_tea` asks for: what it saves, and what it risks.

    python benchmarks/leader_rest.py                 small gaps: regret, and runs that lock in
    python benchmarks/leader_rest.py --changes       rounds until another best level is noticed
    python benchmarks/leader_rest.py --runs 200 --choices 20:16,20:24,300:64

A choice is ENOUGH:REST of policies/leader/thresholds.py; 1e300:1 asks for t / K, always. Regret on
the suite is printed by `constants.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
from constants import changed, constant

import factored_bandits as fb

POLICY = "leader_tea"
MODULE = "policies.leader.thresholds"
CHOICES = "1e300:1,20:16,20:24,20:32,50:24,300:64"
HORIZON = 1_000_000
PROBLEMS = {
    "16 x 16, gaps of 0.05": ([[0.05] + [0.0] * 15] * 2, 0.45),
    "6 x 4, gaps of 0.03": ([[0.03] + [0.0] * 5, [0.03] + [0.0] * 3], 0.2),
}
# the best page becomes another one after so many rounds, and that is waited for so long
CHANGES = (3_000, 10_000)
LONGEST = 100_000
FACTORS = {"page": ["A", "B", "C"], "button": ["red", "blue"]}
SHARES = (0.5, 0.9, 1.0)


@contextmanager
def asked_for(enough: float, rest: float) -> Iterator[None]:
    """The policy asks for so much meanwhile."""
    with ExitStack() as stack:
        for name, value in (("ENOUGH", enough), ("REST", rest)):
            stack.enter_context(changed(constant(f"{MODULE}.{name}={value}"), value))
        yield


def small_gaps(label: str, runs: int) -> None:
    """Mean, and how many runs have twice and three times the median."""
    for name, (effects, base) in PROBLEMS.items():
        problem = fb.environments.make("additive", effects=effects, base=base)
        result = fb.simulate(POLICY, problem, HORIZON, runs, seed=100, progress=False)
        regret = result.regret[:, -1]
        found = result.summary()
        print(
            f"{label:>10}  {name:<22} mean {found.mean:,.0f} +- {found.standard_error:.0f}, median "
            f"{found.median:,.0f}, worst {regret.max():,.0f}; of {runs} runs over twice the median "
            f"{(regret > 2 * found.median).sum()}, over three times "
            f"{(regret > 3 * found.median).sum()}",
            flush=True,
        )


def rounds_until_noticed(seed: int, change: int) -> int:
    """A is the best page until round `change`, then B is; LONGEST if that is not noticed."""
    rng = np.random.default_rng(seed)
    agent = fb.Agent(POLICY, factors=FACTORS, seed=seed)
    for t in range(change + LONGEST):
        decision = agent.ask()
        page, button = decision.action
        rate = 0.2 + 0.3 * (page == int(t >= change)) + 0.3 * (button == 0)
        agent.tell(decision.id, float(rng.random() < rate))
        if t >= change and agent.best()["page"] == "B":
            return t - change
    return LONGEST


def changes(label: str, runs: int) -> None:
    """How long it takes in half of the runs, in nine of ten, and at most."""
    for change in CHANGES:
        found = [rounds_until_noticed(seed, change) for seed in range(runs)]
        quantiles = ", ".join(f"{value:,.0f}" for value in np.quantile(found, SHARES))
        print(
            f"{label:>10}  another best level after {change:,} rounds is noticed after (median, "
            f"90 %, longest; at most {LONGEST:,}): {quantiles}",
            flush=True,
        )


def choice(text: str) -> tuple[str, float, float]:
    """What "20:24" names; refused if it is no pair of numbers."""
    try:
        enough, rest = (float(part) for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be ENOUGH:REST, as in 20:24") from None
    return text, enough, rest


def choices(text: str) -> list[tuple[str, float, float]]:
    return [choice(part) for part in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changes", action="store_true", help="the best level changes")
    parser.add_argument("--runs", type=int, help="by default 2,000, of changes 20")
    parser.add_argument(
        "--choices", type=choices, default=CHOICES, help="ENOUGH:REST, comma-separated"
    )
    given = parser.parse_args()
    part, runs = (changes, 20) if given.changes else (small_gaps, 2000)

    for label, enough, rest in given.choices:
        with asked_for(enough, rest):
            part(label, given.runs or runs)


if __name__ == "__main__":
    main()
