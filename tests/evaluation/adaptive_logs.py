"""Logs written by a policy that learns and sees its luck, for means that move."""

from __future__ import annotations

import numpy as np

import factored_bandits as fb

SIZES = (2, 3)
FACTORS = {"a": ("x", "y"), "b": (1, 2, 3)}
LEAST = 0.25 / 6.0  # of a combination


def means_at(row: int) -> np.ndarray:
    """The mean reward of each combination; it moves, and the factors interact."""
    base = np.array([[0.3, 0.5, 0.2], [0.6, 0.1, 0.4]])
    return base + 0.2 * np.sin(row / 80.0) * 0.45


def adaptive_logs(number: int, rows: int, seed: int, means=means_at) -> list[fb.logs.Log]:
    """Each factor follows its luckiest level so far, and half of the time draws at random."""
    rng = np.random.default_rng(seed)
    totals = [np.ones((number, size)) for size in SIZES]
    plays = [np.full((number, size), 2.0) for size in SIZES]
    actions = np.empty((number, rows, 2), dtype=np.int64)
    rewards = np.empty((number, rows))
    propensities = np.empty((number, rows, 2))
    every = np.arange(number)
    for row in range(rows):
        for factor, size in enumerate(SIZES):
            favourite = np.argmax(totals[factor] / plays[factor], axis=1)
            anywhere = rng.integers(size, size=number)
            level = np.where(rng.random(number) < 0.5, favourite, anywhere)
            actions[:, row, factor] = level
            propensities[:, row, factor] = 0.5 / size + 0.5 * (level == favourite)
        a, b = actions[:, row].T
        rewards[:, row] = rng.random(number) < means(row)[a, b]
        for factor in range(2):
            totals[factor][every, actions[:, row, factor]] += rewards[:, row]
            plays[factor][every, actions[:, row, factor]] += 1
    return [
        fb.logs.Log(FACTORS, actions[i], rewards[i], (0.0, 1.0), each, each.prod(axis=1))
        for i, each in enumerate(propensities)
    ]
