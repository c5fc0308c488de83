"""What the agent of a study knows, read from the study alone."""

from __future__ import annotations

from typing import Any

from optuna.study import Study
from optuna.trial import TrialState

from factored_bandits.agent import Status
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .chain import latest_settings
from .replay import Replay
from .sampler import Sampler
from .settings import read
from .study_agent import all_trials
from .wishes import stored


def best_params(study: Study) -> dict[str, Any]:
    """Give the values that the agent thinks best after all trials.

    Parameters
    ----------
    study
        A study with trials of `Sampler`; it need not have that sampler now.

    Returns
    -------
    dict
        A value per factor. Parameters that are no factors are not in it.

    Raises
    ------
    InvalidInputError
        If `Sampler` has not decided any trial of the study.

    Examples
    --------
    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = Sampler(search_space={"x": [0.0, 0.5, 1.0]})
    >>> study = optuna.create_study(sampler=sampler, direction="maximize")
    >>> study.optimize(lambda trial: 1 - trial.suggest_float("x", 0, 1), n_trials=60)
    >>> best_params(study)
    {'x': 0.0}
    """
    replay = _replay(study)
    return replay.settings.best(replay.agent)


def confidence(study: Study) -> float | None:
    """Say how sure it is that `best_params` are the best.

    It may be looked at after every trial. It holds if each factor has a level that is best whatever
    the others are.

    Parameters
    ----------
    study
        A study with trials of `Sampler`.

    Returns
    -------
    float or None
        From 0 to 1; None where the policy proves nothing.

    Raises
    ------
    InvalidInputError
        If `Sampler` has not decided any trial of the study.

    Examples
    --------
    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = Sampler(search_space={"x": [0.0, 1.0]})
    >>> study = optuna.create_study(sampler=sampler, direction="maximize")
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=60)
    >>> confidence(study) > 0.95
    True
    """
    return _replay(study).agent.confidence()


def status(study: Study) -> Status:
    """Report what the agent knows of every level.

    Parameters
    ----------
    study
        A study with trials of `Sampler`.

    Returns
    -------
    Status
        As `fb.Agent.status` gives it; print it. Rounds are decisions, and a gap is a distance in
        the objective's values.

    Raises
    ------
    InvalidInputError
        If `Sampler` has not decided any trial of the study.

    Examples
    --------
    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = Sampler("tea", search_space={"x": [0.0, 1.0]})
    >>> study = optuna.create_study(sampler=sampler, direction="maximize")
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=60)
    >>> print(status(study))
    tea: 60 rounds asked, 60 learned, 0 waiting
    factor  level  state   plays    gap  at least  re-enters
    x       0.0    active     30  1.000    -0.194          -
    x       1.0    active     30  0.000     0.000          -
    """
    return _replay(study).agent.status()


def waiting(study: Study) -> tuple[int, ...]:
    """Give the numbers of the trials whose outcome the agent waits for.

    What comes after the first of them is not learned until it is finished.

    Parameters
    ----------
    study
        A study with trials of `Sampler`.

    Returns
    -------
    tuple of int
        In the order in which they asked.

    Raises
    ------
    InvalidInputError
        If `Sampler` has not decided any trial of the study.

    Examples
    --------
    >>> import optuna
    >>> study = optuna.create_study(sampler=Sampler(search_space={"x": [0.0, 1.0]}))
    >>> trials = [study.ask() for _ in range(3)]
    >>> waiting(study)
    (0, 1, 2)
    """
    replay = _replay(study)
    return tuple(asked.number for asked in replay.running(all_trials(study)))


def release(study: Study, *numbers: int) -> tuple[int, ...]:
    """Give up trials that nobody runs any more; the next trials play their decisions again.

    Trials of a process that was killed on this machine are recognised without this. Those of
    another machine are not, nor are trials that a program asked for and forgot.

    Parameters
    ----------
    study
        A study with trials of `Sampler`.
    *numbers
        Which of the trials in `waiting(study)`; by default all of them.

    Returns
    -------
    tuple of int
        The numbers of the trials; their state is FAIL now.

    Raises
    ------
    InvalidInputError
        If the agent does not wait for such a trial.

    Examples
    --------
    >>> import optuna
    >>> study = optuna.create_study(sampler=Sampler(search_space={"x": [0.0, 1.0]}))
    >>> forgotten = study.ask()
    >>> release(study), waiting(study)
    ((0,), ())
    """
    open_ones = waiting(study)
    for number in numbers:
        if number not in open_ones:
            known = ", ".join(map(str, open_ones)) or "none"
            raise InvalidInputError(f"nobody waits for trial {number!r}; open are: {known}")

    given_up = numbers or open_ones
    trials = all_trials(study)
    for number in given_up:
        study._storage.set_trial_state_values(trials[number]._trial_id, TrialState.FAIL)
    return tuple(given_up)


def _replay(study: Study) -> Replay:
    """The agent after all trials: the sampler's own, or else a new one."""
    trials = all_trials(study)
    digest = latest_settings(trials)
    if digest is None:
        raise InvalidInputError(
            "no trial of this study was decided by fb.optuna.Sampler; a sampler without "
            "search_space begins once a trial with a categorical, integer or stepped parameter is "
            "finished"
        )

    if isinstance(study.sampler, Sampler):
        replay = study.sampler._agent.known(study)
        if replay is not None:
            return replay

    document = stored(study)[digest]
    try:
        replay = Replay(read(document))
    except UnknownNameError:
        raise InvalidInputError(
            f"the study was run with the policy {document['policy']!r}, which is your own: load "
            "the study with sampler=fb.optuna.Sampler(policy=...) and the arguments that it had"
        ) from None
    replay.follow(trials)
    replay.tell_all(trials)
    return replay
