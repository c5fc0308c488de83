"""The log of a study computed anew: who judged what, and how much each vote moved the evidence.

Policies that bet keep, for each arm, money won by betting against "this arm is the best"; a vote
multiplies it by a factor that was fixed, but for the outcome, before the vote. The log of that
factor is what the vote was worth. It is taken from the state of the policy before and after it
learns, so that nothing of the policy is written here a second time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from factored_bandits.agent.ledger import Block
from factored_bandits.core.arrays import Floats
from factored_bandits.service.config import Config
from factored_bandits.service.engine import Fold, FoldError
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Event, Experiment, Transaction

SELF = "self-duel"  # who settles duels of an arm with itself
PAGE = 1000  # events that are read at a time


class Told(NamedTuple):
    """A verdict in the log.

    Attributes
    ----------
    decision
        Its number.
    who
        Who gave it, as the log says: a voter, or the name of a key.
    first, second
        The two arms.
    reward
        1 if the first won, 0 if the second did, 0.5 for a tie.
    at
        When it was told, in microseconds.
    """

    decision: int
    who: str
    first: int
    second: int
    reward: float
    at: int


class Learned(NamedTuple):
    """A play that the policy has learned, in the order in which it did.

    Attributes
    ----------
    decision
        Its number.
    who
        Who gave the verdict; None of those that nobody gave.
    gains
        By arm, how much it added to the log of the money bet against the arm.
    """

    decision: int
    who: str | None
    gains: Floats


class Walk:
    """A study as far as its log was read.

    Parameters
    ----------
    row
        The experiment.
    """

    def __init__(self, row: Experiment) -> None:
        self._number = row.id
        self.read = 0  # the number of the last event
        self.told: dict[int, Told] = {}  # by decision
        self.learned: list[Learned] = []
        self._config = Config.of(row.config)
        self._asked: dict[int, tuple[int, ...]] = {}
        self._fold: Fold | None = None
        self._watched: object = None
        # what another version of the library, or another processor, has computed stays its own
        if row.fingerprint == fingerprint():
            self._fold = Fold(self._config)
            self._watch(self._fold)

    @property
    def bets(self) -> bool:
        """Whether it is known what each vote was worth."""
        return self._fold is not None and self._fold.agent.policy.bets

    def advance(self, tx: Transaction, most: int) -> bool:
        """Read on, `most` events of the log at most; whether that was all."""
        until = self.read + most
        while page := tx.events(self._number, self.read, min(PAGE, until - self.read)):
            for event in page:
                self._follow(event)
            self.read = page[-1].n
            if self.read >= until:
                return False
        return True

    def _follow(self, event: Event) -> None:
        decision = event.decision or 0
        if event.kind == "ask":
            self._asked[decision] = event.action or ()
        elif event.kind in ("tell", "expire"):
            first, second = self._asked.pop(decision)
            if event.kind == "tell" and event.who != SELF:
                who = event.who or ""
                self.told[decision] = Told(decision, who, first, second, event.body, event.at)
        if self._fold is None:
            return
        try:
            self._fold.follow([event])
            self._watch(self._fold)
        except FoldError:
            self._fold = None

    # ------------------------------------------------------------ what a vote was worth

    def _watch(self, fold: Fold) -> None:
        """Look at every block that is learned; a rebase makes another agent."""
        agent = fold.agent
        if agent is self._watched or not agent.policy.bets:
            return
        self._watched = agent
        agent._learner.on_learned = self._note
        self._wealth = self._wealth_of(fold)

    def _wealth_of(self, fold: Fold) -> Floats:
        agent = fold.agent
        found: list[Floats] = agent.policy.module.log_wealth(agent._params, agent._state)
        return np.array(found[0])

    def _note(self, block: Block) -> None:
        assert self._fold is not None, "it is what learns"
        assert len(block.actions) == 1, "policies that bet learn play by play"
        after = self._wealth_of(self._fold)
        told = self.told.get(block.start)
        who = None if told is None else told.who
        self.learned.append(Learned(block.start, who, after - self._wealth))
        self._wealth = after
