"""Mean regret of TEA under its four bounds, 10^6 rounds: a table of docs/explanation/bounds.md."""

from __future__ import annotations

import sys

import factored_bandits as fb

BOUNDS = ("paper", "hoeffding", "bernstein", "betting")


def main() -> None:
    problems = {
        f"rank one 16 x 16, best {best}": ("tea", fb.environments.spiked(16, best, 0.2))
        for best in (0.0625, 0.25, 0.5, 0.75, 1.0)
    }
    problems |= {
        f"duels, K = {arms}, p = {p}": ("dueling_tea", fb.environments.identical_gap(arms, p))
        for arms, p in ((16, 0.7), (128, 0.7), (128, 0.95))
    }
    print(f"{'problem':<29}" + "".join(f"{bound:>18}" for bound in BOUNDS))
    for label, (policy, problem) in problems.items():
        cells = []
        for bound in BOUNDS:
            made = fb.policies.make(policy, bound=bound)
            summary = fb.simulate(
                made, problem, 1e6, repetitions=20, progress=sys.stderr.isatty()
            ).summary()
            cells.append(f"{summary.mean:,.0f} +- {summary.standard_error:,.0f}")
        print(f"{label:<29}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
