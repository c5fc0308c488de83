"""An experiment that this process serves: its agent in memory, and how to get it from the log."""

from __future__ import annotations

import contextlib
import logging
import math
import time
import types
from typing import NamedTuple

from factored_bandits.agent import Decision
from factored_bandits.core.checks import Form
from factored_bandits.errors import DumpError, ExperimentError, FactoredBanditsError, StoreError
from factored_bandits.service.config import Config
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Experiment, Transaction

from .fallback import fallback_of
from .fold import SECOND, Fold, FoldError

LOGGER = logging.getLogger("factored_bandits.service")
PAGE = 1000  # events that are read at a time
LATER = 0.001  # seconds; what is due is older than the ttl, and not just as old


class Reading(NamedTuple):
    """Where an agent stands."""

    n: int  # the number of the last event that it has followed
    open: int  # decisions that are given out and not learned
    oldest: float | None  # when the oldest was asked that holds learning back; seconds since 1970


class Handle:
    """One experiment of a store.

    Parameters
    ----------
    row
        The experiment.
    module
        Its policy, if it is a module of one's own.
    compiled
        See `Agent`.
    ahead
        With "auto", whether compiled steps that are on disk are used from the first one on.
    """

    def __init__(
        self,
        row: Experiment,
        module: types.ModuleType | None = None,
        compiled: Form = "auto",
        ahead: bool = False,
    ) -> None:
        self.id = row.id
        self.key = row.key
        self.config = Config.of(row.config)
        self.due = math.inf  # by `time.monotonic`: no decision is due before
        self.is_shared = False  # whether somebody else wrote before the last transaction here
        self._module = module
        self._compiled = compiled
        self._ahead = ahead
        self._fold: Fold | None = None
        self._before: Fold | None = None  # the last one, when what it has seen may not be stored
        self._fallback: Decision | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether its agent is in memory."""
        return self._fold is not None

    def fallback(self) -> Decision:
        """The best as far as was known when the database was last there; it has no number."""
        if self._fallback is None:
            known = self._fold or self._before
            self._fallback = fallback_of(known or Fold(self.config, self._module, compiled=False))
        return self._fallback

    @property
    def followed(self) -> int | None:
        """The number of the last event that the agent has followed; None if there is no agent."""
        return None if self._fold is None else self._fold.n

    def reading(self) -> Reading | None:
        """Where the agent stands, for those who operate it; None before anybody used it."""
        fold = self._fold or self._before
        if fold is None:
            return None
        age = fold.agent.status().oldest_age
        oldest = None if age is None else fold.at / SECOND - age.total_seconds()
        return Reading(fold.n, fold.backlog, oldest)

    def forget(self) -> None:
        """What is in memory may be other than the log; the next one reads it again."""
        self._before = self._fold or self._before
        self._fold = None
        self.due = math.inf

    def caught_up(self, tx: Transaction, row: Experiment, *, rebase: bool = False) -> Fold:
        """The agent at the head of the log, which is locked.

        Raises
        ------
        ExperimentError
            If the log is of another library or machine, or cannot be followed.
        """
        if row.fingerprint != fingerprint() and not rebase:
            self.forget()
            raise ExperimentError(
                f"the experiment {self.key!r} was computed by {row.fingerprint} (version of the "
                f"library, digest of the machine's arithmetic), this is {fingerprint()}: its log "
                "may come out otherwise here. Stop the programs with the old version, then open "
                "it once with rebase=True"
            )

        try:
            fold = self._fold or self._loaded(tx, row)
            known = self._fold is not None and fold.n == row.head
            self._before = fold
            self._fold = None  # until it is whole
            while fold.n < row.head:
                page = tx.events(self.id, fold.n, PAGE)
                if not page:
                    raise FoldError(fold.n + 1, f"it is missing; the head is {row.head}")
                if page[0].at < fold.at:
                    # our clock was ahead of the log, in a batch that wrote nothing
                    fold = self._loaded(tx, row)
                    continue
                fold.follow(page)
        except FoldError as error:
            raise ExperimentError(
                f"the log of the experiment {self.key!r} cannot be followed here: {error}"
            ) from error

        if fold.n > row.head:
            raise StoreError(
                f"the log of the experiment {self.key!r} is shorter than it was: {row.head} events "
                f"instead of {fold.n}. Was an old backup put in its place? Open it anew"
            )
        if not known:
            fold.active_sets.followed(fold.driver, lambda: tx.changes(self.id))
        self._fold = fold
        self._before = None
        self._fallback = None
        return fold

    def load_ahead(self) -> None:
        """Load the compiled steps of the policy, if they are on disk; from then on that is quick.

        What is wrong with an experiment is left to those who ask for it.
        """
        with contextlib.suppress(FactoredBanditsError):
            Fold(self.config, self._module, self._compiled).driver.load_steps()

    def _loaded(self, tx: Transaction, row: Experiment) -> Fold:
        fold = self._from_store(tx, row)
        if self._ahead:
            fold.driver.load_steps()
        return fold

    def _from_store(self, tx: Transaction, row: Experiment) -> Fold:
        self.due = 0.0  # something may be
        snapshot = tx.snapshot(self.id)
        if snapshot is not None and snapshot.n <= row.head:
            try:
                return Fold(self.config, self._module, self._compiled, snapshot.body, snapshot.n)
            except DumpError as error:
                LOGGER.warning(
                    "the snapshot of %r is not used, its log is read from the start: %s",
                    self.key,
                    error,
                )
        return Fold(self.config, self._module, self._compiled)

    def set_due(self, fold: Fold, asked: bool) -> None:
        """When to look for decisions that are due; too early does no harm."""
        now = time.monotonic()
        if self.due <= now or (asked and self.due == math.inf):
            self.due = now + fold.due_in() + LATER
