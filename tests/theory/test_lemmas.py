"""The lemmas of the appendix: exactly where that is possible, on dense grids, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from factored_bandits.theory import SUM_OF_INVERSES


def log_f(x):
    return np.log(x + 1) + 2 * np.log(np.log(x + 1))


class TestLemma2:
    """For y >= 1, z >= 10 and x > z y + 4 z log(z y): z (log f(x) + y) / x < 1."""

    y = np.geomspace(1, 1e6, 300)[:, None, None]
    beyond = (1 + np.geomspace(1e-9, 1e6, 60))[None, None, :]

    def left(self, z, extra=0.0):
        x = (z * self.y + 4 * z * np.log(z * self.y)) * self.beyond
        return z * (log_f(x) + extra + self.y) / x

    def test_on_a_grid(self):
        assert self.left(np.geomspace(10, 1e12, 300)[None, :, None]).max() < 1

    def test_with_the_f_of_lemma_3(self):
        assert self.left(np.geomspace(10, 1e12, 300)[None, :, None], extra=math.log(2)).max() < 1

    def test_it_needs_a_z_that_is_not_too_small(self):
        """Theorem 1 uses z = 48 / gap^2 >= 12; the inequality fails for some y if z is below 4."""
        worst = [self.left(np.array([[[z]]])).max() for z in (4.0, 12.0)]
        assert worst[0] > 1 > worst[1]


def mgf_of_means(n, m, k, ones, s):
    """log E exp(s Z) where Z is the mean of m minus the mean of k numbers drawn without replacement
    from n, `ones` of
    which are 1 and the others -1."""
    x, y = np.meshgrid(np.arange(m + 1), np.arange(k + 1), indexing="ij")
    rest = ones - x - y
    ways = [math.comb(m, a) * math.comb(k, b) * (math.comb(n - m - k, c) if c >= 0 else 0)
            for a, b, c in zip(x.flat, y.flat, rest.flat, strict=True)]  # fmt: skip
    probability = np.array(ways, dtype=float) / math.comb(n, ones)
    value = ((2 * x - m) / m - (2 * y - k) / k).ravel()[probability > 0]
    exponents = s[:, None] * value + np.log(probability[probability > 0])
    highest = exponents.max(axis=1)
    return highest + np.log(np.exp(exponents - highest[:, None]).sum(axis=1))


class TestLemma4:
    """Z, the mean of m minus the mean of k of n variables, disjoint random samples, is sub-Gaussian
    with variance proxy 3 (m + k) / (m k): noise of variance proxy 1 has (m + k) / (m k) of that,
    the choice of means the other two.

    The moment generating function is convex in the means, so means of +-1 are the worst.
    """

    def test_exactly(self):
        tightest = 0.0
        for n in range(2, 12):
            for m in range(1, n // 2 + 1):
                for k in range(m, n - m + 1):
                    s = np.geomspace(1e-2, 50, 60) * math.sqrt(m * k / (m + k))
                    for ones in range(n + 1):
                        proxy = 2 * mgf_of_means(n, m, k, ones, s) / s**2
                        assert (proxy <= 2 * (m + k) / (m * k) * (1 + 1e-9)).all(), (n, m, k, ones)
                        tightest = max(tightest, float((proxy * m * k / (m + k)).max()))
        assert tightest > 1.999  # two variables with means 1 and -1: the 3 cannot be made smaller

    @pytest.mark.parametrize("noise", ["gaussian", "signs"])
    def test_by_simulation(self, noise):
        rng, runs = np.random.default_rng(4), 200_000
        n, m, k = 7, 2, 3
        p = np.array([1.0, 0.9, -1.0, 0.2, -0.8, -1.0, 0.7])
        order = rng.permuted(np.tile(np.arange(n), (runs, 1)), axis=1)
        if noise == "gaussian":
            x = p[order] + rng.standard_normal((runs, n))
        else:
            x = np.where(rng.random((runs, n)) < (1 + p[order]) / 2, 1.0, -1.0)
        z = x[:, :m].mean(axis=1) - x[:, m : m + k].mean(axis=1)
        sigma = math.sqrt(3 * (m + k) / (m * k))
        assert abs(z.mean()) < 4 * z.std() / math.sqrt(runs)
        for s in (-1.5, -0.5, 0.5, 1.5):
            sample = np.exp(s * z)
            assert sample.mean() - 4 * sample.std() / math.sqrt(runs) <= math.exp(
                s**2 * sigma**2 / 2
            )
        for at in (0.5, 1.0, 1.5, 2.0):
            bound = math.exp(-(at**2) / 2)
            assert (z >= at * sigma).mean() <= bound + 4 * math.sqrt(bound / runs)


class TestLemma3:
    """Sums of sub-Gaussian variables whose variances depend on the past cross sqrt(2 n log(f(n) /
    delta)) seldom.
    """

    def crossings(self, factor, delta, width=1.0, runs=20_000, steps=400):
        """Shares of runs that cross, above and below; each step adds 1, 2 or 5 to n, more when the
        sum is ahead.
        """
        rng = np.random.default_rng(3)
        total, n = np.zeros(runs), np.zeros(runs)
        crossed = np.zeros((2, runs), dtype=bool)
        for _ in range(steps):
            ahead = total > np.sqrt(n)
            weight = np.where(ahead, 5.0, np.where(total > 0, 2.0, 1.0))
            n += weight
            total += np.sqrt(weight) * rng.standard_normal(runs)
            radius = width * np.sqrt(2 * n * (log_f(n) + math.log(factor / delta)))
            crossed |= np.array([total >= radius, -total >= radius])
        return crossed.mean(axis=1)

    @pytest.mark.parametrize("factor", [1.0, 2.0])
    @pytest.mark.parametrize("delta", [0.1, 0.5, 0.9])
    def test_by_simulation(self, factor, delta):
        """With the f of the lemma (factor 2) and with that of the algorithms: below delta in both
        cases.
        """
        for share in self.crossings(factor, delta):
            assert share <= delta + 4 * math.sqrt(delta / 20_000)

    def test_a_radius_that_is_too_small_would_be_noticed(self):
        assert self.crossings(factor=2.0, delta=0.1, width=0.5).max() > 0.15

    def test_the_proof_gives_a_little_more_than_delta(self):
        """Its union bound: one crossing of level k for each k, each at most delta / f(k)."""
        assert pytest.approx(1.0549, abs=1e-4) == SUM_OF_INVERSES / 2
        assert pytest.approx(2.1097, abs=1e-4) == SUM_OF_INVERSES
