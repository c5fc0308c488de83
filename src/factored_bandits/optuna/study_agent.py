"""The agent of the study that a sampler works on: asked and told by threads and processes."""

from __future__ import annotations

import contextlib
import copy
import threading
import time
from collections.abc import Sequence
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from . import attributes
from .chain import LINK, Link
from .process import is_gone
from .replay import FAILED, Replay
from .wishes import Wishes

ATTEMPTS = 100  # to get a link into the chain, while other processes get theirs
PATIENCE = 10.0  # seconds to wait for a trial that has begun and has not asked
PAUSE = 0.005  # seconds


class StudyAgent:
    """The agent of one study at a time, for all threads of a process.

    Parameters
    ----------
    wishes
        What the user asked of the sampler.
    """

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._lock = threading.RLock()
        self._place: tuple[Any, int] | None = None  # whose agent it is: a storage and an id
        self._replay: Replay | None = None
        self._silent: set[int] = set()  # trials that began and never asked

    def ask(self, study: Study, trial: FrozenTrial) -> None:
        """Write a link into a trial that begins, as long as the factors are known.

        Parameters
        ----------
        study
            The study.
        trial
            The trial.
        """
        for _ in range(ATTEMPTS):
            self._let_others_ask(study, trial)
            with self._lock:
                if self._has_asked(study, trial):
                    return

    def _let_others_ask(self, study: Study, trial: FrozenTrial) -> None:
        """Wait until trials that began before have asked, in other threads or processes."""
        with self._lock:
            self._attend_to(study)

        deadline = time.monotonic() + PATIENCE
        while True:
            earlier = all_trials(study)[: trial.number]
            asking = {each.number for each in earlier if _is_asking(each)} - self._silent
            if not asking:
                return
            if time.monotonic() >= deadline:
                # of another sampler, or killed before they could ask: once is enough
                self._silent |= asking
                return
            time.sleep(PAUSE)

    def _has_asked(self, study: Study, trial: FrozenTrial) -> bool:
        """Ask; False if another process has asked at the same moment, and its link counts."""
        trials = all_trials(study)
        storage = study._storage
        replay = self._replay_of(study, trials, trial.number)
        if replay is None:
            storage.set_trial_system_attr(trial._trial_id, LINK, None)
            return True

        replay.follow(trials)
        if _give_up_vanished(study, replay, trials):
            trials = all_trials(study)

        link = replay.next_link(trials, trial.number)
        storage.set_trial_system_attr(trial._trial_id, LINK, link._asdict())
        return replay.contains(all_trials(study), trial.number)

    def tell(
        self,
        study: Study,
        trial: FrozenTrial,
        link: Link,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Take the outcome of a trial that is about to be stored, and write what is known then.

        Parameters
        ----------
        study
            The study.
        trial
            The trial.
        link
            Its link.
        state
            How it ended.
        values
            The value of the objective, if there is one.

        Raises
        ------
        RewardOutOfRangeError
            If the value cannot be a reward.
        """
        with self._lock:
            trials = all_trials(study)
            replay = self._replay_of(study, trials, trial.number)
            if replay is None or replay.digest != link.settings:
                return  # it was asked by a sampler with other settings
            if state == TrialState.COMPLETE and values is not None:
                replay.settings.reward(trial.number, values[0])

            replay.follow(trials)
            trials[trial.number] = _ended(trial, state, values)
            replay.tell_all(trials)
            attributes.write(study, replay)

    def known(self, study: Study) -> Replay | None:
        """The agent after all trials of a study; None before the first decision.

        Parameters
        ----------
        study
            The study.

        Returns
        -------
        Replay or None
            The agent, with everything told that can be.
        """
        with self._lock:
            trials = all_trials(study)
            replay = self._replay_of(study, trials, len(trials))
            if replay is not None:
                replay.follow(trials)
                replay.tell_all(trials)
            return replay

    def _replay_of(self, study: Study, trials: Sequence[FrozenTrial], number: int) -> Replay | None:
        self._attend_to(study)
        if self._replay is None:
            settings = self._wishes.settings(study, trials, number)
            self._replay = None if settings is None else Replay(settings)
        return self._replay

    def _attend_to(self, study: Study) -> None:
        """Forget another study."""
        storage, id = study._storage, study._study_id
        if self._place is None or self._place[0] is not storage or self._place[1] != id:
            self._place = (storage, id)
            self._replay = None
            self._silent = set()

    def __reduce__(self) -> tuple[type[StudyAgent], tuple[Wishes]]:
        return StudyAgent, (self._wishes,)  # a copy reads the study for itself


def all_trials(study: Study) -> list[FrozenTrial]:
    """All trials of a study, in the order of their numbers."""
    # not study.get_trials: a pruner such as Hyperband hides trials there
    return list(study._storage.get_all_trials(study._study_id, deepcopy=False))


def is_enqueued(trial: FrozenTrial) -> bool:
    """Whether the user has given parameters: what is decided could not be run."""
    return "fixed_params" in trial.system_attrs


def _is_asking(trial: FrozenTrial) -> bool:
    running = trial.state == TrialState.RUNNING
    return running and LINK not in trial.system_attrs and not is_enqueued(trial)


def _give_up_vanished(study: Study, replay: Replay, trials: Sequence[FrozenTrial]) -> bool:
    """Let trials fail whose process no longer exists; their decisions are played again."""
    gone = [asked for asked in replay.running(trials) if is_gone(asked.link.process)]
    for asked in gone:
        trial = trials[asked.number]
        with contextlib.suppress(UpdateFinishedTrialError):  # another process was faster
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
    return bool(gone)


def _ended(trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> FrozenTrial:
    """The trial as it will be stored in a moment."""
    ended = copy.copy(trial)
    ended.state = state
    ended.values = values
    ended.system_attrs = {**trial.system_attrs, FAILED: state == TrialState.FAIL}
    return ended
