"""Optuna on a yes/no objective: what TPE picks, and what a sampler that averages picks.

A judge says whether an answer is good, yes or no. Every trial asks once. The best trial of a study
is then one that was lucky; fb.optuna.Sampler counts how often each value did well.
"""

import random

import optuna

import factored_bandits as fb

QUALITY = {
    "model": {"small": 0.50, "medium": 0.70, "large": 0.95},
    "prompt": {"short": 0.60, "long": 0.70, "examples": 0.95, "steps": 0.75},
    "temperature": {0.0: 0.95, 0.5: 0.80, 1.0: 0.55},
}


def probability(params):
    """How often the answer is good."""
    share = 1.0
    for name, value in params.items():
        share *= QUALITY[name][value]
    return share


def study_with(sampler):
    judge = random.Random(1)

    def objective(trial):
        trial.suggest_categorical("model", list(QUALITY["model"]))
        trial.suggest_categorical("prompt", list(QUALITY["prompt"]))
        trial.suggest_float("temperature", 0.0, 1.0, step=0.5)
        return float(judge.random() < probability(trial.params))

    study = optuna.create_study(sampler=sampler, direction="maximize")
    study.optimize(objective, n_trials=400)
    return study


def report(name, study, params):
    earned = sum(trial.value for trial in study.trials) / len(study.trials)
    words = ", ".join(f"{value}" for value in params.values())
    print(f"{name:18} picks {words}: {probability(params):.0%} good; trials {earned:.0%} good")


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    tpe = study_with(optuna.samplers.TPESampler(seed=1))
    report("TPE", tpe, tpe.best_params)

    space = {name: list(levels) for name, levels in QUALITY.items()}
    ours = study_with(fb.optuna.Sampler(search_space=space, seed=1))
    report("fb.optuna.Sampler", ours, fb.optuna.best_params(ours))
    print(f"\nconfidence {fb.optuna.confidence(ours):.1%}")
    print(fb.optuna.status(ours))
