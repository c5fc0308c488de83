"""A study in a file: killed and resumed, and worked on by several processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("optuna.samplers", reason="needs the extra optuna")
pytest.importorskip("fcntl", reason="kill -9 is a matter of POSIX")

import noisy
from optuna.trial import TrialState

import factored_bandits as fb
from factored_bandits.optuna.chain import link_of
from factored_bandits.optuna.replay import Replay


def start(storage, trials, killed_in=0):
    program = Path(noisy.__file__)
    return subprocess.Popen([sys.executable, program, storage, str(trials), str(killed_in)])


def finished(study):
    return [
        (trial.params, trial.value) for trial in study.get_trials(states=(TrialState.COMPLETE,))
    ]


def test_a_killed_study_goes_on_as_if_nothing_had_happened(tmp_path):
    whole = noisy.study_in(None)
    whole.optimize(noisy.objective, n_trials=12)

    storage = f"sqlite:///{tmp_path}/study.db"
    assert start(storage, 100, killed_in=5).wait() == -signal.SIGKILL
    study = noisy.study_in(storage)
    states = [trial.state for trial in study.trials]
    assert states == [TrialState.COMPLETE] * 4 + [TrialState.RUNNING]

    study.optimize(noisy.objective, n_trials=12 - 4)
    assert finished(study) == finished(whole)
    assert study.trials[4].state == TrialState.FAIL
    assert fb.optuna.status(study) == fb.optuna.status(whole)
    assert fb.optuna.best_params(study) == fb.optuna.best_params(whole)


def test_processes_share_one_agent(tmp_path):
    storage = f"sqlite:///{tmp_path}/study.db"
    study = noisy.study_in(storage)
    other = start(storage, 7)
    while not study.get_trials(deepcopy=False):  # until the other process has begun
        assert other.poll() is None
        time.sleep(0.01)
    study.optimize(noisy.objective, n_trials=7)
    assert other.wait() == 0

    trials = study.get_trials()
    assert [trial.state for trial in trials] == [TrialState.COMPLETE] * 14
    assert all(link_of(trial) for trial in trials)

    # Both ran: the links name two processes. A trial may be outside the chain, if both asked at
    # the same moment; all others are learned, and whoever reads the study finds the same agent.
    assert len({link_of(trial).process for trial in trials}) == 2
    status = fb.optuna.status(study)
    assert status.asked == status.learned
    assert status.learned >= 7
    replay = Replay(study.sampler._agent.known(study).settings)
    replay.follow(trials)
    replay.tell_all(trials)
    assert replay.agent.dump() == study.sampler._agent.known(study).agent.dump()
