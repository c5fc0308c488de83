"""`duel_top_two` and `duel_halving` as they are specified, line by line: slow on purpose.

Plain Python and dense matrices, everything computed from scratch; random numbers are drawn in the
order of the policies. A duel is (x, y), each a list with a level per factor.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from .literal_duels import randint, shuffle


def sigma(x):
    return 1.0 / (1.0 + math.exp(-x))


def Phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


class TopTwo:
    """Section A (one factor) and section C (several) of the specification."""

    def __init__(self, sizes, delta=0.05, variance=1.0):
        self.delta = delta
        self.L = len(sizes)
        ends = np.cumsum([0, *sizes])
        self.levels = [range(a, b) for a, b in itertools.pairwise(ends)]
        d = ends[-1]
        self.m = np.zeros(d)
        self.S = math.sqrt(variance / self.L) * np.eye(d)
        self.w = np.zeros(d)
        self.peak = np.zeros(d)
        self.r = [0] * self.L
        self.asked = 0
        self.verdicts = 0
        self.sure = False

    def lead(self, rng):
        chosen = []
        for levels in self.levels:
            most = max(self.m[k] for k in levels)
            best = [k for k in levels if self.m[k] >= most - 1e-9]  # but for rounding
            pick = best[0]
            for ties, k in enumerate(best[1:], start=2):
                if randint(rng, ties) == 0:
                    pick = k
            chosen.append(pick)
        return chosen

    def is_sure(self):
        total = 0.0
        for levels in self.levels:
            lead = max(levels, key=lambda k: self.m[k])
            for k in levels:
                if k != lead:
                    distance = np.linalg.norm(self.S[lead] - self.S[k])
                    total += Phi(-(self.m[lead] - self.m[k]) / distance)
        return total <= self.delta

    def ask(self, rng):
        self.asked += 1
        certify = self.sure and self.asked % 4 != 0 if self.L == 1 else self.asked % 2 == 1
        x = y = None
        if certify:
            x = self.lead(rng)
            y = list(x)
            for l, levels in enumerate(self.levels):
                for step in range(len(levels)):
                    k = levels[(self.r[l] + step) % len(levels)]
                    if k != x[l] and self.peak[k] < math.log(self.L / self.delta):
                        y[l] = k
                        self.r[l] = (k - levels[0] + 1) % len(levels)
                        break

        if x == y:
            z = rng.standard_normal(len(self.m))
            theta = self.m + self.S @ z
            x = [max(levels, key=lambda k, theta=theta: theta[k]) for levels in self.levels]
            z = rng.standard_normal(len(self.m))
            theta = self.m + self.S @ z
            y = [max(levels, key=lambda k, theta=theta: theta[k]) for levels in self.levels]
            if x == y:
                costs = {
                    (l, k): theta[x[l]] - theta[k]
                    for l, levels in enumerate(self.levels)
                    for k in levels
                    if k != x[l]
                }
                if costs:
                    l, k = min(costs, key=costs.get)
                    y[l] = k

        for l in range(self.L):
            if x[l] != y[l] and rng.random() < 0.5:
                x[l], y[l] = y[l], x[l]
        first = [levels[0] for levels in self.levels]
        return [k - a for k, a in zip(x, first, strict=True)], [
            k - a for k, a in zip(y, first, strict=True)
        ]

    def tell(self, x, y, r):
        x = [levels[k] for levels, k in zip(self.levels, x, strict=True)]
        y = [levels[k] for levels, k in zip(self.levels, y, strict=True)]
        differ = [l for l in range(self.L) if x[l] != y[l]]
        g = {l: self.m[x[l]] - self.m[y[l]] for l in differ}
        q = sum(gap**2 for gap in g.values())

        for l in differ:
            spread = q - g[l] ** 2 + np.sum((self.S[x[l]] - self.S[y[l]]) ** 2)
            p = sigma(g[l] / math.sqrt(1.0 + math.pi / 8.0 * spread))
            low = x[l] if p < 0.5 else y[l]
            p_low = min(p, 1.0 - p)
            r_low = r if p < 0.5 else 1.0 - r
            self.w[low] += math.log(2.0 * (p_low * r_low + (1.0 - p_low) * (1.0 - r_low)))
            self.peak = np.maximum(self.peak, self.w)

        f = sum((self.S[x[l]] - self.S[y[l]] for l in differ), np.zeros(len(self.m)))
        P = sigma(sum(g.values()))
        W = max(P * (1.0 - P), 1e-6)
        a = 1.0 / (f @ f + 1.0 / W)
        c = a / (1.0 + math.sqrt(a / W))
        u = self.S @ f
        self.m += a * u * (r - P) / W
        self.S -= c * np.outer(u, f)

        self.verdicts += 1
        if self.verdicts % 5 == 0:
            self.sure = self.is_sure()


class Halving:
    """R = ceil(log2 K) rounds of random perfect matchings, pooled shares of wins."""

    def __init__(self, arms, budget):
        self.left = list(range(arms))
        self.wins = [0.0] * arms
        self.duels = [0] * arms
        self.budget = budget
        self.asked = 0
        self.told = 0
        self.rounds = math.ceil(math.log2(arms))
        self.goal = budget // self.rounds
        self.waiting = []

    def score(self, k):
        return self.wins[k] / self.duels[k] if self.duels[k] else 0.5

    def ask(self, rng):
        while self.rounds > 1 and self.told >= self.goal:
            shuffle(rng, self.left)
            kept = (len(self.left) + 1) // 2
            # the swaps of a selection sort, so that the next shuffle meets the same order
            for slot in range(kept):
                rest = range(slot, len(self.left))
                best = max(rest, key=lambda i: self.score(self.left[i]))
                self.left[slot], self.left[best] = self.left[best], self.left[slot]
            self.left = self.left[:kept]
            self.rounds -= 1
            self.goal = self.asked + max(self.budget - self.asked, 0) // self.rounds
            self.waiting = []

        if len(self.waiting) < 2:
            shuffle(rng, self.left)
            self.waiting = list(self.left)
        x = self.waiting.pop(0)
        y = self.waiting.pop(0)
        self.asked += 1
        return x, y

    def tell(self, x, y, r):
        self.told += 1
        self.wins[x] += r
        self.wins[y] += 1.0 - r
        self.duels[x] += 1
        self.duels[y] += 1

    def best(self):
        return max(self.left, key=self.score)
