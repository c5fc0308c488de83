"""The sampler: a decision of the agent for every trial, and the outcome of every trial to it."""

from __future__ import annotations

import types
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from factored_bandits.core.checks import finite, integer
from factored_bandits.errors import FactoredBanditsError, InvalidInputError
from factored_bandits.policies import Policy
from factored_bandits.policies.parameters import checked_range

from .chain import link_of
from .drawing import drawn
from .factors import fits, from_search_space
from .replay import FAILED, played
from .settings import made
from .study_agent import StudyAgent, is_enqueued
from .wishes import Wishes


class Sampler(BaseSampler):
    """Sample by an agent, for objectives whose values are noisy.

    Parameters
    ----------
    policy
        A policy for factors, as `fb.Agent` takes it; by default `lb_inf`, which explores longer
        than the default of `fb.Agent`, and for unbounded values that one.
    search_space
        The factors: per name of a parameter a list of values, or a distribution with finitely many.
        By default the parameters of the first finished trial that have few values; that trial, and
        those that run beside it, are then drawn at random and not learned from.
    reward_range
        What values the objective can have at all, (low, high); None if there are no limits. A
        value outside is an error.
    default
        The value that stands in for a trial that failed, was pruned or gave NaN. By default the
        worse end of `reward_range`.
    seed
        Same seed, same trials.
    horizon
        How many trials are planned, for policies that need to know.
    max_levels
        How many values an integer or a float with a step may have to become a factor without
        `search_space`. Categorical parameters always become factors.
    independent_sampler
        The sampler for all other parameters. By default they are drawn at random, and again the
        same when a study is resumed.

    Raises
    ------
    UnknownNameError
        If there is no such policy.
    InvalidInputError
        If an argument is wrong, or the policy cannot learn from one value per trial.

    Notes
    -----
    All processes that work on one study must give the same arguments. A sampler with other ones
    does not learn from what was there, and a warning says so.

    Examples
    --------
    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> sampler = Sampler(search_space={"layers": [1, 2, 3], "optimiser": ["adam", "sgd"]}, seed=1)
    >>> study = optuna.create_study(sampler=sampler)
    >>> study.optimize(lambda trial: trial.suggest_int("layers", 1, 3) / 3, n_trials=50)
    >>> [trial.params["layers"] for trial in study.trials[:5]]
    [3, 1, 3, 1, 1]
    """

    def __init__(
        self,
        policy: str | types.ModuleType | Policy | None = None,
        search_space: Mapping[str, Sequence[Any] | BaseDistribution] | None = None,
        reward_range: tuple[float, float] | None = (0.0, 1.0),
        *,
        default: float | None = None,
        seed: int = 0,
        horizon: int | None = None,
        max_levels: int = 20,
        independent_sampler: BaseSampler | None = None,
    ) -> None:
        limits = checked_range(reward_range)
        self._wishes = Wishes(
            None if policy is None else made(policy, bounded=limits is not None),
            None if search_space is None else from_search_space(search_space),
            limits,
            None if default is None else finite("default", default),
            integer("seed", seed, 0),
            None if horizon is None else integer("horizon", horizon, 1),
            integer("max_levels", max_levels, 2),
        )
        if self._wishes.reward_range is None and default is None:
            raise InvalidInputError(
                "what is a trial worth that fails or is pruned? Without reward_range there is no "
                "worst value: give default=..."
            )
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            raise InvalidInputError(
                f"independent_sampler must be a sampler of Optuna, not {independent_sampler!r}"
            )

        self._independent_sampler = independent_sampler
        self._agent = StudyAgent(self._wishes)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Ask the agent for a decision and write it into the trial; Optuna calls this.

        Parameters
        ----------
        study
            The study.
        trial
            The trial that begins.

        Raises
        ------
        InvalidInputError
            If the study has several objectives.
        RewardOutOfRangeError
            If a trial of the study has a value that cannot be a reward.
        AgentError
            If another version of the library decided otherwise in this study.
        """
        try:
            _check_one_objective(study)
            if self._independent_sampler is not None:
                self._independent_sampler.before_trial(study, trial)
            if not is_enqueued(trial):
                self._agent.ask(study, trial)
        except FactoredBanditsError:
            # Optuna has begun the trial and will not end it
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
            raise

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Say that decisions are handed out by `sample_independent`; Optuna calls this.

        Parameters
        ----------
        study
            The study.
        trial
            The trial.

        Returns
        -------
        dict
            Nothing: a level is given once it is known that the parameter can have it.
        """
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Sample nothing; Optuna calls this.

        Parameters
        ----------
        study
            The study.
        trial
            The trial.
        search_space
            What `infer_relative_search_space` has returned.

        Returns
        -------
        dict
            Nothing.

        Raises
        ------
        InvalidInputError
            If the study has several objectives.
        """
        _check_one_objective(study)
        return {}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Give the level that was decided, or draw a parameter that is no factor; Optuna calls it.

        Parameters
        ----------
        study
            The study.
        trial
            The trial.
        param_name
            The parameter.
        param_distribution
            What values it can have.

        Returns
        -------
        object
            The value.

        Raises
        ------
        InvalidInputError
            If the study has several objectives.
        """
        _check_one_objective(study)
        link = link_of(trial)
        if link is not None and param_name in link.levels:
            level = link.levels[param_name]
            if fits(param_distribution, level):
                internal = param_distribution.to_internal_repr(level)
                return param_distribution.to_external_repr(internal)

        if self._independent_sampler is None:
            return drawn(self._wishes.seed, study, trial, param_name, param_distribution)
        return self._independent_sampler.sample_independent(
            study, trial, param_name, param_distribution
        )

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Tell the agent what came of a trial; Optuna calls this before it stores the outcome.

        Parameters
        ----------
        study
            The study.
        trial
            The trial that ends.
        state
            How it ended.
        values
            The value of the objective, if there is one.

        Raises
        ------
        RewardOutOfRangeError
            If the value cannot be a reward. The trial is stored all the same.
        """
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

        link = link_of(trial)
        if link is None:
            return
        if state == TrialState.FAIL:
            study._storage.set_trial_system_attr(trial._trial_id, FAILED, True)
        _warn_if_not_played(trial, link.levels)

        self._agent.tell(study, trial, link, state, values)

    def reseed_rng(self) -> None:
        """Reseed the independent sampler; Optuna calls this in threads. The agent is shared."""
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()


def _check_one_objective(study: Study) -> None:
    if len(study.directions) > 1:
        raise InvalidInputError(
            f"the study has {len(study.directions)} objectives, and an agent learns from one "
            "number: use a study with one direction, for instance with a weighted sum as its value"
        )


def _warn_if_not_played(trial: FrozenTrial, levels: dict[str, Any]) -> None:
    if played(trial.params, levels):
        return

    decided = {name: level for name, level in levels.items() if name in trial.params}
    ran = {name: trial.params[name] for name in decided}
    warnings.warn(
        f"trial {trial.number} ran with {ran}, and {decided} was decided: it is not learned from, "
        "and the decision is given to another trial. A factor must have the same values in every "
        "trial; leave it out of search_space, or out of what you fix, to have it drawn",
        stacklevel=2,
    )
