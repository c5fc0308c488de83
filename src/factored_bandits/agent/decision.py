"""`Decision`: what to play in one round."""

from __future__ import annotations

from dataclasses import dataclass

from .labels import Label


@dataclass(frozen=True)
class Decision:
    """What to play in one round.

    Attributes
    ----------
    id
        The number of the round; `tell` and `expire` take it.
    action
        The index of the level of each factor; in duels of the first and the second arm.
    levels
        The same by name.
    propensity
        Per factor the probability that this level had; None if the policy does not know it.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
    >>> agent.ask()
    Decision(id=1, action=(0,), levels={'colour': 'red'}, propensity={'colour': 0.5})
    """

    id: int
    action: tuple[int, ...]
    levels: dict[str, Label]
    propensity: dict[str, float] | None
