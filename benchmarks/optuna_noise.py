"""Optuna's TPE and fb.optuna.Sampler on one objective, with much noise and with little.

    python benchmarks/optuna_noise.py                      # 8 seeds, 500 trials: a minute or two
    python benchmarks/optuna_noise.py --seeds 2 --trials 100 --samplers tpe,lb_inf

5 x 4 x 4 values. The true mean of a combination is a logistic sum: 0.488 over all of them, 0.832
the best. "yes/no" returns 1 with that probability, or else 0. "little noise" returns it with a
normal error of standard deviation 0.01.

- pick: the true mean of what is recommended in the end. For Optuna's samplers that is
  study.best_params, and, under "by mean", the combination with the highest average among those
  that were tried as often as the median one; for ours fb.optuna.best_params(study).
- earned: the true mean of what was tried, averaged over the trials.
- seconds: CPU time of study.optimize, samplers by turns.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import optuna

import factored_bandits as fb
from factored_bandits.core.stats import mean_of

EFFECTS = {
    "model": [0.0, 0.3, 0.6, 0.9, 1.2],
    "prompt": [0.0, 0.3, 0.6, 1.0],
    "examples": [0.0, 0.3, 0.6, 1.0],
}
BASE = -1.6
SPACE = {name: list(range(len(effects))) for name, effects in EFFECTS.items()}
OPTUNA = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}


def true_mean(params: dict[str, int]) -> float:
    total = BASE + sum(EFFECTS[name][level] for name, level in params.items())
    return 1 / (1 + math.exp(-total))


def by_mean(study: optuna.Study) -> dict[str, int]:
    """The combination with the highest average, of those that were tried often enough."""
    values = defaultdict(list)
    for trial in study.get_trials(deepcopy=False):
        values[tuple(trial.params[name] for name in SPACE)].append(trial.value)
    often = statistics.median(map(len, values.values()))
    averages = {key: np.mean(told) for key, told in values.items() if len(told) >= often}
    return dict(zip(SPACE, max(averages, key=averages.__getitem__), strict=True))


def run(name: str, noise: Callable[..., float], trials: int, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    earned = []

    def objective(trial: optuna.Trial) -> float:
        params = {key: trial.suggest_categorical(key, levels) for key, levels in SPACE.items()}
        earned.append(true_mean(params))
        return noise(rng, earned[-1])

    ours = name not in OPTUNA
    sampler = fb.optuna.Sampler(name, SPACE, seed=seed) if ours else OPTUNA[name](seed=seed)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    began = time.process_time()
    study.optimize(objective, n_trials=trials)
    seconds = time.process_time() - began

    pick = fb.optuna.best_params(study) if ours else study.best_params
    mean = pick if ours else by_mean(study)
    return {
        "pick": true_mean(pick),
        "by mean": true_mean(mean),
        "earned": float(np.mean(earned)),
        "seconds": seconds,
    }


NOISES = {
    "yes/no": lambda rng, mean: float(rng.random() < mean),
    "little noise": lambda rng, mean: float(np.clip(mean + 0.01 * rng.normal(), 0, 1)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--samplers", default="random,tpe,lb_inf,leader_tea")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names = arguments.samplers.split(",")

    every = [
        true_mean(dict(zip(SPACE, levels, strict=True)))
        for levels in itertools.product(*SPACE.values())
    ]
    print(f"all combinations {np.mean(every):.3f}, the best {max(every):.3f}")
    print(
        f"{arguments.trials} trials, {arguments.seeds} seeds; mean +- standard error; "
        "of picks also median and worst"
    )

    for case, noise in NOISES.items():
        found = defaultdict(list)
        for seed, name in itertools.product(range(arguments.seeds), names):
            found[name].append(run(name, noise, arguments.trials, seed))

        print(f"\n{case:18}{'pick':^31}{'by mean':^18}{'earned':^18}{'seconds':^16}")
        for name in names:
            cells = []
            for column in ("pick", "by mean", "earned", "seconds"):
                values = np.array([row[column] for row in found[name]])
                mean, error = mean_of(values)
                more = f" {np.median(values):.3f} {values.min():.3f}" if column == "pick" else ""
                cells.append(f"{mean:.3f} +- {error:.3f}{more}")
            print(f"{name:18}  {'   '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
