"""What a decision is as a flag: its value, the name of its variant, and what is known about it.

`page` is all levels of an experiment, `page.headline` one of them. The provider and the service
answer alike; nothing here needs the SDK of OpenFeature.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from factored_bandits.agent import Decision

DECISION = "decision"  # of the metadata of a flag, and of the attributes of a tracked event


def names_of(key: str) -> Iterator[tuple[str, str | None]]:
    """What a flag can mean: an experiment, or a factor of one; names may have dots.

    >>> list(names_of("shop.page.headline"))
    [('shop.page.headline', None), ('shop.page', 'headline'), ('shop', 'page.headline')]
    """
    yield key, None
    parts = key.split(".")
    for count in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:count]), ".".join(parts[count:])


def value_of(decision: Decision, factor: str | None) -> Any:
    """The value of a flag: the level of a factor, or all levels.

    >>> decision = Decision(7, (0, 2), {"headline": "short", "columns": 3}, {"headline": 0.5})
    >>> value_of(decision, "columns"), value_of(decision, None)
    (3, {'headline': 'short', 'columns': 3})
    """
    return dict(decision.levels) if factor is None else decision.levels[factor]


def variant_of(decision: Decision, factor: str | None) -> str:
    """The name of that value.

    >>> decision = Decision(7, (0, 2), {"headline": "short", "columns": 3}, {"headline": 0.5})
    >>> variant_of(decision, "columns"), variant_of(decision, None)
    ('3', 'headline=short, columns=3')
    """
    if factor is not None:
        return str(decision.levels[factor])
    return ", ".join(f"{name}={level}" for name, level in decision.levels.items())


def metadata_of(decision: Decision, name: int | str | None) -> dict[str, bool | int | float | str]:
    """Which decision it was, by its number or its token, and with which probabilities.

    >>> decision = Decision(7, (0, 2), {"headline": "short", "columns": 3}, {"headline": 0.5})
    >>> metadata_of(decision, decision.id)
    {'decision': 7, 'propensity.headline': 0.5}
    """
    known: dict[str, bool | int | float | str] = {} if name is None else {DECISION: name}
    for factor, probability in (decision.propensity or {}).items():
        known[f"propensity.{factor}"] = probability
    return known
