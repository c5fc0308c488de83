"""Chains: two processes that ask at the same moment, and processes that no longer exist."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("optuna.samplers", reason="needs the extra optuna")

import noisy
import optuna
from optuna.trial import TrialState, create_trial

import factored_bandits as fb
from factored_bandits.errors import AgentError
from factored_bandits.optuna.chain import LINK, Chain, Link, link_of
from factored_bandits.optuna.process import is_gone, this_process
from factored_bandits.optuna.replay import Replay


def trials_with(*links):
    """Running trials whose links have these (after, position); None: without a link."""
    made = []
    for number, place in enumerate(links):
        attributes = {}
        if place is not None:
            link = Link("s", place[0], place[1], place[1], 0, {}, "")
            attributes = {LINK: link._asdict()}
        trial = create_trial(state=TrialState.RUNNING, system_attrs=attributes)
        trial.number = number
        made.append(trial)
    return made


def chain(*links):
    return [asked.number for asked in Chain("s").read(trials_with(*links))]


def test_the_longest_chain_counts():
    assert chain() == []
    assert chain(None, (None, 1), None) == [1]
    assert chain((None, 1), (0, 2), (0, 2), (2, 3)) == [0, 2, 3]


def test_of_equally_long_chains_the_lower_number_counts():
    assert chain((None, 1), (0, 2), (0, 2)) == [0, 1]
    assert chain((None, 1), (2, 3), (0, 2), (2, 3)) == [0, 2, 1]


def test_what_builds_on_a_link_that_was_changed_does_not_count():
    assert chain((None, 1), (2, 2), (0, 2), (1, 3)) == [0, 2]


def test_reading_again_is_reading_from_the_beginning():
    stages = [
        ((None, 1), None),
        ((None, 1), (0, 2), (0, 2)),
        ((None, 1), (0, 2), (1, 3)),
        ((None, 1), (0, 2), (1, 3), (1, 3), (3, 4)),
        ((None, 1), (0, 2), (4, 5), (1, 3), (3, 4), None),
        ((None, 1), (0, 2), (4, 5), (1, 3), (3, 4), (2, 6), (2, 6)),
        ((None, 1), (0, 2), (4, 5), (1, 3), (3, 4), (2, 6), (5, 7)),
    ]
    kept = Chain("s")
    for stage in stages:
        assert [asked.number for asked in kept.read(trials_with(*stage))] == chain(*stage)


def test_of_two_samplers_that_ask_at_the_same_moment_one_counts(monkeypatch):
    monkeypatch.setattr("factored_bandits.optuna.study_agent.PATIENCE", 0.0)
    one = noisy.study_in(None)
    two = optuna.load_study(
        study_name="noisy",
        storage=one._storage,
        sampler=fb.optuna.Sampler(search_space=noisy.SPACE, seed=3),
    )
    one.optimize(noisy.objective, n_trials=3)

    # the second one asks after the first has read the trials and before it writes its link
    write = one._storage.set_trial_system_attr
    other = []

    def write_late(trial_id, key, value):
        if key == LINK and not other:
            other.append(None)
            other[0] = two.ask()
        write(trial_id, key, value)

    monkeypatch.setattr(one._storage, "set_trial_system_attr", write_late)
    trial = one.ask()
    assert trial.number < other[0].number
    noisy.suggested(trial)
    noisy.suggested(other[0])
    two.tell(other[0], 1.0)
    one.tell(trial, 0.0)

    # the one with the lower number counts, and everybody goes on with the same agent
    two.optimize(noisy.objective, n_trials=3)
    one.optimize(noisy.objective, n_trials=3)
    assert fb.optuna.status(one) == fb.optuna.status(two)
    assert fb.optuna.status(one).learned == 3 + 1 + 6
    again = Replay(one.sampler._agent.known(one).settings)
    again.follow(one.trials)
    assert again.tell_all(one.trials) == 10


def test_a_link_that_lost_is_asked_again(monkeypatch):
    monkeypatch.setattr("factored_bandits.optuna.study_agent.PATIENCE", 0.0)
    one = noisy.study_in(None)
    two = optuna.load_study(
        study_name="noisy",
        storage=one._storage,
        sampler=fb.optuna.Sampler(search_space=noisy.SPACE, seed=3),
    )
    waiting = two._storage.create_new_trial(two._study_id)  # begun, and has not asked yet

    write = one._storage.set_trial_system_attr
    done = []

    def write_late(trial_id, key, value):
        if key == LINK and not done:
            done.append(True)
            optuna.Trial(two, waiting)
        write(trial_id, key, value)

    monkeypatch.setattr(one._storage, "set_trial_system_attr", write_late)
    trial = one.ask()
    assert trial.number == 1
    assert [link_of(each).decision for each in one.trials] == [1, 2]


def test_who_began_first_asks_first(monkeypatch):
    """However late: a later trial waits for it, and then no link is lost."""
    monkeypatch.setattr("factored_bandits.optuna.study_agent.PATIENCE", 60.0)
    study = noisy.study_in(None)
    first = study._storage.create_new_trial(study._study_id)
    second = threading.Thread(target=study.ask)
    second.start()
    while len(study.get_trials(deepcopy=False)) < 2:
        time.sleep(0.001)
    optuna.Trial(study, first)
    second.join()
    assert [link_of(each).decision for each in study.trials] == [1, 2]


def test_a_trial_that_never_asks_is_waited_for_once(monkeypatch):
    monkeypatch.setattr("factored_bandits.optuna.study_agent.PATIENCE", 0.05)
    slept = []
    monkeypatch.setattr("factored_bandits.optuna.study_agent.time.sleep", slept.append)
    study = noisy.study_in(None)
    study._storage.create_new_trial(study._study_id)  # as if killed at once
    study.ask()
    assert slept
    slept.clear()
    study.ask()
    assert slept == []
    assert [link_of(each) is None for each in study.trials] == [True, False, False]


def test_trials_of_another_version_are_refused():
    study = noisy.study_in(None)
    study.optimize(noisy.objective, n_trials=4)
    replay = Replay(study.sampler._agent.known(study).settings)
    trials = study.get_trials()
    link = link_of(trials[2])
    other = {**link.levels, "ad": "A" if link.levels["ad"] == "B" else "B"}
    trials[2].system_attrs = {LINK: link._replace(levels=other)._asdict()}
    with pytest.raises(AgentError, match=r"trial 2 was asked with .* another version of the lib"):
        replay.follow(trials)


def test_a_process_is_gone_when_it_has_ended():
    source = "from factored_bandits.optuna.process import this_process as t; print(t())"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    assert is_gone(done.stdout)
    assert not is_gone(this_process())


def test_of_processes_elsewhere_nothing_is_known():
    host, namespace, boot, number, started = json.loads(this_process())
    assert number == os.getpid()
    assert not is_gone(json.dumps(["elsewhere", namespace, "", 1, "1"]))
    assert not is_gone(json.dumps([host, "another container", boot, 1, "1"]))
    assert is_gone(json.dumps([host, namespace, "an earlier boot", number, started]))
    assert is_gone(json.dumps([host, namespace, boot, number, "an earlier start"]))
    assert not is_gone(json.dumps([host, namespace, boot, number, None]))
