"""`logistic_halving` as it is specified, with dense matrices and a list of all combinations.

The first half of the plays is random and given; everything after it follows from the rewards.
"""

from __future__ import annotations

import itertools
import math

import numpy as np


class Halving:
    """The plays of the second half, one after the other."""

    def __init__(self, sizes, horizon, candidates=32, variance=1.0):
        self.sizes = sizes
        self.horizon = horizon
        self.most = candidates
        self.everything = list(itertools.product(*map(range, sizes)))
        d = 1 + sum(sizes)
        self.mean = np.zeros(d)
        self.covariance = variance * np.eye(d)
        self.wins = dict.fromkeys(self.everything, 0.0)
        self.plays = dict.fromkeys(self.everything, 0)
        self.played = 0
        self.candidates = None

    def vector(self, action):
        levels = [np.eye(size)[i] for size, i in zip(self.sizes, action, strict=True)]
        return np.concatenate([[1.0], *levels])

    def predicted(self, action):
        return 1.0 / (1.0 + math.exp(-(self.vector(action) @ self.mean)))

    def learn(self, action, reward):
        x = self.vector(action)
        p = self.predicted(action)
        self.covariance = np.linalg.inv(
            np.linalg.inv(self.covariance) + p * (1 - p) * np.outer(x, x)
        )
        self.mean = self.mean + self.covariance @ x * (reward - p)
        self.wins[action] += reward
        self.plays[action] += 1
        self.played += 1

    def n0(self):
        above = below = 0.0
        for i in self.everything:
            c, w, p = self.plays[i], self.wins[i], self.predicted(i)
            if c >= 2 and 0.01 <= p <= 0.99:
                above += (w - c * p) ** 2 / (p * (1 - p)) - c
                below += c * (c - 1)
        rho = above / below if below else 0.0
        return float(np.clip(1 / rho - 1, 10, 1000)) if rho > 0 else 1000.0

    def ranked(self, among):
        n0 = self.n0()

        def score(i):
            return (self.wins[i] + n0 * self.predicted(i)) / (self.plays[i] + n0)

        return sorted(among, key=score, reverse=True)

    def second_half(self):
        """Yield each play; `learn` is to be called with its reward before the next."""
        self.candidates = self.ranked(self.everything)[: self.most]
        rounds = math.ceil(math.log2(len(self.candidates)))
        for r in range(rounds):
            plays = (self.horizon - self.played) // (rounds - r)
            for i in range(plays):
                yield self.candidates[i % len(self.candidates)]
            keep = max(2, (len(self.candidates) + 1) // 2)
            self.candidates = self.ranked(self.candidates)[:keep]

    def recommended(self):
        return self.ranked(self.candidates)[0]
