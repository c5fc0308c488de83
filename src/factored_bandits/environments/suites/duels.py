"""Duels: the paper's two families with K growing, and problems that break assumptions."""

from __future__ import annotations

from functools import partial

from factored_bandits.environments import (
    arithmetic,
    cyclic,
    hard_condorcet,
    identical_gap,
    make,
    random_utilities,
    ties,
)

from .instance import Instance


def duels() -> tuple[Instance, ...]:
    """The suite of dueling problems.

    Returns
    -------
    The instances.

    Examples
    --------
    >>> len(duels()), min(instance.problem().sizes[0] for instance in duels()), duels()[-1].name
    (13, 4, 'ties K=8')
    """
    return (
        Instance(
            "paper p=0.7 K=16",
            partial(identical_gap, 16, 0.7),
            10**5,
            "the paper's first figure, small; reference",
        ),
        Instance(
            "paper p=0.7 K=64",
            partial(identical_gap, 64, 0.7),
            10**6,
            "where K^2 exploration begins to cost",
        ),
        Instance(
            "paper p=0.7 K=256",
            partial(identical_gap, 256, 0.7),
            10**6,
            "more pairs than most can learn in time",
        ),
        Instance(
            "paper p=0.95 K=16",
            partial(identical_gap, 16, 0.95),
            10**5,
            "the paper's second figure: an easy winner",
        ),
        Instance(
            "paper p=0.95 K=128",
            partial(identical_gap, 128, 0.95),
            10**6,
            "easy, so what counts is the start",
        ),
        Instance(
            "paper p=0.95 K=512",
            partial(identical_gap, 512, 0.95),
            10**6,
            "K^2 duels are a quarter of the horizon",
        ),
        Instance(
            "arithmetic K=8",
            partial(arithmetic, 8),
            10**6,
            "a total order with gaps of every size (Komiyama 2015)",
        ),
        Instance(
            "arithmetic K=32",
            partial(arithmetic, 32, 0.5 / 31),
            10**6,
            "neighbours that are hard to tell apart",
        ),
        Instance(
            "cyclic K=4",
            cyclic,
            10**6,
            "a Condorcet winner over a cycle: no utilities (Komiyama 2015)",
        ),
        Instance(
            "hard Condorcet K=16",
            hard_condorcet,
            10**6,
            "the best arm wins barely, others win more often",
        ),
        Instance(
            "Bradley-Terry K=32",
            _bradley_terry,
            10**6,
            "utilities drawn at random, and a link that is not linear",
        ),
        Instance(
            "two at the top K=16",
            _two_at_the_top,
            10**6,
            "a difference of 0.01 that is hardly worth learning",
        ),
        Instance("ties K=8", ties, 10**5, "three duels in ten end in a tie"),
    )


_bradley_terry = partial(random_utilities, 32, scale=3.0, link="logistic")
_two_at_the_top = partial(make, "duel_utility", utilities=[0.5, 0.48] + [0.0] * 14)
