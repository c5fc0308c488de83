"""The environment: an action is a level of each factor, an episode is a number of rounds."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from factored_bandits.core.arrays import Ints
from factored_bandits.core.checks import integer, shown
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError

NOTHING = np.int64(0)  # to observe


class Env(gymnasium.Env[np.int64, Ints]):
    """A problem of the library as an environment of Gymnasium.

    The action space is `MultiDiscrete`, with a level of each factor, or the two arms of a duel. A
    bandit has no state, so the observation is always 0. An episode is truncated after `horizon`
    rounds and never terminates. `info` holds what a learner must not look at: the mean of the
    action, its regret, and the round.

    Parameters
    ----------
    environment
        The problem: what `fb.environments.make`, a generator or a suite gives.
    horizon
        How many rounds an episode has.

    Raises
    ------
    InvalidInputError
        If an argument is none of the above; by `step` if an action does not fit, or if an episode
        is over or has not begun.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.make("additive", effects=[[0.1, 0.4], [0.1, 0.3]])
    >>> env = fb.gymnasium.Env(problem, horizon=50)
    >>> agent = fb.Agent("tea", factors={"first": [0, 1], "second": [0, 1]}, seed=1)
    >>> _ = env.reset(seed=1)
    >>> truncated = False
    >>> while not truncated:
    ...     decision = agent.ask()
    ...     _, reward, _, truncated, info = env.step(decision.action)
    ...     agent.tell(decision.id, reward)
    >>> info["round"], agent.waiting
    (50, ())
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as in Gymnasium)

    def __init__(self, environment: Environment, horizon: int = 1000) -> None:
        if not isinstance(environment, Environment):
            raise InvalidInputError(
                f"environment must be what fb.environments.make returned, not {shown(environment)}"
            )
        self.environment = environment
        self.horizon = integer("horizon", horizon, 1)
        self.action_space = spaces.MultiDiscrete(list(environment.sizes))
        self.observation_space = spaces.Discrete(1)
        self.render_mode = None
        self._round: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed
            Same seed, same rewards; without one the random numbers go on.
        options
            There are none.

        Returns
        -------
        tuple
            The observation 0, and an empty dict.
        """
        super().reset(seed=seed)
        self._round = 0
        return NOTHING, {}

    def step(self, action: Any) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Play a round.

        Parameters
        ----------
        action
            One level per factor, or the two arms of a duel, counted from 0.

        Returns
        -------
        tuple
            The observation 0, the reward, False, whether that was the last round, and what a
            learner must not look at.
        """
        if self._round is None:
            raise InvalidInputError("the episode has not begun: call reset() first")
        if self._round >= self.horizon:
            raise InvalidInputError(
                f"the episode is over after {self.horizon:,} rounds: call reset()"
            )

        problem = self.environment
        regret = problem.regret(action)  # an error, if the action does not fit
        played = np.array([int(level) for level in action], dtype=np.int64)
        self._round += 1
        if not problem.stationary:
            regret = float(problem.module.regret(problem.data, self._round, played))
        mean = float(problem.module.mean(problem.data, self._round, played))
        reward = float(problem.module.sample(problem.data, self._round, played, self.np_random))
        info = {"mean": mean, "regret": regret, "round": self._round}
        return NOTHING, reward, False, self._round >= self.horizon, info
