"""`Env`: a problem of the library as an environment of Gymnasium, for learners from elsewhere.

>>> import factored_bandits as fb
>>> problem = fb.environments.make("rank1", factors=[[0.9, 0.5], [0.8, 0.2, 0.1]])
>>> env = fb.gymnasium.Env(problem, horizon=100)
>>> env.action_space
MultiDiscrete([2 3])
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step([0, 1])
>>> reward, terminated, truncated, round(info["regret"], 3)
(0.0, False, False, 0.54)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from factored_bandits.core.lazy import lazy_members

if TYPE_CHECKING:
    from .env import Env

_MEMBERS = {"Env": "env"}

__all__ = ["Env"]

__getattr__ = lazy_members(__name__, _MEMBERS, {"gymnasium": "gymnasium"}, "gymnasium")


def __dir__() -> list[str]:
    return sorted(__all__)
