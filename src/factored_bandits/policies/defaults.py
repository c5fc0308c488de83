"""What an agent plays if nobody chooses; docs/decisions.md has the measurements behind it."""

from __future__ import annotations

from factored_bandits.core.checks import one_of

from .base import Kind

# Each certifies, needs no horizon, and runs that go wrong are rare. docs/decisions.md weighs the
# regret, the worst runs and the certificates of such policies.
DEFAULTS: dict[Kind, str] = {
    "factored": "leader_tea",
    "duel": "dueling_leader_tea",
}
# Beside uniform play the only one so far.
OF_COMBINATIONS = "duel_top_two"
# The interaction test needs blocks in random order in which levels meet other levels than leaders.
DIAGNOSED = "tea(bound=betting)"
# Bets need rewards of a declared range; the paper's bound does not.
UNBOUNDED = "tea"


def default(
    kind: Kind, *, bounded: bool = True, diagnostics: bool = False, combinations: bool = False
) -> str:
    """Give the policy that `fb.Agent` plays unless another is named.

    Parameters
    ----------
    kind
        "factored" or "duel".
    bounded
        Whether rewards have a declared range. Those of duels always have.
    diagnostics
        Whether the agent is to test if every factor has a best level.
    combinations
        Of duels, whether whole combinations of several factors are compared.

    Returns
    -------
    str
        Its label, as `make` takes it.

    Raises
    ------
    InvalidInputError
        If there is no such kind.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> fb.policies.make(default("factored")).certifies, fb.policies.make(default("duel")).certifies
    (True, True)
    >>> default("factored", bounded=False)
    'tea'
    """
    one_of("kind", kind, tuple(DEFAULTS))
    if kind == "duel":
        return OF_COMBINATIONS if combinations else DEFAULTS[kind]
    if not bounded:
        return UNBOUNDED
    return DIAGNOSED if diagnostics else DEFAULTS[kind]
