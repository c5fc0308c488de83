"""`Decision`: what to play in one round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, init=False)
class Decision:
    """What to play in one round.

    Attributes
    ----------
    id
        The number of the round; `tell` and `expire` take it.
    action
        The index of the level of each factor; in duels of the first and the second arm, or the
        levels of the first combination and then those of the second.
    levels
        The same by name; of two combinations, a dict for each of "first" and "second".
    propensity
        Per factor the probability that this level had; None if the policy does not know it.
    block
        The id of the first of the decisions that were planned together with this one; None if it is
        not known. Propensities are those before the first of them was given out.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
    >>> agent.ask()
    Decision(id=1, action=(0,), levels={'colour': 'red'}, propensity={'colour': 0.5})
    """

    id: int
    action: tuple[int, ...]
    levels: dict[str, Any]
    propensity: dict[str, float] | None
    block: int | None = field(default=None, repr=False, compare=False)

    def __init__(
        self,
        id: int,
        action: tuple[int, ...],
        levels: dict[str, Any],
        propensity: dict[str, float] | None,
        block: int | None = None,
    ) -> None:
        # at once: what `dataclass` makes for a frozen class takes three times as long
        self.__dict__.update(
            id=id, action=action, levels=levels, propensity=propensity, block=block
        )
