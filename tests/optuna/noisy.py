"""A noisy yes/no objective whose answers depend on how many trials were finished, not on a clock.

    python noisy.py STORAGE TRIALS [KILLED_IN]

runs it on a study in a file, and is killed by `kill -9` inside the objective of the KILLED_IN-th
trial that this process runs.
"""

from __future__ import annotations

import os
import random
import signal
import sys

import optuna

import factored_bandits as fb

SPACE = {"ad": ["A", "B", "C"], "size": [1, 2, 3, 4], "rate": [0.1, 0.2, 0.3]}
GOOD = {"ad": "B", "size": 3, "rate": 0.2}


def suggested(trial: optuna.Trial) -> dict[str, object]:
    return {
        "ad": trial.suggest_categorical("ad", ["A", "B", "C"]),
        "size": trial.suggest_int("size", 1, 4),
        "rate": trial.suggest_float("rate", 0.1, 0.3, step=0.1),
    }


def probability(params: dict[str, object]) -> float:
    return 0.1 + 0.25 * sum(params[name] == level for name, level in GOOD.items())


def answer(params: dict[str, object], round: int) -> float:
    """1 or 0, the same for every process that asks in this round."""
    return float(random.Random(f"answer {round}").random() < probability(params))


def objective(trial: optuna.Trial) -> float:
    params = suggested(trial)
    trial.suggest_float("noise", 0, 1)  # no factor
    done = trial.study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
    return answer(params, len(done))


def study_in(storage: str | None, **arguments: object) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna.create_study(
        storage=storage,
        study_name="noisy",
        load_if_exists=True,
        direction="maximize",
        sampler=fb.optuna.Sampler(**{"search_space": SPACE, "seed": 3, **arguments}),
    )


def main() -> None:
    killed_in = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    run = 0

    def run_or_die(trial: optuna.Trial) -> float:
        nonlocal run
        run += 1
        value = objective(trial)
        if run == killed_in:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    study_in(sys.argv[1]).optimize(run_or_die, n_trials=int(sys.argv[2]))


if __name__ == "__main__":
    main()
