"""How wide intervals from logs are, and how often they are ever wrong.

    python benchmarks/off_policy.py

A uniform log over 3 x 3 combinations with rewards 0 and 1. Beside the intervals by weighting: the
usual interval of the self-normalised estimate (1.96 standard errors), which is valid once, for a
number of rows that was fixed beforehand. Errors are counted at 31 sizes from 100 rows on.
"""

from __future__ import annotations

import numpy as np

from factored_bandits.evaluation.weighting import value_of

RUNS = 200
ROWS = 10_000
SIZES = np.unique(np.geomspace(100, ROWS, 31).round().astype(int))
CELLS = 9
MEAN = 0.3


def one_run(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Lower and upper ends at every size, of each interval."""
    weights = np.where(rng.integers(CELLS, size=ROWS) == 0, float(CELLS), 0.0)
    rewards = (rng.random(ROWS) < MEAN).astype(float)
    ends: dict[str, list[tuple[float, float]]] = {"w x": [], "with a baseline": [], "usual": []}
    for size in SIZES:
        w = weights[:size]
        x = rewards[:size]
        ends["w x"].append(value_of(w, x, None, 0.05)[1:])
        ends["with a baseline"].append(value_of(w, x, float(CELLS), 0.05)[1:])
        total = max(w.sum(), 1.0)
        estimate = (w * x).sum() / total
        error = np.sqrt((w**2 * (x - estimate) ** 2).sum()) / total
        ends["usual"].append((estimate - 1.96 * error, estimate + 1.96 * error))
    return {name: np.array(pairs) for name, pairs in ends.items()}


def main() -> None:
    rng = np.random.default_rng(1)
    runs = [one_run(rng) for _ in range(RUNS)]
    print(f"interval         {'wide at 1,000':>14} {'wide at 10,000':>15} {'ever wrong':>11}")
    at = int(np.searchsorted(SIZES, 1000))
    for name in runs[0]:
        ends = np.array([run[name] for run in runs])
        wide = (ends[..., 1] - ends[..., 0]).mean(axis=0)
        wrong = ((ends[..., 0] > MEAN) | (ends[..., 1] < MEAN)).any(axis=1).mean()
        print(f"{name:<16} {wide[at]:>14.3f} {wide[-1]:>15.3f} {wrong:>10.1%}")


if __name__ == "__main__":
    main()
