"""Performance profiles: the share of problems on which a policy is near the best one."""

from __future__ import annotations

import math
from collections.abc import Mapping

from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError

# problem -> policy -> mean regret; a policy that cannot play a problem is not there
Regrets = Mapping[str, Mapping[str, float]]
COLUMNS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
WIDEST = 100.0  # factors beyond it are not drawn


def factors(regrets: Regrets) -> dict[str, list[float]]:
    """Per policy and problem, its regret as a multiple of the best one's; inf if it did not play.

    >>> factors({"easy": {"a": 10.0, "b": 15.0}, "hard": {"a": 80.0}})
    {'a': [1.0, 1.0], 'b': [1.5, inf]}
    """
    if not regrets:
        raise InvalidInputError("regrets is empty: there is nothing to draw")

    policies = sorted({policy for row in regrets.values() for policy in row})
    found: dict[str, list[float]] = {policy: [] for policy in policies}

    for row in regrets.values():
        best = min(row.values())
        for policy in policies:
            found[policy].append(_multiple(row.get(policy, math.inf), best))

    return found


def _multiple(regret: float, best: float) -> float:
    if best > 0.0:
        return regret / best
    # The best lost nothing: whoever lost something is infinitely worse.
    return 1.0 if regret <= best else math.inf


def share(multiples: list[float], within: float) -> float:
    """The share of the problems on which a policy is within this factor of the best.

    >>> share([1.0, 1.5, 4.0, math.inf], 2.0)
    0.5
    """
    # A little more than the factor, for ratios that rounding has moved.
    limit = within * (1.0 + 1e-12)
    return sum(multiple <= limit for multiple in multiples) / len(multiples)


def profile_table(regrets: Regrets, title: str = "", caption: str = "") -> Table:
    """One row per policy, those that are near the best most often first; and its largest factor."""
    rows = []

    for policy, multiples in sorted(factors(regrets).items(), key=lambda item: rank(item[1])):
        played = [multiple for multiple in multiples if math.isfinite(multiple)]
        worst = f"{max(played):,.1f}" if played else "-"
        cells = [f"{share(multiples, within):.0%}" for within in COLUMNS]
        rows.append((policy, *cells, worst, f"{len(played)} of {len(multiples)}"))

    heads = ["best"] + [f"within {within:g} x" for within in COLUMNS[1:]]
    return Table(title, ("policy", *heads, "largest factor", "problems played"), rows, caption)


def rank(multiples: list[float]) -> float:
    """The area above the profile, on a logarithmic axis up to `WIDEST`: smaller is better."""
    return sum(min(math.log(multiple), math.log(WIDEST)) for multiple in multiples)
