"""Double Thompson Sampling (Wu & Liu, NeurIPS 2016): the state of D-TS and D-TS+."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints, aligned_zeros
from factored_bandits.core.bits import BLOCK
from factored_bandits.core.words import WORD
from factored_bandits.policies.blocks.duels import check_positive, check_size
from factored_bandits.policies.blocks.posterior import POSTERIOR_WINS, posterior_contradiction
from factored_bandits.policies.limits import NOT_NEGATIVE, ROUNDING, SHARE, Within, index

# sides of many pairs at a time, see _words
LANES = WORD  # random digits in one word
FULL = 2**LANES - 1
DIGITS = 6  # of a probability that are kept
BEATS, UNDECIDED, MEMBER = range(3)  # rows of `lanes`
MANY = 64  # arms from which on it is done

NEVER = -math.inf
NOBODY = -1


class Params(NamedTuple):
    """`alpha` in the confidence bounds that restrict the candidates."""

    alpha: float = 0.51


class State(NamedTuple):
    """Records and posteriors of all pairs."""

    wins: Floats  # (K, K) of row over column
    probability: Floats  # (K, K) P(theta_ij > 1/2)
    mass: Floats  # (K, K) above the diagonal P(Bin(N_ij + 1, 1/2) = W_ij)
    deficits: Floats  # (K, K) of row against column
    beaten: Ints  # (K,) by how many each arm is beaten with high confidence
    lowest: Floats  # (K,) the smallest deficit among those, NEVER: count anew
    champion: Ints  # (1,) the last first arm
    lost: Ints  # (K,) scratch: losses in the sample
    seen: Ints  # (K,) scratch: opponents 0..seen-1 of an arm were drawn in the sample
    cost: Floats  # (K,) scratch of D-TS+: the regret of the duels of an arm
    sides: Bools  # (K, K) scratch of D-TS+: who beats whom in the sample; empty in D-TS
    # of D-TS with many arms, see _words: empty in D-TS+ and with few
    expected: Floats  # (K,) losses of each arm in a sample
    met: Ints  # (K, words) whom each arm has met: a bit for each arm
    digits: Ints  # (DIGITS, words, K or more) of `probability`, rows above the diagonal by lanes
    more: Ints  # (DIGITS - 1, words, K or more) after the second digit: whether any one follows
    lanes: Ints  # (3, K or more) scratch: see the names of its rows
    bits: Ints  # (2 K or more) scratch: random words
    sums: Ints  # (64,) scratch: how often the arms of a word were beaten

    def limits(self, params: Params) -> dict[str, Within]:
        """What the arrays may hold."""
        arms = len(self.wins)
        return {
            "wins": POSTERIOR_WINS,
            "probability": SHARE,
            "mass": SHARE,
            "deficits": NOT_NEGATIVE,
            "beaten": Within(0, arms),
            "lowest": Within(NEVER, math.inf),
            "champion": index(arms),
            "lost": Within(0, arms),
            "seen": Within(0, arms),
            "cost": Within(0.0, math.inf),
            "expected": Within(-ROUNDING * arms, (1.0 + ROUNDING) * arms),
            "met": Within(0, FULL),
            "digits": Within(0, FULL),
            "more": Within(0, FULL),
            "lanes": Within(0, FULL),
            "bits": Within(0, FULL),
            "sums": Within(0, arms),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """See blocks/posterior; kernels index by the bits of `met`, `digits` and `more`."""
        if len(self.digits) > 0:
            no_pair = FULL ^ first_digits(len(self.wins))[0]
            if ((self.digits | np.insert(self.more, 0, 0, axis=0)) & no_pair).any():
                return "digits of a pair that does not exist"
            if (self.met != met_words(self.wins)).any():
                return "met does not follow from wins"
        return posterior_contradiction(self.wins, self.probability)


def check_dts(policy: str, params: Params, arms: int, matrices: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_positive(policy, alpha=params.alpha)
    check_size(policy, arms, matrices)


def new_state(arms: int, remember_sides: bool) -> State:
    """Nothing known: every theta is uniform."""
    kept = arms if remember_sides else 0
    many = arms if arms >= MANY and not remember_sides else 0
    digits = first_digits(many)
    rows = digits.shape[2]
    return State(
        wins=np.zeros((arms, arms)),
        probability=np.full((arms, arms), 0.5),
        mass=np.full((arms, arms), 0.5),
        deficits=np.zeros((arms, arms)),
        beaten=np.zeros(arms, dtype=np.int64),
        lowest=np.full(arms, NEVER),
        champion=np.zeros(1, dtype=np.int64),
        lost=np.zeros(arms, dtype=np.int64),
        seen=np.zeros(arms, dtype=np.int64),
        cost=np.zeros(arms),
        sides=np.zeros((kept, kept), dtype=np.bool_),
        expected=np.full(many, 0.5 * (many - 1)),
        met=np.zeros((many, -(-many // LANES)), dtype=np.int64),
        digits=digits,
        more=aligned_zeros(*digits[1:].shape),
        lanes=aligned_zeros(3 if many else 0, rows),
        bits=aligned_zeros(2 * rows),
        sums=aligned_zeros(BLOCK if many else 0),
    )


def first_digits(arms: int) -> Ints:
    """The digits of 1/2 for every pair i < j, and zeros in lanes that are no such pair.

    Rows come in whole blocks.
    """
    if arms == 0:
        return aligned_zeros(0, 0, 0)

    rows = -(-arms // BLOCK) * BLOCK
    words = -(-(arms - 1) // LANES)
    digits = aligned_zeros(DIGITS, words, rows)
    for word in range(words):
        start = 1 + word * LANES
        lanes = min(LANES, arms - start)
        first = np.clip(np.arange(rows) + 1 - start, 0, lanes).astype(np.uint64)
        earlier = (np.uint64(1) << first) - np.uint64(1)
        digits[0, word] = np.uint64(2**lanes - 1) ^ earlier
    return digits


def met_words(wins: Floats) -> Ints:
    """Whom each arm has met, a bit for each arm."""
    arms = len(wins)
    met = (wins + wins.T > 0.0).astype(np.int64)
    words = np.zeros((arms, -(-arms // LANES)), dtype=np.int64)
    for j in range(arms):
        words[:, j // LANES] |= met[:, j] << (j % LANES)
    return words
