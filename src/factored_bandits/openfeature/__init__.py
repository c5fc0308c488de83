"""`Provider`: the agent behind feature flags, by OpenFeature.

>>> from openfeature import api
>>> from openfeature.evaluation_context import EvaluationContext
>>> import factored_bandits as fb
>>> factors = {"headline": ["short", "long"], "columns": [1, 2]}
>>> agent = fb.Agent(factors=factors, seed=1)
>>> api.set_provider(fb.openfeature.Provider({"page": agent}), domain="shop")
>>> client = api.get_client(domain="shop")
>>> visitor = EvaluationContext("visitor 17")
>>> client.get_object_value("page", {}, visitor)
{'headline': 'short', 'columns': 1}
>>> client.get_integer_value("page.columns", 2, visitor)
1
>>> client.track("page", visitor)  # the reward: 1, where the event has no value
>>> agent.waiting
()

The flag is an object of all levels, and `flag.factor` is one of them. A targeting key gets one
decision, and the same one again as long as the provider remembers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from factored_bandits.core.lazy import lazy_members

if TYPE_CHECKING:
    from .protocol import AgentLike, UnitAgentLike
    from .provider import Provider

_MEMBERS = {"AgentLike": "protocol", "Provider": "provider", "UnitAgentLike": "protocol"}

__all__ = ["AgentLike", "Provider", "UnitAgentLike"]

__getattr__ = lazy_members(__name__, _MEMBERS, {"openfeature": "openfeature-sdk"}, "openfeature")


def __dir__() -> list[str]:
    return sorted(__all__)
