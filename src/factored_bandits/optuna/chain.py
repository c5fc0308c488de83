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


class Chain:
    """The longest chain of a study, read again whenever its trials have changed.

    Of equally long ones that with the lower number of its last trial counts. A longer chain
    contains what others have built on, so everybody who reads the same trials finds the same one.

    Parameters
    ----------
    settings
        The digest of the settings whose chain is wanted.
    """

    def __init__(self, settings: str) -> None:
        self._settings = settings
        self._asked: dict[int, Asked] = {}
        self._unfinished: list[int] = []  # trials whose link may still be written
        self._seen = 0
        self._chain: list[Asked] = []

    def read(self, trials: Sequence[FrozenTrial]) -> list[Asked]:
        """The chain of these trials, from its first link on.

        Parameters
        ----------
        trials
            All trials of the study, in the order of their numbers.

        Returns
        -------
        list of Asked
            Empty if no trial has asked.
        """
        known = len(self._asked)
        changed = self._collect(trials)
        one_more = len(changed) == 1 and len(self._asked) == known + 1
        if one_more and self._is_next(changed[0]):
            self._chain.append(changed[0])
        elif changed:
            self._chain = self._longest()
        return self._chain

    def _is_next(self, asked: Asked) -> bool:
        """Whether a link only makes the chain longer, as it does most of the time."""
        last = self._chain[-1] if self._chain else None
        place = (last.number, last.link.position + 1) if last else (None, 1)
        return (asked.link.after, asked.link.position) == place

    def _collect(self, trials: Sequence[FrozenTrial]) -> list[Asked]:
        """Note links that are new or have changed; those of finished trials do not."""
        changed = []
        unfinished = []
        for number in (*self._unfinished, *range(self._seen, len(trials))):
            trial = trials[number]
            if not trial.state.is_finished():
                unfinished.append(number)

            link = link_of(trial)
            if link is None or link.settings != self._settings:
                continue
            if number not in self._asked or self._asked[number].link != link:
                self._asked[number] = Asked(number, link)
                changed.append(self._asked[number])

        self._unfinished = unfinished
        self._seen = len(trials)
        return changed

    def _longest(self) -> list[Asked]:
        candidates = self._asked
        last = max(candidates.values(), key=_rank)
        found = self._back_from(last)
        if found is not None:
            return found

        for last in sorted(candidates.values(), key=_rank, reverse=True):
            found = self._back_from(last)
            if found is not None:
                return found
        return []

    def _back_from(self, asked: Asked) -> list[Asked] | None:
        """The chain that ends here; None if a trial before it has asked again since."""
        found = [asked]
        while asked.link.after is not None:
            before = self._asked.get(asked.link.after)
            if before is None or before.link.position != asked.link.position - 1:
                return None
            asked = before
            found.append(asked)
        return found[::-1]


def _rank(asked: Asked) -> tuple[int, int]:
    return asked.link.position, -asked.number


def latest_settings(trials: Sequence[FrozenTrial]) -> str | None:
    """The settings of the last trial that asked; None if none did."""
    links = (link_of(trial) for trial in reversed(trials))
    return next((link.settings for link in links if link is not None), None)
