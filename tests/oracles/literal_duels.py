"""Dueling algorithms as the papers write them: slow on purpose, the oracles of the fast forms.

Plain Python over W, every bound and every sum computed from scratch in every round. `plan` returns
a pair, `learn` takes the outcome for the first of it. Random numbers are drawn in the order of the
fast forms where those draw what the paper does; D-TS and RCS draw every theta from its Beta
distribution, so that they agree with the fast forms in distribution only.
"""

from __future__ import annotations

import itertools
import math

import numpy as np


def randint(rng, n):
    return int(rng.random() * n)


def shuffle(rng, items):
    for i in range(len(items) - 1, 0, -1):
        j = randint(rng, i + 1)
        items[i], items[j] = items[j], items[i]


def argmin(rng, values):
    """The key with the smallest value, ties at random."""
    choice = None
    ties = 0

    for key, value in values.items():
        if choice is None or value < values[choice]:
            choice = key
            ties = 1
        elif value == values[choice]:
            ties += 1
            if randint(rng, ties) == 0:
                choice = key

    return choice


def one_of_the_least(rng, values):
    """The same but for rounding, with one draw and only where it is needed."""
    least = [key for key, value in values.items() if value <= min(values.values()) + 1e-9]
    return least[0] if len(least) == 1 else least[randint(rng, len(least))]


def argmax(rng, values):
    return argmin(rng, {key: -value for key, value in values.items()})


def d(p):
    return sum(x * math.log(2 * x) for x in (p, 1 - p) if x > 0)


class Duels:
    """W, and what follows from it."""

    def __init__(self, arms):
        self.arms = range(arms)
        self.W = [[0.0] * arms for _ in self.arms]

    def N(self, i, j):
        return self.W[i][j] + self.W[j][i]

    def q(self, i, j):
        return self.W[i][j] / self.N(i, j) if self.N(i, j) > 0 else 0.5

    def learn(self, t, i, j, outcome):
        if i != j:
            self.W[i][j] += outcome
            self.W[j][i] += 1 - outcome

    def upper(self, t, alpha, unplayed, C=0.0):
        """u_ij as a matrix."""
        U = [[unplayed] * len(self.arms) for _ in self.arms]
        for i in self.arms:
            for j in self.arms:
                if i == j:
                    U[i][j] = 0.5
                elif self.N(i, j) > 0:
                    U[i][j] = self.q(i, j) + math.sqrt(alpha * math.log(t + C) / self.N(i, j))
        return U

    def strongest_rival(self, U, c, rng):
        others = {j: U[j][c] for j in self.arms if j != c and U[j][c] >= 0.5}
        return argmax(rng, others) if others else c


class Rucb(Duels):
    """Zoghi et al. 2014, Algorithm 1."""

    def __init__(self, arms, alpha=0.51, unplayed=1):
        super().__init__(arms)
        self.alpha = alpha
        self.unplayed = unplayed
        self.B = set()

    def plan(self, t, rng):
        U = self.upper(t, self.alpha, self.unplayed)
        C = [i for i in self.arms if all(U[i][j] >= 0.5 for j in self.arms)]
        self.B &= set(C)
        if not C:
            c = randint(rng, len(self.arms))
        elif len(C) == 1:
            self.B = set(C)
            c = C[0]
        elif self.B and rng.random() < 0.5:
            c = min(self.B)
        else:
            rest = [i for i in C if i not in self.B]
            c = rest[randint(rng, len(rest))]
        return c, self.strongest_rival(U, c, rng)


class Rmed(Duels):
    """Komiyama et al. 2015, Algorithms 1 and 2; `form` is 1, 2 or "fh"."""

    def __init__(self, arms, form, alpha=3.0, weight=0.3, horizon=0, sign=+1):
        super().__init__(arms)
        self.form = form
        self.alpha = alpha
        self.horizon = horizon
        self.sign = sign
        self.f = weight * arms**1.01

        # the passes over all pairs
        self.order = list(self.arms)
        self.swept = 0
        self.passing = False

        # the lists of the loop, and RMED2FH's fixed b_l
        self.LC = []
        self.LR = set()
        self.LN = list(self.arms)
        self.b = None

    def least_duels(self, t):
        """Every pair must have met at least so often."""
        if self.form == 1:
            return 1
        rounds = self.horizon if self.form == "fh" else t
        return math.ceil(self.alpha * math.log(math.log(max(rounds, 3))))

    def evidence(self, i):
        better = [j for j in self.arms if j != i and self.q(i, j) < 0.5]
        return sum(self.N(i, j) * d(self.q(i, j)) for j in better)

    def all_evidence(self):
        return {i: self.evidence(i) for i in self.arms}

    def price(self, l, best, j):
        regret = self.sign * (self.q(best, l) + self.q(best, j) - 1)
        return round(max(regret, 0.01) / d(self.q(l, j)), 9)

    def partner(self, l, best, rng):
        better = [j for j in self.arms if j != l and self.q(l, j) < 0.5]
        return argmin(rng, {j: self.price(l, best, j) for j in better})

    def plan(self, t, rng):
        # pairs that met so seldom, in random order
        while self.swept < self.least_duels(t):
            if not self.passing:
                shuffle(rng, self.order)
            self.loop = False
            self.passing = True
            rare = [
                (i, j)
                for k, i in enumerate(self.order)
                for j in self.order[k + 1 :]
                if self.N(i, j) <= self.swept
            ]
            if rare:
                return rare[0]
            self.swept += 1
            self.passing = False

        seldom = min(self.N(i, j) for i in self.arms for j in self.arms if i != j)
        assert seldom >= self.least_duels(t)

        # Algorithm 1: l in L_C
        self.loop = True
        best = one_of_the_least(rng, self.all_evidence())
        if self.form == "fh" and self.b is None:
            self.b = {l: self.partner(l, best, rng) for l in self.arms}
        if not self.LC:
            self.LC = self.LN
            self.LR = set(self.LN)
            self.LN = []
            shuffle(rng, self.LC)
        return self.duel_of(self.LC.pop(0), best, t, rng)

    def duel_of(self, l, best, t, rng):
        """Algorithm 2: l and its opponent."""
        O = [j for j in self.arms if j != l and self.q(l, j) <= 0.5]
        b = None
        if self.form == 2:
            b = self.partner(l, best, rng)
        elif self.form == "fh":
            b = self.b[l]

        if b is not None:
            if best in O and self.N(l, best) <= self.N(l, b) / math.log(math.log(max(t, 3))):
                return l, best
            if b in O:
                return l, b
        if best in O or not O:
            return l, best
        return l, argmin(rng, {j: self.q(l, j) for j in O})

    def learn(self, t, i, j, outcome):
        super().learn(t, i, j, outcome)
        if self.loop:
            self.LR.discard(i)
            I = self.all_evidence()
            for k in self.arms:
                likely = I[k] - min(I.values()) <= math.log(t) + self.f
                if k not in self.LR and k not in self.LN and likely:
                    self.LN.append(k)


class Dts(Duels):
    """Wu & Liu 2016, Algorithms 1 and 2; `prior` other than 1 is wrong on purpose."""

    def __init__(self, arms, plus=False, alpha=0.51, prior=1.0):
        super().__init__(arms)
        self.plus = plus
        self.alpha = alpha
        self.prior = prior

    def candidates(self, t):
        U = self.upper(t, self.alpha, 2.0)
        score = [sum(U[i][j] >= 0.5 for j in self.arms if j != i) for i in self.arms]
        return [i for i in self.arms if score[i] == max(score)]

    def sample(self, rng):
        W = np.array(self.W) + self.prior
        theta = np.triu(rng.beta(W, W.T), 1)
        theta += np.tril(1 - theta.T, -1)
        np.fill_diagonal(theta, 0.5)
        return theta

    def plan(self, t, rng):
        theta = self.sample(rng)
        zeta = (theta > 0.5).sum(axis=1) / (len(self.arms) - 1)
        C = self.candidates(t)
        tied = [i for i in C if zeta[i] == max(zeta[C])]
        if self.plus:
            first = argmin(rng, {i: self.cost(i, theta, zeta) for i in tied})
        else:
            first = tied[randint(rng, len(tied))]

        W = np.array(self.W) + self.prior
        phi = rng.beta(W[:, first], W[first])
        phi[first] = 0.5
        lower = [1 - u for u in self.upper(t, self.alpha, 2.0)[first]]  # l_ij = 1 - u_ji
        return first, max((i for i in self.arms if lower[i] <= 0.5), key=lambda i: phi[i])

    def cost(self, i, theta, zeta):
        """Algorithm 2: R_i, the sum over j of r_ij / d(theta_ij)."""
        regret = zeta.max() - (zeta[i] + zeta) / 2
        return sum(regret[j] / d(theta[i, j]) for j in self.arms if j != i)


class Rcs(Dts):
    """Zoghi et al. 2014 (WSDM), Algorithm 1."""

    def __init__(self, arms):
        super().__init__(arms)
        self.titles = [0] * arms

    def plan(self, t, rng):
        theta = self.sample(rng)
        c = next(
            (i for i in self.arms if all(theta[i, j] > 0.5 for j in self.arms if j != i)), None
        )
        if c is None:
            c = argmin(rng, dict(enumerate(self.titles)))
        self.titles[c] += 1
        return c, self.strongest_rival(self.upper(t, self.alpha, 1.0), c, rng)


class Merge(Duels):
    """MergeRUCB and MergeDTS with lists of lists."""

    def __init__(self, arms, form, alpha=1.01, batch=4, failure=0.01):
        super().__init__(arms)
        self.form = form
        self.alpha = alpha
        self.batch = batch
        self.stage = 0
        self.C = ((4 * alpha - 1) * arms**2 / ((2 * alpha - 1) * failure)) ** (1 / (2 * alpha - 1))

    def draw_batches(self, rng):
        order = list(self.arms)
        number = max(1, int(len(self.arms) / self.batch + 0.5))
        shuffle(rng, order)
        edges = [b * len(order) // number for b in range(number + 1)]
        self.batches = [order[a:z] for a, z in itertools.pairwise(edges)]
        self.stage = 1

    def merge(self, rng):
        ranks = list(range(len(self.batches)))
        shuffle(rng, ranks)
        old = sorted((self.batches[r] for r in ranks), key=len)
        self.batches = []
        while old:
            new = old.pop()
            if old and len(old[0]) + len(new) <= 1.5 * self.batch:
                new = new + old.pop(0)
            self.batches.append(new)

    def join_next(self, members):
        """An arm alone in its batch joins the next one."""
        if len(members) > 1 or len(self.batches) == 1 or self.form == "rucb":
            return members
        at = self.batches.index(members)
        target = self.batches[(at + 1) % len(self.batches)]
        target.extend(members)
        self.batches.pop(at)
        return target

    def plan(self, t, rng):
        if self.stage == 0:
            self.draw_batches(rng)
        if len(self.batches) > 1 and sum(map(len, self.batches)) <= len(self.arms) / 2**self.stage:
            self.merge(rng)
            self.stage += 1
        members = self.join_next(self.batches[t % len(self.batches)])
        U = self.upper(t, self.alpha, 1.0, self.C)
        while True:
            beaten = [
                k for k, i in enumerate(members) if any(U[i][j] < 0.5 for j in members if j != i)
            ]
            if not beaten:
                break
            members[beaten[0]] = members[-1]
            members.pop()
            members = self.join_next(members)

        if len(members) == 1:
            return members[0], members[0]
        if self.form == "rucb":
            c = members[randint(rng, len(members))]
            return c, argmax(rng, {j: U[j][c] for j in members if j != c})
        won = dict.fromkeys(members, 0)
        for k, i in enumerate(members):
            for j in members[:k]:
                won[i if rng.beta(self.W[i][j] + 1, self.W[j][i] + 1) > 0.5 else j] += 1
        first = argmax(rng, won)
        phi = {
            j: rng.beta(self.W[j][first] + 1, self.W[first][j] + 1) for j in members if j != first
        }
        return first, min(phi, key=phi.get)
