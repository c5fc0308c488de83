"""An agent that follows the chain of a study: asked at every link, told what was known there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from optuna.trial import FrozenTrial, TrialState

from factored_bandits.errors import AgentError

from .chain import Asked, Chain, Link
from .factors import same
from .process import this_process
from .settings import Settings

FAILED = "factored_bandits:failed"  # a system attribute of trials that failed in their own process

# What became of a decision: the trial that settles it, or no such trial so far.
Outcome = FrozenTrial | Literal["open", "free"]


class Replay:
    """The agent of one study. It is a cache: everything in it comes from the trials."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.digest = settings.digest
        self._chain = Chain(self.digest)
        self._begin()

    def _begin(self) -> None:
        self.agent = self.settings.agent()
        self._followed: list[Asked] = []
        self._players: list[list[int]] = []  # per decision the trials that play it, in order
        self._levels: list[dict[str, Any]] = []  # per decision
        self._told = 0

    def follow(self, trials: Sequence[FrozenTrial]) -> None:
        """Get to the end of the chain, from the beginning if it is another one than before.

        Parameters
        ----------
        trials
            All trials of the study, as they are now.

        Raises
        ------
        RewardOutOfRangeError
            If the value of a trial cannot be a reward.
        AgentError
            If the agent decides otherwise than the trials say.
        """
        links = self._chain.read(trials)
        known = len(self._followed)
        if self._followed != links[:known] or self._is_ahead(trials, links[known:]):
            self._begin()
            known = 0

        for asked in links[known:]:
            self._step(trials, asked)

    def _is_ahead(self, trials: Sequence[FrozenTrial], more: list[Asked]) -> bool:
        """Whether something was told that the trials, or the next link, do not know yet."""
        if more and more[0].link.told < self._told:
            return True
        agreed = self._followed[-1].link.told if self._followed else 0
        ahead = range(agreed + 1, self._told + 1)
        return any(isinstance(self._outcome(trials, each), str) for each in ahead)

    def _step(self, trials: Sequence[FrozenTrial], asked: Asked) -> None:
        link = asked.link
        if link.decision > len(self._players):
            self._tell(trials, link.told)
            self._ask()

        decided = self._levels[link.decision - 1]
        if list(decided) != list(link.levels) or not played(link.levels, decided):
            raise AgentError(
                f"trial {asked.number} was asked with {link.levels}, and the agent decides "
                f"{decided}: another version of the library or of the policy ran this study. Go on "
                "with that version, or begin anew with another seed; no trial is lost"
            )
        self._note(asked)

    def next_link(self, trials: Sequence[FrozenTrial], number: int) -> Link:
        """Ask for trial `number`: a decision that lost its trial, or a new one.

        Parameters
        ----------
        trials
            All trials of the study, as they are now.
        number
            The trial that asks.

        Returns
        -------
        Link
            To be written into the trial.
        """
        self.follow(trials)
        last = self._followed[-1] if self._followed else None
        told = last.link.told if last else 0

        decision = self._first_free(trials)
        if decision is None:
            told = self.tell_all(trials)
            self._ask()
            decision = len(self._players)

        position = last.link.position + 1 if last else 1
        after = last.number if last else None
        levels = self._levels[decision - 1]
        link = Link(self.digest, after, position, decision, told, levels, this_process())
        self._note(Asked(number, link))
        return link

    def contains(self, trials: Sequence[FrozenTrial], number: int) -> bool:
        """Whether the link of trial `number` is in the chain.

        Parameters
        ----------
        trials
            All trials of the study, as they are now.
        number
            The trial.

        Returns
        -------
        bool
            False if another process asked at the same moment and its chain counts.
        """
        return any(asked.number == number for asked in reversed(self._chain.read(trials)))

    def tell_all(self, trials: Sequence[FrozenTrial]) -> int:
        """Tell every outcome that has none missing before it.

        Parameters
        ----------
        trials
            All trials of the study, as they are now.

        Returns
        -------
        int
            How many decisions are told.
        """
        upto = self._told
        while upto < len(self._players) and not isinstance(self._outcome(trials, upto + 1), str):
            upto += 1
        self._tell(trials, upto)
        return upto

    def running(self, trials: Sequence[FrozenTrial]) -> list[Asked]:
        """The trials that the agent waits for, in the order of their decisions."""
        last = {asked.number: asked for asked in self._followed}
        open_ones = range(self._told + 1, len(self._players) + 1)
        numbers = [self._players[k - 1] for k in open_ones if self._outcome(trials, k) == "open"]
        return [
            last[number]
            for players in numbers
            for number in players
            if not trials[number].state.is_finished()
        ]

    def _first_free(self, trials: Sequence[FrozenTrial]) -> int | None:
        candidates = range(self._told + 1, len(self._players) + 1)
        return next((k for k in candidates if self._outcome(trials, k) == "free"), None)

    def _ask(self) -> None:
        decision = self.agent.ask()
        self._levels.append(self.settings.levels(decision.action))
        self._players.append([])

    def _note(self, asked: Asked) -> None:
        self._players[asked.link.decision - 1].append(asked.number)
        self._followed.append(asked)

    def _tell(self, trials: Sequence[FrozenTrial], upto: int) -> None:
        """Tell in the order of the decisions, so that each is learned at once."""
        for id in range(self._told + 1, upto + 1):
            trial = self._outcome(trials, id)
            if isinstance(trial, str):
                raise AgentError(
                    f"decision {id} counts as settled for a later trial, and its trial is not "
                    "finished: the storage does not show all that was written to it"
                )

            if trial.state == TrialState.COMPLETE:
                assert trial.value is not None
                self.agent.tell(id, self.settings.reward(trial.number, trial.value))
            else:
                self.agent.expire(id)
            self._told = id

    def _outcome(self, trials: Sequence[FrozenTrial], decision: int) -> Outcome:
        """The first trial that played the decision and was ended by its own process."""
        levels = self._levels[decision - 1]
        for number in self._players[decision - 1]:
            trial = trials[number]
            if not trial.state.is_finished():
                return "open"
            vanished = trial.state == TrialState.FAIL and not trial.system_attrs.get(FAILED)
            if not vanished and played(trial.params, levels):
                return trial
        return "free"


def played(params: dict[str, Any], levels: dict[str, Any]) -> bool:
    """Whether no parameter differs; one that was not suggested in this trial had no effect."""
    return all(same(params[name], level) for name, level in levels.items() if name in params)
