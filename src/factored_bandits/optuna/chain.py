"""Links: what each trial that asked wrote into its system attributes. They form a chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from optuna.trial import FrozenTrial

LINK = "factored_bandits:link"  # a system attribute of a trial


class Link(NamedTuple):
    """What a trial asked."""

    settings: str  # the digest of the sampler's settings: each has a chain of its own
    after: int | None  # the number of the trial that asked before
    position: int  # in the chain, from 1
    decision: int  # the id of the agent's decision; an old one if that is played again
    told: int  # so many decisions, from the first one on, had their outcome
    levels: dict[str, Any]  # what was decided, by the names of the parameters
    process: str  # which process asked


class Asked(NamedTuple):
    """A trial with its link."""

    number: int
    link: Link


def link_of(trial: FrozenTrial) -> Link | None:
    """The link of a trial; None if it did not ask."""
    document = trial.system_attrs.get(LINK)
    return None if document is None else Link(**document)


def chain(trials: Sequence[FrozenTrial], settings: str) -> list[Asked]:
    """The longest chain, from its first link on; of equally long ones that with the lower number.

    Links are never changed once they count, and a longer chain contains what others have built on.
    So everybody who reads the same trials finds the same chain.

    Parameters
    ----------
    trials
        All trials of a study.
    settings
        The digest of the settings whose chain is wanted.

    Returns
    -------
    list of Asked
        Empty if no trial has asked.
    """
    asked: dict[int, Link] = {}
    last: int | None = None
    for trial in trials:
        link = link_of(trial)
        if link is None or link.settings != settings:
            continue
        asked[trial.number] = link
        if last is None or link.position > asked[last].position:
            last = trial.number

    found = []
    while last is not None:
        found.append(Asked(last, asked[last]))
        last = asked[last].after
    return found[::-1]


def latest_settings(trials: Sequence[FrozenTrial]) -> str | None:
    """The settings of the last trial that asked; None if none did."""
    links = (link_of(trial) for trial in reversed(trials))
    return next((link.settings for link in links if link is not None), None)
