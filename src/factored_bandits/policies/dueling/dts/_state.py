"""Double Thompson Sampling (Wu & Liu, NeurIPS 2016): the state of D-TS and D-TS+."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Bools, Floats, Ints
from factored_bandits.core.rng import WORD
from factored_bandits.policies.blocks.duels import check_positive, check_size
from factored_bandits.policies.blocks.posterior import POSTERIOR_WINS, posterior_contradiction
from factored_bandits.policies.limits import NOT_NEGATIVE, ROUNDING, SHARE, Within, index

# sides of many pairs at a time, see _words
LANES = WORD  # random digits in one word
DIGITS = 6  # of a probability that are kept
BITS, BEATS, UNDECIDED, LISTED, MEMBER = range(5)  # rows of `lanes`
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
    digits: Ints  # (DIGITS, words, K) of `probability`, row above the diagonal by its lanes
    more: Ints  # (DIGITS, words, K) whether any digit that is not zero follows
    lanes: Ints  # (5, K) scratch: see the names of its rows

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
            "digits": Within(0, 2**LANES - 1),
            "more": Within(0, 2**LANES - 1),
            "lanes": Within(0, 2**LANES - 1),
        }

    def contradiction(self, params: Params, planned: Ints) -> str | None:
        """See blocks/posterior."""
        return posterior_contradiction(self.wins, self.probability)


def check_dts(policy: str, params: Params, arms: int, matrices: int) -> None:
    """Refuse an alpha that is not positive, and more pairs than fit in memory."""
    check_positive(policy, alpha=params.alpha)
    check_size(policy, arms, matrices)


def new_state(arms: int, remember_sides: bool) -> State:
    """Nothing known: every theta is uniform."""
    kept = arms if remember_sides else 0
    many = arms if arms >= MANY and not remember_sides else 0
    words = -(-(many - 1) // LANES) if many else 0
    digits = np.zeros((DIGITS if many else 0, words, many), dtype=np.int64)
    digits[:1] = 2**LANES - 1  # 1/2
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
        digits=digits,
        more=np.zeros_like(digits),
        lanes=np.zeros((5 if many else 0, many), dtype=np.int64),
    )
