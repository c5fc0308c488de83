"""How large numbers may become, so that nothing that is computed from them overflows.

Counts are kept as floats in places, which are exact up to 2^53: no agent goes on for longer. A sum
of 2^53 (below 1e16) rewards of at most 1e100 stays below 1e116. Policies square the difference of
two such sums (below 1e233) and multiply it by constants; 1.8e308 is where floats end.
"""

from __future__ import annotations

MOST_ROUNDS = 2**53
LARGEST_REWARD = 1e100
# what is summed over all rounds
LARGEST_SUM = 1e120
# parameters of policies, which are multiplied and raised to powers
LARGEST_PARAMETER = 1e9
SMALLEST_PARAMETER = 1e-12

# A range is mapped onto the scale of a policy by a product and a sum. They are exact to 2^-53 of
# the larger end of the range, so on a scale of length 2 a range this narrow, relative to that end,
# moves rewards by less than 1e-6.
NARROWEST = 1e-9
