"""What TEM knows of one factor, many phases at a time, in many repetitions at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.policies.tem import bounds

# how far the largest difference of two rewards goes on the scale of TEM
FARTHEST = 2.0


def _bernstein_gain(y: float, lead: float, comparisons: float, squares: float) -> float:
    """What one comparison adds to V; lead and comparisons are those before it."""
    return (y - bounds.centre(lead, comparisons)) ** 2


def _betting_gain(y: float, lead: float, comparisons: float, squares: float) -> float:
    """What one comparison adds to log wealth; lead and squares are those before it."""
    return math.log1p(bounds.stake(lead, squares) * y)


_threshold = np.frompyfunc(bounds.threshold, 5, 1)
_gains = {
    bounds.BERNSTEIN: np.frompyfunc(_bernstein_gain, 4, 1),
    bounds.BETTING: np.frompyfunc(_betting_gain, 4, 1),
}


@dataclass
class FactorWalk:
    """One factor in all repetitions: what TEM knows of the best level against each other one."""

    best: int
    active: Bools
    lead: Floats  # D of the best level over each
    comparisons: Floats  # N
    squares: Floats
    evidence: Floats

    @staticmethod
    def new(repetitions: int, size: int, best: int) -> FactorWalk:
        """Nothing is known, and every level is active."""
        sums = [np.zeros((repetitions, size)) for _ in range(4)]
        return FactorWalk(best, np.ones((repetitions, size), dtype=np.bool_), *sums)

    @property
    def count(self) -> Ints:
        """The active levels of each repetition."""
        return np.asarray(self.active.sum(axis=1))

    def advance(
        self,
        bound: int,
        phases: Floats,
        length: Ints,
        means: Floats,
        variances: Floats,
        log_inv_delta: float,
        rng: np.random.Generator,
    ) -> Bools:
        """So many phases of this length; returns which levels are eliminated at their end."""
        count = self.count
        rest = length % count
        # lines 20-26 of Algorithm 3: full turns, and the last one with a random part of the levels
        pairs = length // count + rest * (rest - 1) / np.maximum(1, count * (count - 1))
        n = (phases * pairs)[:, None]

        noise = rng.normal(size=means.shape) * np.sqrt(variances * n)
        expected = means[:, [self.best]] - means
        change = n * expected + noise[:, [self.best]] - noise
        squares = variances + variances[:, [self.best]] + expected**2

        compared = self.active & (count > 1)[:, None]
        compared[:, self.best] = False
        at = np.nonzero(compared)
        n = np.broadcast_to(n, means.shape)[at]

        if bounds.pairs_plays(bound):
            gained = self._gained(bound, at, n, expected[at], squares[at], change[at])
            self.evidence[at] += gained
        self.lead[at] += change[at]
        self.comparisons[at] += n
        self.squares[at] += n * squares[at]

        # line 10, solved for log(1 / delta)
        size = means.shape[1]
        tau = _threshold(bound, self.lead[at], self.comparisons[at], size, self.evidence[at])
        gone = np.zeros_like(self.active)
        gone[at] = np.asarray(tau, dtype=np.float64) > log_inv_delta
        return gone

    def _gained(
        self,
        bound: int,
        at: tuple[Ints, ...],
        n: Floats,
        mean: Floats,
        square: Floats,
        total: Floats,
    ) -> Floats:
        """The evidence of n comparisons with this mean and mean square, whose sum is known.

        A difference of two rewards 0 and 1 has three values; others are taken for such, too.
        """
        before = self.lead[at], self.comparisons[at], self.squares[at]
        up, none, down = (
            np.asarray(_gains[bound](y, *before), dtype=np.float64)
            for y in (FARTHEST, 0.0, -FARTHEST)
        )
        share = square / FARTHEST**2
        tilt = mean / FARTHEST
        expected = none + 0.5 * (share + tilt) * (up - none) + 0.5 * (share - tilt) * (down - none)
        return np.asarray(n * expected + (up - down) / (2.0 * FARTHEST) * (total - n * mean))
