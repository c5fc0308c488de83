"""What an agent plays if nobody chooses; docs/decisions.md has the measurements behind it."""

from __future__ import annotations

from factored_bandits.core.checks import one_of

from .base import Kind

# One that certifies, needs no horizon, and is never far from the best: neither on average nor in
# its worst run.
DEFAULTS: dict[Kind, str] = {
    "factored": "tea(bound=betting)",
    "duel": "dueling_tea(bound=betting)",
}


def default(kind: Kind) -> str:
    """Give the policy that `fb.Agent` plays unless another is named.

    Parameters
    ----------
    kind
        "factored" or "duel".

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
    """
    one_of("kind", kind, tuple(DEFAULTS))
    return DEFAULTS[kind]
